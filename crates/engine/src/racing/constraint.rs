//! Bounds on other outputs than the cost.
//!
//! ```text
//! excess    = mean_i c_i - bound   or   max_i c_i - bound          over the pairs where c was measured
//! violation = sum over constraints of max(0, excess) / |bound|     (undivided where the bound is 0)
//! ```
//!
//! A configuration is feasible as far as seen if its violation is 0. It is infeasible beyond doubt if
//! one pair violates a `max`, or if after four pairs the lower 97.5 % bound of a mean,
//! `mean - t * sd / sqrt(n)`, is above the constraint's.

use serde::{Deserialize, Serialize};

use crate::observation::Observation;
use crate::reading::Reading;
use crate::stats::student::quantile;

/// Pairs needed before a mean can be judged.
const LEAST_PAIRS: usize = 4;

/// How the readings of many pairs make one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// Their mean.
    Mean,
    /// The largest.
    Max,
}

/// The output must not be above the bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constraint {
    /// The largest value allowed.
    pub bound: f64,
    /// Over the pairs of a configuration.
    pub over: Over,
}

/// What some trials have shown of the constrained outputs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally(Vec<Seen>);

/// What is known of one output.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Seen {
    count: usize,
    mean: f64,
    /// Sum of squared deviations.
    spread: f64,
    max: f64,
}

impl Seen {
    const NOTHING: Self = Self { count: 0, mean: 0.0, spread: 0.0, max: f64::NEG_INFINITY };

    fn take_in(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (value - self.mean);
        self.max = self.max.max(value);
    }

    /// How far above the bound: infinite if never measured.
    fn excess(&self, constraint: &Constraint) -> f64 {
        if self.count == 0 {
            return f64::INFINITY;
        }
        let value = match constraint.over {
            Over::Mean => self.mean,
            Over::Max => self.max,
        };
        let scale = if constraint.bound == 0.0 { 1.0 } else { constraint.bound.abs() };
        (value - constraint.bound).max(0.0) / scale
    }

    fn is_beyond_doubt(&self, constraint: &Constraint) -> bool {
        match constraint.over {
            Over::Max => self.max > constraint.bound,
            Over::Mean if self.count < LEAST_PAIRS => false,
            Over::Mean => {
                let n = self.count as f64;
                let error = (self.spread / (n - 1.0) / n).sqrt();
                self.mean - quantile(self.count - 1) * error > constraint.bound
            }
        }
    }
}

impl Tally {
    /// Of all these trials.
    pub fn of<'a>(observations: impl Iterator<Item = &'a Observation>) -> Self {
        let mut tally = Self::default();
        observations.for_each(|observation| tally.take_in(observation));
        tally
    }

    /// One trial more; an output that a stopped trial left unmeasured does not count.
    pub fn take_in(&mut self, observation: &Observation) {
        let outputs = observation.constraints();
        if self.0.len() < outputs.len() {
            self.0.resize(outputs.len(), Seen::NOTHING);
        }
        for (seen, output) in self.0.iter_mut().zip(outputs) {
            if let Some(value) = output.map(Reading::lower_bound) {
                seen.take_in(value);
            }
        }
    }

    fn each<'a>(&'a self, constraints: &'a [Constraint]) -> impl Iterator<Item = (&'a Seen, &'a Constraint)> {
        let seen = self.0.iter().chain(std::iter::repeat(&Seen::NOTHING));
        seen.zip(constraints)
    }

    /// How far the trials are from feasible: 0 if they are, infinite if a constraint was never
    /// measured.
    pub fn violation(&self, constraints: &[Constraint]) -> f64 {
        self.each(constraints).map(|(seen, constraint)| seen.excess(constraint)).sum()
    }

    /// Whether the trials prove that their configuration violates a constraint.
    pub fn is_beyond_doubt(&self, constraints: &[Constraint]) -> bool {
        self.each(constraints).any(|(seen, constraint)| seen.is_beyond_doubt(constraint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(values: &[Option<f64>]) -> Tally {
        let one = |value: &Option<f64>| {
            Observation::finished(1.0).with_constraints(vec![value.map(Reading::Exact)])
        };
        let trials: Vec<Observation> = values.iter().map(one).collect();
        Tally::of(trials.iter())
    }

    #[test]
    fn unmeasured_pairs_do_not_count_and_never_measured_is_not_feasible() {
        let mean = [Constraint { bound: 2.0, over: Over::Mean }];
        assert_eq!(tally(&[Some(1.0), None, Some(2.0)]).violation(&mean), 0.0);
        assert_eq!(tally(&[None]).violation(&mean), f64::INFINITY);
        assert_eq!(Tally::default().violation(&mean), f64::INFINITY);
        assert_eq!(tally(&[Some(2.0), Some(4.0)]).violation(&mean), 0.5);
    }

    #[test]
    fn one_pair_proves_a_max_but_not_a_mean() {
        let values = [Some(9.0), Some(1.0), Some(1.0), Some(1.0), Some(1.1)];
        let max = [Constraint { bound: 2.0, over: Over::Max }];
        let mean = [Constraint { bound: 2.0, over: Over::Mean }];
        assert!(tally(&values).is_beyond_doubt(&max));
        assert!(!tally(&values).is_beyond_doubt(&mean));
        let high = [Constraint { bound: 0.5, over: Over::Mean }];
        assert!(!tally(&values[1..4]).is_beyond_doubt(&high), "three pairs are too few");
        assert!(tally(&values[1..]).is_beyond_doubt(&high));
    }

    #[test]
    fn violations_add_up_in_units_of_their_bounds() {
        let both = [Constraint { bound: 2.0, over: Over::Max }, Constraint { bound: 0.0, over: Over::Mean }];
        let trial = Observation::finished(1.0)
            .with_constraints(vec![Some(Reading::Exact(3.0)), Some(Reading::AtLeast(0.25))]);
        assert_eq!(Tally::of([trial].iter()).violation(&both), 0.75);
    }
}
