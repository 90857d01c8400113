//! Answers from wrappers for ParamILS, SMAC 1 and 2, and AClib.
//!
//! An answer is a line that starts with `Result for SMAC:`, `Result for ParamILS:`, `Result of algorithm
//! run:` or a similar text. After that comes `STATUS, runtime, runlength, quality, seed, additional text`. In
//! AClib 2, it is an object with `status`, `cost` and `runtime` instead.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::{Answer, Verdict};

#[allow(clippy::expect_used, reason = "a constant pattern, which tests compile")]
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    let source = "(?:for|of) +(?:HAL|ParamILS|SMAC|this +wrapper|(?:this +)?algorithm +run)";
    Regex::new(&format!(r"(?i)^\s*(?:final +)?result +{source} *: *(.*)$")).expect("a valid pattern")
});

pub(super) fn answer(line: &str) -> Option<Answer> {
    let text = LINE.captures(line)?.get(1)?.as_str().trim();
    if text.starts_with('{') {
        return object(text);
    }
    let parts: Vec<&str> = text.splitn(6, ',').map(str::trim).collect();
    let number = |place: usize| parts.get(place).map_or(Value::Null, |&text| json!(text));
    let fields = json!({ "runtime": number(1), "runlength": number(2), "quality": number(3),
        // This field is for scenarios that minimise `cost`.
        "cost": number(3) });
    let more = parts.get(5).copied().unwrap_or_default();
    Some(Answer { verdict: Verdict::of_word(parts[0]).because_if_aborted(more), fields })
}

fn object(text: &str) -> Option<Answer> {
    let fields: Value = serde_json::from_str(text).ok()?;
    let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let verdict = Verdict::of_word(&field("status")).because_if_aborted(&field("misc"));
    Some(Answer { verdict, fields })
}

impl Verdict {
    /// Adds the wrapper's own text to the reason, but only if the wrapper aborts. Failures are counted by the
    /// words of their reason, and this text varies between runs. An abort ends the campaign, so its text can
    /// be shown in full.
    fn because_if_aborted(self, reason: &str) -> Self {
        if matches!(self, Self::Aborted(_)) { self.because(reason) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(answer: &Answer, name: &str) -> String {
        answer.fields[name].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn every_spelling_of_the_line_is_read() {
        for start in [
            "Result for SMAC:",
            "Result for ParamILS:",
            "Result of algorithm run:",
            "  Final Result for HAL: ",
            "Result of this algorithm run:",
            "result of this wrapper:",
        ] {
            let answer = answer(&format!("{start} SAT, 1.5, 20, 0.25, 17, a, b")).unwrap();
            assert_eq!(answer.verdict, Verdict::Finished, "{start}");
            let values = ["runtime", "runlength", "quality"].map(|name| field(&answer, name));
            assert_eq!(values, ["1.5", "20", "0.25"], "{start}");
        }
        for other in ["The result for SMAC: SAT", "Result: SAT, 1", "Results for SMAC: SAT, 1, 1, 1, 1"] {
            assert_eq!(answer(other), None, "{other}");
        }
    }

    #[test]
    fn every_status_has_its_meaning() {
        let verdict = |status: &str| {
            answer(&format!("Result for SMAC: {status}, 1, 1, 1, 1, no disk")).unwrap().verdict
        };
        assert_eq!(verdict("UNSAT"), Verdict::Finished);
        assert_eq!(verdict("TIMEOUT"), Verdict::Stopped);
        assert_eq!(verdict("KILLED"), Verdict::Stopped);
        assert_eq!(verdict("CRASHED"), Verdict::Crashed("the target reported a crash".to_owned()));
        assert_eq!(verdict("ABORT"), Verdict::Aborted("no disk".to_owned()));
        assert!(matches!(verdict("DONE"), Verdict::Crashed(why) if why.contains("`DONE`")));
    }

    #[test]
    fn an_object_is_an_answer_too() {
        let line =
            r#"Result of this Algorithm Run: {"status": "TIMEOUT", "cost": 2.5, "runtime": 3, "misc": ""}"#;
        let answer = answer(line).unwrap();
        assert_eq!((answer.verdict, &answer.fields["cost"]), (Verdict::Stopped, &json!(2.5)));
        assert_eq!(super::answer("Result of this algorithm run: {broken"), None);
    }
}
