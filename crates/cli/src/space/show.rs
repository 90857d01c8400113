//! `captune space show`: prints a space as a table.

use clap::Args;
use comfy_table::{Table, presets};
use engine::Space;
use space::expression::Notation;
use space::{Bound, Kind, Literal, Parameter, ParameterId, Range, float_text};

use super::file::FileArguments;
use crate::exit_code::ExitCode;
use crate::message;
use crate::wrap;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: FileArguments,
}

/// Prints the table, the counts and the size.
pub(crate) fn show(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let space = arguments.file.read()?;
    message::show(&text(&space, wrap::stdout_width()))?;
    Ok(ExitCode::Done)
}

fn text(space: &Space, width: Option<usize>) -> String {
    let mut out = table(space, width);
    let notation = Notation::captune(space);
    if !space.forbidden().is_empty() {
        out += "\nforbidden\n";
        for clause in space.forbidden() {
            out += &format!("  {}\n", plain(&notation.formula(clause)));
        }
    }
    out += &wrap::text(&format!("\n{}\n{}\n", counts(space), size(space)), width);
    out
}

fn table(space: &Space, width: Option<usize>) -> String {
    let notation = Notation::captune(space);
    let has_conditions = space.ids().any(|id| space.condition(id).is_some());
    let has_notes = space.parameters().iter().any(|parameter| parameter.note().is_some());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["name", "kind", "values", "default"];
    header.extend(has_conditions.then_some("when"));
    header.extend(has_notes.then_some("note"));
    table.set_header(header);
    for id in space.ids() {
        let parameter = space.parameter(id);
        let mut row = vec![
            parameter.name().to_owned(),
            parameter.kind().name().to_owned(),
            values(parameter, &notation),
            default(parameter),
        ];
        if has_conditions {
            row.push(condition(space, id, &notation));
        }
        if has_notes {
            row.push(parameter.note().unwrap_or_default().to_owned());
        }
        table.add_row(row.iter().map(|cell| plain(cell)).collect::<Vec<_>>());
    }
    // Remove the left margin of the first column.
    if let Some(column) = table.column_mut(0) {
        column.set_padding((0, 1));
    }
    wrap::fit(&mut table, width);
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn condition(space: &Space, id: ParameterId, notation: &Notation<'_>) -> String {
    space.condition(id).map(|condition| notation.formula(condition)).unwrap_or_default()
}

fn values(parameter: &Parameter, notation: &Notation<'_>) -> String {
    match (parameter.range(), parameter.choices()) {
        (Some(range), _) => range_text(range, notation),
        (None, Some(choices)) => match parameter.kind() {
            Kind::Boolean => "false, true".to_owned(),
            Kind::Ordinal => join(choices.values(), " < "),
            _ => match choices.weights() {
                None => join(choices.values(), ", "),
                Some(weights) => {
                    let pairs = choices.values().iter().zip(weights);
                    pairs.map(|(value, weight)| format!("{value} ({weight})")).collect::<Vec<_>>().join(", ")
                }
            },
        },
        (None, None) => String::new(),
    }
}

fn join(values: &[Literal], between: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn range_text(range: &Range, notation: &Notation<'_>) -> String {
    let number = |number: f64| if range.integer() { format!("{number}") } else { float_text(number) };
    let bound = |bound: &Bound| match bound {
        Bound::Number(value) => number(*value),
        Bound::Dependent(quantity) => notation.quantity(quantity),
    };
    let mut text = format!("{} to {}", bound(range.lower()), bound(range.upper()));
    if range.log() {
        text += ", log";
    }
    if let Some(step) = range.step() {
        text += &format!(", step {}", number(step));
    }
    text
}

fn default(parameter: &Parameter) -> String {
    match (parameter.fixed(), parameter.default()) {
        (Some(value), _) => format!("{value} (fixed)"),
        (None, Some(value)) => value.to_string(),
        (None, None) => "middle of the range".to_owned(),
    }
}

/// Formats the numbers of parameters and clauses.
pub(super) fn counts(space: &Space) -> String {
    let conditional = space.ids().filter(|&id| space.is_conditional(id)).count();
    format!(
        "{} ({conditional} conditional), {}",
        message::count(space.parameters().len(), "parameter"),
        message::count(space.forbidden().len(), "forbidden clause")
    )
}

fn size(space: &Space) -> String {
    let size = space.size();
    let limited = !space.forbidden().is_empty() || space.ids().any(|id| space.is_conditional(id));
    let most = if limited { "at most " } else { "" };
    let mut text = format!("size: {most}10^{:.1} combinations", size.log10);
    if size.continuous > 0 {
        text += &format!(", plus {}", message::count(size.continuous, "continuous parameter"));
    }
    if size.dependent > 0 {
        text += &format!(", plus {} whose bounds vary", message::count(size.dependent, "parameter"));
    }
    text
}

/// Replaces control characters, which could change the state of the terminal.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use space::format::{Format, read};

    #[test]
    fn a_narrow_terminal_wraps_the_cells() {
        let source = "mode = { choices = [\"alpha\", \"beta\", \"gamma\", \"delta\", \"epsilon\"] }\n";
        let space = read(source, "space.toml", Format::Toml).unwrap();
        assert!(table(&space, Some(40)).lines().all(|line| line.chars().count() <= 40));
        assert_eq!(table(&space, None).lines().count(), 2);
    }
}
