//! Parameter spaces: read from a dictionary or from text, sampled and encoded.

use std::hash::{DefaultHasher, Hash, Hasher};

use ::space::format::{self, Format, toml_key, toml_text};
use ::space::{Configuration, Literal, Parameter};
use math::Rng;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

use crate::array::{Array, Shared};
use crate::value::{configuration, dictionary, from_python};

/// The parameters of a function or program, with their values, conditions and forbidden clauses.
#[pyclass(frozen, eq, module = "captune._captune", name = "Space", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Space {
    pub(crate) inner: ::space::Space,
}

#[pymethods]
impl Space {
    #[new]
    fn new(definition: &Bound<'_, PyDict>) -> PyResult<Self> {
        read(&definition_text(definition)?, "space", Format::Toml)
    }

    /// Reads a space from text in one of the formats that `captune space convert` knows.
    #[classmethod]
    #[pyo3(signature = (text, format = None, *, name = "space"))]
    fn from_text(_: &Bound<'_, PyType>, text: &str, format: Option<&str>, name: &str) -> PyResult<Self> {
        let format = match format {
            Some(word) => named_format(word)?,
            None => Format::guess(name, text).ok_or_else(|| {
                PyValueError::new_err(format!("the format of `{name}` is unknown; give one of {}", formats()))
            })?,
        };
        read(text, name, format)
    }

    /// Writes the space as text.
    #[pyo3(signature = (format = "toml"))]
    fn to_text(&self, format: &str) -> PyResult<String> {
        format::write(&self.inner, named_format(format)?).map_err(value_error)
    }

    #[getter]
    fn names(&self) -> Vec<&str> {
        self.inner.parameters().iter().map(Parameter::name).collect()
    }

    #[getter]
    fn default<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, &self.inner.default_configuration())
    }

    /// Draws `n` configurations uniformly.
    #[pyo3(signature = (n = 1, *, seed = 0))]
    fn sample<'py>(&self, py: Python<'py>, n: usize, seed: u64) -> PyResult<Bound<'py, PyList>> {
        let mut rng = Rng::new(seed, "python sample", 0);
        let drawn = PyList::empty(py);
        for _ in 0..n {
            drawn.append(dictionary(py, &self.inner.sample(&mut rng).map_err(value_error)?)?)?;
        }
        Ok(drawn)
    }

    /// Checks a configuration and returns it with its values in the space's own kinds.
    fn check<'py>(&self, py: Python<'py>, values: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, &configuration(&self.inner, values)?)
    }

    /// Encodes configurations as rows of numbers in [0, 1], with -1 for inactive parameters.
    fn encode(&self, configurations: Vec<Bound<'_, PyDict>>) -> PyResult<Array> {
        let mut rows = Vec::with_capacity(configurations.len() * self.inner.row_length());
        for values in &configurations {
            rows.extend(self.inner.encode(&configuration(&self.inner, values)?));
        }
        Ok(Array::matrix(rows, self.inner.row_length()))
    }

    /// Returns the configurations that rows encode.
    fn decode<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let shared = Shared::borrow(rows, "X", 2)?;
        let decoded = PyList::empty(py);
        for row in shared.numbers().chunks_exact(shared.width) {
            let configuration: Configuration = self.inner.decode(row).map_err(value_error)?;
            decoded.append(dictionary(py, &configuration)?)?;
        }
        Ok(decoded)
    }

    /// Returns the number of categories of each unordered column; the other columns hold numbers.
    #[getter]
    fn categories(&self) -> Vec<(usize, usize)> {
        let columns = ::surrogate::configuration_columns(&self.inner);
        let count = |(index, column)| match column {
            ::surrogate::Column::Category(count) => Some((index, count)),
            ::surrogate::Column::Number => None,
        };
        columns.into_iter().enumerate().filter_map(count).collect()
    }

    /// Returns the definition that `Space` reads.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("tomllib")?.call_method1("loads", (self.to_text("toml")?,))
    }

    /// Converts a `ConfigSpace.ConfigurationSpace`.
    #[classmethod]
    fn from_configspace(_: &Bound<'_, PyType>, space: &Bound<'_, PyAny>) -> PyResult<Self> {
        let definition = space.call_method0("to_serialized_dict")?;
        let text: String = space.py().import("json")?.call_method1("dumps", (definition,))?.extract()?;
        read(&text, "ConfigSpace", Format::ConfigSpaceJson)
    }

    /// Returns the space as a `ConfigSpace.ConfigurationSpace`.
    fn to_configspace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.to_text(Format::ConfigSpaceJson.name())?;
        let definition = py.import("json")?.call_method1("loads", (text,))?;
        let class = py.import("ConfigSpace")?.getattr("ConfigurationSpace")?;
        class.call_method1("from_serialized_dict", (definition,))
    }

    fn __len__(&self) -> usize {
        self.inner.parameters().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.inner.find(name).is_some()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.names().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let text = format::write(&self.inner, Format::Toml).unwrap_or_default();
        format!("Space.from_text({text:?}, \"toml\")")
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String, &'static str))> {
        let text = slf.get().to_text("toml")?;
        Ok((slf.get_type().getattr("from_text")?.unbind(), (text, "toml")))
    }
}

