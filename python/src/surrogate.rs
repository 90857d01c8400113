//! The surrogates for Python: fitting, predicting, and the suite that every surrogate must pass.
//!
//! Rows are read where Python keeps them. Fitting and predicting release the interpreter's lock, and a
//! prediction of many rows is divided among threads.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::surrogate::{
    Column, InstanceTable, Points, Prediction, Predictor, Reading, Scale, Surrogate, TrainingSet, forest,
    gaussian, neural, testkit,
};
use math::Rng;
use pyo3::exceptions::{PyAssertionError, PyValueError};
use pyo3::prelude::*;

use crate::array::{Array, Shared};
use crate::own::PythonSurrogate;
use crate::space::value_error;

/// Number of rows from which a second thread pays off.
const ROWS_PER_THREAD: usize = 1024;

/// A fitted surrogate.
#[pyclass(frozen, module = "captune._captune")]
pub(crate) struct Fitted {
    predictor: Box<dyn Predictor>,
    width: usize,
    threads: usize,
}

#[pymethods]
impl Fitted {
    /// Predicts the mean and the standard deviation of the cost of each row.
    #[pyo3(signature = (rows, *, noise = false))]
    fn predict(&self, py: Python<'_>, rows: &Bound<'_, PyAny>, noise: bool) -> PyResult<(Array, Array)> {
        let shared = Shared::borrow(rows, "X", 2)?;
        if shared.width != self.width {
            let message =
                format!("X has {} columns; the surrogate was fitted to {}", shared.width, self.width);
            return Err(PyValueError::new_err(message));
        }
        let (mean, deviation) = py.detach(|| {
            let numbers = shared.numbers();
            check_rows(numbers, self.width)?;
            Ok::<_, PyErr>(self.predict_rows(numbers, noise))
        })?;
        Ok((Array::vector(mean), Array::vector(deviation)))
    }
}

impl Fitted {
    fn predict_rows(&self, numbers: &[f64], noise: bool) -> (Vec<f64>, Vec<f64>) {
        let rows = numbers.len() / self.width;
        let mut found = vec![Prediction::default(); rows];
        let threads = self.threads.min(rows / ROWS_PER_THREAD).max(1);
        let part = rows.div_ceil(threads).max(1);
        let one = |numbers: &[f64], found: &mut [Prediction]| match Points::new(numbers, self.width) {
            points if noise => self.predictor.predict_total(points, found),
            points => self.predictor.predict(points, found),
        };
        std::thread::scope(|scope| {
            let mut parts: Vec<_> = numbers.chunks(part * self.width).zip(found.chunks_mut(part)).collect();
            let last = parts.pop();
            for (numbers, found) in parts {
                scope.spawn(move || one(numbers, found));
            }
            if let Some((numbers, found)) = last {
                one(numbers, found);
            }
        });
        found.into_iter().map(|found| (found.mean, found.deviation())).unzip()
    }
}

/// What a surrogate learns from: rows, costs, and which costs are only lower bounds.
struct Lesson {
    rows: Shared,
    costs: Vec<f64>,
    censored: Vec<bool>,
    columns: Vec<Column>,
    cutoff: Option<f64>,
    seed: u64,
}

/// The arguments that all surrogates share.
#[derive(FromPyObject)]
pub(crate) struct Data<'py> {
    #[pyo3(item)]
    rows: Bound<'py, PyAny>,
    #[pyo3(item)]
    costs: Vec<f64>,
    #[pyo3(item)]
    censored: Vec<bool>,
    #[pyo3(item)]
    categories: BTreeMap<usize, usize>,
    #[pyo3(item)]
    cutoff: Option<f64>,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    threads: usize,
}

impl Lesson {
    fn read(data: Data<'_>) -> PyResult<Self> {
        let Data { rows, costs, censored, categories, cutoff, seed, .. } = data;
        let rows = Shared::borrow(&rows, "X", 2)?;
        let count = rows.numbers().len() / rows.width;
        if costs.len() != count || censored.len() != count {
            let message = format!(
                "X has {count} rows, y has {} values and censored has {}; they must be equal",
                costs.len(),
                censored.len()
            );
            return Err(PyValueError::new_err(message));
        }
        if let Some(at) = costs.iter().position(|cost| !cost.is_finite()) {
            return Err(PyValueError::new_err(format!("y[{at}] is {}; costs must be finite", costs[at])));
        }
        check_rows(rows.numbers(), rows.width)?;
        let mut columns = vec![Column::Number; rows.width];
        for (column, count) in categories {
            match columns.get_mut(column) {
                Some(place) if count > 0 => *place = Column::Category(count),
                _ => {
                    let message =
                        format!("categories: X has no column {column}, or it has no categories ({count})");
                    return Err(PyValueError::new_err(message));
                }
            }
        }
        Ok(Self { rows, costs, censored, columns, cutoff, seed })
    }

