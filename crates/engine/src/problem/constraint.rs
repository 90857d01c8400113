//! Bounds on other outputs than the cost.
//!
//! ```text
//! excess    = mean_i c_i - bound   or   max_i c_i - bound          over the pairs where c counts
//! violation = sum over constraints of max(0, excess) / |bound|     (undivided where the bound is 0)
//! ```
//!
//! | reading of c on a pair | counts as |
//! |---|---|
//! | exact | its value |
//! | at least v, and v is above the bound | v: the least that it can be |
//! | at least v, and v is not above the bound | nothing, as if it had not been measured |
//!
//! A configuration is feasible as far as seen if its violation is 0. It is infeasible beyond doubt if
//! one pair violates a `max`, or if after four pairs the lower bound of a mean, `mean - t * sd / sqrt(n)`
//! with t the quantile of Student's t at the constraint's confidence, is above the constraint's. Where
//! readings are bounds this judges smaller numbers than the true ones: what it finds too large is.

use math::student::quantile_of;
use serde::{Deserialize, Serialize};
use surrogate::Reading;

use crate::observation::Observation;

/// Pairs needed before a mean can be judged.
const LEAST_PAIRS: usize = 4;

/// How sure a race is that a mean is beyond its bound before it drops a challenger, unless told otherwise.
pub const CONFIDENCE: f64 = 0.975;

/// How the readings of many pairs make one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
    /// How sure a race must be that a mean is above the bound before it drops a challenger for that:
    /// above 0.5 and below 1.
    pub confidence: f64,
}

impl Constraint {
    /// A bound with the usual confidence.
    pub const fn new(bound: f64, over: Over) -> Self {
        Self { bound, over, confidence: CONFIDENCE }
    }
}

/// What some trials have shown of one constraint.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Holding {
    /// The mean or the largest, at least that where some readings are bounds; `None` if no pair counts.
    pub value: Option<Reading>,
    /// How many pairs count.
    pub pairs: usize,
    /// How far the value is above the bound, in units of the bound: 0 if it is not, infinite if no pair
    /// counts.
    #[serde(with = "math::json_number")]
    pub violation: f64,
}

impl Holding {
    /// Whether the constraint is kept, as far as seen.
    pub fn is_kept(&self) -> bool {
        self.violation == 0.0
    }
}

/// What some trials have shown of the constrained outputs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally(Vec<Seen>);

/// What is known of one output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Seen {
    /// Of the exact readings.
    exact: Moments,
    /// The readings that are bounds: whether they count depends on the constraint.
    at_least: Vec<f64>,
}

/// Count, mean and spread of numbers that come one by one (Welford, 1962).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Moments {
    count: usize,
    mean: f64,
    /// Sum of squared deviations.
    spread: f64,
    max: f64,
}

impl Moments {
    const NONE: Self = Self { count: 0, mean: 0.0, spread: 0.0, max: f64::NEG_INFINITY };

    fn take_in(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (value - self.mean);
        self.max = self.max.max(value);
    }
}

static NOTHING: Seen = Seen { exact: Moments::NONE, at_least: Vec::new() };

impl Seen {
    fn take_in(&mut self, reading: Reading) {
        match reading {
            Reading::Exact(value) => self.exact.take_in(value),
            Reading::AtLeast(value) => self.at_least.push(value),
        }
    }

    /// All readings that count, and whether some of them are bounds.
    fn counted(&self, constraint: &Constraint) -> (Moments, bool) {
        let mut all = self.exact;
        let proofs = self.at_least.iter().filter(|&&value| value > constraint.bound);
        proofs.for_each(|&value| all.take_in(value));
        (all, all.count > self.exact.count)
    }

    fn holding(&self, constraint: &Constraint) -> Holding {
        let (all, is_bound) = self.counted(constraint);
        let value = match constraint.over {
            _ if all.count == 0 => return Holding { value: None, pairs: 0, violation: f64::INFINITY },
            Over::Mean => all.mean,
            Over::Max => all.max,
        };
        let scale = if constraint.bound == 0.0 { 1.0 } else { constraint.bound.abs() };
        Holding {
            value: Some(if is_bound { Reading::AtLeast(value) } else { Reading::Exact(value) }),
            pairs: all.count,
            violation: (value - constraint.bound).max(0.0) / scale,
        }
    }

