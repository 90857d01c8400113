//! The table `[instances]`: the inputs of the target.
//!
//! [`files`] are found by paths, folders and patterns, or named line by line in a file ([`listed`]).
//! Instances have a [`family`] and [`features`] if they are given, and a part of them may be set apart for
//! the validation ([`split`]), or each part once ([`folds`]).

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
    /// What it is called: a path from the scenario's folder where it lies in there.
    pub name: String,
    /// What `{instance}` stands for.
    pub argument: String,
    /// Which others are like it, if that is said.
    pub family: Option<String>,
}

impl Instance {
    /// An instance without a family.
    pub fn new(name: impl Into<String>, argument: impl Into<String>) -> Self {
        Self { name: name.into(), argument: argument.into(), family: None }
    }

    /// Its family; all without one are one family.
    pub fn family(&self) -> &str {
        self.family.as_deref().unwrap_or_default()
    }
}

/// The inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Instances {
    /// Those to tune on: at least one. Without `[instances]` one nameless instance stands for the
    /// target's only input.
    pub train: Vec<Instance>,
    /// Those kept for the final validation.
    pub test: Vec<Instance>,
    /// The share that is set apart for it, if they are not named.
    pub share: Option<f64>,
    /// Into how many folds they are dealt, each of which is set apart in a campaign of its own. Until a
    /// fold is taken ([`Self::of_fold`]), all are to tune on.
    pub folds: Option<u32>,
    /// Numbers that describe them.
    pub features: Option<Features>,
    /// Whether files are copied, and unpacked, before they are used.
    pub stage: bool,
    /// Where to, if not into the campaign's folder.
    pub stage_folder: Option<PathBuf>,
    /// Whether they are files rather than words.
    are_files: bool,
    /// What the split is drawn from.
    seed: u64,
    /// Whether they are those of one fold.
    is_of_fold: bool,
}

impl Instances {
    /// Whether the scenario names any.
    pub fn are_given(&self) -> bool {
        self.train.iter().any(|instance| !instance.name.is_empty())
    }

    /// How many instances to tune on and to validate on each family has; empty if there are no families.
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

    /// Puts others in the place of those to validate on: files and patterns from a folder, or words. What is
    /// wrong with them is said in one line.
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
            return Err(format!("`{}` was tuned on: that proves nothing", known.name));
        }
        self.test = test;
        Ok(())
    }

    /// The names in each fold, of which there are some: those known, and then the others dealt on.
    pub fn dealt(&self, folds: u32, known: &[Vec<String>]) -> Vec<Vec<String>> {
        let all: Vec<&Instance> = self.train.iter().chain(&self.test).collect();
        folds::deal(&all, folds, self.seed, known)
    }

    /// The instances of the campaign that keeps a fold apart.
    pub fn of_fold(&self, fold: &[String]) -> Self {
        let all = self.train.iter().chain(&self.test).cloned();
        let fold: BTreeSet<&String> = fold.iter().collect();
        let (test, train) = all.partition(|instance| fold.contains(&instance.name));
        Self { train, test, is_of_fold: true, ..self.clone() }
    }

    /// Leaves what a campaign has tuned on and kept apart where it is, and splits the others among
    /// themselves. Instances that are named for the validation stay as they are. Those that no fold has
    /// yet are no part of any campaign.
    pub fn keep_apart(&mut self, train: &[String], test: &[String]) {
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

/// An instance, what makes it the same as another, and where it was named.
struct Entry {
    instance: Instance,
    identity: PathBuf,
    span: Span,
}

/// What `test` asks for.
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
        let hint = "`files` are checked and made full paths; `list` are words passed as they are; `from` is a \
                    file that names either";
        report.mistake(second.key_span, format!("both `{}` and `{}` are given", first.key, second.key), hint);
        return None;
    }
    let Some(source) = sources.first() else {
        let hint = "give `files`, `list` or `from`; leave `[instances]` out if the target has no inputs";
        report.mistake(section.span, "`[instances]` has no instances", hint);
        return None;
    };
    let named = match source.key.as_str() {
        "instances.files" => {
            let texts = report.sound_texts(source);
            (texts.and_then(|texts| files::files(report, &texts, folder)), true)
        }
        "instances.list" => (report.sound_texts(source).and_then(|texts| words(report, &texts)), false),
        _ => match listed::read(report, source, folder, referred) {
            Some((entries, are_files)) => (Some(entries), are_files),
            None => (None, true),
        },
    };
    let (entries, are_files) = named;
    let test = test(report, section);
    let named = match &test {
        Some(Test::Named(found)) => report.sound_texts(found).and_then(|texts| match are_files {
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
        let sound = family::assign(report, &found, &mut train, are_files, of);
        if !sound || !family::assign(report, &found, &mut named, are_files, of) {
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
            report.mistake(found, "one instance cannot be split", "give more, or leave `test` out");
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
    if let Some(folds) = folds::asked_for(report, &found)? {
        return Some(Test::Folds(folds));
    }
    let share = found.value.get_ref().as_str().and_then(|text| text.trim().strip_suffix('%'));
    let Some(share) = share.and_then(|digits| digits.trim().parse::<f64>().ok()) else {
        return Some(Test::Named(found));
    };
    if !(share > 0.0 && share < 100.0) {
        let message = format!("`{}` is {share} %, but must be more than 0 % and less than 100 %", found.key);
        report.mistake(found.span(), message, "a quarter is usual: `test = \"25%\"`");
        return None;
    }
    Some(Test::Share(share / 100.0))
}

/// Whether instances are to be staged, and where.
fn staging(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    are_files: bool,
) -> Option<(bool, Option<PathBuf>)> {
    let stage = match section.get("stage") {
        None => Some(false),
        Some(found) => report.truth(&found).and_then(|stage| {
            if stage && !are_files {
                report.mistake(found.span(), "words cannot be copied", "leave `stage` out, or give files");
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
                    "`instances.stage_folder` is given, but nothing is staged",
                    "write `stage = true` as well",
                );
                return None;
            }
            Some(Some(PathBuf::from(folder)))
        }),
    };
    Some((stage?, folder?))
}

/// Reports instances that are on both sides.
fn overlap(report: &mut Report<'_>, train: &[Entry], test: &[Entry]) -> bool {
    let known: BTreeSet<&Path> = train.iter().map(|entry| entry.identity.as_path()).collect();
    let shared: Vec<&Entry> = test.iter().filter(|e| known.contains(e.identity.as_path())).collect();
    let Some(first) = shared.first() else { return false };
    let more = match shared.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("`{}`{more} is both to tune on and to validate on", first.instance.name);
    report.mistake(first.span, message, "what was tuned on proves nothing: keep the two apart");
    true
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
        let entry =
            Entry { instance: Instance::new(word, word), identity: PathBuf::from(word), span: text.span };
        entries.entry(word).or_insert(entry);
    }
    sound.then(|| entries.into_values().collect())
}
