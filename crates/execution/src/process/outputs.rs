//! The outputs of a trial: numbers that its target printed or wrote to a file, and sizes of files.
//!
//! A file contains JSON, or TOML if its name ends in `.toml`. A key is a path of names and list indices,
//! which start at 0: `latency.p99`, `runs.0.time`.

use std::collections::BTreeMap;

use confine::{Captured, Command, Finished, Unread};
use scenario::{Output, Source, Stream, Take};
use toml::de::{DeTable, DeValue};

use super::output::{first_group, last_group};
use super::protocol::Answer;

/// Requests the files that these outputs need.
pub(super) fn request(outputs: &[Output], command: Command) -> Command {
    let command = read_files(outputs).into_iter().fold(command, Command::read_file);
    measured_files(outputs).into_iter().fold(command, Command::measure_file)
}

/// Returns the files to read for these outputs, without duplicates.
fn read_files(outputs: &[Output]) -> Vec<&str> {
    distinct(outputs.iter().filter_map(|output| match &output.source {
        Source::File { path, .. } => Some(path.as_str()),
        _ => None,
    }))
}

/// Returns the files whose size these outputs need, without duplicates.
fn measured_files(outputs: &[Output]) -> Vec<&str> {
    distinct(outputs.iter().filter_map(|output| match &output.source {
        Source::Size { path } => Some(path.as_str()),
        _ => None,
    }))
}

fn distinct<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for path in paths {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Returns what was found for one of these paths, in the order in which they were requested.
fn of_path<'a, T>(path: &str, requested: &[&str], found: &'a [Result<T, Unread>]) -> Result<&'a T, Unread> {
    let place = requested.iter().position(|other| *other == path);
    let found = place.and_then(|place| found.get(place)).unwrap_or(&Err(Unread::Missing));
    found.as_ref().map_err(|why| *why)
}

/// Returns every output that was found, by name.
pub(super) fn all(outputs: &[Output], finished: &Finished, answer: Option<&Answer>) -> BTreeMap<String, f64> {
    let found = |output: &Output| Some((output.name.clone(), one(outputs, output, finished, answer).ok()?));
    outputs.iter().filter_map(found).collect()
}

/// The reason why an output is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Absent {
    /// The reason, in words that are the same for the same cause.
    pub(super) reason: String,
    /// Whether the target reported a non-finite value: `nan`, `inf`, or `null` in JSON.
    pub(super) not_finite: bool,
}

impl From<String> for Absent {
    fn from(reason: String) -> Self {
        Self { reason, not_finite: false }
    }
}

/// Returns the value of one of the `outputs`, or the reason why it is missing.
pub(super) fn one(
    outputs: &[Output],
    output: &Output,
    finished: &Finished,
    answer: Option<&Answer>,
) -> Result<f64, Absent> {
    let name = &output.name;
    let text = match &output.source {
        Source::Pattern { pattern, take, stream } => {
            let group = |text: &Captured| match take {
                Take::First => first_group(text, pattern),
                Take::Last => last_group(text, pattern),
            };
            let group = match stream {
                Stream::Either => group(&finished.stdout).or_else(|| group(&finished.stderr)),
                Stream::Stdout => group(&finished.stdout),
                Stream::Stderr => group(&finished.stderr),
            };
            group.ok_or_else(|| format!("no match for output `{name}`"))?
        }
        Source::File { path, key } => {
            let absent = |why: String| format!("no output `{name}` in `{path}`: {why}");
            let content = of_path(path, &read_files(outputs), &finished.files);
            let content = content.map_err(|why| absent(why.to_string()))?;
            let found = if path.ends_with(".toml") { in_toml(content, key) } else { in_json(content, key) };
            found.map_err(absent)?
        }
        Source::Size { path } => {
            let size = of_path(path, &measured_files(outputs), &finished.sizes);
            return match size {
                Ok(&size) => Ok(size as f64),
                Err(why) => Err(format!("output `{name}`: `{path}` cannot be measured: {why}").into()),
            };
        }
        Source::Answer { key } => {
            let fields = answer.map(|answer| &answer.fields).unwrap_or(&serde_json::Value::Null);
            at(fields, key).map_err(|_| format!("the answer has no `{}`", key.join(".")))?
        }
    };
    let number = text.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite()).ok_or_else(|| Absent {
        reason: format!("output `{name}` is not a finite number"),
        not_finite: number.is_some() || text == "null",
    })
}

fn missing(key: &[String]) -> String {
    format!("it has no `{}`", key.join("."))
}

fn in_json(content: &[u8], key: &[String]) -> Result<String, String> {
    let root: serde_json::Value = serde_json::from_slice(content).map_err(|_| "it is not JSON".to_owned())?;
    at(&root, key)
}

fn at(root: &serde_json::Value, key: &[String]) -> Result<String, String> {
    let step = |value: &serde_json::Value, part: &String| match value {
        serde_json::Value::Array(list) => list.get(part.parse::<usize>().ok()?).cloned(),
        other => other.get(part).cloned(),
    };
    let found =
        key.iter().try_fold(root.clone(), |value, part| step(&value, part)).ok_or_else(|| missing(key))?;
    Ok(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

fn in_toml(content: &[u8], key: &[String]) -> Result<String, String> {
    let not_toml = || "it is not TOML".to_owned();
    let text = std::str::from_utf8(content).map_err(|_| not_toml())?;
    let table = DeTable::parse(text).map_err(|_| not_toml())?;
    let (last, tables) = key.split_last().ok_or_else(|| missing(key))?;
    let mut at = DeValue::Table(table.into_inner());
    for part in tables.iter().chain([last]) {
        let next = match &at {
            DeValue::Table(table) => table.get(part.as_str()).map(|value| value.get_ref().clone()),
            DeValue::Array(list) => part
                .parse::<usize>()
                .ok()
                .and_then(|place| list.get(place))
                .map(|value| value.get_ref().clone()),
            _ => None,
        };
        at = next.ok_or_else(|| missing(key))?;
    }
    Ok(match &at {
        DeValue::Integer(digits) => digits.as_str().to_owned(),
        DeValue::Float(digits) => digits.as_str().to_owned(),
        DeValue::String(text) => text.to_string(),
        _ => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str) -> Vec<String> {
        path.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn a_key_is_a_path_through_tables_and_lists() {
        let json =
            br#"{ "latency": { "p99": 12.5 }, "runs": [{ "time": 3 }, { "time": "4e2" }], "ok": true }"#;
        assert_eq!(in_json(json, &key("latency.p99")).unwrap(), "12.5");
        assert_eq!(in_json(json, &key("runs.1.time")).unwrap(), "4e2");
        assert_eq!(in_json(json, &key("runs.2.time")).unwrap_err(), "it has no `runs.2.time`");
        assert_eq!(in_json(json, &key("ok.x")).unwrap_err(), "it has no `ok.x`");
        assert_eq!(in_json(b"tps = 3", &key("tps")).unwrap_err(), "it is not JSON");
        let toml = b"runs = [1, 2.5]\n[latency]\np99 = 7\n";
        assert_eq!(in_toml(toml, &key("latency.p99")).unwrap(), "7");
        assert_eq!(in_toml(toml, &key("runs.1")).unwrap(), "2.5");
        assert_eq!(in_toml(toml, &key("latency.p50")).unwrap_err(), "it has no `latency.p50`");
        assert_eq!(in_toml(b"{}", &key("x")).unwrap_err(), "it is not TOML");
    }
}
