//! SCIP's settings file, written by `set save` with its comments.
//!
//! ```text
//! # branching score function ('s'um, 'p'roduct, 'q'uotient)
//! # [type: char, advanced: TRUE, range: {spq}, default: p]
//! branching/scorefunc = p
//! ```
//!
//! The value in the file is used as the default, although the user may have changed it.

use super::draft::{Draft, Numbers, Opt};
use super::highs::{Described, described};

/// Name prefixes of options that are not tuned, each with the reason.
const NOT_TUNED: [(&str, &str); 10] = [
    ("limits/", "stops the run or relaxes the goal"),
    ("numerics/", "changes what is accepted as a solution"),
    ("display/", "affects only the output"),
    ("visual/", "affects only the output"),
    ("reading/", "changes how files are read"),
    ("write/", "changes how files are written"),
    ("timing/", "changes how time is measured"),
    ("randomization/", "a random seed"),
    ("misc/", "does not affect the search"),
    ("memory/savefac", "does not affect the search"),
];

pub(super) fn read(text: &str, draft: &mut Draft) {
    for Described { name, about, kind, range, value, .. } in described(text) {
        if let Some((_, why)) = NOT_TUNED.iter().find(|(start, _)| name.starts_with(start)) {
            draft.leave_out(name, why);
            continue;
        }
        let option = Opt { name, about, ..Opt::default() };
        match kind {
            "bool" => draft.choices(&option, ["FALSE", "TRUE"], value),
            // Every character of the range is a choice.
            "char" => match range {
                Some(range) => draft.choices(&option, range.chars().map(String::from), value),
                None => draft.leave_out(name, "any character is allowed"),
            },
            "int" | "longint" | "real" => {
                let bounds = range.and_then(|range| range.split_once(','));
                let number = |text: &str| text.trim().parse::<f64>().ok();
                let numbers =
                    bounds.and_then(|(lower, upper)| Some((number(lower)?, number(upper)?, number(value)?)));
                match numbers {
                    Some((lower, upper, value)) => {
                        draft.number(&option, Numbers::closed(lower, upper, value, kind != "real"));
                    }
                    None => draft.leave_out(name, "its range could not be parsed"),
                }
            }
            _ => draft.leave_out(name, "any text is allowed"),
        }
    }
}
