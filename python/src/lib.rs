//! The compiled part of the Python package captune.
//!
//! | module | subject |
//! |---|---|
//! | `value` | configurations and their values as Python objects |
//! | `space` | parameter spaces |
//! | `array` | rows of numbers, shared with Python without copies |
//! | `column`, `arrow` | columns of tables, and the tables as Arrow's C streams |
//! | `surrogate` | the surrogates, and the suite that every surrogate must pass |
//! | `own` | surrogates written in Python |
//! | `tuner` | the optimizer |
//! | `child` | child processes under `confine`'s limits |
//!
//! The Python files in `captune/` turn these into the public interface. Long computations release the
//! interpreter's lock.

mod array;
mod arrow;
mod child;
mod column;
mod own;
mod space;
mod surrogate;
mod tuner;
mod value;

use pyo3::prelude::*;

#[pymodule]
mod _captune {
    #[pymodule_export]
    use super::array::Array;
    #[pymodule_export]
    use super::arrow::{arrow_schema, arrow_stream};
    #[pymodule_export]
    use super::child::Child;
    #[pymodule_export]
    use super::space::Space;
    #[pymodule_export]
    use super::surrogate::{Fitted, conforms, fit_forest, fit_gaussian, fit_neural};
    #[pymodule_export]
    use super::tuner::Tuner;
}
