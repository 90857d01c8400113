//! What a configuration sets, without its space.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Configuration, ConfigurationError, Literal, Space};

/// The values of active parameters by name: for texts, files and other machines.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Values(BTreeMap<String, Literal>);

impl From<&Configuration> for Values {
    fn from(configuration: &Configuration) -> Self {
        Self(configuration.iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl Values {
    /// The configuration that has them.
    pub fn in_space(&self, space: &Space) -> Result<Configuration, ConfigurationError> {
        space.configuration(self.0.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }

    /// The value of a parameter, if it is active.
    pub fn get(&self, name: &str) -> Option<&Literal> {
        self.0.get(name)
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Literal)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Format, read};

    #[test]
    fn a_configuration_goes_through_json_and_back() {
        let text = "a = { float = [0.0, 4.0], default = 2.0 }\nb = { boolean = true }\n\
                    c = { choices = [\"x y\", \"1\"], default = \"1\" }\nd = { integer = [1, 9], when = \"b\" }\n\
                    e = { integer = [1, 9], when = \"!b\" }\n";
        let space = read(text, "space", Format::Toml).unwrap();
        let default = space.default_configuration();
        let json = serde_json::to_string(&Values::from(&default)).unwrap();
        assert_eq!(json, r#"{"a":2.0,"b":true,"c":"1","d":1}"#);
        let values: Values = serde_json::from_str(&json).unwrap();
        assert_eq!(values.in_space(&space).unwrap(), default);
        assert_eq!((values.get("a"), values.get("e")), (Some(&Literal::Float(2.0)), None));
    }
}
