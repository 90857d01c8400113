//! How the parameters of a space are written as arguments.
//!
//! A parameter may have several forms. The first one that is given applies, in this order:
//! `target.parameter.NAME`, the parameter's own `switch` in the space, `target.flags` (only for booleans),
//! `target.params`, the protocol's form.

use engine::Space;
use space::{Kind, Literal, Parameter, Spanned, suggestion};

use super::protocol::Protocol;
use super::report::{Found, Report, Section};
use super::template::{self, Part};

/// The form in which one parameter is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Writing {
    /// Arguments, each made of pieces.
    Value(Vec<Vec<WritingPiece>>),
    /// A boolean: an argument for true and one for false. `None` means no argument.
    Flag {
        /// Argument for true.
        on: Option<String>,
        /// Argument for false.
        off: Option<String>,
    },
}

/// A piece of an argument that writes a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WritingPiece {
    /// Text passed unchanged.
    Literal(String),
    /// The parameter's value.
    Value,
}

impl Writing {
    /// Returns the arguments for a value.
    pub fn arguments(&self, value: &Literal) -> Vec<String> {
        let text = |piece: &WritingPiece| match piece {
            WritingPiece::Literal(text) => text.clone(),
            WritingPiece::Value => value.to_string(),
        };
        match self {
            Self::Value(arguments) => {
                arguments.iter().map(|pieces| pieces.iter().map(text).collect()).collect()
            }
            Self::Flag { on, off } => {
                let flag = if matches!(value, Literal::Boolean(true)) { on } else { off };
                flag.iter().cloned().collect()
            }
        }
    }
}

/// A form as it is written in the scenario, before the name of a parameter is filled in.
#[derive(Clone)]
enum Form {
    Value(Vec<Vec<Part>>),
    Flag { on: Vec<Part>, off: Vec<Part> },
}

/// Reads a line with `{name}` and `{value}`, and returns the line for every parameter. A parameter's own form
/// in `target.parameter` takes precedence. Returns `None` after a mistake; mistakes in `target.parameter` are
/// reported by [`read`].
pub(super) fn read_lines(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    target: &Section<'_, '_>,
    space: Option<&Space>,
) -> Option<Vec<Writing>> {
    let general = value_form(report, found)?;
    let own = own_forms(&mut Report::new(report.text), target, space);
    let writing = |parameter: &Parameter| {
        let own = own.iter().find(|(name, _)| name == parameter.name()).map(|(_, form)| form);
        filled_in(own.unwrap_or(&general), parameter.name())
    };
    Some(space?.parameters().iter().map(writing).collect())
}

/// Reads the forms, and returns how each parameter is written; `None` after a mistake.
pub(super) fn read(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    space: Option<&Space>,
    protocol: Protocol,
) -> Option<Vec<Writing>> {
    let before = report.mistakes.len();
    let params = target.get("params").and_then(|found| value_form(report, &found));
    let flags = target.section("flags");
    let flags = flags.is_present().then(|| flag_form(report, &flags)).flatten();
    let own = own_forms(report, target, space);
    let space = space.filter(|_| report.mistakes.len() == before)?;
    let plain = |text: &str| template::split(&mut Report::new(""), &text.into()).unwrap_or_default();
    let general =
        params.unwrap_or_else(|| Form::Value(protocol.params().iter().map(|text| plain(text)).collect()));
    let flags = flags.or_else(|| {
        let [on, off] = protocol.flags().filter(|_| target.get("params").is_none())?;
        Some(Form::Flag { on: plain(on), off: plain(off) })
    });
    let writing = |parameter: &Parameter| {
        let own = own.iter().find(|(name, _)| name == parameter.name()).map(|(_, form)| form);
        match (own, parameter.switch(), &flags) {
            (Some(form), _, _) => filled_in(form, parameter.name()),
            (None, Some(switch), _) if protocol.switch_is_name() => filled_in(&general, switch.trim()),
            (None, Some(switch), _) => of_switch(switch, protocol),
            (None, None, Some(form)) if parameter.kind() == Kind::Boolean => {
                filled_in(form, parameter.name())
            }
            _ => filled_in(&general, parameter.name()),
        }
    };
    Some(space.parameters().iter().map(writing).collect())
}

/// Reads the forms in `target.parameter`, by parameter name.
fn own_forms(
    report: &mut Report<'_>,
    target: &Section<'_, '_>,
    space: Option<&Space>,
) -> Vec<(String, Form)> {
    let mut own = Vec::new();
    for (name, found) in target.section("parameter").entries() {
        let parameter = space.and_then(|space| space.find(&name).map(|id| space.parameter(id)));
        if let (Some(space), None) = (space, parameter) {
            unknown_parameter(report, space, target, &name, &found);
        }
        let form = if found.value.get_ref().is_table() {
            if let Some(parameter) = parameter.filter(|parameter| parameter.kind() != Kind::Boolean) {
                let message = format!("`{name}` is {}, not boolean", parameter.kind().name());
                let hint = "`on` and `off` are for boolean parameters; write a form with `{value}`";
                report.mistake(found.span(), message, hint);
            }
            flag_form(report, &target.section("parameter").section(&name))
        } else {
            value_form(report, &found)
        };
        own.extend(form.map(|form| (name, form)));
    }
    own
}

