//! The output of `gcc -Q --help=optimizers --help=params`.
//!
//! ```text
//!   -fgcse                          [disabled]
//!   -fvect-cost-model=[unlimited|dynamic|cheap|very-cheap]   [default]
//!   --param=align-threshold=<1,65536>     100
//!   --param=max-hoist-depth=        30
//! ```
//!
//! The value of a flag is the argument itself, `-fgcse` or `-fno-gcse`. Its default is the state at the
//! optimisation level given to the command (`gcc -O2 -Q ...`).

use std::collections::HashSet;

use super::super::parse_number;
use super::draft::{Draft, Numbers, Opt};

const MEANING: &str = "changes what the program computes";
const ABI: &str = "changes the binary interface of object files";
const DIAGNOSTIC: &str = "for debugging, checks or analysis";
const PROFILE: &str = "needs a profile or another pass";
const OTHER_PROCESSOR: &str = "for other processors";
const OTHER_LANGUAGE: &str = "for another language";
const NO_STATE: &str = "the default lets the compiler choose, and no value has that meaning";

/// Name prefixes of flags that affect more than speed, and why they are left out.
const NOT_TUNED: [(&str, &str); 59] = [
    ("fallow-store-data-races", MEANING),
    ("fassociative-math", MEANING),
    ("fcx-", MEANING),
    ("fdelete-null-pointer-checks", MEANING),
    ("fexcess-precision", MEANING),
    ("ffast-math", MEANING),
    ("ffinite-", MEANING),
    ("ffloat-store", MEANING),
    ("ffp-", MEANING),
    ("flifetime-dse", MEANING),
    ("fmath-errno", MEANING),
    ("fnon-call-exceptions", MEANING),
    ("freciprocal-math", MEANING),
    ("frounding-math", MEANING),
    ("fsignaling-nans", MEANING),
    ("fsigned-zeros", MEANING),
    ("fsingle-precision-constant", MEANING),
    ("fstrict-", MEANING),
    ("ftrapping-math", MEANING),
    ("ftrapv", MEANING),
    ("ftrivial-auto-var-init", MEANING),
    ("funsafe-math", MEANING),
    ("fwrapv", MEANING),
    ("fsemantic-interposition", MEANING),
    ("fthreadsafe-statics", MEANING),
    ("fno-threadsafe-statics", MEANING),
    ("fcommon", ABI),
    ("fpack-struct", ABI),
    ("fpcc-struct-return", ABI),
    ("freg-struct-return", ABI),
    ("fshort-", ABI),
    ("fasynchronous-unwind-tables", ABI),
    ("funwind-tables", ABI),
    ("fexceptions", ABI),
    ("fhandle-exceptions", ABI),
    ("fdelete-dead-exceptions", MEANING),
    ("frtti", ABI),
    ("fpatchable-function-entry", ABI),
    ("flive-patching", ABI),
    ("fstack-clash", DIAGNOSTIC),
    ("fstack-check", DIAGNOSTIC),
    ("fstack-protector", DIAGNOSTIC),
    ("fharden-", DIAGNOSTIC),
    ("fsanitize", DIAGNOSTIC),
    ("fvar-tracking", DIAGNOSTIC),
    ("fverify", DIAGNOSTIC),
    ("fauto-profile", PROFILE),
    ("fbranch-probabilities", PROFILE),
    ("fprofile", PROFILE),
    ("fvpt", PROFILE),
    ("fipa-reorder-for-locality", PROFILE),
    ("ftree-parallelize-loops", "changes the resources, not only the code"),
    ("flto", PROFILE),
    ("fwhole-program", PROFILE),
    ("fdelayed-branch", OTHER_PROCESSOR),
    ("fsection-anchors", OTHER_PROCESSOR),
    ("ftoplevel-reorder", "for programs that depend on the order of their source"),
    ("funroll-completely-grow-size", "not a C flag"),
    ("fsave-optimization-record", DIAGNOSTIC),
];
/// Name prefixes of parameters that do not affect the speed of the code, and why they are left out.
const NOT_TUNED_PARAMS: [(&str, &str); 20] = [
    ("analyzer-", DIAGNOSTIC),
    ("asan-", DIAGNOSTIC),
    ("hwasan-", DIAGNOSTIC),
    ("tsan-", DIAGNOSTIC),
    ("ssp-", DIAGNOSTIC),
    ("stack-clash", DIAGNOSTIC),
    ("max-vartrack", DIAGNOSTIC),
    ("min-nondebug", DIAGNOSTIC),
    ("max-debug", DIAGNOSTIC),
    ("ranger-debug", DIAGNOSTIC),
    ("evrp-mode", DIAGNOSTIC),
    ("logical-op-non-short-circuit", NO_STATE),
    ("cxx-max", OTHER_LANGUAGE),
    ("lazy-modules", OTHER_LANGUAGE),
    ("openacc", OTHER_LANGUAGE),
    ("ggc-", "affects only the compiler's own memory"),
    ("lto-", PROFILE),
    ("max-lto", PROFILE),
    ("min-lto", PROFILE),
    ("hash-table-verification-limit", DIAGNOSTIC),
];

