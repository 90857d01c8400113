//! Constraints: bounds on outputs other than the cost.
//!
//! ```text
//! excess    = mean_i c_i - bound   or   max_i c_i - bound          over the pairs where c counts
//! violation = sum over constraints of max(0, excess) / |bound|     (undivided where the bound is 0)
//! ```
//!
//! | reading of c on a pair | counts as |
//! |---|---|
//! | exact | its value |
//! | at least v, and v is above the bound | v, the smallest value it can have |
//! | at least v, and v is not above the bound | nothing, as if it had not been measured |
//!
//! A configuration is feasible, as far as measured, if its violation is 0. It is proven infeasible if one
//! pair violates a `max`. For a mean, at least four pairs are needed: the configuration is proven infeasible
//! if the lower confidence bound `mean - t * sd / sqrt(n)` is above the constraint's bound, with t the
//! quantile of Student's t at the constraint's confidence. With fewer pairs, the incumbent's standard deviation
//! stands in for the configuration's own, at the confidence [`FEW_PAIRS_CONFIDENCE`]: a hopeless configuration is
//! recognised by its first pair. Its mean must also be above all readings of the incumbent, and these must differ:
//! outputs such as 0 or 1 for a failed or finished trial are not normally distributed. A censored reading counts as less than its true
//! value, so a value found too large is too large.

use math::student::quantile_of;
use serde::{Deserialize, Serialize};
use surrogate::Reading;

use crate::observation::Observation;

/// Number of pairs needed to judge a mean.
const LEAST_PAIRS: usize = 4;

/// Confidence that a mean of fewer pairs is above its bound: high, because the spread is another configuration's.
const FEW_PAIRS_CONFIDENCE: f64 = 0.999;

/// Default confidence that a mean is above its bound at which a race drops a challenger.
pub const CONFIDENCE: f64 = 0.975;

/// How the readings of many pairs are combined into one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Over {
    /// Their mean.
    Mean,
    /// Their maximum.
    Max,
}

/// An upper bound on an output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constraint {
    /// The largest value allowed.
    pub bound: f64,
    /// How the readings of a configuration's pairs are combined.
    pub over: Over,
    /// Confidence that a mean is above the bound at which a race drops a challenger: above 0.5 and below 1.
    pub confidence: f64,
}

impl Constraint {
    /// A bound with the default confidence.
    pub const fn new(bound: f64, over: Over) -> Self {
        Self { bound, over, confidence: CONFIDENCE }
    }
}

/// The value of one constrained output according to some trials, and whether it satisfies the constraint.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Holding {
    /// The mean or maximum, as a lower bound if some readings are lower bounds; `None` if no pair counts.
    pub value: Option<Reading>,
    /// Number of pairs that count.
    pub pairs: usize,
    /// Distance of the value above the bound, relative to the bound: 0 if it is not above, infinite if no
    /// pair counts.
    #[serde(with = "math::json_number")]
    pub violation: f64,
}

impl Holding {
    /// Whether the constraint is satisfied, as far as measured.
    pub fn is_kept(&self) -> bool {
        self.violation == 0.0
    }
}

/// Summary of the constrained outputs of some trials.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally(Vec<Seen>);

/// Summary of one output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Seen {
    /// Moments of the exact readings.
    exact: Moments,
    /// Readings that are lower bounds; whether they count depends on the constraint.
    at_least: Vec<f64>,
}

/// Running count, mean and spread (Welford, 1962).
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

    fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.spread += off * (value - self.mean);
        self.max = self.max.max(value);
    }
}

static NOTHING: Seen = Seen { exact: Moments::NONE, at_least: Vec::new() };

impl Seen {
    fn add(&mut self, reading: Reading) {
        match reading {
            Reading::Exact(value) => self.exact.add(value),
            Reading::AtLeast(value) => self.at_least.push(value),
        }
    }

