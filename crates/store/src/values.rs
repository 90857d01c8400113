//! Formats of values in a store. Configurations are stored as JSON for people and as codes for captune;
//! constrained outputs are stored as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use engine::{Configuration, Reading};
use serde_json::Value;
use space::{Literal, float_text};

/// Returns the active parameters as a JSON object.
pub(super) fn values_text(configuration: &Configuration) -> String {
    let mut text = String::from("{");
    for (name, value) in configuration.iter() {
        if text.len() > 1 {
            text.push(',');
        }
        let _ = write!(text, "{}:", Value::from(name));
        let _ = match value {
            Literal::Text(value) => write!(text, "{}", Value::from(value)),
            Literal::Float(value) => write!(text, "{}", float_text(value)),
            Literal::Integer(value) => write!(text, "{value}"),
            Literal::Boolean(value) => write!(text, "{value}"),
        };
    }
    text + "}"
}

/// Replaces the contents of a blob with the codes, as little-endian doubles.
pub(super) fn codes_blob(codes: &[f64], blob: &mut Vec<u8>) {
    blob.clear();
    blob.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
}

/// Reads the codes from a blob and appends them. Returns `false` if the blob does not contain exactly `count`
/// codes.
pub(super) fn append_codes(blob: &[u8], count: usize, codes: &mut Vec<f64>) -> bool {
    let (parts, rest) = blob.as_chunks::<8>();
    codes.extend(parts.iter().map(|&part| f64::from_le_bytes(part)));
    parts.len() == count && rest.is_empty()
}

/// Returns the readings for the constraints as a JSON list; `None` if there are no constraints.
pub(super) fn constraints_text(constraints: &[Option<Reading>]) -> Option<String> {
    if constraints.is_empty() {
        return None;
    }
    let mut text = String::from("[");
    for (index, reading) in constraints.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        match reading {
            None => text.push_str("null"),
            Some(Reading::Exact(value)) => text.push_str(&number(*value)),
            Some(Reading::AtLeast(value)) => {
                let _ = write!(text, "{{\"at_least\":{}}}", number(*value));
            }
        }
    }
    Some(text + "]")
}

/// Returns outputs by name as a JSON object; `None` if there are no outputs.
pub(super) fn outputs_text(outputs: &BTreeMap<String, f64>) -> Option<String> {
    let entry = |(name, value): (&String, &f64)| format!("{}:{}", Value::from(name.as_str()), number(*value));
    (!outputs.is_empty()).then(|| format!("{{{}}}", outputs.iter().map(entry).collect::<Vec<_>>().join(",")))
}

/// Reads text written by [`outputs_text`].
pub(super) fn outputs_of_text(text: &str) -> Option<BTreeMap<String, f64>> {
    serde_json::from_str(text).ok()
}

/// Formats a number as JSON. Non-finite numbers become strings, because JSON has no literals for them.
fn number(value: f64) -> String {
    if value.is_finite() { float_text(value) } else { format!("\"{value}\"") }
}

/// Reads text written by [`constraints_text`].
pub(super) fn constraints_of_text(text: &str) -> Option<Box<[Option<Reading>]>> {
    let Value::Array(list) = serde_json::from_str(text).ok()? else { return None };
    let reading = |value: &Value| match value {
        Value::Null => Some(None),
        Value::Object(fields) if fields.len() == 1 => {
            Some(Some(Reading::AtLeast(number_of(fields.get("at_least")?)?)))
        }
        value => Some(Some(Reading::Exact(number_of(value)?))),
    };
    list.iter().map(reading).collect()
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use space::format::{Format, read};

    #[test]
    fn values_are_json() {
        let text = "a = { float = [1e-9, 1.0], default = 1e-7 }\nb = { integer = [1, 9], default = 3 }\n\
                    'c \"d\"' = { choices = [\"x y\", \"1\"] }\ne = { boolean = true }\n\
                    f = { integer = [1, 9], when = \"b > 5\" }\n";
        let space = read(text, "test", Format::Toml).unwrap();
        let text = values_text(&space.default_configuration());
        assert_eq!(text, r#"{"a":1e-7,"b":3,"c \"d\"":"x y","e":true}"#);
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }

    #[test]
    fn constraints_are_read_back_unchanged() {
        let all = [
            None,
            Some(Reading::Exact(0.1)),
            Some(Reading::AtLeast(-2.5e-300)),
            Some(Reading::Exact(f64::INFINITY)),
            Some(Reading::AtLeast(f64::NEG_INFINITY)),
        ];
        let text = constraints_text(&all).unwrap();
        assert_eq!(text, r#"[null,0.1,{"at_least":-2.5e-300},"inf",{"at_least":"-inf"}]"#);
        assert_eq!(constraints_of_text(&text).as_deref(), Some(&all[..]));
        assert_eq!(constraints_text(&[]), None);
        for wrong in ["", "3", "[true]", "[{}]", "[{\"at_most\": 3}]", "[\"often\"]"] {
            assert_eq!(constraints_of_text(wrong), None, "{wrong}");
        }
    }
}
