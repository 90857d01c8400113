//! The table `[instances]`: the inputs of the target.
//!
//! Files come in the order of their paths, each once, whichever pattern or link leads to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use engine::space::{Span, Spanned};

use super::report::{Report, Section};

/// One input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// What it is called: a path from the scenario's folder where it lies in there.
    pub name: String,
    /// What `{instance}` stands for.
    pub argument: String,
}

/// The inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instances {
    /// Those to tune on: at least one. Without `[instances]` one nameless instance stands for the
    /// target's only input.
    pub train: Vec<Instance>,
    /// Those kept for the final validation.
    pub test: Vec<Instance>,
}

impl Instances {
    /// Whether the scenario names any.
    pub fn are_given(&self) -> bool {
        self.train.iter().any(|instance| !instance.name.is_empty())
    }
}

pub(super) fn read(report: &mut Report<'_>, section: &Section<'_, '_>, folder: &Path) -> Option<Instances> {
    if !section.is_present() {
        let nameless = Instance { name: String::new(), argument: String::new() };
        return Some(Instances { train: vec![nameless], test: Vec::new() });
    }
    let (files, list) = (section.get("files"), section.get("list"));
    if let (Some(_), Some(list)) = (&files, &list) {
        let hint = "`files` are checked and made full paths; `list` are words passed as they are";
        report.mistake(list.key_span, "both `instances.files` and `instances.list` are given", hint);
        return None;
    }
    let Some(train) = files.as_ref().or(list.as_ref()) else {
        let hint = "give `files` or `list`; leave `[instances]` out if the target has no inputs";
        report.mistake(section.span, "`[instances]` has no instances", hint);
        return None;
    };
    let are_files = files.is_some();
    let read = |report: &mut Report<'_>, texts: Vec<Spanned<String>>| match are_files {
        true => self::files(report, &texts, folder),
        false => words(report, &texts),
    };
    let train = report.sound_texts(train).and_then(|texts| read(report, texts));
    let test = section.get("test");
    let test = match &test {
        Some(found) => report.sound_texts(found).and_then(|texts| read(report, texts)),
        None => Some(Vec::new()),
    };
    let (train, test) = (train?, test?);
    let known: BTreeSet<&Path> = train.iter().map(|entry| entry.identity.as_path()).collect();
    let shared: Vec<&Entry> = test.iter().filter(|e| known.contains(e.identity.as_path())).collect();
    if let Some(first) = shared.first() {
        let more = match shared.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!("`{}`{more} is both to tune on and to validate on", first.instance.name);
        report.mistake(first.span, message, "what was tuned on proves nothing: keep the two apart");
        return None;
    }
    let instances = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.instance).collect();
    Some(Instances { train: instances(train), test: instances(test) })
}

/// An instance, what makes it the same as another, and where it was named.
struct Entry {
    instance: Instance,
    identity: PathBuf,
    span: Span,
}

fn words(report: &mut Report<'_>, texts: &[Spanned<String>]) -> Option<Vec<Entry>> {
    let mut sound = true;
    let mut entries: BTreeMap<&str, Entry> = BTreeMap::new();
    for text in texts {
        let word = text.value.as_str();
        if word.is_empty() {
            report.mistake(text.span, "an instance has no name", "remove it, or fill it");
            sound = false;
        }
        let instance = Instance { name: word.to_owned(), argument: word.to_owned() };
        let entry = Entry { instance, identity: PathBuf::from(word), span: text.span };
        entries.entry(word).or_insert(entry);
    }
    sound.then(|| entries.into_values().collect())
}

fn files(report: &mut Report<'_>, patterns: &[Spanned<String>], folder: &Path) -> Option<Vec<Entry>> {
    let mut sound = true;
    let mut paths: BTreeMap<PathBuf, Span> = BTreeMap::new();
    for pattern in patterns {
        match matches(&pattern.value, folder) {
            Ok(found) => {
                for path in found {
                    paths.entry(path).or_insert(pattern.span);
                }
            }
            Err((message, hint)) => {
                report.mistake(pattern.span, message, hint);
                sound = false;
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for (path, span) in paths {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_str();
        let (Some(name), Some(argument)) = (name, path.to_str()) else {
            let message = format!("the path `{}` is not UTF-8", path.display());
            report.mistake(span, message, "rename it");
            sound = false;
            continue;
        };
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(identity.clone()) {
            let instance = Instance { name: name.to_owned(), argument: argument.to_owned() };
            entries.push(Entry { instance, identity, span });
        }
    }
    sound.then_some(entries)
}

/// The files of a path or pattern, or what is wrong and what to do.
fn matches(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, (String, String)> {
    let literal = folder.join(pattern);
    // A path is data even if it looks like a pattern.
    if !pattern.is_empty() && literal.exists() {
        return Ok(vec![literal.components().collect()]);
    }
    let start = glob::Pattern::escape(&folder.to_string_lossy());
    let full = if pattern.starts_with('/') { pattern.to_owned() } else { format!("{start}/{pattern}") };
    let bad = |error: glob::PatternError| {
        (
            format!("`{pattern}` is not a pattern: {}", error.msg),
            "`*`, `?`, `[ab]` and `**` are known".to_owned(),
        )
    };
    let mut found = Vec::new();
    for path in glob::glob(&full).map_err(bad)? {
        let path = path.map_err(|error| {
            let hint = "make it readable, or choose another pattern".to_owned();
            (format!("`{pattern}` meets `{}`: {}", error.path().display(), error.error()), hint)
        })?;
        if path.is_file() {
            found.push(path.components().collect());
        }
    }
    if found.is_empty() {
        let hint = format!("paths count from the scenario's folder `{}`", folder.display());
        return Err((format!("no file matches `{pattern}`"), hint));
    }
    Ok(found)
}
