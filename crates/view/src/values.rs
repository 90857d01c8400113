//! The values of configurations, and their differences from the default.

use engine::Configuration;
use serde::{Serialize, Serializer};
use serde_json::Value;
use space::{Literal, Values};

/// A configuration with its number.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Valued {
    /// Its number.
    pub configuration: u32,
    /// Its values.
    pub values: Values,
}

/// A parameter whose value differs from the default. A value is `None` if the parameter is inactive.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// The name of the parameter.
    pub name: String,
    /// Its value in the default.
    #[serde(serialize_with = "literal")]
    pub default: Option<Literal>,
    /// Its value in the other configuration.
    #[serde(serialize_with = "literal")]
    pub value: Option<Literal>,
}

pub(crate) fn literal<S: Serializer>(literal: &Option<Literal>, serializer: S) -> Result<S::Ok, S::Error> {
    literal.as_ref().map(value).serialize(serializer)
}

/// Converts a value to JSON.
pub fn value(literal: &Literal) -> Value {
    match literal {
        Literal::Text(text) => text.as_str().into(),
        Literal::Integer(number) => (*number).into(),
        Literal::Float(number) => (*number).into(),
        Literal::Boolean(truth) => (*truth).into(),
    }
}

/// Returns all parameters whose values differ, in the order of the space.
pub fn changes(default: &Configuration, configuration: &Configuration) -> Vec<Change> {
    let space = configuration.space();
    let change = |id| {
        let name = space.parameter(id).name();
        let (default, value) = (default.get(name), configuration.value(id));
        (default != value).then(|| Change { name: name.to_owned(), default, value })
    };
    space.ids().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use space::format::{Format, read};

    use super::*;

    #[test]
    fn values_keep_the_order_of_the_space_and_changes_include_inactive_parameters() {
        let text = "z = { float = [0, 1], default = 0.5 }\nb = { boolean = true }\n\
                    a = { integer = [1, 9], default = 3, when = \"b == true\" }\n";
        let space = read(text, "space.toml", Format::Toml).unwrap();
        let default = space.default_configuration();
        let shown = serde_json::to_string(&Values::from(&default)).unwrap();
        assert_eq!(shown, r#"{"z":0.5,"b":true,"a":3}"#);
        let other =
            space.configuration([("b", Literal::Boolean(false)), ("z", Literal::Float(0.5))]).unwrap();
        let shown = serde_json::to_string(&changes(&default, &other)).unwrap();
        let expected = r#"[{"name":"b","default":true,"value":false},{"name":"a","default":3,"value":null}]"#;
        assert_eq!(shown, expected);
    }
}
