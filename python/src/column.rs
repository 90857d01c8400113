//! Columns in Arrow's memory layout, made from lists of Python objects.
//!
//! | kind | Arrow type | Python values |
//! |---|---|---|
//! | `boolean` | bool | `bool` |
//! | `integer` | int64 | `int` |
//! | `float` | float64 | `float` and `int` |
//! | `text` | large_utf8 | `str` |
//! | `category` | dictionary of int32 to large_utf8 | `str` |
//! | not given | the first type above that fits all values, with `category` for text; null if all are `None` | any of the above |
//!
//! `None` is a missing value in every kind. If no kind is given and text is mixed with numbers or booleans, as in the
//! choices `["auto", 1, 2]`, the column is a category of texts.

use std::collections::HashMap;
use std::ffi::CString;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString};

/// A named column.
pub(crate) struct Column {
    pub(crate) name: CString,
    pub(crate) length: usize,
    /// Number of missing values.
    pub(crate) missing: usize,
    /// One bit for each value: 1 if it is present.
    pub(crate) present: Vec<u8>,
    pub(crate) data: Data,
}

/// The values of a column. A missing value has a place, whose content does not matter.
pub(crate) enum Data {
    /// Nothing but missing values.
    Missing,
    /// One bit for each value.
    Booleans(Vec<u8>),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Texts(Texts),
    /// The number of each value's text.
    Categories(Vec<i32>, Texts),
}

/// Texts in one buffer: text i begins at offset i and ends at offset i + 1.
pub(crate) struct Texts {
    pub(crate) offsets: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

impl Texts {
    fn new() -> Self {
        Self { offsets: vec![0], bytes: Vec::new() }
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(self.bytes.len() as i64);
    }

    /// Returns the number of texts.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len() - 1
    }
}

impl Column {
    /// Reads a column of this kind, or of the kind that its values suggest.
    pub(crate) fn read(name: &str, kind: Option<&str>, values: &Bound<'_, PyList>) -> PyResult<Self> {
        let values: Vec<Bound<'_, PyAny>> = values.iter().collect();
        let data = match kind.unwrap_or_else(|| suggested(&values)) {
            "missing" => Data::Missing,
            "boolean" => Data::Booleans(bits(&each(name, "a boolean", &values, false, |value| {
                value.cast::<PyBool>().ok().map(|truth| truth.is_true())
            })?)),
            "integer" => Data::Integers(each(name, "an integer of 64 bits", &values, 0, integer)?),
            "float" => Data::Floats(each(name, "a number", &values, 0.0, |value| value.extract().ok())?),
            "text" => {
                let mut texts = Texts::new();
                for text in each(name, "text", &values, String::new(), text)? {
                    texts.push(&text);
                }
                Data::Texts(texts)
            }
            "category" => categories(name, &values)?,
            other => {
                let message = format!("unknown kind of column `{other}`");
                return Err(PyValueError::new_err(message));
            }
        };
        let is_present: Vec<bool> = values.iter().map(|value| !value.is_none()).collect();
        Ok(Self {
            name: CString::new(name)?,
            length: values.len(),
            missing: is_present.iter().filter(|present| !**present).count(),
            present: bits(&is_present),
            data,
        })
    }
}

/// Converts every value that is present, and fills in `filler` for the others.
fn each<T: Clone>(
    name: &str,
    expected: &str,
    values: &[Bound<'_, PyAny>],
    filler: T,
    convert: impl Fn(&Bound<'_, PyAny>) -> Option<T>,
) -> PyResult<Vec<T>> {
    let converted = values.iter().enumerate().map(|(row, value)| match value.is_none() {
        true => Ok(filler.clone()),
        false => convert(value).ok_or_else(|| {
            let found = value.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
            PyValueError::new_err(format!("column `{name}`, row {row}: {found} is not {expected}"))
        }),
    });
    converted.collect()
}

/// Returns the kind that fits all values.
fn suggested(values: &[Bound<'_, PyAny>]) -> &'static str {
    let are =
        |is: &dyn Fn(&Bound<'_, PyAny>) -> bool| values.iter().all(|value| value.is_none() || is(value));
    let is_boolean = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyBool>();
    let is_integer = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyInt>() && !is_boolean(value);
    if are(&|_| false) {
        "missing"
    } else if are(&is_boolean) {
        "boolean"
    } else if are(&|value| is_integer(value) && integer(value).is_some()) {
        "integer"
    } else if are(&|value| is_integer(value) || value.is_instance_of::<PyFloat>()) {
        "float"
    } else {
        "category"
    }
}

fn integer(value: &Bound<'_, PyAny>) -> Option<i64> {
    value.extract().ok()
}

/// Returns a value as text, as captune's files write it.
fn text(value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Some(truth.is_true().to_string());
    }
    let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    let text = if is_number { value.str().ok() } else { value.cast::<PyString>().ok().cloned() };
    Some(text?.to_str().ok()?.to_owned())
}

fn categories(name: &str, values: &[Bound<'_, PyAny>]) -> PyResult<Data> {
    let mut texts = Texts::new();
    let mut numbers = HashMap::new();
    let mut codes = Vec::with_capacity(values.len());
    let all = each(name, "text", values, None, |value| text(value).map(Some))?;
    for value in all {
        let code = value.map_or(0, |value| {
            *numbers.entry(value).or_insert_with_key(|value| {
                texts.push(value);
                texts.count() - 1
            })
        });
        codes.push(i32::try_from(code).map_err(|_| {
            PyValueError::new_err(format!("column `{name}` has more categories than 32 bits can number"))
        })?);
    }
    Ok(Data::Categories(codes, texts))
}

/// Packs booleans into bits, the first one into the lowest bit.
fn bits(values: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    values.chunks(8).map(byte).collect()
}