/// Returns the arguments for a switch. Trailing spaces separate the switch from the value. Spaces inside the
/// switch are kept, except for irace, whose shell would split the words there.
fn of_switch(switch: &str, protocol: Protocol) -> Writing {
    let literal = |text: &str| WritingPiece::Literal(text.to_owned());
    let before = switch.trim_end_matches(' ');
    let words: Vec<&str> = match protocol {
        Protocol::Irace => before.split_whitespace().collect(),
        _ => Some(before).filter(|before| !before.is_empty()).into_iter().collect(),
    };
    let mut arguments: Vec<Vec<WritingPiece>> = words.into_iter().map(|word| vec![literal(word)]).collect();
    match arguments.last_mut().filter(|_| before == switch) {
        Some(last) => last.push(WritingPiece::Value),
        None => arguments.push(vec![WritingPiece::Value]),
    }
    Writing::Value(arguments)
}

/// Fills a parameter's name into a form.
fn filled_in(form: &Form, name: &str) -> Writing {
    let text = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Placeholder(_) => name.to_owned(),
    };
    let piece = |part: &Part| match part {
        Part::Placeholder(placeholder) if placeholder.value == "value" => WritingPiece::Value,
        other => WritingPiece::Literal(text(other)),
    };
    let flag = |parts: &[Part]| {
        let argument: String = parts.iter().map(text).collect();
        (!argument.is_empty()).then_some(argument)
    };
    match form {
        Form::Value(arguments) => {
            Writing::Value(arguments.iter().map(|parts| parts.iter().map(piece).collect()).collect())
        }
        Form::Flag { on, off } => Writing::Flag { on: flag(on), off: flag(off) },
    }
}

fn value_form(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Form> {
    let texts = report.texts(found)?;
    let arguments = texts.iter().map(|text| parts(report, text, &["name", "value"]));
    let arguments: Vec<Vec<Part>> = arguments.collect::<Vec<_>>().into_iter().collect::<Option<_>>()?;
    let is_value = |part: &Part| matches!(part, Part::Placeholder(name) if name.value == "value");
    if !arguments.iter().flatten().any(is_value) {
        let message = format!("`{}` has no `{{value}}`", found.key);
        report.mistake(
            found.span(),
            message,
            "add `{value}`; without it, every value would be written the same way",
        );
        return None;
    }
    Some(Form::Value(arguments))
}

fn flag_form(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Form> {
    for (name, found) in section.entries() {
        if name != "on" && name != "off" {
            let hint = suggestion(&name, ["on", "off"]).unwrap_or("known keys: on, off".to_owned());
            report.mistake(found.key_span, format!("unknown key `{}`", found.key), hint);
        }
    }
    let mut side = |name| {
        let found = report.required(section, name, "give both `on` and `off`; \"\" writes nothing")?;
        let text = report.text(&found)?;
        parts(report, &Spanned::new(text, found.span()), &["name"])
    };
    let (on, off) = (side("on"), side("off"));
    let (on, off) = (on?, off?);
    if on.is_empty() && off.is_empty() {
        report.mistake(
            section.span,
            "`on` and `off` are both empty",
            "give a text for at least one of them, so that true and false differ",
        );
        return None;
    }
    Some(Form::Flag { on, off })
}

fn parts(report: &mut Report<'_>, text: &Spanned<String>, known: &[&str]) -> Option<Vec<Part>> {
    let parts = template::split(report, text)?;
    let mut valid = true;
    for part in &parts {
        if let Part::Placeholder(placeholder) = part
            && !known.contains(&placeholder.value.as_str())
        {
            template::unknown(report, placeholder, known);
            valid = false;
        }
    }
    valid.then_some(parts)
}

fn unknown_parameter(
    report: &mut Report<'_>,
    space: &Space,
    target: &Section<'_, '_>,
    name: &str,
    found: &Found<'_, '_>,
) {
    let hint = if super::keys::names(&["target"]).contains(&name) && target.get(name).is_none() {
        format!("`{name}` belongs to `[target]`: move it above `[target.parameter]`")
    } else {
        suggestion(name, space.parameters().iter().map(Parameter::name))
            .unwrap_or("the space has no such parameter".to_owned())
    };
    report.mistake(found.key_span, format!("unknown parameter `{name}` in `target.parameter`"), hint);
}
