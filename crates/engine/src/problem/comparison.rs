//! The compared cost: one number for a trial, used wherever configurations are compared.
//!
//! ```text
//! compared = cost              the trial finished
//!            k * cutoff        timeout, crash, memory, wrong answer     (infinite where there is no cutoff)
//!            at least the cap  capped below the cutoff: the race decides whether that is enough
//!            unknown           lost or aborted: it says nothing, and no penalty stands for it
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | k | [`Objective::par`], the penalty factor; 10 gives the mean known as PAR10 |
//!
//! Two configurations are compared by their sums over the same pairs. Where these are equal, timeouts
//! may still differ in how far the target came: then the sums of what breaks ties decide, over the
//! pairs on which both timed out ([`Objective::compare`]).
//!
//! The penalty exists only here: the history keeps what was measured, and no surrogate sees it.

use std::cmp::Ordering;
use std::iter::Sum;

use space::{Configuration, Space};
use surrogate::Reading;

use super::constraint::Constraint;
use crate::observation::{Observation, Status};
use crate::trial::Cap;

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

    /// What a trial counts in a comparison: exact, or a bound if it was capped; `None` if it says nothing. The
    /// only place where a status becomes a number.
    pub fn compared(&self, observation: &Observation) -> Option<Reading> {
        match (observation.status(), observation.cost()) {
            (Status::Finished, Some(cost)) => Some(cost),
            (Status::Capped, Some(cost)) if !self.reaches_cutoff(cost) => {
                Some(Reading::AtLeast(cost.lower_bound()))
            }
            (status, _) if status.says_nothing() => None,
            _ => Some(Reading::Exact(self.penalty())),
        }
    }

    /// What a trial counts, if that is known and not only a bound.
    pub fn known(&self, observation: &Observation) -> Option<f64> {
        self.compared(observation)?.exact()
    }

    /// One configuration against another on pairs that both are known on: by the sums of compared costs
    /// and, if they are equal, by the sums of what breaks ties where both timed out. One that tells
    /// nothing there counts as more than any number.
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

/// A sum of compared costs. Where failures cost infinitely much they are counted, and count first:
/// of two configurations that fail equally often the cheaper one is better.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Total {
    /// How many costs were infinite.
    pub failures: usize,
    /// The sum of the others.
    pub cost: f64,
}

impl Total {
    fn order(self, other: Self) -> Ordering {
        self.failures.cmp(&other.failures).then_with(|| {
            // Equal zeros of either sign are equal.
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
        assert_eq!(objective.compared(&Observation::finished(3.0)), Some(Reading::Exact(3.0)));
        assert_eq!(objective.compared(&Observation::capped(2.0)), Some(Reading::AtLeast(2.0)));
        assert_eq!(
            objective.compared(&Observation::capped(5.0)),
            Some(Reading::Exact(50.0)),
            "no later cap is larger"
        );
        assert_eq!(objective.known(&Observation::timeout(1.0)), Some(50.0));
        assert_eq!(objective.known(&Observation::failed(Status::Crashed, 1.0)), Some(50.0));
        assert_eq!(objective.known(&Observation::failed(Status::Memory, 1.0)), Some(50.0));
        for status in [Status::Lost, Status::Aborted] {
            assert_eq!(objective.compared(&Observation::failed(status, 1.0)), None);
        }
    }

    #[test]
    fn ties_between_timeouts_are_broken_by_what_they_told() {
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
        // Costs go first, and only timeouts of both count.
        assert_eq!(compare(&[&far, &one], &[&near, &two]), Ordering::Less);
        assert_eq!(compare(&[&one, &near], &[&far, &one]), Ordering::Equal);
        let sure = Observation::capped(5.0).with_tie(Some(2.0));
        assert_eq!(compare(&[&sure, &near], &[&near, &far]), Ordering::Less);
        assert_eq!(compare(&[&sure], &[&near]), Ordering::Greater);
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
