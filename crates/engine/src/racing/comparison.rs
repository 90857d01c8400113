//! The compared cost: one number for a trial, used wherever configurations are compared.
//!
//! ```text
//! compared = cost              the trial finished
//!            k * cutoff        timeout, crash, memory      (infinite where there is no cutoff)
//!            at least the cap  capped below the cutoff: the race decides whether that is enough
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | k | [`Objective::par`], the penalty factor; 10 gives the mean known as PAR10 |
//!
//! The penalty exists only here: the history keeps what was measured, and no surrogate sees it.

use std::iter::Sum;

use crate::observation::{Observation, Status};
use crate::reading::Reading;
use crate::space::{Configuration, Space};
use crate::trial::Cap;

use super::constraint::Constraint;

/// What is minimised.
#[derive(Clone, PartialEq, Debug)]
pub struct Objective {
    /// The largest cost any trial may reach; `None` if costs do not grow while a trial runs, so that
    /// nothing is capped.
    pub cutoff: Option<f64>,
    /// The factor on the cutoff that a trial without a cost counts.
    pub par: f64,
    /// The smallest cost the measurement resolves.
    pub grain: f64,
    /// Bounds on other outputs.
    pub constraints: Vec<Constraint>,
}

impl Objective {
    /// A cost that grows while a trial runs and is cut off, without constraints.
    pub fn capped(cutoff: f64) -> Self {
        Self { cutoff: Some(cutoff), par: 10.0, grain: 1e-3, constraints: Vec::new() }
    }

    /// A cost that is known only at the end of a trial.
    pub fn uncapped() -> Self {
        Self { cutoff: None, par: 10.0, grain: 0.0, constraints: Vec::new() }
    }

    /// The cap of a trial that may take as long as any.
    pub fn full_cap(&self) -> Cap {
        self.cutoff.map_or(Cap::NONE, Cap::at)
    }

    /// What a trial without a cost counts.
    pub fn penalty(&self) -> f64 {
        self.cutoff.map_or(f64::INFINITY, |cutoff| self.par * cutoff)
    }

    /// What a trial counts in a comparison: exact, or a bound if it was capped.
    pub fn compared(&self, observation: &Observation) -> Reading {
        match (observation.status(), observation.cost()) {
            (Status::Finished, Some(cost)) => cost,
            (Status::Capped, Some(cost)) if !self.reaches_cutoff(cost) => {
                Reading::AtLeast(cost.lower_bound())
            }
            _ => Reading::Exact(self.penalty()),
        }
    }

    fn reaches_cutoff(&self, cost: Reading) -> bool {
        self.cutoff.is_some_and(|cutoff| cost.lower_bound() >= cutoff)
    }
}

/// A sum of compared costs. Where failures cost infinitely much they are counted, and count first:
/// of two configurations that fail equally often the cheaper one is better.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Total {
    /// How many costs were infinite.
    pub failures: usize,
    /// The sum of the others.
    pub cost: f64,
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

/// The scenario as the engine sees it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The configurations.
    pub space: Space,
    /// The one that the user would run.
    pub default: Configuration,
    /// What is minimised.
    pub objective: Objective,
    /// How many inputs there are; one if the target takes none.
    pub instances: u32,
    /// Key of all random streams.
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_exist_in_the_comparison_only() {
        let objective = Objective::capped(5.0);
        assert_eq!(objective.compared(&Observation::finished(3.0)), Reading::Exact(3.0));
        assert_eq!(objective.compared(&Observation::capped(2.0)), Reading::AtLeast(2.0));
        assert_eq!(
            objective.compared(&Observation::capped(5.0)),
            Reading::Exact(50.0),
            "no later cap is larger"
        );
        assert_eq!(objective.compared(&Observation::timeout(1.0)), Reading::Exact(50.0));
        assert_eq!(objective.compared(&Observation::failed(Status::Crashed, 1.0)), Reading::Exact(50.0));
        assert_eq!(objective.compared(&Observation::failed(Status::Memory, 1.0)), Reading::Exact(50.0));
    }

    #[test]
    fn of_equally_many_failures_the_rest_decides() {
        let total = |costs: &[f64]| -> Total { costs.iter().copied().sum() };
        let failure = Objective::uncapped().penalty();
        assert!(total(&[failure, 1.0]) <= total(&[2.0, failure]));
        assert!(total(&[failure, 3.0]) > total(&[2.0, failure]));
        assert!(total(&[-9.0, failure]) > total(&[100.0, 100.0]));
        assert!(total(&[-3.0, 1.0]) < total(&[]));
    }
}
