//! Reads configurations from files: a baseline, initial configurations or requests.
//!
//! | form | a line or member |
//! |---|---|
//! | TOML | `name = value` |
//! | JSON | one object: `"name": value` |
//! | lines | `name value` or `name=value`, with `#` comments |
//!
//! `captune best --as` writes the same forms. A parameter that is left out gets its default value.

use engine::{Configuration, Space};
use space::{ConfigurationError, Diagnostic, Diagnostics, Literal, Span, Spanned, suggestion};
use toml::de::{DeTable, DeValue};

/// Names and values, each with its place in the file.
type Values = Vec<(Spanned<String>, Spanned<Literal>)>;

/// Reads a configuration for a space, or reports every mistake. Messages show `file_name`.
pub fn read(text: &str, file_name: &str, space: &Space) -> Result<Configuration, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let values = match form(text, file_name) {
        Form::Json => json(text),
        Form::Toml => toml(text),
        Form::Lines => Ok(lines(text, space)),
    };
    let configuration = values.and_then(|values| checked(values, space));
    configuration.map_err(|mistakes| Diagnostics::new(file_name, text, mistakes))
}

enum Form {
    Json,
    Toml,
    Lines,
}

fn form(text: &str, file_name: &str) -> Form {
    match file_name.rsplit('.').next() {
        Some("json") => Form::Json,
        Some("toml") => Form::Toml,
        _ if text.trim_start().starts_with('{') => Form::Json,
        _ if DeTable::parse(text).is_ok() => Form::Toml,
        _ => Form::Lines,
    }
}

fn json(text: &str) -> Result<Values, Vec<Diagnostic>> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(|error| {
        let line =
            text.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum::<usize>();
        let at = (line + error.column().saturating_sub(1)).min(text.len());
        let hint = "write one object such as {\"name\": 1.5}";
        vec![Diagnostic::new(Span::new(at, at + 1), format!("not a configuration: {error}")).hint(hint)]
    })?;
    let mut mistakes = Vec::new();
    let mut values = Values::new();
    for (name, value) in object {
        // The JSON parser does not report positions, so the text is searched for the quoted name.
        let quoted = serde_json::Value::from(name.as_str()).to_string();
        let span = text.find(&quoted).map_or(Span::NONE, |at| Span::new(at, at + quoted.len()));
        let literal = match value {
            serde_json::Value::String(text) => Literal::Text(text),
            serde_json::Value::Bool(truth) => Literal::Boolean(truth),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Literal::Integer(whole),
                (None, number) => Literal::Float(number.unwrap_or(f64::NAN)),
            },
            _ => {
                mistakes.push(not_a_value(&name, span));
                continue;
            }
        };
        values.push((Spanned::new(name, span), Spanned::new(literal, span)));
    }
    if mistakes.is_empty() { Ok(values) } else { Err(mistakes) }
}

fn not_a_value(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("`{name}` is neither text, a number nor a boolean"))
        .hint("give it one value")
}

fn toml(text: &str) -> Result<Values, Vec<Diagnostic>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(crate::syntax_mistakes(text, &errors));
    }
    let (mut values, mut mistakes) = (Values::new(), Vec::new());
    members(table.get_ref(), "", &mut values, &mut mistakes);
    if mistakes.is_empty() { Ok(values) } else { Err(mistakes) }
}

/// Collects the members of a table. Nested tables are included, because TOML reads a name with dots as nested
/// tables.
fn members(table: &DeTable<'_>, before: &str, values: &mut Values, mistakes: &mut Vec<Diagnostic>) {
    for (key, value) in table {
        let name = format!("{before}{}", key.get_ref());
        let span = Span::new(key.span().start, key.span().end);
        let literal = match value.get_ref() {
            DeValue::String(text) => Some(Literal::Text(text.to_string())),
            DeValue::Boolean(truth) => Some(Literal::Boolean(*truth)),
            DeValue::Integer(digits) => {
                i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(Literal::Integer)
            }
            DeValue::Float(digits) => digits.as_str().parse().ok().map(Literal::Float),
            DeValue::Table(inner) => {
                members(inner, &format!("{name}."), values, mistakes);
                continue;
            }
            DeValue::Array(_) | DeValue::Datetime(_) => None,
        };
        match literal {
            Some(literal) => {
                let place = Span::new(value.span().start, value.span().end);
                values.push((Spanned::new(name, span), Spanned::new(literal, place)));
            }
            None => mistakes.push(not_a_value(&name, span)),
        }
    }
}

fn lines(text: &str, space: &Space) -> Values {
    let mut values = Values::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start + line.len() - line.trim_start().len();
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Names may contain spaces and equals signs, so the longest known name that matches is taken.
        let follows = |rest: &str| rest.starts_with(|c: char| c == '=' || c.is_whitespace());
        let known = space.parameters().iter().map(space::Parameter::name);
        let known = known.filter(|name| line.strip_prefix(name).is_some_and(follows)).map(str::len).max();
        let end = known.or_else(|| line.find(|c: char| c == '=' || c.is_whitespace())).unwrap_or(line.len());
        let rest = line[end..].trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        let value = ['"', '\'']
            .iter()
            .find_map(|&quote| rest.strip_prefix(quote)?.strip_suffix(quote))
            .unwrap_or(rest);
        let name = Spanned::new(line[..end].to_owned(), Span::new(begin, begin + end));
        let place = Span::new(begin + line.len() - rest.len(), begin + line.len());
        values.push((name, Spanned::new(Literal::Text(value.to_owned()), place)));
    }
    values
}

