//! captune's own format for spaces, designed to be written by hand.
//!
//! ```toml
//! alpha     = { float = [1.0, 1.4], log = true, default = 1.3 }
//! restarts  = { integer = [0, 100], step = 5 }
//! mode      = { choices = ["sat", "unsat"], default = "sat", weights = [3, 1] }
//! level     = { ordinal = ["low", "middle", "high"] }
//! verbose   = { boolean = false }                           # false is the default
//! threads   = { constant = 4 }
//! heuristic = { choices = ["vsids", "vmtf"], when = "mode == 'sat'" }
//! depth     = { integer = [1, "restarts + 1"] }             # a bound that depends on another parameter
//! seed      = { integer = [0, 9], fixed = 3, switch = "--seed=", note = "pinned" }
//!
//! forbidden = ["restarts == 0 && alpha > 1.2"]
//! ```
//!
//! Parameters may also be in a table `[parameters]`, where any name is allowed. Each may have its own
//! table: `[parameters.alpha]`.

use std::collections::BTreeSet;

use toml::Spanned as Item;
use toml::de::{DeTable, DeValue};

use super::super::expression::{Dialect, Notation};
use super::super::literal::float_text;
use super::super::nearest::suggestion;
use super::super::{
    Bound, BoundDefinition, Clause, Diagnostic, Diagnostics, DomainDefinition, Kind, Literal, Parameter,
    ParameterDefinition, Range, Space, SpaceBuilder, Span, Spanned,
};

const KINDS: [&str; 6] = ["float", "integer", "choices", "ordinal", "boolean", "constant"];
const SETTINGS: [&str; 8] = ["log", "step", "default", "fixed", "when", "weights", "switch", "note"];
const RESERVED: [&str; 2] = ["parameters", "forbidden"];

pub(super) fn read(text: &str, file_name: &str) -> Result<Space, Diagnostics> {
    let mut reader = Reader { text, builder: SpaceBuilder::new(file_name, text) };
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        reader.syntax(&errors, table.get_ref());
        // After a syntax error the rest is guesswork; errors in it would be misleading.
        return reader.builder.finish();
    }
    reader.space(table.get_ref());
    reader.builder.finish()
}

/// Reads one table of a larger file; positions of mistakes refer to the whole file.
pub(super) fn read_section(text: &str, file_name: &str, section: &str) -> Result<Space, Diagnostics> {
    let mut reader = Reader { text, builder: SpaceBuilder::new(file_name, text) };
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        reader.syntax(&errors, table.get_ref());
        return reader.builder.finish();
    }
    match table.get_ref().get_key_value(section) {
        Some((_, value)) if value.get_ref().as_table().is_some_and(|table| !table.is_empty()) => {
            value.get_ref().as_table().into_iter().for_each(|table| reader.space(table));
        }
        Some((key, _)) => {
            let hint = "write `name = { kind = ... }`";
            reader.mistake(place(key), format!("`[{section}]` defines no parameters"), hint);
        }
        None => {
            let hint = format!("define the parameters in `[{section}]`");
            reader.mistake(Span::NONE, format!("the table `[{section}]` is missing"), &hint);
        }
    }
    reader.builder.finish()
}

type Key<'a> = Item<std::borrow::Cow<'a, str>>;
type Value<'a> = Item<DeValue<'a>>;

fn in_file_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<(&'t Key<'a>, &'t Value<'a>)> {
    let mut items: Vec<_> = table.iter().collect();
    items.sort_by_key(|(key, _)| key.span().start);
    items
}

fn place<T>(item: &Item<T>) -> Span {
    Span::new(item.span().start, item.span().end)
}

struct Reader<'t> {
    text: &'t str,
    builder: SpaceBuilder,
}

