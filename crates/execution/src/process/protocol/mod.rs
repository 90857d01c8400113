//! Answers of targets that were made for another configurator, or that speak JSON. How a trial is put to
//! them is in [`Protocol`]; here is what they say in return, one file for each way of saying it.
//!
//! | said | by | the trial |
//! |---|---|---|
//! | finished | `SUCCESS`, `SAT`, `UNSAT`, a number | as if it had succeeded by itself |
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

/// What a target said of its trial.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Answer {
    /// How it ended.
    pub(super) verdict: Verdict,
    /// An object with everything else, in which outputs are found.
    pub(super) fields: Value,
}

/// How a trial ended, as its target says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// By itself.
    Finished,
    /// Where it was told to stop.
    Stopped,
    /// For want of memory.
    Memory,
    /// By a failure, for this reason.
    Crashed(String),
    /// No trial can succeed, for this reason.
    Aborted(String),
}

impl Verdict {
    /// What a word of another configurator means.
    fn of_word(word: &str) -> Self {
        let unknown = || Self::Crashed(format!("the answer has the unknown status `{}`", in_one_line(word)));
        Self::of_known_word(word).unwrap_or_else(unknown)
    }

    fn of_known_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_uppercase().as_str() {
            "SUCCESS" | "SAT" | "UNSAT" | "FINISHED" => Self::Finished,
            "TIMEOUT" | "KILLED" | "EXTERNALKILL" | "CAPPED" => Self::Stopped,
            "MEMOUT" | "MEMORYOUT" | "MEMORY" => Self::Memory,
            "CRASHED" => Self::Crashed("the target says: crashed".to_owned()),
            "ABORT" | "ABORTED" => Self::Aborted(word.to_owned()),
            _ => return None,
        })
    }

    /// The same with a reason of the target's own, where there is one to give.
    fn because(self, reason: &str) -> Self {
        match (self, in_one_line(reason)) {
            (same, reason) if reason.is_empty() => same,
            (Self::Crashed(_), reason) => Self::Crashed(reason),
            (Self::Aborted(_), reason) => Self::Aborted(reason),
            (same, _) => same,
        }
    }
}

/// A text without its line breaks: reasons are counted and listed by the line.
fn in_one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// What a run has answered: the last line that is an answer counts.
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
