//! The path from the baseline to the best configuration.
//!
//! ```text
//! left(θ)  = mean(c(θ) - c(best)) / mean(c(baseline) - c(best))
//! the rest is negligible if left(θ) ≤ 5 %, or left(θ) ≤ 25 % and within its standard error
//! ```

use space::{Configuration, ParameterId};

use super::race::{Race, difference};
use super::{Plan, Readings, Wanted, changed};
use crate::problem::Total;
use crate::trial::Pair;

/// Largest share of the gain that the remaining changes may have to be negligible.
const NEGLIGIBLE: f64 = 0.05;
/// The same if the share is within its standard error.
const NEGLIGIBLE_WITHIN_ERROR: f64 = 0.25;

/// One step of the path.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The parameters that change in this step.
    pub changed: Vec<ParameterId>,
    /// The configuration after the step.
    pub configuration: Configuration,
    /// Its mean compared cost.
    pub cost: f64,
    /// Number of candidates that raced for this step.
    pub raced: usize,
}

/// A comparison of the changes that matter with the best configuration, on fresh pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// Number of steps that were checked.
    pub steps: usize,
    /// Mean compared cost after these steps.
    pub cost: f64,
    /// Mean compared cost of the best configuration.
    pub best: f64,
    /// Whether the remaining changes are negligible on these pairs too.
    pub holds: bool,
}

/// The reason why an ablation has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The best configuration is not better than the baseline on these pairs.
    NoGain,
    /// The steps have nearly the whole gain; the remaining changes are negligible.
    Enough,
    /// The path has reached the best configuration: every change is needed.
    Whole,
    /// The baseline violates a bound on these pairs, so no path of valid steps starts there.
    BaselineViolates,
    /// The best configuration violates a bound on these pairs.
    BestViolates,
}

/// The state of an ablation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Standing {
    /// Mean compared cost of the baseline, once it is measured on all pairs.
    pub baseline: Option<f64>,
    /// Mean compared cost of the best configuration, once it is measured on all pairs.
    pub best: Option<f64>,
    /// The steps that are decided.
    pub steps: Vec<Step>,
    /// The checks so far; only the last one can hold.
    pub checks: Vec<Check>,
    /// The reason why the ablation has ended; `None` if it has not.
    pub end: Option<End>,
    /// The trials that are wanted next, the most urgent first.
    pub wanted: Vec<Wanted>,
}

impl Plan {
    /// Returns the state of the ablation after these readings.
    pub fn decide(&self, readings: &Readings) -> Standing {
        let mut standing = Standing::default();
        let costs = |configuration: &Configuration| readings.costs(self, configuration, &self.pairs);
        let (of_baseline, of_best) = (costs(&self.baseline), costs(&self.best));
        standing.baseline = of_baseline.as_deref().map(mean);
        standing.best = of_best.as_deref().map(mean);
        let (Some(of_baseline), Some(of_best)) = (of_baseline, of_best) else {
            standing.wanted = self.missing(readings, &[&self.best, &self.baseline], &self.pairs);
            return standing;
        };
        let violates = |one: &Configuration| self.violation(readings, one, &self.pairs) > 0.0;
        if violates(&self.best) {
            standing.end = Some(End::BestViolates);
            return standing;
        }
        if violates(&self.baseline) {
            standing.end = Some(End::BaselineViolates);
            return standing;
        }
        let total = |costs: &[f64]| costs.iter().copied().sum::<Total>();
        if total(&of_best).partial_cmp(&total(&of_baseline)) != Some(std::cmp::Ordering::Less) {
            standing.end = Some(End::NoGain);
            return standing;
        }
        let gain = mean(&of_baseline) - mean(&of_best);
        let mut current = self.baseline.clone();
        let mut of_current = of_baseline;
        loop {
            if current == self.best {
                standing.end = Some(End::Whole);
                return standing;
            }
            if !standing.steps.is_empty() && is_negligible(&of_current, &of_best, gain) {
                match self.check(readings, &current, gain, standing.steps.len()) {
                    Ok(None) => {
                        standing.end = Some(End::Enough);
                        return standing;
                    }
                    Ok(Some(check)) => {
                        let holds = check.holds;
                        standing.checks.push(check);
                        if holds {
                            standing.end = Some(End::Enough);
                            return standing;
                        }
                    }
                    Err(wanted) => {
                        standing.wanted = wanted;
                        return standing;
                    }
                }
            }
            let candidates = self.candidates(&current);
            let next = match self.race(readings, &current, &candidates) {
                Race::Won(next) => next,
                // No single change is worth making alone, so all of the rest is one step.
                Race::NoneLeft => self.best.clone(),
                Race::Open(wanted) => {
                    standing.wanted = wanted;
                    return standing;
                }
            };
            let Some(of_next) = costs(&next) else { return standing };
            standing.steps.push(Step {
                changed: changed(&self.space, &current, &next),
                configuration: next.clone(),
                cost: mean(&of_next),
                raced: candidates.len(),
            });
            (current, of_current) = (next, of_next);
        }
    }

