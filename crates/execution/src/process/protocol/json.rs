//! Passes trials and answers as lines of JSON.
//!
//! | request | |
//! |---|---|
//! | `trial` | its number |
//! | `configuration` | an object: every active parameter |
//! | `instance` | the input, or `null` if there is none |
//! | `seed` | the seed |
//! | `cap` | the cost at which to stop, or `null`: in seconds, or in the unit of the output that is minimised |
//! | `cutoff` | the scenario's cutoff in the same unit, or `null` |
//!
//! | answer | |
//! |---|---|
//! | `cost` | the cost, if `cost` is the objective |
//! | `status` | `finished` (the default), `capped`, `timeout`, `memory`, `crashed`, `aborted` |
//! | `reason` | why the trial crashed or aborted, in words that are the same for the same cause |
//! | `outputs` | an object with more numbers, for `[outputs]` |

use scenario::{CappedBy, Scenario, configuration_object};
use serde_json::{Value, json};

use super::{Answer, Verdict};
use crate::process::command::Values;

/// Returns the request line that describes a trial.
pub(in crate::process) fn request(scenario: &Scenario, values: &Values<'_>) -> String {
    let objective = &scenario.objective;
    let cap = objective.cutoff.map_or(values.cap.cost(), |cutoff| values.cap.cost().min(cutoff));
    let cap = Some(cap).filter(|cap| cap.is_finite() && objective.capped_by != CappedBy::Nobody);
    let given = scenario.instances.are_given();
    // In a command to paste, the seed is a placeholder rather than a number.
    let seed = values.seed.parse::<u64>().map_or_else(|_| json!(values.seed), |seed| json!(seed));
    let request = json!({
        "trial": values.subject.map(|(trial, _)| trial.id.0),
        "configuration": configuration_object(&scenario.space, values.configuration),
        "instance": given.then_some(values.instance),
        "seed": seed,
        "cap": cap,
        "cutoff": objective.cutoff,
    });
    request.to_string()
}

/// Reads an answer, which is a line with a JSON object.
pub(super) fn answer(line: &str) -> Option<Answer> {
    let fields: Value = serde_json::from_str(line).ok().filter(Value::is_object)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let verdict = match fields.get("status") {
        None | Some(Value::Null) => Verdict::Finished,
        Some(Value::String(word)) => Verdict::of_word(word),
        Some(other) => Verdict::of_word(&other.to_string()),
    };
    let verdict = verdict.because(text("reason").unwrap_or_default());
    Some(Answer { verdict, fields })
}

/// Returns whether an answer reports a crash itself, with a known status.
pub(super) fn reports_crash(line: &str) -> bool {
    let fields: Option<Value> = serde_json::from_str(line).ok();
    let status = fields.as_ref().and_then(|fields| fields.get("status")).and_then(Value::as_str);
    status.and_then(Verdict::of_known_word).is_some_and(|verdict| matches!(verdict, Verdict::Crashed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_alone_on_a_line_is_an_answer() {
        assert_eq!(answer(r#" {"cost": 1} "#).unwrap().verdict, Verdict::Finished);
        assert_eq!(answer(r#"{"status": "capped"}"#).unwrap().verdict, Verdict::Stopped);
        let found = answer(r#"{"status": "crashed", "reason": "no licence"}"#).unwrap();
        assert_eq!(found.verdict, Verdict::Crashed("no licence".to_owned()));
        let found = answer(r#"{"status": "crashed", "reason": "\n no licence:\r\n busy\n"}"#).unwrap();
        assert_eq!(found.verdict, Verdict::Crashed("no licence: busy".to_owned()));
        let found = answer(r#"{"status": "a\nb"}"#).unwrap();
        assert_eq!(found.verdict, Verdict::Crashed("the answer has the unknown status `a b`".to_owned()));
        assert!(matches!(answer(r#"{"status": 3}"#).unwrap().verdict, Verdict::Crashed(_)));
        for line in ["", "3", "[1]", "{\"cost\": 1", "x {}"] {
            assert_eq!(answer(line), None, "{line}");
        }
    }
}
