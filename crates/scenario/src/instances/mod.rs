//! The table `[instances]`: the inputs of the target.
//!
//! [`files`] are given by paths, folders and patterns, or listed one per line in a file ([`listed`]).
//! Instances may have a [`family`] and [`features`]. Some instances may be held out for validation
//! ([`split`]). With [`folds`], each part of the instances is held out in turn.

mod family;
mod features;
mod files;
mod folds;
mod listed;
mod split;

pub use features::Features;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use space::{Diagnostics, Span, Spanned};

use super::report::{Found, Report, Section};
use split::Known;

/// One input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Name of the instance. For a file in the scenario's folder, this is its path relative to that folder.
    pub name: String,
    /// The text that replaces `{instance}`.
    pub argument: String,
    /// Name of the family of similar instances that it belongs to, if given.
    pub family: Option<String>,
}

impl Instance {
    /// Creates an instance without a family.
    pub fn new(name: impl Into<String>, argument: impl Into<String>) -> Self {
        Self { name: name.into(), argument: argument.into(), family: None }
    }

    /// Returns the name of the family. All instances without a family together form one more family.
    pub fn family(&self) -> &str {
        self.family.as_deref().unwrap_or_default()
    }
}

/// The inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Instances {
    /// Training instances; at least one. If there is no table `[instances]`, a single instance without a name
    /// stands for the target's only input.
    pub train: Vec<Instance>,
    /// Instances held out for the final validation.
    pub test: Vec<Instance>,
    /// Share of instances held out for validation, if the scenario gives a share instead of naming them.
    pub share: Option<f64>,
    /// Number of folds, each of which is held out in its own campaign. Until a fold is chosen
    /// ([`Self::of_fold`]), all instances are training instances.
    pub folds: Option<u32>,
    /// Numbers that describe the instances.
    pub features: Option<Features>,
    /// Whether files are copied to a local disk and unpacked before use.
    pub stage: bool,
    /// Folder for the copies, if it is not the campaign's folder.
    pub stage_folder: Option<PathBuf>,
    /// Whether instances are files rather than words.
    pub are_files: bool,
    /// Random seed for the split.
    seed: u64,
    /// Whether these are the instances of a single fold's campaign.
    is_of_fold: bool,
}

impl Instances {
    /// Returns whether the scenario names any instances.
    pub fn are_given(&self) -> bool {
        self.train.iter().any(|instance| !instance.name.is_empty())
    }

    /// Returns the numbers of training and test instances in each family; empty if there are no families.
    pub fn families(&self) -> BTreeMap<&str, (usize, usize)> {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for family in self.train.iter().filter_map(|instance| instance.family.as_deref()) {
            counts.entry(family).or_default().0 += 1;
        }
        for family in self.test.iter().filter_map(|instance| instance.family.as_deref()) {
            counts.entry(family).or_default().1 += 1;
        }
        counts
    }

    /// Replaces the test instances with files and patterns relative to a folder, or with words. The error
    /// describes all mistakes in one line.
    pub fn validate_on(&mut self, named: &[String], folder: &Path) -> Result<(), String> {
        let texts: Vec<Spanned<String>> = named.iter().map(|text| text.as_str().into()).collect();
        let mut report = Report::new("");
        let entries = match self.are_files {
            true => files::files(&mut report, &texts, folder),
            false => words(&mut report, &texts),
        };
        let Some(entries) = entries else {
            let all: Vec<&str> = report.mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
            return Err(all.join("; "));
        };
        let test: Vec<Instance> = entries.into_iter().map(|entry| entry.instance).collect();
        let tuned_on: BTreeSet<&str> = self.train.iter().map(|instance| instance.argument.as_str()).collect();
        if let Some(known) = test.iter().find(|instance| tuned_on.contains(instance.argument.as_str())) {
            return Err(format!("`{}` was used for tuning and cannot be used for validation", known.name));
        }
        self.test = test;
        Ok(())
    }

    /// Returns the names of the instances in each fold: first the known ones, then those that are newly
    /// assigned.
    pub fn assigned_to_folds(&self, folds: u32, known: &[Vec<String>]) -> Vec<Vec<String>> {
        let all: Vec<&Instance> = self.train.iter().chain(&self.test).collect();
        folds::assign(&all, folds, self.seed, known)
    }

