//! Constraints: bounds on outputs other than the cost.
//!
//! ```text
//! excess    = mean_i c_i - bound   or   max_i c_i - bound          over the pairs where c counts
//! violation = sum over constraints of max(0, excess) / |bound|     (not divided if the bound is 0)
//! ```
//!
//! | reading of c on a pair | counts as |
//! |---|---|
//! | exact | its value |
//! | at least v, and v is above the bound | v, the smallest value it can have |
//! | at least v, and v is not above the bound | no reading, as if the output had not been measured |
//!
//! A configuration is feasible, as far as measured, if its violation is 0. A constraint on the maximum is
//! proven violated if one pair exceeds the bound. A constraint on the mean is proven violated if the mean's
//! lower confidence bound, `mean - t * sd / sqrt(n)`, is above the constraint's bound. Here t is the quantile
//! of Student's t distribution at the constraint's confidence. At least four pairs are needed.
//!
//! With fewer pairs, the standard deviation of the incumbent is used, at a confidence of 99.9 %. A hopeless
//! configuration can thus be recognised on its first pair. In this case, the mean must also be above all
//! readings of the incumbent, and these readings must not all be equal. The reason is that some outputs, such
//! as one that is 1 for a failed trial and 0 otherwise, are not normally distributed.
//!
//! A censored reading counts as no more than its true value. So if the mean or maximum of the counted values
//! is above the bound, the true mean or maximum is, too.

use math::student::quantile_of;
use serde::{Deserialize, Serialize};
use surrogate::Reading;

use crate::observation::Observation;

/// Number of pairs needed to judge a mean by its own standard deviation.
const LEAST_PAIRS: usize = 4;

/// Confidence needed to reject a mean of fewer pairs. The confidence is high because the standard deviation
/// comes from another configuration.
const FEW_PAIRS_CONFIDENCE: f64 = 0.999;

/// Default confidence at which a race drops a challenger because its mean is above the bound.
pub const CONFIDENCE: f64 = 0.975;

/// The function that combines the readings of many pairs into one number.
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
    /// Whether the bound applies to the ratio of the output to the baseline's output on the same pair.
    pub relative: bool,
    /// The function that combines the readings of a configuration's pairs.
    pub over: Over,
    /// Confidence at which a race drops a challenger because its mean is above the bound; above 0.5
    /// and below 1.
    pub confidence: f64,
}

impl Constraint {
    /// Returns a constraint with the default confidence.
    pub const fn new(bound: f64, over: Over) -> Self {
        Self { bound, relative: false, over, confidence: CONFIDENCE }
    }

    /// Returns a constraint on the ratio to the baseline's output, with the default confidence.
    pub const fn relative(bound: f64, over: Over) -> Self {
        Self { relative: true, ..Self::new(bound, over) }
    }

    /// Returns how far a value is above the bound, relative to the bound; 0 if it is not above.
    pub(super) fn relative_excess(&self, value: f64) -> f64 {
        let scale = if self.bound == 0.0 { 1.0 } else { self.bound.abs() };
        (value - self.bound).max(0.0) / scale
    }
}

/// The value of one constrained output according to some trials, and whether it satisfies the constraint.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Holding {
    /// The mean or maximum, as a lower bound if some readings are lower bounds; `None` if no pair counts.
    pub value: Option<Reading>,
    /// Number of pairs that count.
    pub pairs: usize,
    /// Standard error of the mean; 0 for a maximum and for fewer than two pairs.
    #[serde(default)]
    pub standard_error: f64,
    /// The excess of the value over the bound, relative to the bound: 0 if the value is not above the bound,
    /// infinite if no pair counts.
    #[serde(with = "math::json_number")]
    pub violation: f64,
}

impl Holding {
    /// Returns whether the constraint is satisfied, as far as measured.
    pub fn is_kept(&self) -> bool {
        self.violation == 0.0
    }

    /// Returns whether the mean is so close to the bound that other pairs might decide otherwise: within two
    /// standard errors.
    pub fn is_close(&self, constraint: &Constraint) -> bool {
        let distance = self.value.map(|value| (value.lower_bound() - constraint.bound).abs());
        distance.is_some_and(|distance| distance < 2.0 * self.standard_error)
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
    /// Readings that are lower bounds. Whether they count depends on the constraint's bound.
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

impl Moments {
    /// Returns the standard error of the mean; 0 for fewer than two readings.
    fn standard_error(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = self.count as f64;
        (self.spread / (n - 1.0) / n).sqrt()
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

    /// Returns the moments of all readings that count, and whether some of these are lower bounds.
    fn counted(&self, constraint: &Constraint) -> (Moments, bool) {
        let mut all = self.exact;
        let proofs = self.at_least.iter().filter(|&&value| value > constraint.bound);
        proofs.for_each(|&value| all.add(value));
        (all, all.count > self.exact.count)
    }

    fn holding(&self, constraint: &Constraint) -> Holding {
        let (all, is_bound) = self.counted(constraint);
        let value = match constraint.over {
            _ if all.count == 0 => {
                return Holding { value: None, pairs: 0, standard_error: 0.0, violation: f64::INFINITY };
            }
            Over::Mean => all.mean,
            Over::Max => all.max,
        };
        Holding {
            value: Some(if is_bound { Reading::AtLeast(value) } else { Reading::Exact(value) }),
            pairs: all.count,
            standard_error: if constraint.over == Over::Mean { all.standard_error() } else { 0.0 },
            violation: constraint.relative_excess(value),
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

    /// Adds a trial. An output that was not measured because the trial was stopped does not count.
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

    /// Returns the total violation: 0 if all constraints are satisfied, infinite if a constrained
    /// output was never measured.
    pub fn violation(&self, constraints: &[Constraint]) -> f64 {
        self.each(constraints).map(|(seen, constraint)| seen.holding(constraint).violation).sum()
    }

    /// Returns whether the trials prove that their configuration violates a constraint. If there
    /// are few trials, the incumbent's trials show how much the outputs vary.
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
        // At a confidence of 0.999, Student's t with 4 degrees of freedom is 7.17. The standard
        // deviation is 0.079.
        assert!(proves(2.6) && !proves(2.5), "2.57 is the limit");
        let two = tally(&[Some(2.5), Some(2.5)]);
        assert!(two.proves_violation(&mean, &incumbent), "the mean of two pairs has a smaller error");
        let three = tally(&[Some(1.0), Some(1.1), Some(0.9)]);
        assert!(
            !tally(&[Some(9.0)]).proves_violation(&mean, &three),
            "three pairs are too few to show a spread"
        );
        assert!(!tally(&[None]).proves_violation(&mean, &incumbent));
        // The output is 1 for a failed trial: one failure does not prove a high share of failures.
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
            assert_eq!(
                short.violation(&constraint),
                f64::INFINITY,
                "the output might have reached any value"
            );
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
        // The mean is 1.2 and its standard error 0.183. So t = 1.095, which with three degrees of
        // freedom is the 82 % quantile.
        assert!(tally(&values).proves_violation(&with(0.8), &Tally::default()));
        assert!(!tally(&values).proves_violation(&with(0.85), &Tally::default()));
        assert!(!tally(&values).proves_violation(&with(CONFIDENCE), &Tally::default()));
    }
}
