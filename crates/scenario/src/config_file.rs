//! `target.config_file`: how a configuration is written to a file.
//!
//! | form | content |
//! |---|---|
//! | a line with `{name}` and `{value}` | such a line for each active parameter, or the form in `target.parameter.NAME` |
//! | `json` | one object |
//! | `toml` | one table |
//! | `env` | `NAME=value`, quoted for a shell |
//!
//! JSON and TOML keep numbers as numbers and booleans as booleans.

use engine::{Configuration, Space};
use space::{Literal, Parameter, float_text};

use super::report::{Found, Report, Section};
use super::writing::{self, Writing};
use crate::shell;

const WORDS: [&str; 3] = ["json", "toml", "env"];

/// The form of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigFile {
    /// The lines for each parameter, in the order of the space.
    Lines(Vec<Writing>),
    /// An object.
    Json,
    /// A table.
    Toml,
    /// Variables.
    Env,
}

impl ConfigFile {
    /// Returns the file's name. Its extension matters to some programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lines(_) => "config.txt",
            Self::Json => "config.json",
            Self::Toml => "config.toml",
            Self::Env => "config.env",
        }
    }

    /// Returns the content of the file, with every active parameter of a configuration.
    pub fn content(&self, space: &Space, configuration: &Configuration) -> String {
        let active = space.ids().filter_map(|id| Some((id, configuration.value(id)?)));
        let name = |id| space.parameter(id).name();
        match self {
            Self::Lines(writing) => active
                .flat_map(|(id, value)| writing[id.index()].arguments(&value))
                .map(|line| line + "\n")
                .collect(),
            Self::Json => object(space, configuration).to_string() + "\n",
            Self::Toml => {
                active.map(|(id, value)| format!("{} = {}\n", toml_key(name(id)), toml(&value))).collect()
            }
            Self::Env => active
                .map(|(id, value)| format!("{}={}\n", name(id), shell::quoted(&value.to_string())))
                .collect(),
        }
    }
}

fn json(value: &Literal) -> serde_json::Value {
    match value {
        Literal::Text(text) => text.clone().into(),
        Literal::Integer(number) => (*number).into(),
        Literal::Float(number) => (*number).into(),
        Literal::Boolean(truth) => (*truth).into(),
    }
}

/// Returns a JSON object with every active parameter of a configuration.
pub fn object(space: &Space, configuration: &Configuration) -> serde_json::Value {
    let active = space.ids().filter_map(|id| Some((space.parameter(id).name(), configuration.value(id)?)));
    serde_json::Value::Object(active.map(|(name, value)| (name.to_owned(), json(&value))).collect())
}

fn toml(value: &Literal) -> String {
    match value {
        Literal::Text(text) => toml_text(text),
        Literal::Integer(number) => number.to_string(),
        Literal::Float(number) => float_text(*number),
        Literal::Boolean(truth) => truth.to_string(),
    }
}

fn toml_key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { toml_text(name) }
}

fn toml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Reads `target.config_file`.
pub(super) fn read(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    target: &Section<'_, '_>,
    space: Option<&Space>,
) -> Option<ConfigFile> {
    let text = report.text(found)?;
    if !text.contains('{') {
        return match report.word(found, &WORDS)? {
            "json" => Some(ConfigFile::Json),
            "toml" => Some(ConfigFile::Toml),
            _ => {
                variables(report, found, space?)?;
                Some(ConfigFile::Env)
            }
        };
    }
    let lines = writing::read_lines(report, found, target, space)?;
    one_line_each(report, found, space?)?;
    Some(ConfigFile::Lines(lines))
}

/// Checks that every parameter's name is a valid name for an environment variable.
fn variables(report: &mut Report<'_>, found: &Found<'_, '_>, space: &Space) -> Option<()> {
    let unfit = space.parameters().iter().map(Parameter::name).find(|name| !shell::is_identifier(name));
    let Some(name) = unfit else { return Some(()) };
    let message = format!("`{}`: `{name}` cannot be the name of an environment variable", found.key);
    report.mistake(found.span(), message, "choose `json`, `toml` or a line with `{name}` and `{value}`");
    None
}

/// Checks that no value contains a line break.
fn one_line_each(report: &mut Report<'_>, found: &Found<'_, '_>, space: &Space) -> Option<()> {
    let breaks = |parameter: &&Parameter| {
        let texts = parameter.choices().into_iter().flat_map(|choices| choices.values());
        texts.into_iter().any(|value| matches!(value, Literal::Text(text) if text.contains(['\n', '\r'])))
    };
    let Some(parameter) = space.parameters().iter().find(breaks) else { return Some(()) };
    let message = format!("`{}`: a value of `{}` contains a line break", found.key, parameter.name());
    report.mistake(found.span(), message, "choose `json` or `toml`");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_texts_are_read_back_unchanged() {
        for text in ["plain", "a \"b\" \\c", "line\nbreak\t\u{7f}é", ""] {
            let line = format!("{} = {}", toml_key(text), toml_text(text));
            let table = toml::de::DeTable::parse(&line).unwrap();
            assert_eq!(table.get_ref().get(text).and_then(|value| value.get_ref().as_str()), Some(text));
        }
        assert_eq!((toml_key("a-b_1"), toml_key("a.b")), ("a-b_1".to_owned(), "\"a.b\"".to_owned()));
    }
}
