//! The values of a configuration, without its space.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Configuration, ConfigurationError, Literal, Space};

/// Names and values of the active parameters in the order of the space, for storing and sending.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Values(Vec<(String, Literal)>);

impl From<&Configuration> for Values {
    fn from(configuration: &Configuration) -> Self {
        Self(configuration.iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from parameter names to values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
                let mut values = Vec::new();
                while let Some(one) = map.next_entry()? {
                    values.push(one);
                }
                Ok(Values(values))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

impl Values {
    /// Returns the configuration of `space` with these values.
    pub fn in_space(&self, space: &Space) -> Result<Configuration, ConfigurationError> {
        space.configuration(self.0.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }

    /// Returns the value of a parameter, if it is active.
    pub fn get(&self, name: &str) -> Option<&Literal> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Iterates over all names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Literal)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, read};

    #[test]
    fn a_configuration_survives_a_json_round_trip() {
        let text = "a = { float = [0.0, 4.0], default = 2.0 }\nb = { boolean = true }\n\
                    c = { choices = [\"x y\", \"1\"], default = \"1\" }\nd = { integer = [1, 9], when = \"b\" }\n\
                    e = { integer = [1, 9], when = \"!b\" }\n";
        let space = read(text, "space", Format::Toml).unwrap();
        let default = space.default_configuration();
        let json = serde_json::to_string(&Values::from(&default)).unwrap();
        assert_eq!(json, r#"{"a":2.0,"b":true,"c":"1","d":5}"#);
        let values: Values = serde_json::from_str(&json).unwrap();
        assert_eq!(values.in_space(&space).unwrap(), default);
        assert_eq!((values.get("a"), values.get("e")), (Some(&Literal::Float(2.0)), None));
    }
}
