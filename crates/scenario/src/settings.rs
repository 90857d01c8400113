//! The small tables: `[budget]`, `[limits]`, `[racing]`, `[parallel]`, `[surrogate]`.

use std::time::Duration;

use confine::Limits;
use engine::propose::{Dependence, Learner};
use space::Span;
use surrogate::forest::ForestSettings;

use super::objective::at_least_one;
use super::report::{Found, Report, Section};

/// Limits on what a campaign may spend. At least one limit is given, and the first one reached stops the
/// campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// CPU time of all trials together.
    pub cpu: Option<Duration>,
    /// Number of trials.
    pub trials: Option<u64>,
}

impl Budget {
    /// Returns the budget for each fold: an equal share, with the number of trials rounded up. Without folds,
    /// returns the whole budget.
    pub fn of_fold(&self, folds: Option<u32>) -> Self {
        let Some(folds) = folds else { return *self };
        Self {
            wall: self.wall.map(|wall| wall / folds),
            cpu: self.cpu.map(|cpu| cpu / folds),
            trials: self.trials.map(|trials| trials.div_ceil(u64::from(folds))),
        }
    }
}

/// Settings for comparing configurations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Racing {
    /// Slack: a challenger is stopped when its sum of costs exceeds this factor times the incumbent's.
    pub slack: f64,
    /// Number of pairs that a configuration needs before it can win.
    pub min_pairs: u32,
    /// Maximum number of pairs that the incumbent is run on.
    pub max_pairs: u32,
    /// Whether the target ignores its seed.
    pub deterministic: bool,
    /// Whether one trial per instance is enough. The value is false for times, which vary even if the work is
    /// the same.
    pub measured_once: bool,
}

/// Settings for running trials in parallel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parallel {
    /// Number of parallel trials. By default, as many as the cores allow.
    pub workers: Option<u32>,
    /// Number of cores per trial.
    pub cores_per_trial: u32,
    /// Number of GPUs per trial.
    pub gpus_per_trial: u32,
    /// The GPUs to distribute. By default, those in CUDA_VISIBLE_DEVICES.
    pub gpus: Option<Vec<u32>>,
    /// Whether results are processed in the order in which the trials were requested.
    pub repeatable: bool,
}

/// Kind of proposer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SurrogateKind {
    /// Not given, so the default for the target applies.
    Unspecified,
    /// Proposes configurations that a model, which has learned from all trials, considers worth a race.
    Learner(Learner),
    /// Proposes small changes to the best configurations.
    Local,
    /// Proposes random configurations.
    Random,
}

/// The treatment of stopped trials by a surrogate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Stopped trials are right-censored: the cost follows the surrogate's prediction above the lower bound.
    /// This treatment is called `sample` for a forest, `tobit` for networks and `likelihood` for a Gaussian
    /// process.
    Likelihood,
    /// The cost of a stopped trial is replaced with the predicted mean above the lower bound.
    Mean,
    /// Stopped trials are left out.
    Drop,
    /// The lower bound of a stopped trial is used as if it were its cost.
    Ignore,
}

/// The function with which a forest or a Gaussian process rates configurations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acquisition {
    /// Expected improvement.
    Improvement,
    /// Expected improvement per unit of the budget that a trial is expected to use.
    ImprovementPerBudget,
}

/// Settings of the proposer: its kind, and how it learns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Surrogate {
    /// The kind of proposer.
    pub kind: SurrogateKind,
    /// The treatment of stopped trials.
    pub treatment: Treatment,
    /// The function that rates configurations.
    pub acquisition: Acquisition,
    /// Whether a Gaussian process treats constrained outputs as dependent.
    pub dependence: Dependence,
    /// Number of trees in a forest.
    pub trees: u32,
    /// Largest share of the wall-clock time that the optimizer may use.
    pub overhead: f64,
}

/// Reads the value of a key that may be absent.
fn optional<'a, 't, T>(
    section: &Section<'a, 't>,
    name: &str,
    mut read: impl FnMut(&Found<'a, 't>) -> Option<T>,
) -> Option<Option<T>> {
    match section.get(name) {
        None => Some(None),
        Some(found) => read(&found).map(Some),
    }
}

