//! Serialises numbers, including infinities and NaN.
//!
//! JSON cannot express non-finite numbers, so human-readable formats store them as strings. Binary formats
//! store every number as a number. Use this module with `#[serde(with = "math::json_number")]`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Shown {
    Number(f64),
    Text(String),
}

/// Serialises a number.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() && !number.is_finite() {
        serializer.serialize_str(&number.to_string())
    } else {
        serializer.serialize_f64(*number)
    }
}

/// Deserialises a number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if !deserializer.is_human_readable() {
        return f64::deserialize(deserializer);
    }
    match Shown::deserialize(deserializer)? {
        Shown::Number(number) => Ok(number),
        Shown::Text(text) => text.parse().map_err(|_| {
            D::Error::custom(format!("`{text}` is not a number; expected a number, `inf`, `-inf` or `NaN`"))
        }),
    }
}

/// Serialises a map from names to numbers, for `#[serde(with = "math::json_number::by_name")]`.
pub mod by_name {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Number(#[serde(with = "super")] f64);

    /// Serialises numbers by name.
    pub fn serialize<S: Serializer>(
        numbers: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(numbers.iter().map(|(name, &number)| (name, Number(number))))
    }

    /// Deserialises numbers by name.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let numbers = BTreeMap::<String, Number>::deserialize(deserializer)?;
        Ok(numbers.into_iter().map(|(name, Number(number))| (name, number)).collect())
    }
}
