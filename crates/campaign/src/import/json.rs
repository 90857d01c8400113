//! Reads JSON as Python writes it: with `NaN` and `Infinity`, which are not valid JSON. Both are read as
//! `null`.

use serde_json::Value;

/// Parses JSON text. The error describes what is wrong with the text.
pub(super) fn read(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(_) => serde_json::from_str(&without_nan_and_infinity(text)).map_err(|error| error.to_string()),
    }
}

fn without_nan_and_infinity(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = ["-Infinity", "Infinity", "NaN"].into_iter().find(|word| rest.starts_with(word));
        match word.filter(|_| !in_text) {
            Some(word) => {
                out.push_str("null");
                rest = &rest[word.len()..];
            }
            None => {
                in_text ^= c == '"' && !escaped;
                escaped = in_text && c == '\\' && !escaped;
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_become_null_and_strings_are_unchanged() {
        let read = read(r#"{"a": NaN, "b": [-Infinity, 1e3], "c": "NaN \" Infinity", "d": "\\"}"#);
        let expected = r#"{"a":null,"b":[null,1000.0],"c":"NaN \" Infinity","d":"\\"}"#;
        assert_eq!(read.map(|value| value.to_string()), Ok(expected.to_owned()));
    }
}
