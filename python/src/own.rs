//! Surrogates written in Python: any object with `fit(X, y, censored)` and `predict(X)`.
//!
//! | call | arguments | result |
//! |---|---|---|
//! | `fit` | rows (`Space.encode` and the instance's columns), costs on the model's scale, booleans | ignored |
//! | `predict` | rows | means and standard deviations |
//!
//! Each fit works on a copy of the object (`copy.copy`), so that a predictor in use never changes. An
//! exception is kept and raised again where the user called.

use std::sync::{Arc, Mutex, PoisonError};

use ::surrogate::{FitError, InstanceTable, Points, Prediction, Predictor, Surrogate, TrainingSet};
use math::Rng;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::array::Array;

/// The first exception that a surrogate raised.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Returns the exception, if there was one, and forgets it.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A surrogate written in Python.
pub(crate) struct PythonSurrogate {
    object: Py<PyAny>,
    raised: Raised,
}

impl PythonSurrogate {
    /// Wraps an object with `fit` and `predict`.
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self { object, raised: Raised::default() }
    }

    /// Returns where exceptions are kept.
    pub(crate) fn raised(&self) -> Raised {
        self.raised.clone()
    }

    /// Returns the exception that a call raised, if any.
    pub(crate) fn take_error(&self) -> Option<PyErr> {
        self.raised.take()
    }
}

impl Surrogate for PythonSurrogate {
    fn fit(&self, data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let fitted = Python::attach(|py| {
            let rows: Vec<f64> = (0..data.len()).flat_map(|i| data.row(i).collect::<Vec<_>>()).collect();
            let costs = data.readings().iter().map(|reading| reading.lower_bound()).collect();
            let censored = PyList::new(py, data.readings().iter().map(|reading| reading.is_censored()))?;
            let object = py.import("copy")?.call_method1("copy", (&self.object,))?;
            let rows = numpy(Array::matrix(rows, data.columns().len()), py)?;
            let costs = numpy(Array::vector(costs), py)?;
            object.call_method1("fit", (rows, costs, booleans(censored)?))?;
            Ok(object.unbind())
        });
        match fitted {
            Ok(object) => Ok(Box::new(PythonPredictor {
                object,
                instances: data.instances().clone(),
                raised: self.raised.clone(),
            })),
            Err(error) => {
                self.raised.keep(error);
                Err(FitError::Interrupted)
            }
        }
    }
}

struct PythonPredictor {
    object: Py<PyAny>,
    instances: InstanceTable,
    raised: Raised,
}

impl PythonPredictor {
    /// Predicts rows. After an exception, predicts zeros: the caller sees the exception before it uses them.
    fn rows(&self, rows: Vec<f64>, width: usize) -> Vec<Prediction> {
        let count = rows.len() / width;
        let found = Python::attach(|py| {
            let answer =
                self.object.call_method1(py, "predict", (numpy(Array::matrix(rows, width), py)?,))?;
            let (mean, deviation): (Vec<f64>, Vec<f64>) = answer.extract(py).map_err(|_| {
                PyValueError::new_err("predict(X) must return the means and the standard deviations")
            })?;
            check(&mean, &deviation, count)?;
            let pair = |(mean, deviation): (f64, f64)| Prediction { mean, variance: deviation * deviation };
            Ok(mean.into_iter().zip(deviation).map(pair).collect())
        });
        found.unwrap_or_else(|error| {
            self.raised.keep(error);
            vec![Prediction::default(); count]
        })
    }
}

fn check(mean: &[f64], deviation: &[f64], count: usize) -> PyResult<()> {
    if mean.len() != count || deviation.len() != count {
        return Err(PyValueError::new_err(format!(
            "predict(X) returned {} means and {} standard deviations for {count} rows",
            mean.len(),
            deviation.len()
        )));
    }
    if mean.iter().any(|mean| !mean.is_finite()) || deviation.iter().any(|d| !d.is_finite() || *d < 0.0) {
        let message = "predict(X) must return finite means, and finite standard deviations of 0 or more";
        return Err(PyValueError::new_err(message));
    }
    Ok(())
}

impl Predictor for PythonPredictor {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        let rows: Vec<f64> = points.iter().flatten().copied().collect();
        out.copy_from_slice(&self.rows(rows, points.width()));
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict(points, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        let count = self.instances.count();
        let width = configurations.width() + self.instances.columns().len();
        let mut rows = Vec::with_capacity(configurations.len() * count * width);
        for row in configurations.iter() {
            for instance in 0..count {
                rows.extend(row.iter().chain(self.instances.row(instance)));
            }
        }
        for (out, all) in out.iter_mut().zip(self.rows(rows, width).chunks_exact(count)) {
            out.mean = all.iter().map(|found| found.mean).sum::<f64>() / count as f64;
            out.variance = all.iter().map(|found| found.variance).sum::<f64>() / count as f64;
        }
    }
}

/// Returns a NumPy array that uses the array's memory; a `memoryview` if NumPy is not installed.
fn numpy(array: Array, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("captune._arrays")?.call_method1("shared", (array,))
}

/// Returns a NumPy array of booleans; the list itself if NumPy is not installed.
fn booleans<'py>(list: Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    list.py().import("captune._arrays")?.call_method1("booleans", (list,))
}
