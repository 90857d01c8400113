//! Reads `runhistory.json` as SMAC3 writes it.
//!
//! | version | an entry of `data` |
//! |---|---|
//! | 0.x, 1.x | `[[config, instance, seed(, budget)], [cost, time, status(, start, end), info]]` |
//! | 2.0 to 2.2 | `[config, instance, seed, budget, cost, time, status, start, end, info]`, with `cpu_time` after `time` in some |
//! | 2.3 and later | an object with these names as keys |
//!
//! A status is a word, an object such as `{"__enum__": "StatusType.SUCCESS"}` or, since version 2.0, a
//! number. The recorded cost of a run that was stopped is a penalty; the cost that it had reached is its
//! time.
//!
//! In a history that captune has exported, `additional_info` contains the trial's own status, its outputs and the
//! lower bound of a stopped trial.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use space::Literal;

use super::{Ending, Run, Values};
use crate::import::json;

/// The statuses by number, as used since version 2.0.
const NUMBERED: [&str; 5] = ["RUNNING", "SUCCESS", "CRASHED", "TIMEOUT", "MEMORYOUT"];

/// The parts of an entry.
struct Entry<'a> {
    config: &'a Value,
    instance: &'a Value,
    seed: &'a Value,
    budget: &'a Value,
    cost: &'a Value,
    time: &'a Value,
    status: &'a Value,
    info: &'a Value,
}

/// Reads the runs; also returns whether captune has exported them. The error describes what is not in the expected
/// format.
pub(super) fn read(text: &str) -> Result<(Vec<Run>, bool), String> {
    let all = json::read(text)?;
    let configurations = configurations(&all)?;
    let data = all["data"].as_array().ok_or("it has no list `data`")?;
    let budgets: Vec<&Value> =
        data.iter().filter_map(entry).map(|entry| entry.budget).filter(|budget| !is_none(budget)).collect();
    let is_own = !data.is_empty() && data.iter().filter_map(entry).all(|entry| entry.info["captune"] == true);
    let most = budgets.iter().filter_map(|budget| budget.as_f64()).fold(0.0, f64::max);
    let run = |(number, value): (usize, &Value)| {
        let wrong = |what: &str| format!("data[{number}]: {what}");
        let entry = entry(value).ok_or_else(|| wrong("neither an object nor a list in a known format"))?;
        let id = match entry.config {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let values = configurations.get(&id).ok_or_else(|| wrong(&format!("no configuration {id}")))?;
        let instance = match entry.instance {
            Value::Null => String::new(),
            Value::String(name) => name.clone(),
            other => other.to_string(),
        };
        let seed = match entry.seed {
            Value::Null => 0,
            seed => seed.as_i64().ok_or_else(|| wrong(&format!("the seed {seed} is not a whole number")))?,
        };
        let time = entry.time.as_f64();
        let partial = entry.budget.as_f64().is_some_and(|budget| budget < most);
        let ending = match partial {
            true => Ending::Nothing("its budget was smaller than that of other runs".to_owned()),
            false => match entry.info["at_least"].as_f64().filter(|_| is_own) {
                Some(bound) => Ending::StoppedAt(bound),
                None => ending(&entry).map_err(|what| wrong(&what))?,
            },
        };
        let outputs = if is_own { outputs(entry.info) } else { Vec::new() };
        let place = format!("data[{number}]");
        let (values, readings) = (Arc::clone(values), Vec::new());
        Ok(Run { place, values, outputs, readings, instance, seed, ending, cap: None, time })
    };
    Ok((data.iter().enumerate().map(run).collect::<Result<_, String>>()?, is_own))
}

fn outputs(info: &Value) -> Vec<(String, f64)> {
    let outputs = info["outputs"].as_object().into_iter().flatten();
    outputs.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
}

fn configurations(all: &Value) -> Result<BTreeMap<String, Values>, String> {
    let configurations = all["configs"].as_object().ok_or("it has no object `configs`")?;
    let literal = |(name, value): (&String, &Value)| {
        let literal = match value {
            // The parameter is inactive.
            Value::Null => return None,
            Value::Bool(truth) => Literal::Boolean(*truth),
            Value::String(text) => Literal::Text(text.clone()),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Literal::Integer(whole),
                (None, Some(float)) => Literal::Float(float),
                (None, None) => Literal::Text(number.to_string()),
            },
            other => Literal::Text(other.to_string()),
        };
        Some((name.clone(), literal))
    };
    let read = |(id, values): (&String, &Value)| {
        let values = values.as_object().ok_or_else(|| format!("configs.{id} is not an object"))?;
        Ok((id.clone(), Arc::from_iter(values.iter().filter_map(literal))))
    };
    configurations.iter().map(read).collect()
}

fn is_none(value: &Value) -> bool {
    value.is_null() || value.as_f64() == Some(0.0)
}

fn entry(value: &Value) -> Option<Entry<'_>> {
    if value.is_object() {
        let [config, instance, seed, budget, cost, time, status, info] =
            ["config_id", "instance", "seed", "budget", "cost", "time", "status", "additional_info"]
                .map(|name| &value[name]);
        return Some(Entry { config, instance, seed, budget, cost, time, status, info });
    }
    let info = &Value::Null;
    match value.as_array()?.as_slice() {
        [Value::Array(key), Value::Array(told)] => match (key.as_slice(), told.as_slice()) {
            ([config, instance, seed, rest @ ..], [cost, time, status, ..]) => {
                let budget = rest.first().unwrap_or(&Value::Null);
                Some(Entry { config, instance, seed, budget, cost, time, status, info })
            }
            _ => None,
        },
        [config, instance, seed, budget, cost, time, status, _, _, _] => {
            Some(Entry { config, instance, seed, budget, cost, time, status, info })
        }
        [config, instance, seed, budget, cost, time, _cpu_time, status, _, _, _] => {
            Some(Entry { config, instance, seed, budget, cost, time, status, info })
        }
        _ => None,
    }
}