impl Reader<'_> {
    fn mistake(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        self.builder.mistake(Diagnostic::new(span, message).hint(hint));
    }

    /// Reads the parameters and clauses of a table.
    fn space(&mut self, table: &DeTable<'_>) {
        for (key, value) in in_file_order(table) {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("forbidden", DeValue::Array(clauses)) => {
                    for clause in clauses {
                        if let Some(clause) = self.clause(clause) {
                            self.builder.forbid(clause);
                        }
                    }
                }
                ("forbidden", _) => self.mistake(
                    place(value),
                    "`forbidden` must be a list of strings",
                    "write `forbidden = [\"a == 1 && b > 2\"]`; a parameter with this name goes in `[parameters]`",
                ),
                ("parameters", DeValue::Table(parameters)) => {
                    for (key, value) in in_file_order(parameters) {
                        self.parameter(key, value);
                    }
                }
                _ => self.parameter(key, value),
            }
        }
    }

    /// Reports errors from the TOML parser. One typo can cause several, so only one per line is reported.
    fn syntax(&mut self, errors: &[toml::de::Error], table: &DeTable<'_>) {
        let line = |offset: usize| self.text[..offset.min(self.text.len())].matches('\n').count() + 1;
        let mut last = 0;
        for error in errors.iter().take(100) {
            let range = error.span().unwrap_or(0..0);
            if line(range.start) == last {
                continue;
            }
            last = line(range.start);
            let word = self.text.get(range.clone()).unwrap_or_default();
            let span = Span::new(range.start, range.end);
            let diagnostic = if error.message().contains("duplicate key") {
                let section = table.get("parameters").and_then(|section| section.get_ref().as_table());
                let keys = table.keys().chain(section.into_iter().flat_map(|section| section.keys()));
                let first =
                    keys.filter(|key| self.text.get(key.span()) == Some(word)).map(|key| key.span().start);
                let hint = first.min().map(|first| format!("first defined on line {}", line(first)));
                Diagnostic::new(span, format!("duplicate parameter or key `{word}`")).maybe_hint(hint)
            } else {
                let hint = "write `name = { kind = ... }`, with text in quotes";
                Diagnostic::new(span, error.message().to_owned()).hint(hint)
            };
            self.builder.mistake(diagnostic);
        }
    }

    fn parameter(&mut self, key: &Key<'_>, value: &Value<'_>) {
        let name = key.get_ref().to_string();
        let DeValue::Table(table) = value.get_ref() else {
            let hint = format!("write `{name} = {{ constant = ... }}` for a value that never changes");
            let message = format!("`{name}` is not a parameter: expected a table with a kind");
            return self.mistake(place(value), message, &hint);
        };
        let known = |word: &str| KINDS.contains(&word) || SETTINGS.contains(&word);
        let mut kinds = Vec::new();
        let mut valid = true;
        for (key, value) in in_file_order(table) {
            let word = key.get_ref().as_ref();
            if KINDS.contains(&word) {
                kinds.push((word, place(key), value));
            } else if !known(word) {
                valid = false;
                self.unknown_key(&name, key, value);
            }
        }
        let span = place(key);
        let Some(&(kind, _, values)) = kinds.first() else {
            if valid {
                let hint = "add one of float, integer, choices, ordinal, boolean, constant";
                self.mistake(span, format!("`{name}` has no kind"), hint);
            }
            return;
        };
        if let Some((other, other_span, _)) = kinds.get(1) {
            return self.mistake(*other_span, format!("`{name}` is both `{kind}` and `{other}`"), "keep one");
        }
        let settings = Settings { name: &name, kind, table };
        let Some(domain) = self.domain(&settings, values) else { return };
        let mut definition = ParameterDefinition::new(Spanned::new(name.clone(), span), domain);
        definition.span = place(values);
        definition.default = match kind {
            "boolean" => self.default_of_boolean(&settings, values),
            _ => settings.get("default").and_then(|value| self.literal(value)),
        };
        definition.fixed = settings.get("fixed").and_then(|value| self.literal(value));
        definition.switch = self.string(&settings, "switch");
        definition.note = self.string(&settings, "note");
        self.builder.parameter(definition);
        let Some(when) = settings.get("when") else { return };
        let clauses = match when.get_ref() {
            DeValue::Array(list) => list.iter().filter_map(|item| self.clause(item)).collect(),
            _ => self.clause(when).into_iter().collect::<Vec<_>>(),
        };
        for clause in clauses {
            self.builder.when(Spanned::new(name.clone(), span), clause);
        }
    }

    fn unknown_key(&mut self, name: &str, key: &Key<'_>, value: &Value<'_>) {
        let word = key.get_ref().as_ref();
        let hint = match value.get_ref() {
            // A dotted name becomes a table within a table.
            DeValue::Table(_) => Some(format!("a name with a dot needs quotes: \"{name}.{word}\"")),
            _ => suggestion(word, KINDS.into_iter().chain(SETTINGS)),
        };
        let hint =
            hint.unwrap_or_else(|| format!("known keys: {}, {}", KINDS.join(", "), SETTINGS.join(", ")));
        self.mistake(place(key), format!("unknown key `{word}` in `{name}`"), &hint);
    }

    fn domain(&mut self, settings: &Settings<'_, '_>, values: &Value<'_>) -> Option<DomainDefinition> {
        let allowed: &[&str] = match settings.kind {
            "float" | "integer" => &["log", "step"],
            "choices" => &["weights"],
            _ => &[],
        };
        for setting in ["log", "step", "weights"] {
            if let Some(value) = settings.get(setting).filter(|_| !allowed.contains(&setting)) {
                let message = format!("`{setting}` does not apply to `{}`", settings.name);
                self.mistake(place(value), message, "remove it");
            }
        }
        match settings.kind {
            "float" | "integer" => self.range(settings, values),
            "choices" => {
                let choices = self.literals(settings, values)?;
                let weights = settings.get("weights").and_then(|weights| self.weights(weights));
                Some(DomainDefinition::Categorical { choices, weights })
            }
            "ordinal" => Some(DomainDefinition::Ordinal { values: self.literals(settings, values)? }),
            "boolean" => Some(DomainDefinition::Boolean),
            _ => Some(DomainDefinition::Constant { value: self.literal(values)? }),
        }
    }

    fn range(&mut self, settings: &Settings<'_, '_>, values: &Value<'_>) -> Option<DomainDefinition> {
        let bounds = values.get_ref().as_array().map(|list| list.iter().collect::<Vec<_>>());
        let Some([lower, upper]) = bounds.as_deref() else {
            let message = format!("the range of `{}` needs two bounds", settings.name);
            let hint = format!("write `{} = [lowest, highest]`", settings.kind);
            self.mistake(place(values), message, &hint);
            return None;
        };
        let (lower, upper) = (self.bound(lower), self.bound(upper));
        let log = match settings.get("log").map(|value| (value, value.get_ref())) {
            None => false,
            Some((_, DeValue::Boolean(log))) => *log,
            Some((value, _)) => {
                self.mistake(place(value), "`log` must be true or false", "write `log = true`");
                return None;
            }
        };
        let step = match settings.get("step") {
            None => None,
            Some(value) => Some(Spanned::new(self.number(value)?, place(value))),
        };
        let (lower, upper) = (lower?, upper?);
        Some(match settings.kind {
            "float" => DomainDefinition::Float { lower, upper, log, step },
            _ => DomainDefinition::Integer { lower, upper, log, step },
        })
    }

    fn bound(&mut self, value: &Value<'_>) -> Option<Spanned<BoundDefinition>> {
        let bound = match value.get_ref() {
            DeValue::String(_) => BoundDefinition::Expression(self.clause(value)?),
            _ => BoundDefinition::Number(self.number(value)?),
        };
        Some(Spanned::new(bound, place(value)))
    }

    fn number(&mut self, value: &Value<'_>) -> Option<f64> {
        match self.literal(value)?.value {
            Literal::Integer(number) => Some(number as f64),
            Literal::Float(number) => Some(number),
            other => {
                let message = format!("`{other}` is not a number");
                self.builder.mistake(Diagnostic::new(place(value), message));
                None
            }
        }
    }

    fn weights(&mut self, value: &Value<'_>) -> Option<Spanned<Vec<f64>>> {
        let Some(list) = value.get_ref().as_array() else {
            self.mistake(place(value), "`weights` must be a list of numbers", "write one weight per choice");
            return None;
        };
        let weights = list.iter().map(|item| self.number(item)).collect::<Option<Vec<_>>>()?;
        Some(Spanned::new(weights, place(value)))
    }

    fn literals(&mut self, settings: &Settings<'_, '_>, value: &Value<'_>) -> Option<Vec<Spanned<Literal>>> {
        let Some(list) = value.get_ref().as_array() else {
            let message = format!("the values of `{}` must be a list", settings.name);
            let hint = format!("write `{} = [\"one\", \"two\"]`", settings.kind);
            self.mistake(place(value), message, &hint);
            return None;
        };
        list.iter().map(|item| self.literal(item)).collect()
    }

    fn literal(&mut self, value: &Value<'_>) -> Option<Spanned<Literal>> {
        let span = place(value);
        let literal = match value.get_ref() {
            DeValue::String(text) => Literal::Text(text.to_string()),
            DeValue::Boolean(truth) => Literal::Boolean(*truth),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Literal::Integer(number),
                Err(_) => {
                    self.mistake(
                        span,
                        format!("the integer `{}` is too large", number.as_str()),
                        "use a float",
                    );
                    return None;
                }
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => Literal::Float(number),
                _ => {
                    let message = format!("`{}` is not a finite number", number.as_str());
                    self.builder.mistake(Diagnostic::new(span, message));
                    return None;
                }
            },
            DeValue::Datetime(_) => {
                self.mistake(span, "a date is not a valid value", "put it in quotes");
                return None;
            }
            DeValue::Array(_) | DeValue::Table(_) => {
                self.mistake(span, "expected a single value", "use text, a number, true or false");
                return None;
            }
        };
        Some(Spanned::new(literal, span))
    }

    fn default_of_boolean(
        &mut self,
        settings: &Settings<'_, '_>,
        values: &Value<'_>,
    ) -> Option<Spanned<Literal>> {
        if let Some(value) = settings.get("default") {
            self.mistake(
                place(value),
                "the default of a boolean is the value of `boolean`",
                match value.get_ref() {
                    DeValue::Boolean(false) => "remove `default` and write `boolean = false`",
                    _ => "remove `default` and write `boolean = true`",
                },
            );
        }
        match values.get_ref() {
            DeValue::Boolean(truth) => Some(Spanned::new(Literal::Boolean(*truth), place(values))),
            _ => {
                self.mistake(
                    place(values),
                    "`boolean` must be true or false",
                    "write the default, as in `boolean = true`",
                );
                None
            }
        }
    }

    fn string(&mut self, settings: &Settings<'_, '_>, key: &str) -> Option<String> {
        let value = settings.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => {
                self.mistake(place(value), format!("`{key}` must be text"), "put it in quotes");
                None
            }
        }
    }

    fn clause(&mut self, value: &Value<'_>) -> Option<Clause> {
        let span = place(value);
        let DeValue::String(text) = value.get_ref() else {
            self.mistake(span, "an expression must be text", "put it in quotes: \"a == 1\"");
            return None;
        };
        // Without escapes, the file contains the text literally after the opening quote.
        let start = span.start + 1;
        if self.text.get(start..start + text.len()) == Some(text.as_ref()) {
            return Some(Clause::text(text.as_ref(), start, Dialect::Captune));
        }
        let text = Spanned::new(text.to_string(), span);
        Some(Clause::Text { text, dialect: Dialect::Captune, exact: false })
    }
}

