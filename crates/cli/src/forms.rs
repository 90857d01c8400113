//! Configurations as data for other programs.

use engine::Configuration;
use serde_json::Value;
use space::Literal;
use view::value;

/// Returns one JSON object with the active parameters, in the order of the space.
pub(crate) fn json(configuration: &Configuration) -> String {
    let pairs =
        configuration.iter().map(|(name, literal)| format!("{}:{}", Value::from(name), value(&literal)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

/// Returns TOML with one line `name = value` per active parameter.
pub(crate) fn toml(configuration: &Configuration) -> String {
    let bare =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let key = |name: &str| if bare(name) { name.to_owned() } else { toml_text(name) };
    let value = |literal: &Literal| match literal {
        Literal::Text(text) => toml_text(text),
        other => other.to_string(),
    };
    configuration.iter().map(|(name, literal)| format!("{} = {}\n", key(name), value(&literal))).collect()
}

/// Quotes text as a TOML basic string.
fn toml_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns one line `name value` per active parameter.
pub(crate) fn pcs(configuration: &Configuration) -> String {
    configuration.iter().map(|(name, literal)| format!("{name} {literal}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use space::format::{Format, read};

    #[test]
    fn every_form_has_the_active_parameters_in_order() {
        let text = "z = { float = [0, 1], default = 0.1 }\n\"odd \\\"name\\\"\" = { choices = [\"a\\tb\"] }\n\
                    on = { boolean = false }\ndeep = { integer = [1, 9], default = 2, when = \"on\" }\n\
                    n = { integer = [1, 9], default = 2 }\n";
        let configuration = read(text, "space.toml", Format::Toml).unwrap().default_configuration();
        assert_eq!(json(&configuration), r#"{"z":0.1,"odd \"name\"":"a\tb","on":false,"n":2}"#);
        assert_eq!(pcs(&configuration), "z 0.1\nodd \"name\" a\tb\non false\nn 2\n");
        let written = toml(&configuration);
        assert_eq!(written, "z = 0.1\n\"odd \\\"name\\\"\" = \"a\\u0009b\"\non = false\nn = 2\n");
    }
}
