//! Answers from SMAC3 scripts: `cost=0.5; runtime=0.01; status=SUCCESS; additional_info=…`. Only the cost is
//! required. If there are several costs, the first one counts. As in SMAC3, a cost counts only if the status
//! is `SUCCESS`.

use serde_json::{Map, Value};

use super::{Answer, Verdict};

pub(super) fn answer(line: &str) -> Option<Answer> {
    let mut fields = Map::new();
    for pair in line.split(';') {
        if let Some((name, value)) = pair.split_once('=') {
            fields.insert(name.trim().to_owned(), Value::from(value.trim()));
        }
    }
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let (cost, status) = (text("cost"), text("status"));
    if cost.is_none() && status.is_none() {
        return None;
    }
    let verdict = Verdict::of_word(status.as_deref().unwrap_or("SUCCESS"));
    let first = cost.filter(|_| verdict == Verdict::Finished);
    let first = first.and_then(|costs| costs.split(',').next().map(|cost| cost.trim().to_owned()));
    fields.insert("cost".to_owned(), first.map_or(Value::Null, Value::from));
    Some(Answer { verdict, fields: Value::Object(fields) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cost_is_required() {
        let found = answer("cost=0.5").unwrap();
        assert_eq!((found.verdict, found.fields["cost"].as_str()), (Verdict::Finished, Some("0.5")));
        let found = answer("cost = 0.5, 0.25; runtime=0.01; status=SUCCESS; additional_info=a=b").unwrap();
        assert_eq!(
            (found.fields["cost"].as_str(), found.fields["runtime"].as_str()),
            (Some("0.5"), Some("0.01"))
        );
        assert_eq!(answer("costs are low"), None);
        assert_eq!(answer("runtime=3"), None);
    }

    #[test]
    fn a_cost_without_success_does_not_count() {
        let found = answer("cost=3; status=TIMEOUT").unwrap();
        assert_eq!((found.verdict, &found.fields["cost"]), (Verdict::Stopped, &Value::Null));
        assert_eq!(answer("status=MEMORYOUT").unwrap().verdict, Verdict::Memory);
    }
}