struct Settings<'a, 't> {
    name: &'a str,
    kind: &'a str,
    table: &'a DeTable<'t>,
}

impl<'a, 't> Settings<'a, 't> {
    fn get(&self, key: &str) -> Option<&'a Value<'t>> {
        self.table.get(key)
    }
}

pub(crate) fn write(space: &Space) -> String {
    let mut out = String::new();
    let notation = Notation::captune(space);
    let names: BTreeSet<&str> = space.parameters().iter().map(Parameter::name).collect();
    let sectioned = RESERVED.iter().any(|name| names.contains(name));
    let forbidden = space.forbidden().iter().map(|clause| notation.formula(clause));
    let forbidden: Vec<String> = forbidden.map(|text| format!("  {},\n", quote(&text))).collect();
    let forbidden = if forbidden.is_empty() {
        String::new()
    } else {
        format!("forbidden = [\n{}]\n", forbidden.concat())
    };
    if sectioned {
        // Keys after a table's header belong to that table, so the clauses come first.
        out += &forbidden;
        out += "[parameters]\n";
    }
    for id in space.ids() {
        let parameter = space.parameter(id);
        let mut items = domain(parameter, &notation);
        if let Some(value) = parameter.default().filter(|_| writes_default(parameter)) {
            items.push(("default", literal(&value)));
        }
        if let Some(value) = parameter.fixed() {
            items.push(("fixed", literal(&value)));
        }
        if let Some(condition) = space.condition(id) {
            items.push(("when", quote(&notation.formula(condition))));
        }
        items.extend(parameter.switch().map(|switch| ("switch", quote(switch))));
        items.extend(parameter.note().map(|note| ("note", quote(note))));
        let items: Vec<String> = items.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        out += &format!("{} = {{ {} }}\n", key(parameter.name()), items.join(", "));
    }
    if !sectioned && !forbidden.is_empty() {
        out += "\n";
        out += &forbidden;
    }
    out
}