fn read(text: &str, name: &str, format: Format) -> PyResult<Space> {
    match format::read(text, name, format) {
        Ok(inner) => Ok(Space { inner }),
        Err(mistakes) => Err(PyValueError::new_err(mistakes.to_string())),
    }
}

fn named_format(word: &str) -> PyResult<Format> {
    Format::ALL.into_iter().find(|format| format.name() == word).ok_or_else(|| {
        PyValueError::new_err(format!("unknown format `{word}`; expected one of {}", formats()))
    })
}

fn formats() -> String {
    Format::ALL.map(Format::name).join(", ")
}

pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Writes the definition of a space as TOML.
fn definition_text(definition: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut text = String::new();
    let grouped = definition.get_item("parameters")?.and_then(|own| own.cast_into::<PyDict>().ok());
    if let Some(clauses) = definition.get_item("forbidden")?
        && (grouped.is_some() || clauses.cast::<PyList>().is_ok_and(|list| all_text(list)))
    {
        text.push_str(&format!("forbidden = {}\n", toml_value(&clauses)?));
    } else if definition.contains("forbidden")? {
        let message = "`forbidden` must be a list of clauses; for a parameter of this name, put all parameters \
                       into a dictionary called `parameters`";
        return Err(PyValueError::new_err(message));
    }
    if let Some(parameters) = &grouped {
        text.push_str("[parameters]\n");
        for (name, domain) in parameters {
            text.push_str(&parameter_text(&name.extract::<String>()?, &domain)?);
        }
    } else {
        for (name, domain) in definition {
            let name = name.extract::<String>()?;
            if name != "forbidden" {
                text.push_str(&parameter_text(&name, &domain)?);
            }
        }
    }
    Ok(text)
}

fn all_text(list: &Bound<'_, PyList>) -> bool {
    list.iter().all(|clause| clause.extract::<String>().is_ok())
}

/// Writes one parameter: a table as in the TOML form, or one of the short forms.
fn parameter_text(name: &str, domain: &Bound<'_, PyAny>) -> PyResult<String> {
    let name_text = toml_key(name);
    if let Ok(table) = domain.cast::<PyDict>() {
        return Ok(format!("{name_text} = {}\n", toml_value(table)?));
    }
    if domain.extract::<bool>().is_ok() {
        return Ok(format!("{name_text} = {{ boolean = {} }}\n", toml_value(domain)?));
    }
    if let Ok(choices) = domain.cast::<PyList>() {
        return Ok(format!("{name_text} = {{ choices = {} }}\n", toml_value(choices)?));
    }
    if let Ok(range) = domain.cast::<PyTuple>()
        && range.len() == 2
    {
        let ends = [from_python(&range.get_item(0)?)?, from_python(&range.get_item(1)?)?];
        let kind =
            if ends.iter().all(|end| matches!(end, Literal::Integer(_))) { "integer" } else { "float" };
        return Ok(format!("{name_text} = {{ {kind} = {} }}\n", toml_value(range)?));
    }
    Err(PyTypeError::new_err(format!(
        "`{name}` is {}; expected (low, high), a list of choices, a default of a boolean, or a dictionary such \
         as {{\"float\": [0.0, 1.0], \"log\": True}}",
        domain.repr()?
    )))
}

fn toml_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(table) = value.cast::<PyDict>() {
        let mut parts = Vec::with_capacity(table.len());
        for (key, value) in table {
            parts.push(format!("{} = {}", toml_key(&key.extract::<String>()?), toml_value(&value)?));
        }
        return Ok(format!("{{ {} }}", parts.join(", ")));
    }
    if value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok() {
        let parts = value.try_iter()?.map(|item| toml_value(&item?)).collect::<PyResult<Vec<_>>>()?;
        return Ok(format!("[{}]", parts.join(", ")));
    }
    Ok(match from_python(value)? {
        Literal::Text(text) => toml_text(&text),
        other => other.to_string(),
    })
}
