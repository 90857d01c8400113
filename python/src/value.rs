//! Values of parameters as Python objects: text, whole numbers, floats and booleans.

use ::space::{Configuration, Literal, Space};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};

/// Returns the Python object for a value.
pub(crate) fn to_python(py: Python<'_>, value: &Literal) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Literal::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        Literal::Integer(number) => number.into_pyobject(py)?.into_any().unbind(),
        Literal::Float(number) => number.into_pyobject(py)?.into_any().unbind(),
        Literal::Boolean(truth) => PyBool::new(py, *truth).to_owned().into_any().unbind(),
    })
}

/// Returns the value of a Python object. NumPy's scalars count as the numbers they hold.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    if let Ok(truth) = object.extract::<bool>() {
        return Ok(Literal::Boolean(truth));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Literal::Text(text.to_str()?.to_owned()));
    }
    if object.cast::<PyFloat>().is_err()
        && let Ok(number) = object.extract::<i64>()
    {
        return Ok(Literal::Integer(number));
    }
    match object.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(Literal::Float(number)),
        Ok(number) => Err(PyValueError::new_err(format!("{number} is not a finite number"))),
        Err(_) => Err(PyTypeError::new_err(format!(
            "{} is not a value of a parameter; expected text, a number or a boolean",
            object.repr()?
        ))),
    }
}

/// Returns a configuration as a dictionary of its active parameters.
pub(crate) fn dictionary<'py>(
    py: Python<'py>,
    configuration: &Configuration,
) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for (name, value) in configuration.iter() {
        values.set_item(name, to_python(py, &value)?)?;
    }
    Ok(values)
}

/// Reads a configuration of a space from a dictionary.
pub(crate) fn configuration(space: &Space, values: &Bound<'_, PyDict>) -> PyResult<Configuration> {
    let mut read = Vec::with_capacity(values.len());
    for (name, value) in values {
        read.push((name.extract::<String>()?, from_python(&value)?));
    }
    space
        .configuration(read.iter().map(|(name, value)| (name.as_str(), value.clone())))
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
