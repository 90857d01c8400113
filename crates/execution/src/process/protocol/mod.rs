//! Reads answers from targets that were made for another configurator or that use JSON. [`Protocol`]
//! defines how such targets are called. There is one file here for each form of answer.
//!
//! | verdict | status in the answer | the trial |
//! |---|---|---|
//! | finished | `SUCCESS`, `SAT`, `UNSAT`, a number | as if it had succeeded without a protocol |
//! | stopped | `TIMEOUT`, `KILLED`, `capped` | censored, if its cost grows |
//! | memory | `MEMOUT`, `MEMORYOUT` | memory |
//! | crashed | `CRASHED`, `Inf` | crashed |
//! | aborted | `ABORT` | the campaign stops |

mod aclib;
mod irace;
pub(super) mod json;
pub(super) mod server;
mod smac3;

use confine::Finished;
use scenario::Protocol;
use serde_json::Value;

use super::output::last_line;

/// A target's answer for its trial.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Answer {
    /// The way in which the trial ended.
    pub(super) verdict: Verdict,
    /// An object with all other fields of the answer, including the outputs.
    pub(super) fields: Value,
}

/// The way in which a trial ended, as reported by its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The trial finished by itself.
    Finished,
    /// The trial stopped at its cap.
    Stopped,
    /// The trial ran out of memory.
    Memory,
    /// The trial failed, for this reason.
    Crashed(String),
    /// No trial can succeed, for this reason.
    Aborted(String),
}

impl Verdict {
    /// Returns the verdict that a status word from another configurator stands for.
    fn of_word(word: &str) -> Self {
        let unknown = || Self::Crashed(format!("the answer has the unknown status `{}`", in_one_line(word)));
        Self::of_known_word(word).unwrap_or_else(unknown)
    }

    fn of_known_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_uppercase().as_str() {
            "SUCCESS" | "SAT" | "UNSAT" | "FINISHED" => Self::Finished,
            "TIMEOUT" | "KILLED" | "EXTERNALKILL" | "CAPPED" => Self::Stopped,
            "MEMOUT" | "MEMORYOUT" | "MEMORY" => Self::Memory,
            "CRASHED" => Self::Crashed("the target reported a crash".to_owned()),
            "ABORT" | "ABORTED" => Self::Aborted(word.to_owned()),
            _ => return None,
        })
    }

    /// Replaces the reason with the target's own, if the verdict has a reason.
    fn because(self, reason: &str) -> Self {
        match (self, in_one_line(reason)) {
            (same, reason) if reason.is_empty() => same,
            (Self::Crashed(_), reason) => Self::Crashed(reason),
            (Self::Aborted(_), reason) => Self::Aborted(reason),
            (same, _) => same,
        }
    }
}

/// Returns a text without its line breaks, because reasons are counted and listed as single lines.
fn in_one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Returns the answer from a run. If several lines are answers, the last one counts.
pub(super) fn answer(protocol: Protocol, finished: &Finished) -> Option<Answer> {
    let of_line = match protocol {
        Protocol::Command => return None,
        Protocol::Aclib | Protocol::Aclib2 => aclib::answer,
        Protocol::Irace => irace::answer,
        Protocol::Smac3 => smac3::answer,
        Protocol::Json | Protocol::JsonServer => json::answer,
    };
    last_line(&finished.stdout, of_line)
}
