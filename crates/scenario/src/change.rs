//! Decides what a change to the scenario means for a campaign that has stored trials.
//!
//! Two scenarios are compared key by key, by meaning. For example, `60s` equals `1m`, and a default value is
//! the same whether it is written out or not. [`KEYS`](super::keys::KEYS) contains the row for each key. If
//! several keys differ, the worst row decides.

use std::collections::{BTreeMap, BTreeSet};

use confine::quantity::{parse_duration, parse_size};
use engine::{Configuration, Space};
use space::format::{self, Format};
use space::{Diagnostics, Kind, float_text};
use toml::de::DeValue;

use super::keys::{self, Form, Judgement, Key, Place, Row};
use super::report::Section;
use super::{Protocol, Scenario, constraints, spelling, syntax};

/// The stored parts of a campaign's scenario.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The scenario's text.
    pub text: &'a str,
    /// The space in captune's own form. The space is stored because the file that it came from may have
    /// changed.
    pub space: &'a str,
    /// The names of the training instances. The names are stored because files may have been added or
    /// removed.
    pub instances: &'a [String],
    /// The configuration that gains are measured against, if it has been run.
    pub baseline: Option<&'a Configuration>,
}

/// A key whose meaning has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The key, or the table if the whole table differs.
    pub key: String,
    /// The old value; `None` if the key was absent.
    pub before: Option<String>,
    /// The new value; `None` if the key is absent.
    pub after: Option<String>,
    /// The consequence of the change for the stored trials.
    pub row: Row,
}

/// Keys of the objective that can contain the name of an output.
const OUTPUT_KEYS: [&str; 3] = ["objective.minimise", "objective.maximise", "objective.then"];

/// Returns the worst row of all differences.
pub fn verdict(differences: &[Difference]) -> Row {
    differences.iter().map(|difference| difference.row).max().unwrap_or(Row::Continue)
}

/// Returns every difference between a stored scenario and a new one. `scenario` is the result of reading the
/// new `text`. Fails only if the stored scenario can no longer be read.
pub fn compare(stored: &Stored<'_>, text: &str, scenario: &Scenario) -> Result<Vec<Difference>, Diagnostics> {
    let (before, after) = (meanings(stored.text, "the stored scenario")?, meanings(text, &scenario.name)?);
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut differences = Vec::new();
    for path in paths {
        let (old, new) = (before.get(path), after.get(path));
        let Some(key) = old.or(new).map(|meaning| meaning.key) else { continue };
        if old.map(|meaning| &meaning.shown) == new.map(|meaning| &meaning.shown) {
            continue;
        }
        let row = match key.judgement {
            Judgement::Always(row) => row,
            Judgement::Growing => {
                // If there is no cutoff, costs have no upper limit.
                let size = |side: Option<&Meaning>| side.and_then(|m| m.number).unwrap_or(f64::INFINITY);
                if size(new) > size(old) { Row::Reuse } else { Row::Refuse }
            }
            Judgement::Outputs => {
                let name = path.split('.').nth(1).map(|name| format!("{name:?}"));
                let bound = path.split('.').nth(1).map(|name| format!("constraints.{name}"));
                let uses = |side: &BTreeMap<String, Meaning>| {
                    bound.as_ref().is_some_and(|bound| side.contains_key(bound))
                        || OUTPUT_KEYS
                            .iter()
                            .any(|key| side.get(*key).map(|meaning| &meaning.shown) == name.as_ref())
                };
                if uses(&before) || uses(&after) { Row::Refuse } else { Row::Continue }
            }
            Judgement::Constraints => {
                let text = |side: Option<&Meaning>| side.map_or("", |meaning| &meaning.shown).to_owned();
                if constraints::is_within(&text(new), &text(old)) { Row::Reuse } else { Row::Refuse }
            }
            // These keys are compared below, after they are resolved to their contents.
            Judgement::Instances | Judgement::Baseline | Judgement::Space => continue,
        };
        let shown = |side: Option<&Meaning>| side.map(|meaning| meaning.shown.clone());
        differences.push(Difference { key: path.clone(), before: shown(old), after: shown(new), row });
    }
    let is_list = |side: &BTreeMap<String, Meaning>| side.contains_key("instances.list");
    let names: Vec<&str> = scenario.instances.train.iter().map(|instance| instance.name.as_str()).collect();
    differences.extend(instances(stored.instances, &names));
    let is_named_elsewhere = before.contains_key("instances.from") || after.contains_key("instances.from");
    if is_list(&before) != is_list(&after) && !is_named_elsewhere {
        let words = |list: bool| Some(if list { "words" } else { "files" }.to_owned());
        let (before, after) = (words(is_list(&before)), words(is_list(&after)));
        differences.push(Difference { key: "instances".to_owned(), before, after, row: Row::Refuse });
    }
    differences.extend(stored.baseline.and_then(|before| baseline(before, &scenario.baseline())));
    let space = format::read(stored.space, "the stored space", Format::Toml)?;
    differences.extend(spaces(&space, &scenario.space));
    Ok(differences)
}

