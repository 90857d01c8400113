//! Compares trials that repeat the same seed with trials that use other seeds.

use std::collections::BTreeSet;

use engine::{Reading, Status};
use scenario::{Measure, Piece, Scenario};
use serde::Serialize;

use super::spread::spread;
use super::trials::{FIRST_SEED, Sample};

/// Relative tolerance: costs with another seed count as equal if they differ by at most this share from those
/// with the first seed.
const TOLERANCE: f64 = 0.1;
/// Number of standard deviations by which repeated costs may differ.
const DEVIATIONS: f64 = 3.0;

/// Trials compared with the first trial on the same instance.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Repeated {
    /// Number of trials compared.
    pub trials: usize,
    /// Number of trials with identical standard output.
    pub same_text: usize,
    /// Names of the outputs that differed.
    pub differing: BTreeSet<String>,
    /// Whether the exit code differed.
    pub ended_otherwise: bool,
}

impl Repeated {
    /// Returns whether standard output, exit code and all named outputs were the same each time.
    pub fn are_same(&self) -> bool {
        self.same_text == self.trials && self.differing.is_empty() && !self.ended_otherwise
    }
}

/// The effect of the seed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Seeds {
    /// Whether the seed is passed to the target.
    pub given: bool,
    /// Trials with the same seed; `None` if no trial was repeated.
    pub same: Option<Repeated>,
    /// Trials with other seeds; `None` if there were none.
    pub other: Option<Repeated>,
    /// Whether other seeds change the costs by more than repeating the same seed does; `None` if unknown.
    pub change_costs: Option<bool>,
}

impl Seeds {
    /// Determines the effect of the seed from the trials that ran alone.
    pub(super) fn of(scenario: &Scenario, samples: &[Sample]) -> Self {
        let finished = |sample: &&Sample| {
            !sample.in_company && sample.record.trial.observation.status() == Status::Finished
        };
        let alone: Vec<&Sample> = samples.iter().filter(finished).collect();
        let target = &scenario.target;
        let steps = [target.setup.as_ref(), target.teardown.as_ref()].into_iter().flatten();
        let given = std::iter::once(&target.command)
            .chain(steps.map(|step| &step.command))
            .any(|command| command.mentions(&Piece::Seed));
        Self {
            given,
            same: repeated(&alone, |sample| sample.pair().seed == FIRST_SEED),
            other: repeated(&alone, |sample| sample.pair().seed != FIRST_SEED),
            change_costs: change_costs(scenario, &alone),
        }
    }
}

/// Compares trials with the first trial on the same instance.
fn repeated(alone: &[&Sample], which: impl Fn(&Sample) -> bool) -> Option<Repeated> {
    let mut found = Repeated { trials: 0, same_text: 0, differing: BTreeSet::new(), ended_otherwise: false };
    for (place, sample) in alone.iter().enumerate() {
        let first = alone.iter().position(|other| {
            other.pair().instance == sample.pair().instance && other.pair().seed == FIRST_SEED
        });
        let Some(first) = first.filter(|&first| first != place && which(sample)) else { continue };
        let (own, before) = (&sample.record.detail, &alone[first].record.detail);
        found.trials += 1;
        found.same_text += usize::from(sample.answer.is_some() && sample.answer == alone[first].answer);
        found.ended_otherwise |= own.exit != before.exit;
        let names = own.outputs.keys().chain(before.outputs.keys());
        found
            .differing
            .extend(names.filter(|&name| own.outputs.get(name) != before.outputs.get(name)).cloned());
    }
    (found.trials > 0).then_some(found)
}

/// Returns whether any cost with another seed is outside the range that repetitions of the first seed can
/// explain.
fn change_costs(scenario: &Scenario, alone: &[&Sample]) -> Option<bool> {
    let cost = |sample: &&&Sample| sample.record.trial.observation.cost().map(Reading::lower_bound);
    let instances: BTreeSet<usize> = alone.iter().map(|sample| sample.pair().instance.index()).collect();
    let mut known = None;
    for instance in instances {
        let of = |first: bool| {
            let fits = move |sample: &&&Sample| {
                sample.pair().instance.index() == instance && (sample.pair().seed == FIRST_SEED) == first
            };
            alone.iter().filter(fits).filter_map(|sample| cost(&sample)).collect::<Vec<f64>>()
        };
        let (own, others) = (of(true), of(false));
        let (Some(spread), false) = (spread(&own), others.is_empty()) else { continue };
        let least = own.iter().copied().fold(f64::INFINITY, f64::min);
        let most = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let room = match scenario.objective.minimise {
            // An output has no measurement noise.
            Measure::Output(_) => 0.0,
            _ => {
                let part = (DEVIATIONS * spread.variation.unwrap_or(0.0)).max(TOLERANCE);
                part * spread.median + scenario.objective.grain
            }
        };
        let outside = others.iter().any(|&cost| cost < least - room || cost > most + room);
        known = Some(known.unwrap_or(false) || outside);
    }
    known
}
