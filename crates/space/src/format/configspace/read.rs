//! Turns the document into definitions: parameters here, clauses in the module `clause`.

use std::collections::HashMap;

use super::super::super::nearest::suggestion;
use super::super::super::{
    BoundDefinition, Diagnostic, Diagnostics, DomainDefinition, Literal, ParameterDefinition, Space,
    SpaceBuilder, Span, Spanned,
};
use super::node::{Node, Value};
use super::write::compact;

const SECTIONS: [&str; 7] = [
    "name",
    "hyperparameters",
    "conditions",
    "forbiddens",
    "python_module_version",
    "json_format_version",
    "format_version",
];
const KINDS: [&str; 6] =
    ["uniform_float", "uniform_int", "categorical", "ordinal", "constant", "unparametrized"];
const PRIORS: [&str; 4] = ["normal_float", "normal_int", "beta_float", "beta_int"];

type Outcome<T> = Result<T, Diagnostic>;

pub(super) fn read(
    text: &str,
    file_name: &str,
    parse: fn(&str) -> Outcome<Node>,
) -> Result<Space, Diagnostics> {
    let mut reader = Reader { builder: SpaceBuilder::new(file_name, text), values: HashMap::new() };
    if text.trim().is_empty() {
        return reader.builder.finish();
    }
    match parse(text) {
        Ok(root) => reader.document(&root),
        Err(mistake) => reader.mistake(mistake),
    }
    reader.builder.finish()
}

/// The type of a parameter's values in Python, which never treats text as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    Numbers,
    Texts,
    Mixed,
}

impl Values {
    pub(super) fn of<'a>(literals: impl IntoIterator<Item = &'a Literal>) -> Self {
        let mut literals = literals.into_iter();
        let is_text = |literal: &Literal| matches!(literal, Literal::Text(_));
        let Some(first) = literals.next() else { return Self::Mixed };
        // In Python, `True` is 1, but captune distinguishes them.
        let boolean = |literal: &Literal| matches!(literal, Literal::Boolean(_));
        let alike = literals.all(|other| is_text(other) == is_text(first) && !boolean(other));
        match (alike && !boolean(first), is_text(first)) {
            (false, _) => Self::Mixed,
            (true, true) => Self::Texts,
            (true, false) => Self::Numbers,
        }
    }
}

pub(super) struct Reader {
    pub(super) builder: SpaceBuilder,
    /// Type of values by parameter name, for relations between parameters.
    pub(super) values: HashMap<String, Values>,
}

impl Reader {
    pub(super) fn mistake(&mut self, mistake: Diagnostic) {
        self.builder.mistake(mistake);
    }

    fn document(&mut self, root: &Node) {
        let fields = match Fields::new(root, "the document", &SECTIONS) {
            Ok((fields, mistakes)) => {
                mistakes.into_iter().for_each(|mistake| self.mistake(mistake));
                fields
            }
            Err(mistake) => {
                return self.mistake(mistake.hint("check that ConfigSpace wrote this file"));
            }
        };
        if fields.get("hyperparameters").is_none() {
            let start = Span::new(root.span.start, root.span.start);
            let hint = "check that ConfigSpace wrote this file";
            self.mistake(Diagnostic::new(start, "the list `hyperparameters` is missing").hint(hint));
        }
        // In YAML the clauses come first, but reading them needs the parameters.
        self.each(&fields, "hyperparameters", Self::parameter);
        self.each(&fields, "conditions", Self::condition);
        self.each(&fields, "forbiddens", Self::forbidden);
    }

    fn each(&mut self, fields: &Fields<'_>, section: &str, read: fn(&mut Self, &Node) -> Outcome<()>) {
        let Some(list) = fields.get(section) else { return };
        let items = list.items(section).map_err(|mistake| self.mistake(mistake)).unwrap_or_default();
        for item in items {
            if let Err(mistake) = read(self, item) {
                self.mistake(mistake);
            }
        }
    }