/// For each constraint in a scenario, returns the index of the stored constraint on the same output and the
/// same side; `None` for a constraint that was added.
pub fn kept_constraints(before: &str, scenario: &Scenario) -> Result<Vec<Option<usize>>, Diagnostics> {
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let (table, errors) = spelling::parse(before);
    if !errors.is_empty() {
        let mistakes = syntax::mistakes(before, &errors);
        return Err(Diagnostics::new("the stored scenario", before, mistakes));
    }
    let subjects = constraints::subjects(&Section::root(table.get_ref()).section("constraints"));
    let place = |one: &constraints::Constraint| {
        let (name, side) = one.subject();
        subjects.iter().position(|(old, old_side)| old == name && *old_side == side)
    };
    Ok(scenario.constraints.iter().map(place).collect())
}

/// Compares baselines by their values. If the spaces differ, [`spaces`] reports the difference instead.
fn baseline(before: &Configuration, after: &Configuration) -> Option<Difference> {
    let (old, new) = (before.to_string(), after.to_string());
    let same_space = before.space() == after.space();
    (same_space && old != new).then(|| Difference {
        key: "baseline".to_owned(),
        before: Some(old),
        after: Some(new),
        row: Row::Reuse,
    })
}

fn instances(before: &[String], after: &[&str]) -> Vec<Difference> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
        (before.iter().map(String::as_str).collect(), after.iter().copied().collect());
    let list = |names: Vec<&str>| match names[..] {
        [] => None,
        [first] => Some(first.to_owned()),
        [first, ..] => Some(format!("{first} and {} more", names.len() - 1)),
    };
    let key = || "instances".to_owned();
    let mut differences = Vec::new();
    if let Some(removed) = list(old.difference(&new).copied().collect()) {
        differences.push(Difference { key: key(), before: Some(removed), after: None, row: Row::Refuse });
    }
    if let Some(added) = list(new.difference(&old).copied().collect()) {
        differences.push(Difference { key: key(), before: None, after: Some(added), row: Row::Continue });
    }
    differences
}

fn spaces(before: &Space, after: &Space) -> Vec<Difference> {
    let mut differences = Vec::new();
    for new in after.parameters() {
        let Some(old) = before.find(new.name()).map(|id| before.parameter(id)) else { continue };
        let truth = |kind: Kind| kind == Kind::Boolean;
        if old.switch() != new.switch() || truth(old.kind()) != truth(new.kind()) {
            let shown = |p: &space::Parameter| {
                Some(format!("{} {}", p.kind().name(), p.switch().unwrap_or("without a switch")))
            };
            let key = format!("space.{}", new.name());
            differences.push(Difference { key, before: shown(old), after: shown(new), row: Row::Refuse });
        }
    }
    if differences.is_empty() && before != after {
        let shown = |space: &Space| Some(format!("{} parameters", space.parameters().len()));
        let (before, after) = (shown(before), shown(after));
        differences.push(Difference { key: "space".to_owned(), before, after, row: Row::Reuse });
    }
    differences
}

/// A key's value in a canonical form.
struct Meaning {
    key: &'static Key,
    shown: String,
    /// The value as a number, for keys that can grow or shrink.
    number: Option<f64>,
}

/// Returns every key of a scenario by its full name, including keys with default values.
fn meanings(text: &str, file_name: &str) -> Result<BTreeMap<String, Meaning>, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (table, errors) = spelling::parse(text);
    if !errors.is_empty() {
        return Err(Diagnostics::new(file_name, text, syntax::mistakes(text, &errors)));
    }
    let root = Section::root(table.get_ref());
    let minimise = root.section("objective").get("minimise");
    let minimise = minimise.and_then(|found| found.value.get_ref().as_str()).unwrap_or_default();
    let mut found = BTreeMap::new();
    collect(&root, &[], minimise, &mut found);
    let patterns = found.keys().filter(|path| path.starts_with("outputs.") && path.ends_with(".pattern"));
    let takes: Vec<String> = patterns.map(|path| path.replace(".pattern", ".take")).collect();
    let takes = takes.iter().map(|path| (path.as_str(), "\"last\""));
    let defaults: Vec<(&str, &str)> = defaults(minimise, &found).into_iter().chain(takes).collect();
    for (path, value) in defaults {
        let Place::Key(key) = keys::place(&path.split('.').collect::<Vec<_>>()) else { continue };
        let absent = || Meaning { key, shown: value.to_owned(), number: None };
        found.entry(path.to_owned()).or_insert_with(absent);
    }
    Ok(found)
}

