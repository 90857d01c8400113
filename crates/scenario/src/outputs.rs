//! The table `[outputs]`: numbers that the target prints or writes to a file, and sizes of files.

use std::path::{Component, Path};

use regex::bytes::Regex;

use super::objective::Measure;
use super::protocol::Protocol;
use super::report::{Found, Report, Section};
use super::target::pattern;

/// A number that the target reports.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The place where the output is found.
    pub source: Source,
}

/// The place where an output is found.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a line of standard output or standard error.
    Pattern {
        /// Pattern for the line. Its only group captures the number.
        pattern: Regex,
        /// The match that counts if there are several.
        take: Take,
        /// The stream to search.
        stream: Stream,
    },
    /// In a file that the target writes.
    File {
        /// Path of the file, relative to the folder in which the target runs.
        path: String,
        /// Path of keys that leads to the number in the file.
        key: Vec<String>,
    },
    /// The size of a file that the target writes, in bytes.
    Size {
        /// Path of the file, relative to the folder in which the target runs.
        path: String,
    },
    /// In the target's answer, which the protocol defines.
    Answer {
        /// Path of keys that leads to the number in the answer.
        key: Vec<String>,
    },
}

/// The match that counts if there are several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Take {
    /// The first.
    First,
    /// The last.
    Last,
}

/// The stream to search for a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stream {
    /// Standard output and, if nothing matches there, standard error.
    Either,
    /// Only standard output.
    Stdout,
    /// Only standard error.
    Stderr,
}

/// Returns the names of all outputs, with the protocol's own outputs last.
pub(super) fn names(section: &Section<'_, '_>, protocol: Protocol) -> Vec<String> {
    let own = section.entries().into_iter().map(|(name, _)| name);
    own.chain(protocol.outputs().iter().map(|&name| name.to_owned())).collect()
}

pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    protocol: Protocol,
) -> Option<Vec<Output>> {
    let mut outputs = Vec::new();
    let mut valid = true;
    for (name, found) in section.entries() {
        if Measure::NAMED.iter().any(|(taken, _)| *taken == name) {
            let message = format!("an output cannot be named `{name}`");
            report.mistake(found.key_span, message, "captune measures this itself; choose another name");
            valid = false;
        }
        if protocol.outputs().contains(&name.as_str()) {
            let message = format!("an output cannot be named `{name}`");
            let hint = format!(
                "the protocol `{}` has an output with this name; choose another name",
                protocol.name()
            );
            report.mistake(found.key_span, message, hint);
            valid = false;
        }
        let own = section.section(&name);
        // An entry that is not a table was already reported.
        match own.is_present().then(|| source(report, &own, protocol)).flatten() {
            Some(source) => outputs.push(Output { name, source }),
            None => valid = false,
        }
    }
    let answered = |&name: &&str| Output {
        name: name.to_owned(),
        source: Source::Answer { key: vec![name.to_owned()] },
    };
    outputs.extend(protocol.outputs().iter().map(answered));
    valid.then_some(outputs)
}

fn source(report: &mut Report<'_>, section: &Section<'_, '_>, protocol: Protocol) -> Option<Source> {
    let (pattern, file, key) = (section.get("pattern"), section.get("file"), section.get("key"));
    let (take, stream) = (section.get("take"), section.get("stream"));
    let either = "an output needs either `pattern`, or `file` and `key`, or `size_of`";
    if let Some(measured) = section.get("size_of") {
        if let Some(found) = pattern.or(file).or(key).or(take).or(stream) {
            let message = format!("`{}` is given together with `size_of`", found.key);
            report.mistake(found.span(), message, either);
            return None;
        }
        return Some(Source::Size { path: path_inside(report, &measured)? });
    }
    if let (Some(found), Some(_)) = (file.as_ref().or(key.as_ref()), &pattern) {
        let message = format!("`{}` is given together with `pattern`", found.key);
        report.mistake(found.span(), message, either);
        return None;
    }
    if file.is_none() && key.is_none() {
        let hint = "write `name = { pattern = 'steps = ([0-9]+)' }`";
        let found = report.required(section, "pattern", hint)?;
        let pattern = one_group(report, &found);
        let take = match take {
            None => Some(Take::Last),
            Some(found) => report.word(&found, &["first", "last"]).map(|word| match word {
                "first" => Take::First,
                _ => Take::Last,
            }),
        };
        let stream = match stream {
            None => Some(Stream::Either),
            Some(found) => report.word(&found, &["stdout", "stderr"]).map(|word| match word {
                "stdout" => Stream::Stdout,
                _ => Stream::Stderr,
            }),
        };
        return Some(Source::Pattern { pattern: pattern?, take: take?, stream: stream? });
    }
    if let Some(found) = take.or(stream) {
        let message = format!("`{}` can only be used with `pattern`", found.key);
        report.mistake(found.span(), message, "remove it: in a file, `key` names one number");
        return None;
    }
    let hint = "write `name = { file = \"metrics.json\", key = \"latency.p99\" }`";
    let in_answer = protocol.is_json() && file.is_none();
    let path = if in_answer { None } else { report.required(section, "file", hint) };
    let path = path.and_then(|found| path_inside(report, &found));
    let key = report.required(section, "key", hint).and_then(|found| {
        let key: Vec<String> = report.text(&found)?.split('.').map(str::to_owned).collect();
        if key.iter().any(String::is_empty) {
            let message = format!("`{}` has an empty name", found.key);
            report.mistake(found.span(), message, "write names separated by dots: `latency.p99`");
            return None;
        }
        Some(key)
    });
    if in_answer {
        let key = std::iter::once("outputs".to_owned()).chain(key?).collect();
        return Some(Source::Answer { key });
    }
    Some(Source::File { path: path?, key: key? })
}

/// Reads the path of a file in the trial's folder.
fn path_inside(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<String> {
    let path = report.text(found)?;
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || !Path::new(&path).components().all(plain) {
        let message = format!("`{}` cannot be `{path}`", found.key);
        let hint = "the path is relative to the trial's folder and must not leave it";
        report.mistake(found.span(), message, hint);
        return None;
    }
    Some(path)
}

/// Reads a regular expression with exactly one group.
pub(super) fn one_group(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Regex> {
    let regex = pattern(report, found)?;
    let groups = regex.captures_len() - 1;
    if groups != 1 {
        let message = format!("`{}` has {groups} groups, but needs exactly one", found.key);
        let hint = "put parentheses around the number; use `(?:…)` for other groups";
        report.mistake(found.span(), message, hint);
        return None;
    }
    Some(regex)
}
