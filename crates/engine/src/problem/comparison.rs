//! The compared cost: one number for a trial, used wherever configurations are compared.
//!
//! ```text
//! compared = cost              the trial finished
//!            k * cutoff        timeout, crash, memory, wrong answer     (infinite if there is no cutoff)
//!            at least the cap  capped below the cutoff: the race decides whether that is enough
//!            unknown           lost or aborted: no evidence, and no penalty either
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | k | [`Objective::par`], the penalty factor; 10 gives the mean known as PAR10 |
//!
//! Two configurations are compared by their sums over the same pairs. If the sums are equal, the tie-breakers
//! decide: how far the target got in trials that timed out. Tie-breakers are summed over the pairs on which
//! both configurations timed out ([`Objective::compare`]).
//!
//! The penalty is used only here: the history stores what was measured, and surrogates never see a
//! penalty.

use std::cmp::Ordering;
use std::iter::Sum;

use space::{Configuration, Space};
use surrogate::Reading;

use super::constraint::Constraint;
use crate::observation::{Observation, Status};
use crate::trial::Cap;

/// The objective: how costs are limited, penalised and constrained.
#[derive(Clone, PartialEq, Debug)]
pub struct Objective {
    /// The largest cost that any trial may reach; `None` if costs do not grow while a trial runs, in which
    /// case no trial is capped.
    pub cutoff: Option<f64>,
    /// Penalty factor: a trial without a cost counts as this factor times the cutoff.
    pub par: f64,
    /// The smallest cost that the measurement resolves.
    pub grain: f64,
    /// Bounds on other outputs.
    pub constraints: Vec<Constraint>,
}

impl Objective {
    /// Returns an objective without constraints, whose cost grows while a trial runs and is limited
    /// by a cutoff.
    pub fn capped(cutoff: f64) -> Self {
        Self { cutoff: Some(cutoff), par: 10.0, grain: 1e-3, constraints: Vec::new() }
    }

    /// Returns an objective whose cost is known only at the end of a trial.
    pub fn uncapped() -> Self {
        Self { cutoff: None, par: 10.0, grain: 0.0, constraints: Vec::new() }
    }

    /// Returns whether the baseline must be measured on every pair, because a constraint refers to it.
    pub fn needs_baseline(&self) -> bool {
        self.constraints.iter().any(|one| one.relative)
    }

    /// Returns a cap at the cutoff, or no cap if there is no cutoff.
    pub fn full_cap(&self) -> Cap {
        self.cutoff.map_or(Cap::NONE, Cap::at)
    }

    /// Returns the compared cost of a trial without a cost.
    pub fn penalty(&self) -> f64 {
        self.cutoff.map_or(f64::INFINITY, |cutoff| self.par * cutoff)
    }

    /// Returns the compared cost of a trial: exact, or a lower bound if the trial was capped. Returns `None`
    /// if the trial provides no evidence. This function is the only place where a status is turned into a
    /// number.
    pub fn compared(&self, observation: &Observation) -> Option<Reading> {
        match (observation.status(), observation.cost()) {
            (Status::Finished, Some(cost)) => Some(cost),
            (Status::Capped, Some(cost)) if !self.reaches_cutoff(cost) => {
                Some(Reading::AtLeast(cost.lower_bound()))
            }
            (status, _) if status.is_uninformative() => None,
            _ => Some(Reading::Exact(self.penalty())),
        }
    }

    /// Returns the compared cost of a trial, if it is known exactly.
    pub fn known(&self, observation: &Observation) -> Option<f64> {
        self.compared(observation)?.exact()
    }

    /// Compares two configurations on pairs where the costs of both are known. The sums of compared
    /// costs decide. If these are equal, the sums of the tie-breakers decide, over the pairs on
    /// which both timed out. A missing tie-breaker counts as infinite.
    pub fn compare(&self, both: &[(&Observation, &Observation)]) -> Ordering {
        let cost = |observation: &Observation| {
            self.compared(observation).map_or(f64::INFINITY, Reading::lower_bound)
        };
        let own: Total = both.iter().map(|(own, _)| cost(own)).sum();
        let other: Total = both.iter().map(|(_, other)| cost(other)).sum();
        let ties = || {
            let timed_out = both.iter().filter(|(own, other)| self.timed_out(own) && self.timed_out(other));
            let tie = |observation: &Observation| observation.tie().unwrap_or(f64::INFINITY);
            let own: Total = timed_out.clone().map(|(own, _)| tie(own)).sum();
            let other: Total = timed_out.map(|(_, other)| tie(other)).sum();
            own.order(other)
        };
        own.order(other).then_with(ties)
    }

