//! The help text of minisat and the solvers descended from it.
//!
//! ```text
//!   -luby, -no-luby                         (default: on)
//!   -rinc         = <double> (   1 ..  inf) (default: 2)
//!   -rfirst       = <int32>  [   1 .. imax] (default: 100)
//!
//!         What it does, in `--help-verb`
//! ```
//!
//! The value of a flag is the argument itself, `-luby` or `-no-luby`.

use super::draft::{Draft, Numbers, Opt};

/// Options that are not tuned, each with the reason.
const NOT_TUNED: [(&str, &str); 7] = [
    ("cpu-lim", "stops the run"),
    ("mem-lim", "stops the run"),
    ("verb", "affects only the output"),
    ("rnd-seed", "a random seed"),
    ("dimacs", "names a file"),
    ("strictp", "only checks the input"),
    ("model", "affects only the output"),
];

/// Returns whether a line describes an option.
pub(super) fn is_option(line: &str) -> bool {
    parse(line).is_some()
}

enum Found<'a> {
    Flag(&'a str, bool),
    Number(&'a str, Numbers),
    /// A string, or a number without a valid default.
    Other(&'a str),
}

impl<'a> Found<'a> {
    fn name(&self) -> &'a str {
        let (Self::Flag(name, _) | Self::Number(name, _) | Self::Other(name)) = self;
        name
    }
}

fn parse(line: &str) -> Option<Found<'_>> {
    let rest = line.strip_prefix("  -")?;
    if rest.starts_with('-') {
        return None;
    }
    let default = |text: &'_ str| {
        let (_, default) = text.split_once("(default: ")?;
        Some(default.trim_end().strip_suffix(')')?.trim().to_owned())
    };
    let flag = rest.split_once(", -no-").filter(|(name, rest)| {
        rest.strip_prefix(*name).is_some_and(|rest| rest.starts_with(' ')) && !name.contains(' ')
    });
    if let Some((name, rest)) = flag {
        return match default(rest)?.as_str() {
            "on" => Some(Found::Flag(name, true)),
            "off" => Some(Found::Flag(name, false)),
            _ => None,
        };
    }
    let (name, rest) = rest.split_once('=')?;
    let (name, rest) = (name.trim(), rest.trim_start());
    let (kind, range) = rest.strip_prefix('<')?.split_once('>')?;
    let integer = match kind {
        "double" => false,
        "int32" | "int64" => true,
        _ => return Some(Found::Other(name)),
    };
    let Some(default) = default(range).and_then(|text| text.parse().ok()) else {
        return Some(Found::Other(name));
    };
    let range = range.trim_start();
    let (inside, closing) = range
        .get(1..)?
        .split_once([')', ']'])
        .map(|(inside, _)| (inside, range.as_bytes().get(1 + inside.len()).copied()))?;
    let (lower, upper) = inside.split_once("..")?;
    let bound = |text: &str| match text.trim() {
        "imin" | "-inf" => Some(f64::NEG_INFINITY),
        "imax" | "inf" => Some(f64::INFINITY),
        number => number.parse().ok(),
    };
    Some(Found::Number(
        name,
        Numbers {
            lower: bound(lower)?,
            upper: bound(upper)?,
            lower_open: range.starts_with('('),
            upper_open: closing == Some(b')'),
            default,
            integer,
        },
    ))
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(found) = parse(line) else { continue };
        let name = found.name();
        if let Some((_, why)) = NOT_TUNED.iter().find(|(known, _)| *known == name) {
            draft.leave_out(name, why);
            continue;
        }
        // The long help describes an option after an empty line, with more indentation.
        let about = match lines.get(index + 1..index + 3) {
            Some(["", next]) if next.starts_with("        ") => next.trim(),
            _ => "",
        };
        let option = Opt { name, about, ..Opt::default() };
        match found {
            Found::Flag(_, on) => {
                let (yes, no) = (format!("-{name}"), format!("-no-{name}"));
                let default = if on { yes.clone() } else { no.clone() };
                draft.choices(&Opt { switch: Some(String::new()), ..option }, [yes, no], &default);
            }
            Found::Number(_, numbers) => {
                draft.number(&Opt { switch: Some(format!("-{name}=")), ..option }, numbers);
            }
            Found::Other(_) => draft.leave_out(name, "names a file"),
        }
    }
}