/// Returns the configuration with these values. Parameters that are left out get their default values.
fn checked(given: Values, space: &Space) -> Result<Configuration, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let mut values: Vec<(&str, Literal)> = Vec::new();
    for (name, value) in &given {
        let Some(id) = space.find(&name.value) else {
            let hint = suggestion(&name.value, space.parameters().iter().map(space::Parameter::name));
            let message = format!("the space has no parameter `{}`", name.value);
            mistakes.push(Diagnostic::new(name.span, message).maybe_hint(hint));
            continue;
        };
        let parameter = space.parameter(id);
        if values.iter().any(|(known, _)| *known == parameter.name()) {
            let message = format!("`{}` is given twice", name.value);
            mistakes.push(Diagnostic::new(name.span, message).hint("keep one of them"));
        } else if let Err(error) = parameter.code(&value.value) {
            mistakes.push(Diagnostic::new(value.span, error.to_string()));
        } else {
            values.push((parameter.name(), value.value.clone()));
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let named = values.len();
    let default = space.default_configuration();
    let is_given = |name: &str| given.iter().any(|(given, _)| given.value == name);
    values.extend(default.iter().filter(|(name, _)| !is_given(name)));
    loop {
        let error = match space.configuration(values.iter().cloned()) {
            Ok(configuration) => return Ok(configuration),
            Err(error) => error,
        };
        // Parameters that were left out may become active or inactive because of the given values.
        match &error {
            ConfigurationError::Missing(name) if !is_given(name) => {
                let parameter = space.find(name).map(|id| space.parameter(id));
                if let Some((name, value)) = parameter.and_then(|it| Some((it.name(), it.default()?))) {
                    values.push((name, value));
                    continue;
                }
            }
            ConfigurationError::NotActive(name) if !is_given(name) => {
                let place = values.iter().skip(named).position(|(other, _)| other == name);
                if let Some(place) = place {
                    values.remove(named + place);
                    continue;
                }
            }
            _ => {}
        }
        return Err(vec![diagnostic(&error, &given)]);
    }
}

fn diagnostic(error: &ConfigurationError, given: &Values) -> Diagnostic {
    let (name, hint) = match error {
        ConfigurationError::Missing(name) => {
            (name, "its default depends on other parameters: give it a value")
        }
        ConfigurationError::NotActive(name) => (name, "remove it, or change the parameters it depends on"),
        ConfigurationError::Fixed(name) => (name, "remove it"),
        ConfigurationError::Outside(name) => (name, "give it a value within its range"),
        _ => return Diagnostic::new(Span::NONE, error.to_string()),
    };
    let span = given.iter().find(|(given, _)| given.value == *name).map_or(Span::NONE, |(name, _)| name.span);
    Diagnostic::new(span, error.to_string()).hint(hint)
}

#[cfg(test)]
mod tests {
    use space::format::{self, Format};

    use super::*;

    fn space() -> Space {
        let text = "alpha = { float = [0, 1], default = 0.5 }\nmode = { choices = [\"slow\", \"fast\"] }\n\
                    deep = { integer = [1, 9], default = 2, when = \"mode == 'fast'\" }\n\
                    flat = { integer = [1, 9], default = 3, when = \"mode == 'slow'\" }\n\
                    \"a.b c\" = { boolean = false }\n";
        format::read(text, "space.toml", Format::Toml).unwrap()
    }

    #[test]
    fn all_forms_are_equivalent_and_missing_parameters_have_their_defaults() {
        let all = [
            ("x.json", "{\"mode\": \"fast\", \"a.b c\": true}"),
            ("x.toml", "mode = \"fast\"\n\"a.b c\" = true\n"),
            ("x", "mode = 'fast'\na.\"b c\" = true\n"),
            ("x.txt", "# a comment\n  mode fast\na.b c=true\n"),
            ("x.pcs", "mode = fast\na.b c = \"true\"\n"),
        ];
        for (name, text) in all {
            let read = read(text, name, &space()).unwrap_or_else(|mistakes| panic!("{name}: {mistakes}"));
            assert_eq!(read.to_string(), "alpha=0.5 mode=fast deep=2 \"a.b c\"=true", "{name}");
        }
        assert_eq!(read("", "x", &space()).unwrap(), space().default_configuration());
    }

    #[test]
    fn every_mistake_is_reported_with_its_place() {
        let shown = |name: &str, text: &str| read(text, name, &space()).unwrap_err().to_string();
        let mistakes = shown("x", "alhpa 0.3\nalpha 7\nmode fast\nmode slow\n");
        for part in [
            "no parameter `alhpa`\n --> x:1:1",
            "did you mean `alpha`?",
            "--> x:2:7",
            "`mode` is given twice",
        ] {
            assert!(mistakes.contains(part), "{part}: {mistakes}");
        }
        assert!(
            shown("x.toml", "deep = 3\n").contains("`deep` has a value but is not active\n --> x.toml:1:1")
        );
        assert!(shown("x.json", "{\n\"mode\": }").contains("--> x.json:2:"));
        assert!(shown("x.json", "{\"mode\": []}").contains("neither text, a number nor a boolean"));
    }
}
