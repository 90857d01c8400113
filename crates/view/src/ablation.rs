//! The result of an ablation: which changes from the baseline to the best configuration matter.

use campaign::ablation::{StoredPlan, readings};
use engine::Configuration;
use engine::ablation::{Check, End, Standing, Step};
use serde::Serialize;
use space::Values;

use crate::costs::Costs;
use crate::error::ViewError;
use crate::records::Records;
use crate::values::{Change, changes};

/// An ablation, computed again from its stored trials.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ablation {
    /// Number of the configuration from which the path starts.
    pub from: u32,
    /// Number of the configuration to which the path leads.
    pub to: u32,
    /// Number of values to change from the one to the other. Parameters that become inactive do not count.
    pub changes: usize,
    /// Number of pairs on which the changes race.
    pub pairs: usize,
    /// Number of trials so far.
    pub trials: usize,
    /// The reason why the ablation has ended: `no_gain`, `enough`, `whole`, `baseline_violates` or
    /// `best_violates`; `None` if it has not ended.
    pub end: Option<&'static str>,
    /// Mean compared cost of the baseline; `None` if it is not measured on all pairs yet.
    pub default: Option<f64>,
    /// Mean compared cost of the best configuration; `None` if it is not measured on all pairs yet.
    pub best: Option<f64>,
    /// The decided steps, in order.
    pub steps: Vec<AblationStep>,
    /// Parameters that no step has changed yet.
    pub rest: Vec<Change>,
    /// The comparisons of the steps so far with the best configuration on fresh pairs.
    pub checks: Vec<Checked>,
    /// The configuration with only the changes that matter; `None` before the end, or without a gain.
    pub minimal: Option<Minimal>,
}

/// One step of the path.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AblationStep {
    /// The values that change; `default` is the value before the step.
    pub changes: Vec<Change>,
    /// Mean compared cost after the step.
    pub cost: f64,
    /// Share of the whole gain that this step has; negative if the cost rises.
    pub share: Option<f64>,
    /// Number of candidates that raced for the step.
    pub raced: usize,
}

/// A comparison with the best configuration on fresh pairs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Checked {
    /// Number of steps that were checked.
    pub steps: usize,
    /// Number of fresh pairs.
    pub pairs: usize,
    /// Mean compared cost after these steps.
    pub cost: f64,
    /// Mean compared cost of the best configuration.
    pub best: f64,
    /// Whether the remaining changes are negligible on these pairs too.
    pub holds: bool,
}

/// The configuration with only the changes that matter.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Minimal {
    /// Its values.
    pub values: Values,
    /// The same values as a configuration.
    #[serde(skip)]
    pub configuration: Configuration,
    /// Number of values to change from the baseline. Parameters that become inactive do not count.
    pub changes: usize,
    /// Share of the best configuration's gain that it has, on the pairs of the ablation.
    pub share: Option<f64>,
}

impl Ablation {
    /// Returns the ablation of the best configuration, or `None` if none was begun.
    pub fn of(records: &Records<'_>) -> Result<Option<Self>, ViewError> {
        let (settings, history) = (records.kept.settings()?, records.history());
        let costs = Costs::of(records.kept.scenario()?);
        let reader = records.kept.reader();
        let Some(stored) = StoredPlan::of_events(&reader.events()?, records.best()) else { return Ok(None) };
        let names = records.training_names();
        let plan = stored.plan(&settings, history, names);
        let known = readings(reader.ablations()?, history, names, &settings.validation, None);
        let standing = plan.decide(&known);
        let gain = standing.baseline.zip(standing.best).map(|(baseline, best)| baseline - best);
        let share = |saved: f64| gain.filter(|gain| gain.is_finite() && *gain > 0.0).map(|gain| saved / gain);
        let mut before = (plan.baseline.clone(), standing.baseline.unwrap_or(f64::NAN));
        let mut steps = Vec::new();
        for Step { configuration, cost, raced, .. } in &standing.steps {
            steps.push(AblationStep {
                changes: changes(&before.0, configuration),
                cost: costs.number(*cost),
                share: share(before.1 - cost).filter(|share| share.is_finite()),
                raced: *raced,
            });
            before = (configuration.clone(), *cost);
        }
        let fresh = plan.fresh.len();
        let checked = |&Check { steps, cost, best, holds }: &Check| Checked {
            steps,
            pairs: fresh,
            cost: costs.number(cost),
            best: costs.number(best),
            holds,
        };
        let has_minimal = matches!(standing.end, Some(End::Enough | End::Whole));
        let minimal = has_minimal.then(|| Minimal {
            values: Values::from(&before.0),
            changes: count(&plan.baseline, &before.0),
            share: standing.baseline.and_then(|baseline| share(baseline - before.1)),
            configuration: before.0.clone(),
        });
        Ok(Some(Self {
            from: stored.from,
            to: stored.to,
            changes: count(&plan.baseline, &plan.best),
            pairs: plan.pairs.len(),
            trials: known.len(),
            end: word(&standing),
            default: standing.baseline.map(|cost| costs.number(cost)),
            best: standing.best.map(|cost| costs.number(cost)),
            steps,
            rest: changes(&before.0, &plan.best),
            checks: standing.checks.iter().map(checked).collect(),
            minimal,
        }))
    }

    /// Returns whether the ablation has ended.
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }
}

/// Returns the number of values that a user has to change.
fn count(one: &Configuration, other: &Configuration) -> usize {
    changes(one, other).iter().filter(|change| change.value.is_some()).count()
}

fn word(standing: &Standing) -> Option<&'static str> {
    standing.end.map(|end| match end {
        End::NoGain => "no_gain",
        End::Enough => "enough",
        End::Whole => "whole",
        End::BaselineViolates => "baseline_violates",
        End::BestViolates => "best_violates",
    })
}