    fn is_beyond_doubt(&self, constraint: &Constraint) -> bool {
        let (all, _) = self.counted(constraint);
        match constraint.over {
            Over::Max => all.max > constraint.bound,
            Over::Mean if all.count < LEAST_PAIRS => false,
            Over::Mean => {
                let n = all.count as f64;
                let error = (all.spread / (n - 1.0) / n).sqrt();
                all.mean - quantile_of(all.count - 1, constraint.confidence) * error > constraint.bound
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
        self.take_in_readings(observation.constraints());
    }

    /// What one trial more has told of the outputs.
    pub fn take_in_readings(&mut self, outputs: &[Option<Reading>]) {
        if self.0.len() < outputs.len() {
            self.0.resize(outputs.len(), NOTHING.clone());
        }
        for (seen, output) in self.0.iter_mut().zip(outputs) {
            if let Some(reading) = output {
                seen.take_in(*reading);
            }
        }
    }

    fn each<'a>(&'a self, constraints: &'a [Constraint]) -> impl Iterator<Item = (&'a Seen, &'a Constraint)> {
        let seen = self.0.iter().chain(std::iter::repeat(&NOTHING));
        seen.zip(constraints)
    }

    /// What the trials have shown of each constraint.
    pub fn holdings(&self, constraints: &[Constraint]) -> Vec<Holding> {
        self.each(constraints).map(|(seen, constraint)| seen.holding(constraint)).collect()
    }

    /// How far the trials are from feasible: 0 if they are, infinite if a constraint was never
    /// measured.
    pub fn violation(&self, constraints: &[Constraint]) -> f64 {
        self.each(constraints).map(|(seen, constraint)| seen.holding(constraint).violation).sum()
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
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert_eq!(tally(&[Some(1.0), None, Some(2.0)]).violation(&mean), 0.0);
        assert_eq!(tally(&[None]).violation(&mean), f64::INFINITY);
        assert_eq!(Tally::default().violation(&mean), f64::INFINITY);
        assert_eq!(tally(&[Some(2.0), Some(4.0)]).violation(&mean), 0.5);
    }

    #[test]
    fn one_pair_proves_a_max_but_not_a_mean() {
        let values = [Some(9.0), Some(1.0), Some(1.0), Some(1.0), Some(1.1)];
        let max = [Constraint::new(2.0, Over::Max)];
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert!(tally(&values).is_beyond_doubt(&max));
        assert!(!tally(&values).is_beyond_doubt(&mean));
        let high = [Constraint::new(0.5, Over::Mean)];
        assert!(!tally(&values[1..4]).is_beyond_doubt(&high), "three pairs are too few");
        assert!(tally(&values[1..]).is_beyond_doubt(&high));
    }

    #[test]
    fn violations_add_up_in_units_of_their_bounds() {
        let both = [Constraint::new(2.0, Over::Max), Constraint::new(0.0, Over::Mean)];
        let trial = Observation::finished(1.0)
            .with_constraints(vec![Some(Reading::Exact(3.0)), Some(Reading::AtLeast(0.25))]);
        assert_eq!(Tally::of([trial].iter()).violation(&both), 0.75);
    }

    fn stopped(values: &[Reading]) -> Tally {
        let mut tally = Tally::default();
        values.iter().for_each(|&value| tally.take_in_readings(&[Some(value)]));
        tally
    }

    #[test]
    fn a_stopped_trial_proves_a_violation_or_nothing() {
        use Reading::{AtLeast, Exact};
        for over in [Over::Mean, Over::Max] {
            let constraint = [Constraint::new(2.0, over)];
            let short = stopped(&[AtLeast(0.5), AtLeast(2.0)]);
            assert_eq!(short.violation(&constraint), f64::INFINITY, "it might have gone on to any value");
            assert_eq!(short.holdings(&constraint)[0].value, None);
            let held = stopped(&[AtLeast(0.0), Exact(2.0)]);
            assert_eq!(held.holdings(&constraint)[0].value, Some(Exact(2.0)), "no zero lowers the mean");
            assert_eq!(held.violation(&constraint), 0.0);
            let long = stopped(&[AtLeast(1.0), AtLeast(3.0)]);
            assert_eq!(long.violation(&constraint), 0.5);
            let shown = long.holdings(&constraint)[0];
            assert_eq!((shown.value, shown.pairs, shown.is_kept()), (Some(AtLeast(3.0)), 1, false));
        }
        let max = [Constraint::new(2.0, Over::Max)];
        assert!(stopped(&[Exact(1.0), AtLeast(2.1)]).is_beyond_doubt(&max));
        assert!(!stopped(&[Exact(1.0), AtLeast(2.0)]).is_beyond_doubt(&max));
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert_eq!(stopped(&[Exact(0.0), AtLeast(3.0)]).violation(&mean), 0.0, "one pair is not the mean");
        assert!(stopped(&[AtLeast(3.0); 4]).is_beyond_doubt(&mean));
        assert!(!stopped(&[AtLeast(1.0); 40]).is_beyond_doubt(&mean));
    }

    #[test]
    fn less_confidence_is_sooner_beyond_doubt() {
        let values = [Some(1.0), Some(1.4), Some(0.8), Some(1.6)];
        let with = |confidence| [Constraint { confidence, ..Constraint::new(1.0, Over::Mean) }];
        // The mean is 1.2, its error 0.183: t = 1.095 with three degrees of freedom, 82 %.
        assert!(tally(&values).is_beyond_doubt(&with(0.8)));
        assert!(!tally(&values).is_beyond_doubt(&with(0.85)));
        assert!(!tally(&values).is_beyond_doubt(&with(CONFIDENCE)));
    }
}
