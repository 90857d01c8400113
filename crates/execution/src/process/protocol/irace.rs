//! Answers from irace's target runners: `cost` or `cost time`, alone on a line.
//!
//! A cost of `Inf` rejects the configuration.

use serde_json::json;

use super::{Answer, Verdict};

pub(super) fn answer(line: &str) -> Option<Answer> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &&str| word.parse::<f64>().ok();
    let numbers = words.iter().map(number).collect::<Option<Vec<f64>>>()?;
    let verdict = match numbers[..] {
        [cost] | [cost, _] if cost == f64::INFINITY => {
            Verdict::Crashed("the target rejected the configuration".to_owned())
        }
        [_] | [_, _] => Verdict::Finished,
        _ => return None,
    };
    Some(Answer { verdict, fields: json!({ "cost": words[0], "time": words.get(1) }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_or_two_are_an_answer() {
        let cost = |line: &str| answer(line).map(|answer| answer.fields["cost"].clone());
        assert_eq!(cost("12.5"), Some(json!("12.5")));
        assert_eq!(cost("  -3e2 0.5 "), Some(json!("-3e2")));
        for line in ["", "cost 3", "1 2 3", "3s"] {
            assert_eq!(answer(line), None, "{line}");
        }
        assert!(matches!(answer("Inf 0.1").unwrap().verdict, Verdict::Crashed(_)));
    }
}