fn ending(entry: &Entry<'_>) -> Result<Ending, String> {
    let status = match entry.status {
        Value::Number(number) => {
            let place = number.as_u64().and_then(|place| usize::try_from(place).ok());
            place.and_then(|place| NUMBERED.get(place).copied()).unwrap_or_default().to_owned()
        }
        Value::Object(_) => entry.status["__enum__"].as_str().unwrap_or_default().to_owned(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    let status = status.trim_start_matches("StatusType.");
    let time = || entry.time.as_f64().ok_or_else(|| format!("the time {} is not a number", entry.time));
    match status {
        "SUCCESS" => match entry.cost {
            Value::Number(cost) => Ok(Ending::Finished(cost.as_f64().unwrap_or(f64::NAN))),
            // JSON has no NaN or infinity, so these were read as `null`.
            Value::Null => Ok(Ending::Crashed),
            Value::Array(_) => Ok(Ending::Nothing("it has several costs".to_owned())),
            other => Err(format!("the cost {other} is not a number")),
        },
        "TIMEOUT" | "CAPPED" => Ok(Ending::OutOfTime(time()?)),
        "CRASHED" => Ok(Ending::Crashed),
        "MEMOUT" | "MEMORYOUT" => Ok(Ending::Memory),
        "ABORT" | "RUNNING" | "STOP" | "BUDGETEXHAUSTED" | "DONOTADVANCE" => {
            Ok(Ending::Nothing(format!("its status is {status}")))
        }
        _ => Err(format!("the status {} is unknown", entry.status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIGS: &str = r#""configs": {"1": {"a": 1, "b": "x", "c": 0.5, "d": null, "e": true}}"#;

    fn endings(data: &str) -> Vec<Ending> {
        let text = format!("{{{CONFIGS}, \"data\": [{data}]}}");
        read(&text).unwrap_or_else(|what| panic!("{what}")).0.into_iter().map(|run| run.ending).collect()
    }

    #[test]
    fn every_format_is_read_and_stopped_runs_count_with_their_time() {
        let first = r#"[[1, "i", 7], [50, 5.0, {"__enum__": "StatusType.TIMEOUT"}, {}]],
                       [[1, "i", 8, 0.0], [10, 1.0, {"__enum__": "StatusType.CAPPED"}, 0.1, 1.1, {}]],
                       [[1, "i", 9], [0.4, 0.4, {"__enum__": "StatusType.SUCCESS"}, {}]]"#;
        let expected = [Ending::OutOfTime(5.0), Ending::OutOfTime(1.0), Ending::Finished(0.4)];
        assert_eq!(endings(first), expected);
        let second = r#"[1, null, 0, null, 0.25, 0.1, 1, 0.0, 0.1, {}],
                        [1, null, 0, null, 1e9, 0.1, 0.1, 2, 0.0, 0.1, {}]"#;
        assert_eq!(endings(second), [Ending::Finished(0.25), Ending::Crashed]);
        let third = r#"{"config_id": 1, "instance": null, "seed": 3, "budget": null, "cost": 2.0, "time": 0.1,
                        "cpu_time": 0.1, "status": 4, "starttime": 0, "endtime": 1, "additional_info": {}}"#;
        assert_eq!(endings(third), [Ending::Memory]);
    }

    #[test]
    fn inactive_parameters_have_no_value_and_others_keep_their_type() {
        let text = format!("{{{CONFIGS}, \"data\": [[[1, \"i\", 7], [1, 1, \"SUCCESS\", {{}}]]]}}");
        let run = read(&text).unwrap().0.remove(0);
        let expected: Vec<(String, Literal)> = vec![
            ("a".into(), Literal::Integer(1)),
            ("b".into(), Literal::Text("x".into())),
            ("c".into(), Literal::Float(0.5)),
            ("e".into(), Literal::Boolean(true)),
        ];
        assert_eq!((run.values.to_vec(), run.seed, run.instance.as_str()), (expected, 7, "i"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let wrong = |data: &str| read(&format!("{{{CONFIGS}, \"data\": [{data}]}}")).unwrap_err();
        assert_eq!(wrong("[[2, \"i\", 7], [1, 1, \"SUCCESS\", {}]]"), "data[0]: no configuration 2");
        assert_eq!(wrong("[[1, \"i\", 7], [1, 1, \"WON\", {}]]"), "data[0]: the status \"WON\" is unknown");
        assert_eq!(wrong("[[1, \"i\", 7], [1, 1, {}, {}]]"), "data[0]: the status {} is unknown");
        assert_eq!(wrong("3"), "data[0]: neither an object nor a list in a known format");
        assert!(read("{}").unwrap_err().contains("configs"));
        assert!(read("[").unwrap_err().contains("EOF"));
    }

    #[test]
    fn runs_with_less_than_the_full_budget_are_not_used() {
        let data = r#"[[1, "i", 7, 5.0], [1, 1, "SUCCESS", {}]], [[1, "i", 7, 10.0], [2, 1, "SUCCESS", {}]]"#;
        assert!(matches!(&endings(data)[..], [Ending::Nothing(_), Ending::Finished(2.0)]));
    }
}