fn writes_default(parameter: &Parameter) -> bool {
    parameter.default_is_given() && !matches!(parameter.kind(), Kind::Boolean | Kind::Constant)
}

fn domain(parameter: &Parameter, notation: &Notation<'_>) -> Vec<(&'static str, String)> {
    let list = |parameter: &Parameter| {
        let values = parameter.choices().map_or(&[][..], |choices| choices.values());
        format!("[{}]", values.iter().map(literal).collect::<Vec<_>>().join(", "))
    };
    match parameter.kind() {
        Kind::Float => range("float", parameter.range(), notation),
        Kind::Integer => range("integer", parameter.range(), notation),
        Kind::Categorical => {
            let mut items = vec![("choices", list(parameter))];
            if let Some(weights) = parameter.choices().and_then(|choices| choices.weights()) {
                let weights: Vec<String> = weights.iter().map(|&weight| float_text(weight)).collect();
                items.push(("weights", format!("[{}]", weights.join(", "))));
            }
            items
        }
        Kind::Ordinal => vec![("ordinal", list(parameter))],
        Kind::Boolean => {
            let truth = matches!(parameter.default(), Some(Literal::Boolean(true)));
            vec![("boolean", truth.to_string())]
        }
        Kind::Constant => {
            vec![("constant", parameter.default().map_or_else(String::new, |value| literal(&value)))]
        }
    }
}

fn range(kind: &'static str, range: Option<&Range>, notation: &Notation<'_>) -> Vec<(&'static str, String)> {
    let Some(range) = range else { return Vec::new() };
    let number = |number: f64| match range.integer() {
        true => (number as i64).to_string(),
        false => float_text(number),
    };
    let bound = |bound: &Bound| match bound {
        Bound::Number(value) => number(*value),
        Bound::Dependent(quantity) => quote(&notation.quantity(quantity)),
    };
    let mut items = vec![(kind, format!("[{}, {}]", bound(range.lower()), bound(range.upper())))];
    if range.log() {
        items.push(("log", "true".to_owned()));
    }
    items.extend(range.step().map(|step| ("step", number(step))));
    items
}

fn literal(value: &Literal) -> String {
    match value {
        Literal::Text(text) => quote(text),
        other => other.to_string(),
    }
}

/// Writes a TOML key, quoted if necessary.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quote(name) }
}

/// Writes text as a quoted TOML string.
pub fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out += &format!("\\u{:04X}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