    /// Returns the instances for the campaign that holds out a fold.
    pub fn of_fold(&self, fold: &[String]) -> Self {
        let all = self.train.iter().chain(&self.test).cloned();
        let fold: BTreeSet<&String> = fold.iter().collect();
        let (test, train) = all.partition(|instance| fold.contains(&instance.name));
        Self { train, test, is_of_fold: true, ..self.clone() }
    }

    /// Keeps the training and test instances of a campaign as they are, and splits only the new instances.
    /// Test instances that the scenario names do not change. Instances that do not belong to a fold yet are
    /// left out of every campaign.
    pub fn keep_split(&mut self, train: &[String], test: &[String]) {
        if self.folds.is_some() && !self.is_of_fold {
            *self = self.of_fold(test);
            let train: BTreeSet<&String> = train.iter().collect();
            self.train.retain(|instance| train.contains(&instance.name));
        }
        let Some(share) = self.share else { return };
        let known = Known {
            train: train.iter().map(String::as_str).collect(),
            test: test.iter().map(String::as_str).collect(),
        };
        let mut all: Vec<Instance> = self.train.drain(..).chain(self.test.drain(..)).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        (self.train, self.test) = split::split(all, share, self.seed, &known);
    }
}

/// An instance, its identity (the resolved path or the word), and its place in the file.
struct Entry {
    instance: Instance,
    identity: PathBuf,
    span: Span,
}

/// The request in `instances.test`.
enum Test<'a, 't> {
    Nothing,
    Share(f64),
    Folds(u32),
    Named(Found<'a, 't>),
}

pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    folder: &Path,
    seed: u64,
    referred: &mut Vec<Diagnostics>,
) -> Option<Instances> {
    if !section.is_present() {
        return Some(Instances {
            train: vec![Instance::new("", "")],
            test: Vec::new(),
            share: None,
            folds: None,
            features: None,
            stage: false,
            stage_folder: None,
            are_files: false,
            seed,
            is_of_fold: false,
        });
    }
    let sources: Vec<Found<'_, '_>> =
        ["files", "list", "from"].iter().filter_map(|name| section.get(name)).collect();
    if let [first, second, ..] = &sources[..] {
        let hint = "keep one of them: `files` are checked and passed as full paths; `list` has words to pass unchanged; \
                            `from` is a file that lists either";
        report.mistake(second.key_span, format!("both `{}` and `{}` are given", first.key, second.key), hint);
        return None;
    }
    let Some(source) = sources.first() else {
        let hint = "give `files`, `list` or `from`, or remove `[instances]` if the target has no inputs";
        report.mistake(section.span, "`[instances]` has no instances", hint);
        return None;
    };
    let named = match source.key.as_str() {
        "instances.files" => {
            let texts = report.valid_texts(source);
            (texts.and_then(|texts| files::files(report, &texts, folder)), true)
        }
        "instances.list" => (report.valid_texts(source).and_then(|texts| words(report, &texts)), false),
        _ => match listed::read(report, source, folder, referred) {
            Some((entries, are_files)) => (Some(entries), are_files),
            None => (None, true),
        },
    };
    let (entries, are_files) = named;
    let test = test(report, section);
    let named = match &test {
        Some(Test::Named(found)) => report.valid_texts(found).and_then(|texts| match are_files {
            true => files::files(report, &texts, folder),
            false => words(report, &texts),
        }),
        Some(_) => Some(Vec::new()),
        None => None,
    };
    let stage = staging(report, section, are_files);
    let (mut train, mut named, test, stage) = (entries?, named?, test?, stage?);
    if overlap(report, &train, &named) {
        return None;
    }
    let features = match section.get("features") {
        None => Some(None),
        Some(found) => {
            let family =
                section.get("family").and_then(|family| family.value.get_ref().as_str().map(str::to_owned));
            let column = family.as_deref().and_then(|text| text.strip_prefix("{column:")?.strip_suffix('}'));
            let all: Vec<&Entry> = train.iter().chain(&named).collect();
            features::read(report, &found, folder, &all, column, referred).map(Some)
        }
    };
    if let Some(found) = section.get("family") {
        let of = features.as_ref().and_then(Option::as_ref);
        let valid = family::assign(report, &found, &mut train, are_files, of);
        if !valid || !family::assign(report, &found, &mut named, are_files, of) {
            return None;
        }
    }
    let features = features?;
    let instances = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.instance).collect::<Vec<_>>();
    let (mut train, mut test_set, mut share, mut folds) = (instances(train), instances(named), None, None);
    if let Test::Folds(count) = test {
        let span = section.get("test").map_or(section.span, |found| found.span());
        if !folds::are_filled(report, span, count, train.len()) {
            return None;
        }
        folds = Some(count);
    }
    if let Test::Share(part) = test {
        if train.len() < 2 {
            let found = section.get("test").map_or(section.span, |found| found.span());
            report.mistake(found, "one instance cannot be split", "give more instances, or remove `test`");
            return None;
        }
        (train, test_set) = split::split(train, part, seed, &Known::default());
        share = Some(part);
    }
    let (stage, stage_folder) = stage;
    Some(Instances {
        train,
        test: test_set,
        share,
        folds,
        features,
        stage,
        stage_folder,
        are_files,
        seed,
        is_of_fold: false,
    })
}