pub(super) fn budget(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Budget> {
    let wall = optional(section, "wall", |found| report.duration(found));
    let cpu = optional(section, "cpu", |found| report.duration(found));
    let trials = optional(section, "trials", |found| report.integer(found, 1, i64::MAX));
    let budget = Budget { wall: wall?, cpu: cpu?, trials: trials?.map(|trials| trials as u64) };
    if budget == Budget::default() {
        let hint = "give at least one of `wall = \"1h\"`, `cpu = \"8h\"` and `trials = 1000` in `[budget]`";
        report.mistake(section.span, "the campaign has no budget and would never end", hint);
        return None;
    }
    Some(budget)
}

pub(super) fn limits(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Limits> {
    let memory = optional(section, "memory", |found| report.size(found));
    let wall = optional(section, "wall", |found| report.duration(found));
    let output = optional(section, "output", |found| report.size(found));
    let processes = optional(section, "processes", |found| report.integer(found, 1, i64::from(u32::MAX)));
    let file_size = optional(section, "file_size", |found| report.size(found));
    let grace = optional(section, "grace", |found| grace(report, found));
    Some(Limits {
        cpu: None,
        wall: wall?,
        memory: memory?,
        output: output?,
        processes: processes?.map(|count| count as u32),
        file_size: file_size?,
        cores: None,
        grace: grace?.flatten(),
    })
}

/// Reads a grace period. Unlike other durations it may be zero, which means no grace period.
fn grace(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Option<Duration>> {
    let is_zero = |text: &str| {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim();
        number.parse::<f64>() == Ok(0.0)
            && confine::quantity::parse_duration(&text.replacen('0', "1", 1)).is_ok()
    };
    if found.value.get_ref().as_str().is_some_and(is_zero) {
        return Some(None);
    }
    report.duration(found).map(Some)
}

/// Smallest default `max_pairs` for a deterministic target. This many pairs are enough for a mean. The number
/// is no larger, because every challenger has to run on these pairs.
const DETERMINISTIC_PAIRS: i64 = 20;
/// Number of pairs per instance in the default `max_pairs` for a deterministic target.
const PAIRS_PER_INSTANCE: i64 = 3;

/// Reads the racing settings. The settings depend on the number of training instances (`None` if unknown) and
/// on whether the cost is an output that the target reports.
pub(super) fn racing(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    instances: Option<usize>,
    is_output: bool,
) -> Option<Racing> {
    let most = i64::from(u32::MAX);
    let slack = optional(section, "slack", |found| at_least_one(report, found));
    let max_pairs = optional(section, "max_pairs", |found| report.integer(found, 1, most));
    let deterministic = optional(section, "deterministic", |found| report.truth(found));
    let repeats_span = section.get("repeats").map_or(Span::NONE, |found| found.span());
    let repeats = optional(section, "repeats", |found| repeats(report, found));
    let (max_pairs, repeats) = (max_pairs?, repeats?);
    // After a mistake, continue with the default, so that other mistakes are reported as well.
    let deterministic = deterministic.flatten().unwrap_or(false);
    let measured_once = deterministic && is_output;
    let default_pairs = match instances {
        Some(count) if deterministic => (PAIRS_PER_INSTANCE * count as i64).max(DETERMINISTIC_PAIRS),
        _ => 2000,
    };
    let (least, highest) = repeats.unwrap_or((1, max_pairs.unwrap_or(default_pairs)));
    if let (Some(max_pairs), Some((_, highest))) = (max_pairs, repeats)
        && highest > max_pairs
    {
        let message = format!("`racing.repeats` goes up to {highest}, but `racing.max_pairs` is {max_pairs}");
        report.mistake(repeats_span, message, "remove one of them: both limit the number of pairs");
        return None;
    }
    let mut highest = highest;
    if let Some(instances) = instances.map(|count| count as i64).filter(|_| measured_once) {
        if least > instances {
            let message =
                format!("`racing.repeats` asks for {least} pairs, but there are only {instances} instances");
            let hint =
                "lower `repeats`: a deterministic target that reports its cost is measured once per instance";
            report.mistake(repeats_span, message, hint);
            return None;
        }
        highest = highest.min(instances);
    }
    Some(Racing {
        slack: slack.flatten().unwrap_or(1.3),
        min_pairs: least as u32,
        max_pairs: highest as u32,
        deterministic,
        measured_once,
    })
}

/// Reads the smallest and the largest number of repeats.
fn repeats(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<(i64, i64)> {
    let list = report.integers(found, 1, i64::from(u32::MAX))?;
    match list[..] {
        [both] => Some((both, both)),
        [least, most] if least <= most => Some((least, most)),
        _ => {
            let message = format!("`{}` must be a minimum and a maximum, in this order", found.key);
            report.mistake(found.span(), message, "write `repeats = [1, 6]`, or one number");
            None
        }
    }
}

pub(super) fn parallel(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Parallel> {
    let workers = optional(section, "workers", |found| report.integer(found, 1, 100_000));
    let cores = optional(section, "cores_per_trial", |found| report.integer(found, 1, 100_000));
    let gpus_each = optional(section, "gpus_per_trial", |found| report.integer(found, 0, 100_000));
    let gpus = optional(section, "gpus", |found| gpus(report, found));
    let repeatable = optional(section, "repeatable", |found| report.truth(found));
    Some(Parallel {
        workers: workers?.map(|workers| workers as u32),
        cores_per_trial: cores?.unwrap_or(1) as u32,
        gpus_per_trial: gpus_each?.unwrap_or(0) as u32,
        gpus: gpus?,
        repeatable: repeatable?.unwrap_or(false),
    })
}

/// Reads the indices of GPUs. Each may be listed only once, because trials must not share a GPU.
fn gpus(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for number in report.integers(found, 0, 100_000)? {
        if numbers.contains(&(number as u32)) {
            report.mistake(found.span(), format!("`{}` lists {number} twice", found.key), "keep one of them");
            return None;
        }
        numbers.push(number as u32);
    }
    Some(numbers)
}

pub(super) fn surrogate(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Surrogate> {
    let learners = || Learner::ALL.iter().filter_map(|learner| Learner::named(learner.word()));
    let kinds: Vec<&str> = learners().map(Learner::word).chain(["local", "random"]).collect();
    let word = optional(section, "kind", |found| report.word(found, &kinds));
    let learner = word.flatten().and_then(Learner::named);
    // Each learner has its own word for this treatment. Without one, the words are those of the default.
    let keys = learner.unwrap_or(Learner::Forest).keys();
    let treatment = optional(section, "treatment", |found| report.word(found, keys.treatments));
    let acquisitions = ["improvement", "improvement-per-budget"];
    let acquisition = optional(section, "acquisition", |found| report.word(found, &acquisitions));
    let dependences = ["independent", "residuals"];
    let dependence = optional(section, "dependence", |found| report.word(found, &dependences));
    let trees = optional(section, "trees", |found| report.integer(found, 1, 10_000));
    let overhead = optional(section, "overhead", |found| share(report, found));
    let kind = match (word?, learner) {
        (_, Some(learner)) => SurrogateKind::Learner(learner),
        (Some("local"), _) => SurrogateKind::Local,
        (Some(_), _) => SurrogateKind::Random,
        (None, _) => SurrogateKind::Unspecified,
    };
    let learns = !matches!(kind, SurrogateKind::Random | SurrogateKind::Local);
    let (has_trees, has_acquisition) = (learns && keys.trees, learns && keys.acquisition);
    let is_gaussian = learner.is_some_and(|learner| learner.keys().residuals);
    if let Some(found) = section.get("dependence").filter(|_| !is_gaussian) {
        let message = format!("`{}` needs a Gaussian process", found.key);
        report.mistake(found.span(), message, "remove it, or write `kind = \"gaussian\"`");
        return None;
    }
    let applicable =
        [("treatment", learns), ("acquisition", has_acquisition), ("trees", has_trees), ("overhead", learns)];
    for (name, applies) in applicable {
        if let Some(found) = section.get(name).filter(|_| !applies) {
            let missing = match (learns, name) {
                (true, "acquisition") => "forest or Gaussian process",
                (true, _) => "forest",
                (false, _) => "model",
            };
            let message = format!("`{}` has no effect: there is no {missing}", found.key);
            report.warn(found.span(), message, "remove it, or write `kind = \"forest\"`");
        }
    }
    Some(Surrogate {
        kind,
        treatment: match treatment? {
            Some("mean") => Treatment::Mean,
            Some("drop") => Treatment::Drop,
            Some("ignore") => Treatment::Ignore,
            _ => Treatment::Likelihood,
        },
        acquisition: match acquisition? {
            Some("improvement-per-budget") => Acquisition::ImprovementPerBudget,
            _ => Acquisition::Improvement,
        },
        dependence: match dependence? {
            Some("residuals") => Dependence::Residuals,
            _ => Dependence::Independent,
        },
        trees: trees?.map_or(ForestSettings::default().trees as u32, |trees| trees as u32),
        overhead: overhead?.unwrap_or(0.1),
    })
}

/// Reads a share of time, which must be above 0 and at most 1.
fn share(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<f64> {
    let number = report.number(found)?;
    if !(number > 0.0 && number <= 1.0) {
        let message = format!("`{}` is {number}, but must be above 0 and at most 1", found.key);
        report.mistake(found.span(), message, "write a share such as 0.1, a tenth of the wall time");
        return None;
    }
    Some(number)
}
