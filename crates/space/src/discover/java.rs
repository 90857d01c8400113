//! The output of `java -XX:+PrintFlagsFinal -version`, optionally followed by that of
//! `-XX:+PrintFlagsRanges`.
//!
//! ```text
//! [Global flags]
//!     uintx MaxHeapFreeRatio      = 70                 {manageable} {default}
//!      bool UseStringCache        = false                 {product} {ergonomic}
//! [Global flags ranges]
//!     uintx MaxHeapFreeRatio      [ 0     ...     100 ]   {manageable} {default}
//! ```
//!
//! Only one garbage collector can be used, so the flags that select one become the choices of a parameter
//! `gc`.

use std::collections::HashMap;

use super::super::parse_number;
use super::draft::{Draft, Numbers, Opt};

const OUTPUT: &str = "affects only the output";
const CHECKS: &str = "internal checks of the virtual machine";
const GENERAL: &str = "does not affect the speed";

/// Name prefixes of flags that are not tuned, each with the reason.
const NOT_TUNED: [(&str, &str); 32] = [
    ("Print", OUTPUT),
    ("Trace", OUTPUT),
    ("Log", OUTPUT),
    ("Show", OUTPUT),
    ("Verbose", OUTPUT),
    ("Dump", OUTPUT),
    ("HeapDump", OUTPUT),
    ("CITime", OUTPUT),
    ("CIPrint", OUTPUT),
    ("Extended", OUTPUT),
    ("FlightRecorder", OUTPUT),
    ("StartFlight", OUTPUT),
    ("NativeMemoryTracking", OUTPUT),
    ("Perf", OUTPUT),
    ("UsePerfData", OUTPUT),
    ("Verify", CHECKS),
    ("Check", CHECKS),
    ("RelaxAccessControlCheck", CHECKS),
    ("BytecodeVerification", CHECKS),
    ("CrashOnOutOfMemoryError", GENERAL),
    ("ExitOnOutOfMemoryError", GENERAL),
    ("CreateCoredump", GENERAL),
    ("Error", GENERAL),
    ("Suppress", GENERAL),
    ("Allow", GENERAL),
    ("Enable", GENERAL),
    ("Disable", GENERAL),
    ("Ignore", GENERAL),
    ("Archive", GENERAL),
    ("Dynamic", GENERAL),
    ("Record", GENERAL),
    ("Unlock", GENERAL),
];

struct Flag<'a> {
    kind: &'a str,
    name: &'a str,
    value: &'a str,
    ergonomic: bool,
}

fn flag(line: &str) -> Option<Flag<'_>> {
    let (left, right) = line.split_once('=')?;
    let mut words = left.trim_end_matches(':').split_whitespace();
    let (kind, name) = (words.next()?, words.next()?);
    let (value, origin) = right.split_once('{')?;
    let simple = words.next().is_none() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    simple.then_some(Flag { kind, name, value: value.trim(), ergonomic: origin.contains("{ergonomic}") })
}

fn range(line: &str) -> Option<(&str, (f64, f64))> {
    let (left, right) = line.split_once('[')?;
    let name = left.split_whitespace().nth(1)?;
    let (lower, upper) = right.split_once(']')?.0.split_once("...")?;
    let bound =
        |text: &str, none| if text.trim().is_empty() { Some(none) } else { parse_number(text.trim()) };
    Some((name, (bound(lower, f64::NEG_INFINITY)?, bound(upper, f64::INFINITY)?)))
}

pub(super) fn read(text: &str, draft: &mut Draft) {
    let ranges: HashMap<&str, (f64, f64)> = text.lines().filter_map(range).collect();
    let flags: Vec<Flag<'_>> = text.lines().filter_map(flag).collect();
    let is_collector = |flag: &Flag<'_>| {
        flag.kind == "bool" && flag.name.starts_with("Use") && COLLECTORS.contains(&flag.name)
    };
    collectors(flags.iter().filter(|flag| is_collector(flag)), draft);
    for flag in &flags {
        let Flag { kind, name, value, ergonomic } = *flag;
        if is_collector(flag) {
            continue;
        }
        if let Some((_, why)) = NOT_TUNED.iter().find(|(start, _)| name.starts_with(start)) {
            draft.leave_out(name, why);
            continue;
        }
        let review = ergonomic.then_some("the default was chosen for this machine");
        let option = Opt { name, review, ..Opt::default() };
        match kind {
            "bool" => {
                let (yes, no) = (format!("-XX:+{name}"), format!("-XX:-{name}"));
                let default = if value == "true" { yes.clone() } else { no.clone() };
                draft.choices(&Opt { switch: Some(String::new()), ..option }, [yes, no], &default);
            }
            "ccstr" | "ccstrlist" => draft.leave_out(name, "any text is allowed"),
            _ => {
                let unsigned = kind.starts_with('u') || kind == "size_t";
                let widest = (if unsigned { 0.0 } else { f64::NEG_INFINITY }, f64::INFINITY);
                let (lower, upper) = ranges.get(name).copied().unwrap_or(widest);
                let option = Opt { switch: Some(format!("-XX:{name}=")), ..option };
                match parse_number(value) {
                    // Such a default lets the virtual machine choose; a range around it is meaningless.
                    Some(default) if default < 0.0 || (default == 0.0 && kind == "size_t") => {
                        draft.leave_out(name, "the default lets the virtual machine choose");
                    }
                    Some(default) => {
                        draft.number(&option, Numbers::closed(lower, upper, default, kind != "double"));
                    }
                    None => draft.leave_out(name, "its value could not be parsed"),
                }
            }
        }
    }
}

const COLLECTORS: [&str; 5] = ["UseSerialGC", "UseParallelGC", "UseG1GC", "UseShenandoahGC", "UseZGC"];

fn collectors<'a>(flags: impl Iterator<Item = &'a Flag<'a>>, draft: &mut Draft) {
    let flags: Vec<&Flag<'_>> = flags.collect();
    let word = |flag: &Flag<'_>| format!("-XX:+{}", flag.name);
    let Some(chosen) = flags.iter().find(|flag| flag.value == "true").or(flags.first()) else { return };
    let review = chosen.ergonomic.then_some("the default was chosen for this machine");
    let about = "the garbage collector; only one can be used";
    let option = Opt { name: "gc", switch: Some(String::new()), about, review };
    draft.choices(&option, flags.iter().map(|flag| word(flag)), &word(chosen));
    // The chosen flag is already counted as the parameter itself.
    flags.iter().filter(|flag| flag.name != chosen.name).for_each(|flag| draft.fold(flag.name));
}
