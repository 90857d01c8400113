//! Assigns a server's lines to trials.
//!
//! | a line with an object | means |
//! |---|---|
//! | names the waiting trial | its answer |
//! | names an earlier trial of this server | surplus: skipped |
//! | names another trial | a mistake: the server is not used again |
//! | names none, while no trial waits | surplus: skipped |
//! | names none, from a server that names its trials | surplus: skipped |
//! | names none, from any other server | the answer; unclear if the server has written surplus lines before |

use std::collections::BTreeSet;

use engine::TrialId;
use serde_json::Value;

/// The meaning of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// The answer to the waiting trial.
    Answer,
    /// A line that no request asked for.
    Surplus,
    /// A line that cannot be assigned to a trial, with the reason.
    Unclear(&'static str),
}

/// Whether a server's lines name the trials that they answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Naming {
    /// No line has named a trial so far.
    #[default]
    None,
    /// Some line has named a trial, so every answer must name one.
    Always,
    /// No line has named a trial so far, but some line was not an answer. Lines must name their trials from
    /// now on.
    Needed,
}

/// The trials that a server was given, and whether its answers name them.
#[derive(Debug, Default)]
pub(super) struct Matching {
    naming: Naming,
    asked: BTreeSet<TrialId>,
}

impl Matching {
    /// Records a trial that is given to the server.
    pub(super) fn ask(&mut self, trial: TrialId) {
        self.asked.insert(trial);
    }

    /// Returns the meaning of a line that arrives while the trial `waiting` is waiting, or while none is.
    pub(super) fn meaning(&mut self, line: &str, waiting: Option<TrialId>) -> Meaning {
        let named = named_trial(line);
        if named.is_some() {
            self.naming = Naming::Always;
        }
        match (named, waiting) {
            (Some(Some(named)), Some(waiting)) if named == waiting => Meaning::Answer,
            (Some(Some(named)), _) if self.asked.contains(&named) => Meaning::Surplus,
            (Some(_), None) => Meaning::Surplus,
            (Some(_), Some(_)) => Meaning::Unclear("the server named a `trial` that was never sent to it"),
            (None, None) => {
                self.doubt();
                Meaning::Surplus
            }
            (None, Some(_)) => match self.naming {
                Naming::None => Meaning::Answer,
                Naming::Always => Meaning::Surplus,
                Naming::Needed => Meaning::Unclear(
                    "the server wrote more lines of JSON than it received requests, and the lines name no `trial`",
                ),
            },
        }
    }

    /// Marks the last answer as doubtful. The real answer may still arrive.
    pub(super) fn doubt(&mut self) {
        if self.naming == Naming::None {
            self.naming = Naming::Needed;
        }
    }
}

/// Returns the trial that a line names, if any. Returns `Some(None)` if the name is not a trial number.
fn named_trial(line: &str) -> Option<Option<TrialId>> {
    let fields: Value = serde_json::from_str(line).ok()?;
    let number = match fields.get("trial")? {
        Value::Null => return None,
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    };
    // Some languages have only floating-point numbers.
    let whole = number.filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number));
    Some(whole.map(|number| TrialId(number as u64)))
}

/// Returns which lines answer which trial. `turns` contains each trial with the lines that the server writes
/// after its request.
#[cfg(fuzzing)]
pub(in crate::process) fn answered<'l>(turns: &[(TrialId, Vec<&'l str>)]) -> Vec<(TrialId, &'l str)> {
    let mut matching = Matching::default();
    let mut answers = Vec::new();
    for (trial, lines) in turns {
        matching.ask(*trial);
        let mut waiting = Some(*trial);
        for line in lines {
            match matching.meaning(line, waiting) {
                Meaning::Answer => {
                    assert!(waiting.take().is_some(), "an answer, but no trial is waiting: {line}");
                    answers.push((*trial, *line));
                }
                // After such a line, the server is not used again.
                Meaning::Unclear(why) => {
                    assert!(
                        !why.is_empty() && waiting.is_some(),
                        "an unclear line, but no trial is waiting: {line}"
                    );
                    return answers;
                }
                Meaning::Surplus => {}
            }
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classifies lines from a server that was given the trials `asked`. The last of these trials is still
    /// waiting for its answer.
    fn meanings<const N: usize>(asked: &[u64], lines: [&str; N]) -> [Meaning; N] {
        let mut matching = Matching::default();
        asked.iter().for_each(|&trial| matching.ask(TrialId(trial)));
        lines.map(|line| matching.meaning(line, asked.last().copied().map(TrialId)))
    }

    #[test]
    fn a_trial_number_is_recognised_however_it_is_written() {
        use Meaning::{Answer, Surplus, Unclear};
        let lines = [r#"{"trial": 3}"#, r#"{"trial":3.0}"#, r#"{"trial": "3"}"#, r#"{"trial" : 2}"#];
        assert_eq!(meanings(&[2, 3], lines), [Answer, Answer, Answer, Surplus]);
        for line in [r#"{"trial": 4}"#, r#"{"trial": -1}"#, r#"{"trial": "x"}"#, r#"{"trial": [3]}"#] {
            assert!(matches!(meanings(&[2, 3], [line]), [Unclear(_)]), "{line}");
        }
    }

    #[test]
    fn only_the_outermost_object_names_a_trial() {
        let line = r#"{"outputs": {"trial": 9}, "reason": "\"trial\": 8"}"#;
        assert_eq!(meanings(&[3], [line]), [Meaning::Answer]);
    }

    #[test]
    fn a_server_that_names_its_trials_must_keep_doing_so() {
        let lines = [r#"{"trial": null}"#, r#"{"trial": 2}"#, r#"{"cost": 1}"#, r#"{"trial": 3}"#];
        let expected = [Meaning::Answer, Meaning::Surplus, Meaning::Surplus, Meaning::Answer];
        assert_eq!(meanings(&[2, 3], lines), expected);
    }

    #[test]
    fn after_surplus_lines_an_answer_without_its_trial_is_unclear() {
        let mut matching = Matching::default();
        assert_eq!(matching.meaning("{}", Some(TrialId(1))), Meaning::Answer);
        assert_eq!(matching.meaning("{}", None), Meaning::Surplus);
        assert!(matches!(matching.meaning("{}", Some(TrialId(2))), Meaning::Unclear(_)));
        assert_eq!(matching.meaning(r#"{"trial": 2}"#, Some(TrialId(2))), Meaning::Answer);
    }
}
