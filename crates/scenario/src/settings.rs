//! The small tables: `[budget]`, `[limits]`, `[racing]`, `[parallel]`, `[surrogate]`.

use std::time::Duration;

use confine::Limits;
use engine::propose::Dependence;
use space::Span;
use surrogate::forest::ForestSettings;

use super::objective::at_least_one;
use super::report::{Found, Report, Section};

/// What a campaign may spend; the first one reached stops it, and at least one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Time on the clock.
    pub wall: Option<Duration>,
    /// CPU time of all trials together.
    pub cpu: Option<Duration>,
    /// How many trials.
    pub trials: Option<u64>,
}

impl Budget {
    /// What each of so many folds may spend: its part, in whole trials rounded up; without folds, all.
    pub fn of_fold(&self, folds: Option<u32>) -> Self {
        let Some(folds) = folds else { return *self };
        Self {
            wall: self.wall.map(|wall| wall / folds),
            cpu: self.cpu.map(|cpu| cpu / folds),
            trials: self.trials.map(|trials| trials.div_ceil(u64::from(folds))),
        }
    }
}

/// How configurations are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Racing {
    /// Factor on the incumbent's sum at which a challenger is stopped.
    pub slack: f64,
    /// Pairs that a configuration needs before it can win.
    pub min_pairs: u32,
    /// Pairs that the incumbent gets at most.
    pub max_pairs: u32,
    /// Whether the target does the same whatever its seed.
    pub deterministic: bool,
    /// Whether one trial says all of an instance: the same work takes another time each time.
    pub measured_once: bool,
}

/// How trials run beside each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parallel {
    /// Trials at one time; as many as there are cores for if it is not given.
    pub workers: Option<u32>,
    /// Cores of each.
    pub cores_per_trial: u32,
    /// GPUs of each.
    pub gpus_per_trial: u32,
    /// The GPUs to share out; those of CUDA_VISIBLE_DEVICES if they are not given.
    pub gpus: Option<Vec<u32>>,
    /// Whether results are taken in the order of asking.
    pub repeatable: bool,
}

/// What proposes configurations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SurrogateKind {
    /// Not given: the default for the target.
    Suited,
    /// Where a forest, grown on all trials, expects most.
    Forest,
    /// Where a network, trained on all trials, expects least.
    Neural,
    /// Where a Gaussian process, fitted to all trials, expects most.
    Gaussian,
    /// The best one of these.
    Auto,
    /// Around the best ones.
    Local,
    /// Anywhere.
    Random,
}

/// What a surrogate makes of trials that were stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Their cost is above the bound, and as likely as the surrogate finds it there: `sample` of a forest,
    /// `tobit` of networks, `likelihood` of a Gaussian process.
    Likelihood,
    /// Their cost is the mean above the bound.
    Mean,
    /// They are left out.
    Drop,
    /// The bound is taken for the cost.
    Ignore,
}

/// What makes a configuration worth a race to a forest or a Gaussian process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acquisition {
    /// What is expected to be gained.
    Improvement,
    /// The same, for each unit of the budget that a trial is expected to use.
    ImprovementPerBudget,
}

/// What proposes configurations, and how it learns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Surrogate {
    /// Who.
    pub kind: SurrogateKind,
    /// What it makes of trials that were stopped.
    pub treatment: Treatment,
    /// What makes a configuration worth a race.
    pub acquisition: Acquisition,
    /// Whether a Gaussian process takes constrained outputs for dependent.
    pub dependence: Dependence,
    /// How many trees a forest has.
    pub trees: u32,
    /// Largest share of the time on the clock for the optimizer.
    pub overhead: f64,
}

/// A value that may be left out.
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

/// Unlike other durations, a grace may be zero, which is none.
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

/// Pairs that the incumbent gets where only times differ from trial to trial: enough for a mean, since every challenger
/// has to meet them.
const PAIRS_OF_TIMES: i64 = 20;
const TIMES_OF_AN_INSTANCE: i64 = 3;

