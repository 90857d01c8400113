//! Bounds on other outputs than the cost.
//!
//! ```text
//! excess    = mean_i c_i - bound   or   max_i c_i - bound          over the pairs where c was measured
//! violation = sum over constraints of max(0, excess) / |bound|     (undivided where the bound is 0)
//! ```
//!
//! A configuration is feasible as far as seen if its violation is 0. It is infeasible beyond doubt if
//! one pair violates a `max`, or if after [`LEAST_PAIRS`] pairs the lower 97.5 % bound of a mean,
//! `mean - t * sd / sqrt(n)`, is above the constraint's.

use crate::observation::Observation;
use crate::reading::Reading;

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

/// What is known of one constraint over some trials.
struct Seen {
    count: usize,
    mean: f64,
    /// Sum of squared deviations.
    spread: f64,
    max: f64,
}

fn seen<'a>(which: usize, observations: impl Iterator<Item = &'a Observation>) -> Seen {
    let mut seen = Seen { count: 0, mean: 0.0, spread: 0.0, max: f64::NEG_INFINITY };
    for observation in observations {
        let Some(value) = observation.constraints().get(which).copied().flatten().map(Reading::lower_bound)
        else {
            continue;
        };
        seen.count += 1;
        let off = value - seen.mean;
        seen.mean += off / seen.count as f64;
        seen.spread += off * (value - seen.mean);
        seen.max = seen.max.max(value);
    }
    seen
}

/// How far trials are from feasible: 0 if they are, infinite if a constraint was never measured.
pub fn violation<'a, I>(constraints: &[Constraint], observations: impl Fn() -> I) -> f64
where
    I: Iterator<Item = &'a Observation>,
{
    let one = |(which, constraint): (usize, &Constraint)| {
        let seen = seen(which, observations());
        if seen.count == 0 {
            return f64::INFINITY;
        }
        let value = match constraint.over {
            Over::Mean => seen.mean,
            Over::Max => seen.max,
        };
        let scale = if constraint.bound == 0.0 { 1.0 } else { constraint.bound.abs() };
        (value - constraint.bound).max(0.0) / scale
    };
    constraints.iter().enumerate().map(one).sum()
}

/// Whether trials prove that their configuration violates a constraint.
pub fn beyond_doubt<'a, I>(constraints: &[Constraint], observations: impl Fn() -> I) -> bool
where
    I: Iterator<Item = &'a Observation>,
{
    constraints.iter().enumerate().any(|(which, constraint)| {
        let seen = seen(which, observations());
        match constraint.over {
            Over::Max => seen.max > constraint.bound,
            Over::Mean if seen.count < LEAST_PAIRS => false,
            Over::Mean => {
                let n = seen.count as f64;
                let error = (seen.spread / (n - 1.0) / n).sqrt();
                seen.mean - student(seen.count - 1) * error > constraint.bound
            }
        }
    })
}

/// The 97.5 % quantile of Student's t: a table for few degrees of freedom, above it the first two
/// terms of the expansion around the normal quantile (error below 0.001).
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 11] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];
    let z = 1.959_964;
    let n = degrees as f64;
    TABLE.get(degrees.saturating_sub(1)).copied().unwrap_or_else(|| {
        let z3 = z * z * z;
        let z5 = z3 * z * z;
        z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(values: &[Option<f64>]) -> Vec<Observation> {
        let one = |value: &Option<f64>| {
            Observation::finished(1.0).with_constraints(vec![value.map(Reading::Exact)])
        };
        values.iter().map(one).collect()
    }

    #[test]
    fn unmeasured_pairs_do_not_count_and_never_measured_is_not_feasible() {
        let mean = [Constraint { bound: 2.0, over: Over::Mean }];
        let some = trials(&[Some(1.0), None, Some(2.0)]);
        assert_eq!(violation(&mean, || some.iter()), 0.0);
        let none = trials(&[None]);
        assert_eq!(violation(&mean, || none.iter()), f64::INFINITY);
        let over = trials(&[Some(2.0), Some(4.0)]);
        assert_eq!(violation(&mean, || over.iter()), 0.5);
    }

    #[test]
    fn one_pair_proves_a_max_but_not_a_mean() {
        let trials = trials(&[Some(9.0), Some(1.0), Some(1.0), Some(1.0), Some(1.1)]);
        let max = [Constraint { bound: 2.0, over: Over::Max }];
        let mean = [Constraint { bound: 2.0, over: Over::Mean }];
        assert!(beyond_doubt(&max, || trials.iter()));
        assert!(!beyond_doubt(&mean, || trials.iter()));
        let high = [Constraint { bound: 0.5, over: Over::Mean }];
        assert!(!beyond_doubt(&high, || trials[1..4].iter()), "three pairs are too few");
        assert!(beyond_doubt(&high, || trials[1..].iter()));
    }

    #[test]
    fn student_quantiles() {
        for (degrees, expected) in [(3, 3.182), (11, 2.201), (12, 2.179), (30, 2.042), (1000, 1.962)] {
            assert!((student(degrees) - expected).abs() < 0.002, "{degrees}");
        }
    }
}
