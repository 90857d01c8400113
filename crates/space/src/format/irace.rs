//! irace's parameter file.
//!
//! ```text
//! # name    switch        type   values               condition, in R
//! algorithm "--"          c      (as, mmas, "e as")
//! ants      "--ants "     i,log  (5, 100)             | algorithm != "as"
//! rank      "--rank "     i      (1, "ants / 2")      | algorithm %in% c("mmas", "e as")
//! rho       "--rho="      r      (0.01, 1.00)
//! level     "--level "    o      (low, middle, high)
//!
//! [forbidden]
//! rho == 0.01 & ants < 10
//!
//! [global]
//! digits = 4
//! ```
//!
//! The rules follow irace's user guide (section on the parameter file) and its reader:
//! - a name consists of letters, digits, `.` and `_`; the switch is quoted, may be empty and keeps its
//!   spaces; types are `c o i r`, with `,log` after `i` or `r` for a logarithmic range;
//! - values are text, quoted if they contain a comma; quotes cannot be escaped;
//! - a bound is a number or an expression over other numbers, quoted or not;
//! - a comment runs from any `#` to the end of the line;
//! - reals have `digits` decimal places, which means a step of 10^-digits. A value of 15 or more means no
//!   limit. A file without `digits` is read as if there were no limit (irace itself uses 4, or the value in
//!   the scenario);
//! - the file has no defaults: irace takes them from a file of initial configurations.
//!
//! Two things differ from R: values of ordinal parameters compare by their order (R: alphabetically),
//! and `x %in% c(...)` is unknown if `x` is inactive (R: false), like all other comparisons.
//! Newer versions of irace reject `&&` and `||`; here they mean the same as `&` and `|`.

use super::super::expression::Dialect;
use super::super::nearest::suggestion;
use super::super::{
    BoundDefinition, Clause, Diagnostic, Diagnostics, DomainDefinition, Literal, ParameterDefinition, Space,
    SpaceBuilder, Spanned, parse_number,
};
use super::scan::{Line, Piece, lines};

/// Number of decimal places from which on reals have no step.
pub(super) const UNLIMITED_DIGITS: u32 = 15;

/// Returns the distance between numbers with this many decimal places.
pub(super) fn step_of(digits: u32) -> f64 {
    format!("1e-{digits}").parse().unwrap_or(0.0)
}

pub(super) fn read(text: &str, file_name: &str) -> Result<Space, Diagnostics> {
    let mut builder = SpaceBuilder::new(file_name, text);
    let mut definitions = Vec::new();
    let mut digits = None;
    let mut section = "parameters";
    for line in lines(text) {
        let content = line.content;
        let result = match (content.enclosed('[', ']'), section) {
            (Some((header, rest)), _) if rest.is_empty() => {
                section = header.trim().text;
                check_section(header.trim())
            }
            (_, "parameters") => parameter(&line, &mut builder).map(|found| definitions.push(found)),
            (_, "forbidden") => {
                builder.forbid(Clause::text(content.text, content.start, Dialect::R));
                Ok(())
            }
            (_, "global") => global(content).map(|found| digits = Some(found)),
            _ => Ok(()),
        };
        if let Err(mistake) = result {
            builder.mistake(mistake);
        }
    }
    for mut definition in definitions {
        if let Some(digits) = digits.filter(|digits| digits.value < UNLIMITED_DIGITS) {
            round(&mut definition, digits, &mut builder);
        }
        builder.parameter(definition);
    }
    builder.finish()
}

type Read<T> = Result<T, Diagnostic>;

fn check_section(name: Piece<'_>) -> Read<()> {
    const SECTIONS: [&str; 3] = ["parameters", "forbidden", "global"];
    if SECTIONS.contains(&name.text) {
        return Ok(());
    }
    let hint = suggestion(name.text, SECTIONS);
    Err(Diagnostic::new(name.span(), format!("unknown section `{}`", name.shown()))
        .hint(hint.unwrap_or_else(|| "the sections are [forbidden] and [global]".to_owned())))
}

fn parameter(line: &Line<'_>, builder: &mut SpaceBuilder) -> Read<ParameterDefinition> {
    let (name, rest) = line.content.until(char::is_whitespace);
    if let Some(at) = name.text.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_') {
        let message = format!("the name `{}` may only contain letters, digits, `.` and `_`", name.shown());
        let (_, bad) = name.split_at(at);
        return Err(Diagnostic::new(bad.span(), message).hint("write `name \"switch\" type (values)`"));
    }
    let rest = rest.trim();
    let Some((switch, rest)) = rest.enclosed('"', '"') else {
        let (word, _) = rest.until(char::is_whitespace);
        return Err(Diagnostic::new(word.span(), format!("the switch of `{}` is not quoted", name.shown()))
            .hint("write `\"--name \"`, or `\"\"` if there is none"));
    };
    let (kind, rest) = rest.trim().until(|c| c.is_whitespace() || c == '(');
    let (letter, log) = match kind.text.strip_suffix(",log") {
        Some(letter @ ("i" | "r")) => (letter, true),
        _ => (kind.text, false),
    };
    if !matches!(letter, "c" | "o" | "i" | "r") {
        return Err(Diagnostic::new(
            kind.span(),
            format!("unknown type `{}` for `{}`", kind.shown(), name.shown()),
        )
        .hint("c: categorical, o: ordinal, i: integer, r: real; i,log and r,log: logarithmic"));
    }
    let (items, inside, rest) = domain(name, rest.trim())?;
    let domain = match letter {
        "c" | "o" => choices(letter, &items),
        _ => range(name, letter, log, &items, inside)?,
    };
    let mut definition = ParameterDefinition::new(name.owned(), domain);
    definition.span = inside.span();
    definition.switch = Some(switch.text.to_owned());
    definition.note = line.note.map(str::to_owned);
    let rest = rest.trim();
    match rest.after("|").map(Piece::trim) {
        Some(condition) if condition.is_empty() => {
            return Err(Diagnostic::new(rest.span(), "the condition is missing").hint("remove the `|`"));
        }
        Some(condition) => {
            builder.when(name.owned(), Clause::text(condition.text, condition.start, Dialect::R));
        }
        None if rest.is_empty() => {}
        None => {
            return Err(Diagnostic::new(
                rest.span(),
                format!("unexpected `{}` after the values", rest.shown()),
            )
            .hint("a condition begins with `|`"));
        }
    }
    Ok(definition)
}