    /// The moments of all readings that count, and whether some of these are lower bounds.
    fn counted(&self, constraint: &Constraint) -> (Moments, bool) {
        let mut all = self.exact;
        let proofs = self.at_least.iter().filter(|&&value| value > constraint.bound);
        proofs.for_each(|&value| all.add(value));
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

    fn proves_violation(&self, constraint: &Constraint, incumbent: &Self) -> bool {
        let (all, _) = self.counted(constraint);
        let n = all.count as f64;
        let (spread, confidence) = match constraint.over {
            Over::Max => return all.max > constraint.bound,
            Over::Mean if all.count == 0 => return false,
            Over::Mean if all.count < LEAST_PAIRS => {
                let shows_spread = incumbent.exact.count >= LEAST_PAIRS && incumbent.exact.spread > 0.0;
                if !shows_spread || all.mean <= incumbent.exact.max {
                    return false;
                }
                (incumbent.exact, FEW_PAIRS_CONFIDENCE)
            }
            Over::Mean => (all, constraint.confidence),
        };
        let error = (spread.spread / (spread.count as f64 - 1.0) / n).sqrt();
        all.mean - quantile_of(spread.count - 1, confidence) * error > constraint.bound
    }
}

impl Tally {
    /// Summarises these trials.
    pub fn of<'a>(observations: impl Iterator<Item = &'a Observation>) -> Self {
        let mut tally = Self::default();
        observations.for_each(|observation| tally.add(observation));
        tally
    }

    /// Adds a trial; an output that a stopped trial left unmeasured does not count.
    pub fn add(&mut self, observation: &Observation) {
        self.add_readings(observation.constraints());
    }

    /// Adds the outputs of a trial.
    pub fn add_readings(&mut self, outputs: &[Option<Reading>]) {
        if self.0.len() < outputs.len() {
            self.0.resize(outputs.len(), NOTHING.clone());
        }
        for (seen, output) in self.0.iter_mut().zip(outputs) {
            if let Some(reading) = output {
                seen.add(*reading);
            }
        }
    }

