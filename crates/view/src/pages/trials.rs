//! The trials as a table.

use engine::Reading;
use serde::Serialize;

use super::material::Material;
use super::thinned::Thinned;

/// Largest number of trials in the table.
const ROWS: usize = 2000;

/// The trials.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Trials {
    /// The last trials, the newest first; if there are more, failed trials take precedence.
    pub rows: Thinned<TrialRow>,
    /// The folder of the campaign, for commands that run a trial again.
    pub folder: String,
}

/// A trial.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrialRow {
    /// Its number.
    pub trial: u64,
    /// The number of its configuration.
    pub configuration: u32,
    /// The origin of its configuration.
    pub origin: String,
    /// The name of its instance.
    pub instance: String,
    /// Its seed.
    pub seed: u32,
    /// The reason for requesting it.
    pub why: &'static str,
    /// How it ended.
    pub status: &'static str,
    /// Its cost, or a lower bound; `None` if it failed.
    pub cost: Option<f64>,
    /// Whether the cost is a lower bound.
    pub censored: bool,
    /// The cost at which it was or would have been stopped.
    pub cap: Option<f64>,
    /// Campaign time at its start, in seconds.
    pub started: f64,
    /// Wall time of the whole trial, in seconds.
    pub duration: f64,
    /// The reason for its status, if it is not obvious.
    pub reason: Option<String>,
}

impl Trials {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let history = material.records.history();
        let all = history.trials();
        let is_failed = |row: usize| all[row].observation.status().is_failure();
        let of = all.len();
        let mut wanted: Vec<usize> = (0..of).rev().filter(|&row| is_failed(row)).take(ROWS / 2).collect();
        let room = ROWS - wanted.len();
        wanted.extend((0..of).rev().filter(|&row| !is_failed(row)).take(room));
        wanted.sort_unstable_by(|a, b| b.cmp(a));
        let one = |row: usize| {
            let (trial, timed) = (&all[row], material.trials.get(row));
            let reading = trial.observation.cost();
            TrialRow {
                trial: trial.id.0,
                configuration: trial.key.config.0,
                origin: material.origin(trial.key.config).to_owned(),
                instance: material.instance(trial.key.pair.instance).to_owned(),
                seed: trial.key.pair.seed.0,
                why: trial.why.name(),
                status: trial.observation.status().name(),
                cost: reading.map(|reading| material.costs.number(reading.lower_bound())),
                censored: reading.is_some_and(Reading::is_censored),
                cap: Some(trial.cap.cost()).filter(|cap| cap.is_finite()),
                started: timed.map_or(0.0, |timed| timed.started),
                duration: timed.map_or(0.0, |timed| timed.duration),
                reason: timed.and_then(|timed| timed.reason.clone()),
            }
        };
        let rows = Thinned { shown: wanted.into_iter().map(one).collect(), of };
        Self { rows, folder: material.records.kept.folder.to_string_lossy().into_owned() }
    }
}