/// An item of a list, quoted or not.
struct Item<'t> {
    piece: Piece<'t>,
    quoted: bool,
}

/// Returns the items in the parentheses, the whole text in the parentheses, and the rest of the line.
fn domain<'t>(name: Piece<'t>, text: Piece<'t>) -> Read<(Vec<Item<'t>>, Piece<'t>, Piece<'t>)> {
    let missing = |mark: char, place: Piece<'_>| {
        Diagnostic::new(
            place.span(),
            format!("`{mark}` is missing from the definition of `{}`", name.shown()),
        )
        .hint("put the values in parentheses: `(a, b)` or `(0, 1)`")
    };
    let Some(inner) = text.after("(") else { return Err(missing('(', text)) };
    let mut items = Vec::new();
    let (mut from, mut depth, mut in_quotes, mut closed) = (0, 0usize, false, None);
    let item = |from: usize, to: usize| {
        let piece = inner.part(from, to).trim();
        let unquoted = piece.enclosed('"', '"').filter(|(_, rest)| rest.is_empty());
        Item { piece: unquoted.map_or(piece, |(inside, _)| inside), quoted: unquoted.is_some() }
    };
    for (at, c) in inner.text.char_indices() {
        match c {
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                items.push(item(from, at));
                from = at + 1;
                if c == ')' {
                    closed = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(end) = closed else {
        let place = inner.split_at(inner.text.len()).1;
        return Err(missing(if in_quotes { '"' } else { ')' }, place));
    };
    let (inside, rest) = inner.split_at(end);
    if inside.trim().is_empty() {
        items.clear();
    }
    if let Some(empty) = items.iter().find(|item| item.piece.is_empty() && !item.quoted) {
        return Err(Diagnostic::new(empty.piece.span(), format!("a value of `{}` is empty", name.shown()))
            .hint("write `\"\"` for an empty value"));
    }
    if let Some(broken) = items.iter().find(|item| item.piece.text.contains('"')) {
        let message = format!("misplaced quotation mark in `{}`", broken.piece.shown());
        return Err(Diagnostic::new(broken.piece.span(), message).hint("separate values with one comma"));
    }
    Ok((items, inside, rest.split_at(1).1))
}

fn choices(letter: &str, items: &[Item<'_>]) -> DomainDefinition {
    let values: Vec<Spanned<Literal>> = items.iter().map(|item| item.piece.literal()).collect();
    match letter {
        "o" => DomainDefinition::Ordinal { values },
        _ => DomainDefinition::Categorical { choices: values, weights: None },
    }
}

fn range(
    name: Piece<'_>,
    letter: &str,
    log: bool,
    items: &[Item<'_>],
    inside: Piece<'_>,
) -> Read<DomainDefinition> {
    let [lower, upper] = items else {
        let message = format!("the range of `{}` needs two bounds", name.shown());
        return Err(Diagnostic::new(inside.span(), message).hint("write `(lowest, highest)`"));
    };
    let bound = |item: &Item<'_>| {
        let piece = item.piece;
        let bound = match parse_number(piece.text) {
            Some(number) => BoundDefinition::Number(number),
            None => BoundDefinition::Expression(Clause::text(piece.text, piece.start, Dialect::R)),
        };
        Spanned::new(bound, piece.span())
    };
    let (lower, upper) = (bound(lower), bound(upper));
    Ok(match letter {
        "i" => DomainDefinition::Integer { lower, upper, log, step: None },
        _ => DomainDefinition::Float { lower, upper, log, step: None },
    })
}

fn global(line: Piece<'_>) -> Read<Spanned<u32>> {
    let (key, value) = line.until(|c| c == '=');
    let (key, value) = (key.trim(), value.after("=").unwrap_or(value).trim());
    if key.text != "digits" {
        return Err(Diagnostic::new(key.span(), format!("unknown setting `{}`", key.shown()))
            .hint("the only setting is `digits`"));
    }
    match value.text.parse::<u32>() {
        Ok(digits) => Ok(Spanned::new(digits, value.span())),
        Err(_) => {
            Err(Diagnostic::new(value.span(), format!("`{}` is not a number of digits", value.shown()))
                .hint("write `digits = 4`"))
        }
    }
}

/// Sets the step of a real parameter; its bounds must not have more than `digits` decimal places.
fn round(definition: &mut ParameterDefinition, digits: Spanned<u32>, builder: &mut SpaceBuilder) {
    let DomainDefinition::Float { lower, upper, step, .. } = &mut definition.domain else { return };
    *step = Some(Spanned::new(step_of(digits.value), digits.span));
    for bound in [lower, upper] {
        let BoundDefinition::Number(number) = bound.value else { continue };
        let decimals = format!("{number}").split_once('.').map_or(0, |(_, decimals)| decimals.len());
        if decimals > digits.value as usize {
            let message = format!("the bound `{number}` has more than {} decimals", digits.value);
            let hint = format!("round it, or set `digits = {decimals}`");
            builder.mistake(Diagnostic::new(bound.span, message).hint(hint));
        }
    }
}