    /// Compares a configuration with the best one on the fresh pairs, if there are any. Returns the trials
    /// that are missing for it.
    fn check(
        &self,
        readings: &Readings,
        current: &Configuration,
        gain: f64,
        steps: usize,
    ) -> Result<Option<Check>, Vec<Wanted>> {
        if self.fresh.is_empty() {
            return Ok(None);
        }
        let costs = |configuration: &Configuration| readings.costs(self, configuration, &self.fresh);
        // Bounds that are relative to the baseline need its outputs, too.
        let mut all = vec![current, &self.best];
        all.extend(self.objective.needs_baseline().then_some(&self.baseline));
        let missing = self.missing(readings, &all, &self.fresh);
        if !missing.is_empty() {
            return Err(missing);
        }
        let (Some(own), Some(of_best)) = (costs(current), costs(&self.best)) else { return Err(missing) };
        let holds = is_negligible(&own, &of_best, gain) && self.keeps_bounds(readings, current, &self.fresh);
        Ok(Some(Check { steps, cost: mean(&own), best: mean(&of_best), holds }))
    }

    /// Returns the trials that some configurations lack, interleaved pair by pair.
    fn missing(&self, readings: &Readings, all: &[&Configuration], pairs: &[Pair]) -> Vec<Wanted> {
        let each = pairs.iter().flat_map(|&pair| all.iter().map(move |&configuration| (configuration, pair)));
        each.filter(|&(configuration, pair)| {
            readings.compared(self, configuration, pair).is_none_or(|one| one.is_censored())
        })
        .map(|(configuration, pair)| Wanted {
            configuration: configuration.clone(),
            pair,
            cap: self.objective.full_cap(),
        })
        .collect()
    }
}

fn mean(costs: &[f64]) -> f64 {
    costs.iter().sum::<f64>() / costs.len().max(1) as f64
}

/// Returns whether the changes that separate two configurations have a negligible share of the gain.
fn is_negligible(costs: &[f64], of_best: &[f64], gain: f64) -> bool {
    let failures = |costs: &[f64]| costs.iter().filter(|cost| cost.is_infinite()).count();
    if failures(costs) > failures(of_best) {
        return false;
    }
    let left = mean(costs) - mean(of_best);
    // An infinite gain means that the baseline failed and the best configuration did not.
    if !gain.is_finite() || !left.is_finite() {
        return failures(costs) == failures(of_best)
            && difference(costs, of_best).is_none_or(|(left, error)| left <= error);
    }
    let within_error = || difference(costs, of_best).is_some_and(|(left, error)| left <= error);
    left <= NEGLIGIBLE * gain || (left <= NEGLIGIBLE_WITHIN_ERROR * gain && within_error())
}