/// Returns whether a line describes an option.
pub(super) fn is_option(line: &str) -> bool {
    line.starts_with("  --param=")
        || (line.starts_with("  -f") && (line.ends_with("[enabled]") || line.ends_with("[disabled]")))
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let options = || text.lines().filter_map(split);
    // A flag may be listed both bare and with a value; only then does the second name keep the `=`.
    let bare: HashSet<&str> = options().map(|(word, _)| word).filter(|word| !word.contains('=')).collect();
    for (word, state) in options() {
        if let Some(rest) = word.strip_prefix("--param=") {
            param(rest, state, draft);
        } else if let Some(name) = word.strip_prefix('-').filter(|name| name.starts_with('f')) {
            match name.split_once('=') {
                None => flag(name, state, draft),
                Some((name, values)) => {
                    let twin = bare.contains(format!("-{name}").as_str());
                    let label = if twin { format!("{name}=") } else { name.to_owned() };
                    valued(&label, name, values, state, draft);
                }
            }
        } else if word.starts_with("-O") {
            draft.leave_out(
                word,
                "the optimisation level sets the other flags; choose it on the command line",
            );
        } else if word.starts_with("-g") {
            draft.leave_out(word, DIAGNOSTIC);
        }
    }
}

/// Splits a line into the option and its state, which are separated by tabs or spaces.
fn split(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("  ").filter(|rest| rest.starts_with('-'))?;
    let (word, state) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    Some((word, state.trim()))
}

/// Returns the reason for leaving out a flag; `None` if the flag is kept.
fn reason(name: &str, state: &str) -> Option<&'static str> {
    let known = NOT_TUNED.iter().find(|(start, _)| name.starts_with(start)).map(|(_, why)| *why);
    known.or_else(|| state.starts_with("[available").then_some(OTHER_LANGUAGE))
}

fn flag(name: &str, state: &str, draft: &mut Draft) {
    if let Some(why) = reason(name, state) {
        return draft.leave_out(name, why);
    }
    let body = name.strip_prefix('f').unwrap_or(name);
    let other = body.strip_prefix("no-").map_or_else(|| format!("-fno-{body}"), |body| format!("-f{body}"));
    let word = format!("-{name}");
    let default = match state {
        "[enabled]" => word.clone(),
        "[disabled]" => other.clone(),
        _ => return draft.leave_out(name, NO_STATE),
    };
    let option = Opt { name, switch: Some(String::new()), ..Opt::default() };
    draft.choices(&option, [word, other], &default);
}

fn valued(label: &str, name: &str, values: &str, state: &str, draft: &mut Draft) {
    if let Some(why) = reason(name, state) {
        return draft.leave_out(label, why);
    }
    let words = values.strip_prefix('[').and_then(|values| values.strip_suffix(']'));
    match words.filter(|_| !state.is_empty() && state != "[default]") {
        Some(words) => {
            let option = Opt { name: label, switch: Some(format!("-{name}=")), ..Opt::default() };
            draft.choices(&option, words.split('|'), state);
        }
        None => draft.leave_out(label, NO_STATE),
    }
}

fn param(rest: &str, state: &str, draft: &mut Draft) {
    let (name, values) = rest.split_once('=').unwrap_or((rest, ""));
    if let Some((_, why)) = NOT_TUNED_PARAMS.iter().find(|(start, _)| name.starts_with(start)) {
        return draft.leave_out(name, why);
    }
    let option = Opt { name, switch: Some(format!("--param={name}=")), ..Opt::default() };
    if values.starts_with('[') {
        return draft.choices(&option, values.trim_matches(['[', ']']).split('|'), state);
    }
    let bounds = values.trim_matches(['<', '>']).split_once(',');
    let (lower, upper) = match bounds {
        Some((lower, upper)) => (parse_number(lower), parse_number(upper)),
        // Without bounds, any number from zero upwards is allowed.
        None => (Some(0.0), Some(f64::INFINITY)),
    };
    match (lower, upper, parse_number(state)) {
        (Some(lower), Some(upper), Some(default)) if default >= lower => {
            draft.number(&option, Numbers::closed(lower, upper, default, true));
        }
        _ => draft.leave_out(name, NO_STATE),
    }
}