    /// Returns the fields of a mapping, and reports unknown and duplicate keys.
    pub(super) fn fields<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Outcome<Fields<'n>> {
        let (fields, mistakes) = Fields::new(node, what, known)?;
        mistakes.into_iter().for_each(|mistake| self.mistake(mistake));
        Ok(fields)
    }

    fn parameter(&mut self, node: &Node) -> Outcome<()> {
        let entries = node.entries("a hyperparameter")?;
        let find = |key: &str| entries.iter().find(|(name, _)| name.value == key).map(|(_, value)| value);
        let missing = |key: &str| Diagnostic::new(node.span, format!("a hyperparameter has no `{key}`"));
        let name = find("name").ok_or_else(|| missing("name"))?.text("name")?;
        let kind = find("type").ok_or_else(|| missing("type"))?.text("type")?;
        let own: &[&str] = match kind.value {
            "uniform_float" | "uniform_int" => &["lower", "upper", "log", "q"],
            "categorical" => &["choices", "weights", "probabilities"],
            "ordinal" => &["sequence"],
            "constant" | "unparametrized" => &["value"],
            _ => &["lower", "upper", "log", "q", "mu", "sigma", "alpha", "beta"],
        };
        let known = [&["name", "type", "meta", "default", "default_value"][..], own].concat();
        let title = format!("`{}`", name.value);
        let fields = self.fields(node, &title, &known)?;
        let domain = match kind.value {
            "uniform_float" | "uniform_int" => range(&fields, kind.value)?,
            "categorical" => categorical(&fields)?,
            "ordinal" => {
                DomainDefinition::Ordinal { values: literals(fields.need("sequence")?, "sequence")? }
            }
            "constant" | "unparametrized" => {
                DomainDefinition::Constant { value: fields.need("value")?.literal("value")? }
            }
            prior if PRIORS.contains(&prior) => {
                let message = format!(
                    "the prior `{prior}` of {title} is not supported: captune draws numbers uniformly"
                );
                let uniform = if prior.ends_with("int") { "uniform_int" } else { "uniform_float" };
                let hint = format!("if only its bounds matter, change its type to {uniform}");
                self.mistake(Diagnostic::new(kind.span, message).hint(hint));
                // Define the parameter anyway, so that clauses about it do not cause further mistakes.
                let bound = |number| BoundDefinition::Number(number).into();
                DomainDefinition::Float { lower: bound(-1e100), upper: bound(1e100), log: false, step: None }
            }
            other => {
                let hint = suggestion(other, KINDS.into_iter().chain(PRIORS));
                let hint = hint.unwrap_or_else(|| format!("known types: {}", KINDS.join(", ")));
                return Err(
                    Diagnostic::new(kind.span, format!("unknown type `{other}` for {title}")).hint(hint)
                );
            }
        };
        let values = match &domain {
            DomainDefinition::Categorical { choices: list, .. }
            | DomainDefinition::Ordinal { values: list } => Values::of(list.iter().map(|item| &item.value)),
            DomainDefinition::Constant { value } => Values::of([&value.value]),
            DomainDefinition::Boolean => Values::Mixed,
            _ => Values::Numbers,
        };
        self.values.insert(name.value.to_owned(), values);
        let mut definition = ParameterDefinition::new(Spanned::new(name.value.to_owned(), name.span), domain);
        definition.span = node.span;
        definition.default = match (fields.get("default_value"), fields.get("default")) {
            (Some(_), Some(again)) => {
                let mistake =
                    Diagnostic::new(again.span, format!("{title} has both `default_value` and `default`"));
                return Err(mistake.hint("keep one"));
            }
            (value, old) => value.or(old).map(|value| value.literal("default_value")).transpose()?,
        };
        if let Some(meta) = fields.get("meta") {
            read_meta(meta, &mut definition)?;
        }
        self.builder.parameter(definition);
        Ok(())
    }
}

/// The entries of a mapping by key. Null counts as missing.
pub(super) struct Fields<'n> {
    node: &'n Node,
    entries: &'n [(Spanned<String>, Node)],
    what: String,
}