fn test<'a, 't>(report: &mut Report<'_>, section: &Section<'a, 't>) -> Option<Test<'a, 't>> {
    let Some(found) = section.get("test") else { return Some(Test::Nothing) };
    if let Some(folds) = folds::requested(report, &found)? {
        return Some(Test::Folds(folds));
    }
    let share = found.value.get_ref().as_str().and_then(|text| text.trim().strip_suffix('%'));
    let Some(share) = share.and_then(|digits| digits.trim().parse::<f64>().ok()) else {
        return Some(Test::Named(found));
    };
    if !(share > 0.0 && share < 100.0) {
        let message = format!("`{}` is {share} %, but must be more than 0 % and less than 100 %", found.key);
        report.mistake(found.span(), message, "a quarter is common: `test = \"25%\"`");
        return None;
    }
    Some(Test::Share(share / 100.0))
}

/// Reads whether instances are staged and, if so, in which folder.
fn staging(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    are_files: bool,
) -> Option<(bool, Option<PathBuf>)> {
    let stage = match section.get("stage") {
        None => Some(false),
        Some(found) => report.truth(&found).and_then(|stage| {
            if stage && !are_files {
                report.mistake(found.span(), "words cannot be copied", "remove `stage`, or give files");
                return None;
            }
            Some(stage)
        }),
    };
    let folder = match section.get("stage_folder") {
        None => Some(None),
        Some(found) => report.text(&found).and_then(|folder| {
            if stage == Some(false) {
                report.mistake(
                    found.key_span,
                    "`instances.stage_folder` is given, but `instances.stage` is off",
                    "add `stage = true`, or remove `stage_folder`",
                );
                return None;
            }
            Some(Some(PathBuf::from(folder)))
        }),
    };
    Some((stage?, folder?))
}

/// Reports instances that are used for both training and validation.
fn overlap(report: &mut Report<'_>, train: &[Entry], test: &[Entry]) -> bool {
    let known: BTreeSet<&Path> = train.iter().map(|entry| entry.identity.as_path()).collect();
    let shared: Vec<&Entry> = test.iter().filter(|e| known.contains(e.identity.as_path())).collect();
    let Some(first) = shared.first() else { return false };
    let more = match shared.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("used both for tuning and for validation: `{}`{more}", first.instance.name);
    report.mistake(
        first.span,
        message,
        "remove it from one of them: validation needs instances that were not used for tuning",
    );
    true
}

fn words(report: &mut Report<'_>, texts: &[Spanned<String>]) -> Option<Vec<Entry>> {
    let mut valid = true;
    let mut entries: BTreeMap<&str, Entry> = BTreeMap::new();
    for text in texts {
        let word = text.value.as_str();
        if word.is_empty() {
            report.mistake(text.span, "an instance has no name", "name it, or remove it");
            valid = false;
        }
        let entry =
            Entry { instance: Instance::new(word, word), identity: PathBuf::from(word), span: text.span };
        entries.entry(word).or_insert(entry);
    }
    valid.then(|| entries.into_values().collect())
}