    fn each<'a>(&'a self, constraints: &'a [Constraint]) -> impl Iterator<Item = (&'a Seen, &'a Constraint)> {
        let seen = self.0.iter().chain(std::iter::repeat(&NOTHING));
        seen.zip(constraints)
    }

    /// Returns the value of each constrained output, and whether it satisfies its constraint.
    pub fn holdings(&self, constraints: &[Constraint]) -> Vec<Holding> {
        self.each(constraints).map(|(seen, constraint)| seen.holding(constraint)).collect()
    }

    /// The total violation: 0 if the trials are feasible, infinite if a constraint was never measured.
    pub fn violation(&self, constraints: &[Constraint]) -> f64 {
        self.each(constraints).map(|(seen, constraint)| seen.holding(constraint).violation).sum()
    }

    /// Whether the trials prove that their configuration violates a constraint. The incumbent's trials show how much
    /// the outputs vary.
    pub fn proves_violation(&self, constraints: &[Constraint], incumbent: &Self) -> bool {
        let others = incumbent.0.iter().chain(std::iter::repeat(&NOTHING));
        self.each(constraints)
            .zip(others)
            .any(|((seen, constraint), incumbent)| seen.proves_violation(constraint, incumbent))
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
    fn unmeasured_pairs_do_not_count_and_an_output_never_measured_is_infeasible() {
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert_eq!(tally(&[Some(1.0), None, Some(2.0)]).violation(&mean), 0.0);
        assert_eq!(tally(&[None]).violation(&mean), f64::INFINITY);
        assert_eq!(Tally::default().violation(&mean), f64::INFINITY);
        assert_eq!(tally(&[Some(2.0), Some(4.0)]).violation(&mean), 0.5);
    }

    #[test]
    fn one_pair_far_above_the_bound_is_enough_if_the_incumbent_varies_little() {
        let mean = [Constraint::new(2.0, Over::Mean)];
        let incumbent = tally(&[Some(1.0), Some(1.1), Some(0.9), Some(1.05), Some(0.95)]);
        let proves = |value: f64| tally(&[Some(value)]).proves_violation(&mean, &incumbent);
        // Student's t with 4 degrees of freedom at 0.999 is 7.17, and the standard deviation is 0.079.
        assert!(proves(2.6) && !proves(2.5), "2.57 is the limit");
        let two = tally(&[Some(2.5), Some(2.5)]);
        assert!(two.proves_violation(&mean, &incumbent), "two pairs have a smaller error");
        let three = tally(&[Some(1.0), Some(1.1), Some(0.9)]);
        assert!(!tally(&[Some(9.0)]).proves_violation(&mean, &three), "three pairs do not show a spread");
        assert!(!tally(&[None]).proves_violation(&mean, &incumbent));
        // A share of failures: one failure is not yet a high share.
        let few_failures: Vec<Option<f64>> =
            (0..40).map(|pair| Some(f64::from(u8::from(pair == 7)))).collect();
        let share = [Constraint::new(0.1, Over::Mean)];
        assert!(!tally(&[Some(1.0)]).proves_violation(&share, &tally(&few_failures)));
        assert!(!tally(&[Some(1.0)]).proves_violation(&share, &tally(&[Some(0.0); 40])));
    }

    #[test]
    fn one_pair_proves_a_max_but_not_a_mean() {
        let values = [Some(9.0), Some(1.0), Some(1.0), Some(1.0), Some(1.1)];
        let max = [Constraint::new(2.0, Over::Max)];
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert!(tally(&values).proves_violation(&max, &Tally::default()));
        assert!(!tally(&values).proves_violation(&mean, &Tally::default()));
        let high = [Constraint::new(0.5, Over::Mean)];
        assert!(!tally(&values[1..4]).proves_violation(&high, &Tally::default()), "three pairs are too few");
        assert!(tally(&values[1..]).proves_violation(&high, &Tally::default()));
    }

    #[test]
    fn violations_add_up_relative_to_their_bounds() {
        let both = [Constraint::new(2.0, Over::Max), Constraint::new(0.0, Over::Mean)];
        let trial = Observation::finished(1.0)
            .with_constraints(vec![Some(Reading::Exact(3.0)), Some(Reading::AtLeast(0.25))]);
        assert_eq!(Tally::of([trial].iter()).violation(&both), 0.75);
    }

    fn stopped(values: &[Reading]) -> Tally {
        let mut tally = Tally::default();
        values.iter().for_each(|&value| tally.add_readings(&[Some(value)]));
        tally
    }

    #[test]
    fn a_stopped_trial_proves_a_violation_or_nothing() {
        use Reading::{AtLeast, Exact};
        for over in [Over::Mean, Over::Max] {
            let constraint = [Constraint::new(2.0, over)];
            let short = stopped(&[AtLeast(0.5), AtLeast(2.0)]);
            assert_eq!(short.violation(&constraint), f64::INFINITY, "it might have reached any value");
            assert_eq!(short.holdings(&constraint)[0].value, None);
            let held = stopped(&[AtLeast(0.0), Exact(2.0)]);
            assert_eq!(
                held.holdings(&constraint)[0].value,
                Some(Exact(2.0)),
                "the lower bound of 0 does not lower the mean"
            );
            assert_eq!(held.violation(&constraint), 0.0);
            let long = stopped(&[AtLeast(1.0), AtLeast(3.0)]);
            assert_eq!(long.violation(&constraint), 0.5);
            let shown = long.holdings(&constraint)[0];
            assert_eq!((shown.value, shown.pairs, shown.is_kept()), (Some(AtLeast(3.0)), 1, false));
        }
        let max = [Constraint::new(2.0, Over::Max)];
        assert!(stopped(&[Exact(1.0), AtLeast(2.1)]).proves_violation(&max, &Tally::default()));
        assert!(!stopped(&[Exact(1.0), AtLeast(2.0)]).proves_violation(&max, &Tally::default()));
        let mean = [Constraint::new(2.0, Over::Mean)];
        assert_eq!(
            stopped(&[Exact(0.0), AtLeast(3.0)]).violation(&mean),
            0.0,
            "the mean of both pairs counts"
        );
        assert!(stopped(&[AtLeast(3.0); 4]).proves_violation(&mean, &Tally::default()));
        assert!(!stopped(&[AtLeast(1.0); 40]).proves_violation(&mean, &Tally::default()));
    }

    #[test]
    fn a_lower_confidence_proves_a_violation_sooner() {
        let values = [Some(1.0), Some(1.4), Some(0.8), Some(1.6)];
        let with = |confidence| [Constraint { confidence, ..Constraint::new(1.0, Over::Mean) }];
        // The mean is 1.2, its error 0.183: t = 1.095 with three degrees of freedom, 82 %.
        assert!(tally(&values).proves_violation(&with(0.8), &Tally::default()));
        assert!(!tally(&values).proves_violation(&with(0.85), &Tally::default()));
        assert!(!tally(&values).proves_violation(&with(CONFIDENCE), &Tally::default()));
    }
}