impl<'n> Fields<'n> {
    fn new(node: &'n Node, what: &str, known: &[&str]) -> Outcome<(Self, Vec<Diagnostic>)> {
        let entries = node.entries(what)?;
        let mut mistakes = Vec::new();
        for (i, (key, _)) in entries.iter().enumerate() {
            if !known.contains(&key.value.as_str()) {
                let hint = suggestion(&key.value, known.iter().copied());
                let hint = hint.unwrap_or_else(|| format!("known keys: {}", known.join(", ")));
                mistakes.push(
                    Diagnostic::new(key.span, format!("unknown key `{}` in {what}", key.value)).hint(hint),
                );
            } else if entries[..i].iter().any(|(earlier, _)| earlier.value == key.value) {
                mistakes.push(
                    Diagnostic::new(key.span, format!("duplicate key `{}` in {what}", key.value))
                        .hint("keep one"),
                );
            }
        }
        Ok((Self { node, entries, what: what.to_owned() }, mistakes))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(_, value)| value)
            .filter(|value| !value.is_null())
    }

    pub(super) fn need(&self, key: &str) -> Outcome<&'n Node> {
        self.get(key).ok_or_else(|| Diagnostic::new(self.node.span, format!("{} has no `{key}`", self.what)))
    }

    pub(super) fn name(&self, key: &str) -> Outcome<Spanned<String>> {
        let text = self.need(key)?.text(key)?;
        Ok(Spanned::new(text.value.to_owned(), text.span))
    }
}

pub(super) fn literals(node: &Node, key: &str) -> Outcome<Vec<Spanned<Literal>>> {
    let what = format!("each item of `{key}`");
    node.items(key)?.iter().map(|item| item.literal(&what)).collect()
}

fn range(fields: &Fields<'_>, kind: &str) -> Outcome<DomainDefinition> {
    let number = |key: &str| {
        let node = fields.need(key)?;
        Ok(Spanned::new(BoundDefinition::Number(node.number(key)?), node.span))
    };
    let (lower, upper) = (number("lower")?, number("upper")?);
    let log = fields.get("log").map_or(Ok(false), |node| node.truth("log"))?;
    let step = fields.get("q").map(|node| Ok(Spanned::new(node.number("q")?, node.span))).transpose()?;
    Ok(match kind {
        "uniform_float" => DomainDefinition::Float { lower, upper, log, step },
        _ => DomainDefinition::Integer { lower, upper, log, step },
    })
}

fn categorical(fields: &Fields<'_>) -> Outcome<DomainDefinition> {
    let choices = literals(fields.need("choices")?, "choices")?;
    // Versions before 0.5 call the weights `probabilities`.
    let weights = fields.get("weights").or_else(|| fields.get("probabilities"));
    let Some(weights) = weights else {
        let truths: Vec<&Literal> = choices.iter().map(|choice| &choice.value).collect();
        return Ok(match truths.as_slice() {
            [Literal::Boolean(a), Literal::Boolean(b)] if a != b => DomainDefinition::Boolean,
            _ => DomainDefinition::Categorical { choices, weights: None },
        });
    };
    let numbers =
        weights.items("weights")?.iter().map(|weight| weight.number("weights")).collect::<Result<_, _>>()?;
    Ok(DomainDefinition::Categorical { choices, weights: Some(Spanned::new(numbers, weights.span)) })
}

/// Reads `meta`, which may contain anything: captune's own keys become the note and the switch; anything else
/// is kept as a note in JSON.
fn read_meta(meta: &Node, definition: &mut ParameterDefinition) -> Outcome<()> {
    let entries = meta.entries("meta")?;
    let own = entries.iter().all(|(key, value)| {
        matches!(key.value.as_str(), "note" | "switch")
            && matches!(value.value, Value::Scalar(Literal::Text(_)))
    });
    if !own {
        definition.note = Some(compact(meta));
        return Ok(());
    }
    for (key, value) in entries {
        let text = value.text("meta")?.value.to_owned();
        if key.value == "note" { definition.note = Some(text) } else { definition.switch = Some(text) }
    }
    Ok(())
}