    fn timed_out(&self, observation: &Observation) -> bool {
        match observation.status() {
            Status::Timeout => true,
            Status::Capped => observation.cost().is_some_and(|cost| self.reaches_cutoff(cost)),
            _ => false,
        }
    }

    fn reaches_cutoff(&self, cost: Reading) -> bool {
        self.cutoff.is_some_and(|cutoff| cost.lower_bound() >= cutoff)
    }
}

/// A sum of compared costs. Infinite costs are counted separately, and their number is compared
/// first. So if two configurations fail equally often, the cheaper one is better.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Total {
    /// Number of infinite costs.
    pub failures: usize,
    /// The sum of the finite costs.
    pub cost: f64,
}

impl Total {
    fn order(self, other: Self) -> Ordering {
        self.failures.cmp(&other.failures).then_with(|| {
            // `partial_cmp` treats zeros of different signs as equal, unlike `total_cmp`.
            self.cost.partial_cmp(&other.cost).unwrap_or(Ordering::Equal)
        })
    }
}

impl Sum<f64> for Total {
    fn sum<I: Iterator<Item = f64>>(costs: I) -> Self {
        costs.fold(Self::default(), |Self { failures, cost: sum }, cost| {
            if cost.is_finite() {
                Self { failures, cost: sum + cost }
            } else {
                Self { failures: failures + 1, cost: sum }
            }
        })
    }
}

/// The part of a scenario that the engine needs.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The space of configurations.
    pub space: Space,
    /// The baseline: the configuration that the user would run without tuning.
    pub default: Configuration,
    /// The objective to minimise.
    pub objective: Objective,
    /// Number of instances; one if the target takes no input.
    pub instances: u32,
    /// Seed for all random streams.
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_apply_only_in_comparisons() {
        let objective = Objective::capped(5.0);
        assert_eq!(objective.compared(&Observation::finished(3.0)), Some(Reading::Exact(3.0)));
        assert_eq!(objective.compared(&Observation::capped(2.0)), Some(Reading::AtLeast(2.0)));
        assert_eq!(
            objective.compared(&Observation::capped(5.0)),
            Some(Reading::Exact(50.0)),
            "no later cap can be larger"
        );
        assert_eq!(objective.known(&Observation::timeout(1.0)), Some(50.0));
        assert_eq!(objective.known(&Observation::failed(Status::Crashed, 1.0)), Some(50.0));
        assert_eq!(objective.known(&Observation::failed(Status::Memory, 1.0)), Some(50.0));
        for status in [Status::Lost, Status::Aborted] {
            assert_eq!(objective.compared(&Observation::failed(status, 1.0)), None);
        }
    }

    #[test]
    fn tie_breakers_decide_between_timeouts() {
        let objective = Objective::capped(5.0);
        let timeout = |tie: Option<f64>| Observation::timeout(5.0).with_tie(tie);
        let compare = |own: &[&Observation], other: &[&Observation]| {
            objective.compare(&own.iter().copied().zip(other.iter().copied()).collect::<Vec<_>>())
        };
        let (near, far, silent) = (timeout(Some(1.0)), timeout(Some(9.0)), timeout(None));
        let solved = |cost| Observation::finished(cost).with_tie(Some(100.0));
        let (one, two) = (solved(1.0), solved(2.0));
        assert_eq!(compare(&[&near], &[&far]), Ordering::Less);
        assert_eq!(compare(&[&far], &[&silent]), Ordering::Less);
        assert_eq!(compare(&[&silent], &[&silent]), Ordering::Equal);
        // Costs come first, and tie-breakers count only where both timed out.
        assert_eq!(compare(&[&far, &one], &[&near, &two]), Ordering::Less);
        assert_eq!(compare(&[&one, &near], &[&far, &one]), Ordering::Equal);
        let sure = Observation::capped(5.0).with_tie(Some(2.0));
        assert_eq!(compare(&[&sure, &near], &[&near, &far]), Ordering::Less);
        assert_eq!(compare(&[&sure], &[&near]), Ordering::Greater);
    }

    #[test]
    fn with_equally_many_failures_the_other_costs_decide() {
        let total = |costs: &[f64]| -> Total { costs.iter().copied().sum() };
        let failure = Objective::uncapped().penalty();
        assert!(total(&[failure, 1.0]) <= total(&[2.0, failure]));
        assert!(total(&[failure, 3.0]) > total(&[2.0, failure]));
        assert!(total(&[-9.0, failure]) > total(&[100.0, 100.0]));
        assert!(total(&[-3.0, 1.0]) < total(&[]));
    }
}