/// The racing settings, given how many instances there are to tune on (`None` if that is not known), and whether the
/// cost is a number that the target tells.
pub(super) fn racing(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    instances: Option<usize>,
    is_told: bool,
) -> Option<Racing> {
    let most = i64::from(u32::MAX);
    let slack = optional(section, "slack", |found| at_least_one(report, found));
    let max_pairs = optional(section, "max_pairs", |found| report.integer(found, 1, most));
    let deterministic = optional(section, "deterministic", |found| report.truth(found));
    let repeats_span = section.get("repeats").map_or(Span::NONE, |found| found.span());
    let repeats = optional(section, "repeats", |found| repeats(report, found));
    let (max_pairs, repeats) = (max_pairs?, repeats?);
    // After a mistake, as if it were left out: what else is wrong shows at once.
    let deterministic = deterministic.flatten().unwrap_or(false);
    let measured_once = deterministic && is_told;
    let most_pairs = match instances {
        Some(count) if deterministic => (TIMES_OF_AN_INSTANCE * count as i64).max(PAIRS_OF_TIMES),
        _ => 2000,
    };
    let (least, highest) = repeats.unwrap_or((1, max_pairs.unwrap_or(most_pairs)));
    if let (Some(max_pairs), Some((_, highest))) = (max_pairs, repeats)
        && highest > max_pairs
    {
        let message = format!("`racing.repeats` goes up to {highest}, but `racing.max_pairs` is {max_pairs}");
        report.mistake(repeats_span, message, "leave one of them out: both say how often to measure");
        return None;
    }
    let mut highest = highest;
    if let Some(instances) = instances.map(|count| count as i64).filter(|_| measured_once) {
        if least > instances {
            let message = format!("`racing.repeats` asks for {least} pairs, but there are only {instances}");
            let hint = "a deterministic target that tells its cost is measured once on each instance";
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

/// Least and most.
fn repeats(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<(i64, i64)> {
    let list = report.integers(found, 1, i64::from(u32::MAX))?;
    match list[..] {
        [both] => Some((both, both)),
        [least, most] if least <= most => Some((least, most)),
        _ => {
            let message = format!("`{}` must be least and most, in this order", found.key);
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

/// Numbers of GPUs, each once: a trial must not share its own with another.
fn gpus(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for number in report.integers(found, 0, 100_000)? {
        if numbers.contains(&(number as u32)) {
            report.mistake(found.span(), format!("`{}` has {number} twice", found.key), "keep one of them");
            return None;
        }
        numbers.push(number as u32);
    }
    Some(numbers)
}

pub(super) fn surrogate(report: &mut Report<'_>, section: &Section<'_, '_>) -> Option<Surrogate> {
    let kinds = ["forest", "neural", "gaussian", "auto", "local", "random"];
    let kind = optional(section, "kind", |found| report.word(found, &kinds));
    // Each learner has its own word for the likelihood.
    let words: &[&str] = match kind {
        Some(Some("neural")) => &["tobit", "mean", "drop", "ignore"],
        Some(Some("gaussian")) => &["likelihood", "drop", "ignore"],
        Some(Some("auto")) => &["sample", "tobit", "likelihood", "mean", "drop", "ignore"],
        _ => &["sample", "mean", "drop", "ignore"],
    };
    let treatment = optional(section, "treatment", |found| report.word(found, words));
    let acquisitions = ["improvement", "improvement-per-budget"];
    let acquisition = optional(section, "acquisition", |found| report.word(found, &acquisitions));
    let dependences = ["independent", "residuals"];
    let dependence = optional(section, "dependence", |found| report.word(found, &dependences));
    let trees = optional(section, "trees", |found| report.integer(found, 1, 10_000));
    let overhead = optional(section, "overhead", |found| share(report, found));
    let kind = match kind? {
        Some("random") => SurrogateKind::Random,
        Some("local") => SurrogateKind::Local,
        Some("neural") => SurrogateKind::Neural,
        Some("gaussian") => SurrogateKind::Gaussian,
        Some("auto") => SurrogateKind::Auto,
        Some(_) => SurrogateKind::Forest,
        None => SurrogateKind::Suited,
    };
    let learns = !matches!(kind, SurrogateKind::Random | SurrogateKind::Local);
    let has_trees = matches!(kind, SurrogateKind::Suited | SurrogateKind::Forest | SurrogateKind::Auto);
    let expects = learns && kind != SurrogateKind::Neural;
    let is_gaussian = matches!(kind, SurrogateKind::Gaussian | SurrogateKind::Auto);
    if let Some(found) = section.get("dependence").filter(|_| !is_gaussian) {
        let message = format!("`{}` needs a Gaussian process", found.key);
        report.mistake(found.span(), message, "leave it out, or write `kind = \"gaussian\"`");
        return None;
    }
    let counts =
        [("treatment", learns), ("acquisition", expects), ("trees", has_trees), ("overhead", learns)];
    for (name, counts) in counts {
        if let Some(found) = section.get(name).filter(|_| !counts) {
            let missing = match (learns, name) {
                (true, "acquisition") => "forest or Gaussian process",
                (true, _) => "forest",
                (false, _) => "model",
            };
            let message = format!("`{}` says nothing: there is no {missing}", found.key);
            report.warn(found.span(), message, "leave it out, or write `kind = \"forest\"`");
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

/// A part of all time, which is more than none.
fn share(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<f64> {
    let number = report.number(found)?;
    if !(number > 0.0 && number <= 1.0) {
        let message = format!("`{}` is {number}, but must be above 0 and at most 1", found.key);
        report.mistake(found.span(), message, "0.1 is a tenth of the time on the clock");
        return None;
    }
    Some(number)
}
