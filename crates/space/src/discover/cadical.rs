//! The help text of cadical.
//!
//! ```text
//!   --elim=bool                bounded variable elimination [true]
//!   --elimint=1..2e9           elimination interval [2e3]
//! ```

use super::super::parse_number;
use super::draft::{Draft, Numbers, Opt};

/// Name prefixes of options that are not tuned, each with the reason.
const NOT_TUNED: [(&str, &str); 12] = [
    ("check", "internal checks of the solver"),
    ("quiet", "affects only the output"),
    ("verbose", "affects only the output"),
    ("report", "affects only the output"),
    ("profile", "affects only the output"),
    ("log", "affects only the output"),
    ("stats", "affects only the output"),
    ("realtime", "changes how time is measured"),
    ("terminateint", "changes how limits are checked"),
    ("seed", "a random seed"),
    ("binary", "proof format"),
    ("lrat", "proof format"),
];

/// Returns whether a line describes an option.
pub(super) fn is_option(line: &str) -> bool {
    parse(line).is_some()
}

struct Found<'a> {
    name: &'a str,
    values: &'a str,
    about: &'a str,
    default: &'a str,
}

fn parse(line: &str) -> Option<Found<'_>> {
    let rest = line.strip_prefix("  --")?;
    let (name, rest) = rest.split_once('=')?;
    let (values, rest) = rest.split_once(' ')?;
    let (about, default) = rest.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let known = values == "bool" || values.contains("..");
    (known && !name.contains(char::is_whitespace)).then_some(Found { name, values, about, default })
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    for Found { name, values, about, default } in text.lines().filter_map(parse) {
        if let Some((_, why)) = NOT_TUNED.iter().find(|(start, _)| name.starts_with(start)) {
            draft.leave_out(name, why);
            continue;
        }
        let option = Opt { name, switch: Some(format!("--{name}=")), about, review: None };
        if values == "bool" {
            draft.boolean(&option, matches!(default, "true" | "1"));
            continue;
        }
        let bounds = values.split_once("..").and_then(|(l, u)| parse_number(l).zip(parse_number(u)));
        match bounds.zip(parse_number(default)) {
            Some(((lower, upper), default)) => {
                draft.number(&option, Numbers::closed(lower, upper, default, true));
            }
            None => draft.leave_out(name, "its range could not be parsed"),
        }
    }
}