fn collect(section: &Section<'_, '_>, parts: &[&str], minimise: &str, found: &mut BTreeMap<String, Meaning>) {
    for (name, entry) in section.entries() {
        let parts: Vec<&str> = parts.iter().copied().chain([name.as_str()]).collect();
        match keys::place(&parts) {
            Place::Key(key) => {
                let (shown, number) = match key.form {
                    Form::Bound => (constraints::meaning(&name, entry.value), None),
                    form => meaning(form, entry.value.get_ref(), minimise),
                };
                found.insert(entry.key, Meaning { key, shown, number });
            }
            Place::Table => collect(&section.section(&name), &parts, minimise, found),
            // The stored scenario may come from another version of captune, so unknown keys are ignored.
            Place::Unknown => {}
        }
    }
}

/// Returns the default values of keys that are left out, in the form of [`meaning`].
fn defaults(minimise: &str, given: &BTreeMap<String, Meaning>) -> Vec<(&'static str, &'static str)> {
    let time = ["cpu_time", "wall_time"].contains(&minimise);
    let capped_by = given.get("objective.capped_by").map_or("", |meaning| &meaning.shown);
    let named = |(name, _): &&(&str, Protocol)| {
        given.get("target.protocol").is_some_and(|meaning| meaning.shown == format!("{name:?}"))
    };
    let protocol = Protocol::NAMED.iter().find(named).map_or(Protocol::Command, |(_, protocol)| *protocol);
    let mut defaults = vec![
        ("seed", "1"),
        ("target.setup_limit", "60s"),
        ("target.teardown_limit", "60s"),
        ("target.workdir", "\"private\""),
        ("target.protocol", "\"command\""),
        ("objective.par", "10.0"),
        ("objective.capped_by", if time { "\"time\"" } else { "\"none\"" }),
        ("limits.grace", "0s"),
        ("target.verify_limit", "60s"),
        ("racing.slack", "1.3"),
        ("racing.max_pairs", "2000"),
        ("racing.deterministic", "false"),
        ("parallel.cores_per_trial", "1"),
        ("parallel.gpus_per_trial", "0"),
        ("parallel.repeatable", "false"),
        ("surrogate.kind", "\"forest\""),
        ("surrogate.treatment", "\"sample\""),
        ("surrogate.acquisition", "\"improvement\""),
        ("surrogate.dependence", "\"independent\""),
        ("surrogate.trees", "10"),
        ("surrogate.overhead", "0.1"),
        ("validation.when", "\"end\""),
        ("instances.stage", "false"),
    ];
    defaults.push(match protocol {
        Protocol::Aclib | Protocol::Aclib2 => ("target.params", "[\"-{name}\", \"{value}\"]"),
        _ => ("target.params", "[\"--{name}={value}\"]"),
    });
    if !given.contains_key("target.success.pattern") && !protocol.ignores_exit() {
        defaults.push(("target.success.exit", "[0]"));
    }
    if given.keys().any(|path| path.starts_with("target.retry.")) {
        defaults.extend([("target.retry.times", "5"), ("target.retry.wait", "30s")]);
    }
    if time {
        defaults.push(("objective.grain", "0.001s"));
    } else if capped_by == "\"argument\"" {
        defaults.push(("objective.grain", if protocol.grain() < 1.0 { "0.001" } else { "1.0" }));
    }
    defaults
}

/// Returns a value in canonical form. If the value is a cost, also returns it as a number.
fn meaning(form: Form, value: &DeValue<'_>, minimise: &str) -> (String, Option<f64>) {
    let text = value.as_str().unwrap_or_default();
    let number = match (form, minimise) {
        (Form::Duration, _) | (Form::Cost, "cpu_time" | "wall_time") => {
            let seconds = parse_duration(text).map_or(0.0, |duration| duration.as_secs_f64());
            return (format!("{seconds}s"), Some(seconds));
        }
        (Form::Size, _) | (Form::Cost, "memory") => {
            let bytes = parse_size(text).unwrap_or_default();
            return (format!("{bytes}B"), Some(bytes as f64));
        }
        (Form::Cost | Form::Number, _) => number(value),
        _ => None,
    };
    match (number, form, value) {
        (Some(number), ..) => (float_text(number), Some(number)),
        (None, Form::Texts, DeValue::String(_)) | (None, Form::Integers, DeValue::Integer(_)) => {
            (format!("[{}]", plain(value)), None)
        }
        _ => (plain(value), None),
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(digits) => {
            i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|number| number as f64)
        }
        DeValue::Float(digits) => digits.as_str().parse().ok(),
        _ => None,
    }
}

fn plain(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(_) => number(value).map_or_else(String::new, |number| format!("{number}")),
        DeValue::Float(_) => number(value).map_or_else(String::new, float_text),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(list) => {
            let items: Vec<String> = list.iter().map(|item| plain(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(table) => {
            let items =
                table.iter().map(|(key, value)| format!("{} = {}", key.get_ref(), plain(value.get_ref())));
            // The order of keys in a table has no meaning.
            let items: BTreeSet<String> = items.collect();
            format!("{{ {} }}", items.into_iter().collect::<Vec<_>>().join(", "))
        }
    }
}
