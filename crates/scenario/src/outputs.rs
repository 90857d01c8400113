//! The table `[outputs]`: numbers that the target prints or leaves in a file.

use std::path::{Component, Path};

use regex::bytes::Regex;

use super::objective::Measure;
use super::protocol::Protocol;
use super::report::{Report, Section};
use super::target::pattern;

/// A number that the target tells.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Where it is found.
    pub source: Source,
}

/// Where an output is found.
#[derive(Clone, Debug)]
pub enum Source {
    /// In a line of standard output.
    Pattern {
        /// What the line is like, with one group around the number.
        pattern: Regex,
        /// Which match counts.
        take: Take,
    },
    /// In a file that the target writes.
    File {
        /// Its path from the folder the target runs in.
        path: String,
        /// The way to the number in it.
        key: Vec<String>,
    },
    /// In the answer of the protocol.
    Answer {
        /// The way to the number in it.
        key: Vec<String>,
    },
}

/// Which of several matches counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Take {
    /// The first.
    First,
    /// The last.
    Last,
}

/// The names of all outputs, those of the protocol last.
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
    let mut sound = true;
    for (name, found) in section.entries() {
        if Measure::NAMED.iter().any(|(taken, _)| *taken == name) {
            let message = format!("an output cannot be called `{name}`");
            report.mistake(found.key_span, message, "captune measures that itself; choose another name");
            sound = false;
        }
        if protocol.outputs().contains(&name.as_str()) {
            let message = format!("an output cannot be called `{name}`");
            let hint = format!("the protocol `{}` has one of this name; choose another", protocol.name());
            report.mistake(found.key_span, message, hint);
            sound = false;
        }
        let own = section.section(&name);
        // Anything but a table has been reported as such.
        match own.is_present().then(|| source(report, &own, protocol)).flatten() {
            Some(source) => outputs.push(Output { name, source }),
            None => sound = false,
        }
    }
    let answered = |&name: &&str| Output {
        name: name.to_owned(),
        source: Source::Answer { key: vec![name.to_owned()] },
    };
    outputs.extend(protocol.outputs().iter().map(answered));
    sound.then_some(outputs)
}

fn source(report: &mut Report<'_>, section: &Section<'_, '_>, protocol: Protocol) -> Option<Source> {
    let (pattern, file, key) = (section.get("pattern"), section.get("file"), section.get("key"));
    let take = section.get("take");
    if let (Some(found), Some(_)) = (file.as_ref().or(key.as_ref()), &pattern) {
        let message = format!("`{}` stands beside `pattern`", found.key);
        report.mistake(found.span(), message, "an output is found by a `pattern`, or by `file` and `key`");
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
        return Some(Source::Pattern { pattern: pattern?, take: take? });
    }
    if let Some(found) = take {
        let message = format!("`{}` is for patterns", found.key);
        report.mistake(found.span(), message, "in a file, `key` names one number");
        return None;
    }
    let hint = "write `name = { file = \"metrics.json\", key = \"latency.p99\" }`";
    let in_answer = protocol.is_json() && file.is_none();
    let path = if in_answer { None } else { report.required(section, "file", hint) };
    let path = path.and_then(|found| {
        let path = report.text(&found)?;
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.is_empty() || !Path::new(&path).components().all(plain) {
            let message = format!("`{}` cannot be `{path}`", found.key);
            report.mistake(
                found.span(),
                message,
                "a path counts from the folder the trial runs in, and stays there",
            );
            return None;
        }
        Some(path)
    });
    let key = report.required(section, "key", hint).and_then(|found| {
        let key: Vec<String> = report.text(&found)?.split('.').map(str::to_owned).collect();
        if key.iter().any(String::is_empty) {
            let message = format!("`{}` is no path of names", found.key);
            report.mistake(found.span(), message, "write names with dots between them: `latency.p99`");
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

/// A regular expression with one group.
pub(super) fn one_group(report: &mut Report<'_>, found: &super::report::Found<'_, '_>) -> Option<Regex> {
    let regex = pattern(report, found)?;
    let groups = regex.captures_len() - 1;
    if groups != 1 {
        let message = format!("`{}` has {groups} groups, where one is needed", found.key);
        let hint = "put parentheses around the number; `(?:…)` groups without counting";
        report.mistake(found.span(), message, hint);
        return None;
    }
    Some(regex)
}