    fn fit(self, py: Python<'_>, surrogate: &dyn Surrogate, threads: usize) -> PyResult<Fitted> {
        py.detach(|| {
            let instances = InstanceTable::alike();
            let mut set = TrainingSet::new(&self.columns, &instances, Scale::Linear, self.cutoff);
            let rows = self.rows.numbers().chunks_exact(self.rows.width);
            for ((row, &cost), &censored) in rows.zip(&self.costs).zip(&self.censored) {
                let configuration = set.push_configuration(row);
                set.push(
                    configuration,
                    0,
                    if censored { Reading::AtLeast(cost) } else { Reading::Exact(cost) },
                );
            }
            let predictor =
                surrogate.fit(&set, &mut Rng::new(self.seed, "python fit", 0)).map_err(value_error)?;
            Ok(Fitted { predictor, width: self.rows.width, threads })
        })
    }
}

/// Rejects rows that no space encodes.
fn check_rows(numbers: &[f64], width: usize) -> PyResult<()> {
    let valid = |number: f64| (0.0..=1.0).contains(&number) || number == ::space::INACTIVE;
    match numbers.iter().position(|&number| !valid(number)) {
        None => Ok(()),
        Some(at) => Err(PyValueError::new_err(format!(
            "X[{}, {}] is {}; columns must be scaled to [0, 1], with -1 for a missing value (Space.encode does both)",
            at / width,
            at % width,
            numbers[at]
        ))),
    }
}

/// Fits a forest.
#[pyfunction]
pub(crate) fn fit_forest(
    py: Python<'_>,
    data: Data<'_>,
    trees: usize,
    features: f64,
    min_leaf: u32,
    treatment: &str,
) -> PyResult<Fitted> {
    use forest::Treatment::{Drop, Ignore, Mean, Sample};
    positive("trees", trees)?;
    if !(features > 0.0 && features <= 1.0) {
        return Err(PyValueError::new_err(format!("features is {features}; expected a share in (0, 1]")));
    }
    let known = [("ignore", Ignore), ("drop", Drop), ("mean", Mean), ("sample", Sample)];
    let treatment = one_of("treatment", treatment, &known)?;
    let threads = data.threads.max(1);
    let settings =
        forest::ForestSettings { trees, features, min_leaf, treatment, threads, ..Default::default() };
    Lesson::read(data)?.fit(py, &settings, threads)
}

/// Fits an ensemble of networks.
#[pyfunction]
pub(crate) fn fit_neural(
    py: Python<'_>,
    data: Data<'_>,
    layers: Vec<usize>,
    epochs: usize,
    members: usize,
    treatment: &str,
) -> PyResult<Fitted> {
    use neural::Treatment::{Drop, Ignore, Mean, Tobit};
    positive("members", members)?;
    positive("layers", layers.iter().copied().min().unwrap_or(0))?;
    let known = [("ignore", Ignore), ("drop", Drop), ("mean", Mean), ("tobit", Tobit)];
    let treatment = one_of("treatment", treatment, &known)?;
    let threads = data.threads.max(1);
    let settings =
        neural::NeuralSettings { layers, epochs, members, treatment, threads, ..Default::default() };
    Lesson::read(data)?.fit(py, &settings, threads)
}

/// Fits a Gaussian process.
#[pyfunction]
pub(crate) fn fit_gaussian(
    py: Python<'_>,
    data: Data<'_>,
    least_noise: f64,
    max_points: usize,
    treatment: &str,
) -> PyResult<Fitted> {
    use gaussian::Treatment::{Drop, Ignore, Likelihood};
    positive("max_points", max_points)?;
    let known = [("ignore", Ignore), ("drop", Drop), ("likelihood", Likelihood)];
    let treatment = one_of("treatment", treatment, &known)?;
    let threads = data.threads.max(1);
    let settings = gaussian::GaussianSettings { treatment, least_noise, max_points, ..Default::default() };
    Lesson::read(data)?.fit(py, &settings, threads)
}

/// Runs the suite that every surrogate must pass on a surrogate written in Python.
#[pyfunction]
#[pyo3(signature = (surrogate, *, ordered = false))]
pub(crate) fn conforms(py: Python<'_>, surrogate: Py<PyAny>, ordered: bool) -> PyResult<()> {
    let surrogate = PythonSurrogate::new(surrogate);
    let outcome = py.detach(|| {
        // The suite reports a violated property as a panic. Its message becomes the exception's, so the
        // default hook must not print it as well.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let outcome = catch_unwind(AssertUnwindSafe(|| testkit::conforms(&surrogate, ordered)));
        std::panic::set_hook(hook);
        outcome
    });
    if let Some(error) = surrogate.take_error() {
        return Err(error);
    }
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        PyAssertionError::new_err(text.unwrap_or_else(|| "a property does not hold".to_owned()))
    })
}

fn positive(name: &str, number: usize) -> PyResult<()> {
    if number > 0 { Ok(()) } else { Err(PyValueError::new_err(format!("{name} must be at least 1"))) }
}

/// Returns the value with a name.
fn one_of<T: Copy>(setting: &str, word: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("{setting} is `{word}`; expected one of {}", names.join(", ")))
    })
}
