//! Comparison of two configurations on the same pairs: the ratio of their means, its interval, and the p
//! value for their difference.
//!
//! ```text
//! ratio = sum of default / sum of tuned          if all costs are at least 0
//!         sum of tuned / sum of default          if all costs are at most 0, because an output is maximised
//! ```
//!
//! In both cases, a ratio above 1 means that the tuned configuration is better. If costs have both signs,
//! there is no ratio.
//!
//! The bootstrap and the sign-flip test work on [`Unit`]s. Pairs with the same instance are alike, so the
//! instance is the unit if there are at least six instances. With five instances, the test could never reach
//! 5 %, since at least 2 of its 2^5 patterns are always as extreme as the data. With fewer than six instances
//! the pair is the unit, and the result holds for these instances only.

use std::collections::BTreeMap;

use math::Rng;

use super::contrast::Contrast;
use super::{Interval, bootstrap, sign_flip};
use crate::trial::InstanceId;

/// Number of sign patterns drawn; also the number of resamples drawn.
pub(super) const DRAWS: usize = 10_000;

/// Smallest number of instances for which instances are the units.
const FEWEST_INSTANCES: usize = 6;

/// The compared costs of both configurations on one pair.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// The instance of the pair.
    pub instance: InstanceId,
    /// Cost of the default.
    pub default: f64,
    /// Cost of the tuned configuration.
    pub tuned: f64,
}

/// The unit that varies independently. It is resampled and flipped as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// All pairs of an instance together: the result holds for instances like these.
    Instance,
    /// Each pair by itself: the result holds for these instances only.
    Pair,
}

/// The result of comparing two configurations.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Number of pairs measured.
    pub pairs: usize,
    /// Number of distinct instances among them.
    pub instances: usize,
    /// The unit that was treated as independent.
    pub unit: Unit,
    /// Mean cost of the default.
    pub default: f64,
    /// Mean cost of the tuned configuration.
    pub tuned: f64,
    /// Factor by which the tuned configuration is better; below 1 if it is worse, infinite if it costs
    /// nothing.
    pub ratio: f64,
    /// 95 % interval for the true ratio; unknown with fewer than five units.
    pub interval: Option<Interval>,
    /// Two-sided p value: the probability of a difference at least as large if the configurations are equal.
    pub p: f64,
}

/// The reason why two configurations cannot be compared.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CompareError {
    /// No pair was measured.
    #[error("no pair was measured with both configurations; measure both on at least one pair")]
    Empty,
    /// A cost is NaN or -∞.
    #[error("the cost {cost} on instance {instance} cannot be compared: costs must be numbers above -inf")]
    NotACost {
        /// The instance.
        instance: InstanceId,
        /// The cost.
        cost: f64,
    },
    /// Some costs are above zero and some below.
    #[error(
        "costs from {lowest} to {highest} have no ratio: add a constant to the objective so that all costs have the same sign"
    )]
    MixedSigns {
        /// The smallest cost.
        lowest: f64,
        /// The largest finite cost.
        highest: f64,
    },
}

/// Compares the tuned configuration with the default.
pub fn compare(measured: &[Measured], rng: &mut Rng) -> Result<Comparison, CompareError> {
    compare_with(measured, DRAWS, rng)
}

/// Returns the factor by which the mean of the tuned configuration is better, without an interval.
pub fn ratio_of_means(measured: &[Measured]) -> Result<f64, CompareError> {
    let scale = check(measured)?;
    Ok(Contrast::sum(&each(measured, scale)).ratio())
}

pub(super) fn compare_with(
    measured: &[Measured],
    draws: usize,
    rng: &mut Rng,
) -> Result<Comparison, CompareError> {
    let scale = check(measured)?;
    let mut by_instance: BTreeMap<InstanceId, Contrast> = BTreeMap::new();
    for one in measured {
        by_instance.entry(one.instance).or_default().add(Contrast::of(one.default, one.tuned, scale));
    }
    let instances = by_instance.len();
    let (unit, units) = if instances >= FEWEST_INSTANCES {
        (Unit::Instance, by_instance.into_values().collect::<Vec<_>>())
    } else {
        (Unit::Pair, each(measured, scale))
    };
    let pairs = measured.len();
    // Finite differences are below 2 per pair. Flipping signs changes their sum by at most twice that.
    let infinity = (4 * pairs) as f64;
    let differences: Vec<f64> = units.iter().map(|unit| unit.difference(infinity)).collect();
    let total = Contrast::sum(&units);
    Ok(Comparison {
        pairs,
        instances,
        unit,
        default: total.default.mean(pairs, scale),
        tuned: total.tuned.mean(pairs, scale),
        ratio: total.ratio(),
        interval: bootstrap::interval(&units, |drawn| Contrast::sum(drawn).ratio(), draws, rng),
        p: sign_flip::two_sided(&differences, draws, rng),
    })
}

/// Checks the costs and returns a unit in which finite costs are below 2, so that no sum overflows. The unit
/// is a power of two, so that dividing by it does not round.
fn check(measured: &[Measured]) -> Result<f64, CompareError> {
    if measured.is_empty() {
        return Err(CompareError::Empty);
    }
    let (mut lowest, mut highest) = (0.0f64, 0.0f64);
    for one in measured {
        for cost in [one.default, one.tuned] {
            if cost.is_nan() || cost == f64::NEG_INFINITY {
                return Err(CompareError::NotACost { instance: one.instance, cost });
            }
            if cost.is_finite() {
                (lowest, highest) = (lowest.min(cost), highest.max(cost));
            }
        }
    }
    if lowest < 0.0 && highest > 0.0 {
        return Err(CompareError::MixedSigns { lowest, highest });
    }
    let largest = highest.max(-lowest);
    Ok(if largest > 0.0 { libm::ldexp(1.0, libm::ilogb(largest)) } else { 1.0 })
}

fn each(measured: &[Measured], scale: f64) -> Vec<Contrast> {
    measured.iter().map(|one| Contrast::of(one.default, one.tuned, scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    /// Returns pairs with `seeds` seeds per instance.
    fn pairs(costs: &[(f64, f64)], seeds: usize) -> Vec<Measured> {
        let instance = |i: usize| InstanceId((i / seeds) as u32);
        costs
            .iter()
            .enumerate()
            .map(|(i, &(default, tuned))| Measured { instance: instance(i), default, tuned })
            .collect()
    }

    fn compared(costs: &[(f64, f64)], seeds: usize) -> Comparison {
        compare(&pairs(costs, seeds), &mut Rng::new(1, "paired", 0)).unwrap()
    }

    #[test]
    fn one_or_two_pairs_give_a_ratio_without_an_interval() {
        let one = compared(&[(3.0, 2.0)], 1);
        assert_eq!((one.ratio, one.interval, one.p), (1.5, None, 1.0));
        assert_eq!((one.pairs, one.instances, one.unit), (1, 1, Unit::Pair));
        let two = compared(&[(3.0, 2.0), (5.0, 2.0)], 1);
        assert_eq!((two.ratio, two.interval, two.p), (2.0, None, 0.5));
        assert_eq!((two.default, two.tuned), (4.0, 2.0));
    }

    #[test]
    fn a_constant_ratio_has_an_interval_of_zero_width() {
        let found = compared(&[(2.0, 1.0), (4.0, 2.0), (8.0, 4.0), (2.0, 1.0), (4.0, 2.0), (8.0, 4.0)], 1);
        assert_eq!((found.ratio, found.interval), (2.0, Some(Interval { low: 2.0, high: 2.0 })));
        assert_eq!((found.p, found.unit), (2.0 / 64.0, Unit::Instance));
    }

    #[test]
    fn ties_are_no_evidence() {
        for cost in [0.0, 7.0, INF, -3.0] {
            let found = compared(&[(cost, cost); 20], 1);
            assert_eq!((found.ratio, found.p), (1.0, 1.0), "{cost}");
            assert_eq!(found.interval, Some(Interval { low: 1.0, high: 1.0 }));
        }
    }

    #[test]
    fn costs_of_zero_give_ratios_of_zero_or_infinity() {
        assert_eq!(compared(&[(1.0, 0.0); 8], 1).ratio, INF);
        assert_eq!(compared(&[(0.0, 1.0); 8], 1).ratio, 0.0);
        assert_eq!(compared(&[(0.0, 1.0), (3.0, 0.0)], 1).ratio, 3.0);
    }

    #[test]
    fn instances_are_the_units_if_there_are_at_least_six() {
        // Each instance has two pairs, and the second cancels the first.
        let costs: Vec<_> = (0..12).map(|i| if i % 2 == 0 { (3.0, 1.0) } else { (1.0, 3.0) }).collect();
        let six = compared(&costs, 2);
        assert_eq!((six.unit, six.instances, six.pairs), (Unit::Instance, 6, 12));
        assert_eq!((six.p, six.interval), (1.0, Some(Interval { low: 1.0, high: 1.0 })));
        let five = compared(&costs[..10], 2);
        assert_eq!((five.unit, five.instances), (Unit::Pair, 5));
        assert!(five.interval.unwrap().low < 0.7);
        // If the differences on all six instances have the same sign, 2 of 64 patterns are as extreme,
        // however many seeds each instance has.
        assert_eq!(compared(&[(2.0, 1.0); 60], 10).p, 2.0 / 64.0);
    }

    #[test]
    fn failures_without_a_cutoff_weigh_more_than_any_cost() {
        // The default fails on one pair and wins the seven others by far.
        let mut costs = vec![(1.0, 100.0); 7];
        costs.push((INF, 1.0));
        let found = compared(&costs, 1);
        assert_eq!((found.ratio, found.default, found.tuned), (INF, INF, 701.0 / 8.0));
        // The seven wins have the opposite sign to the failure, so no pattern has a sum closer to zero, and
        // every pattern is at least as extreme.
        assert_eq!(found.p, 1.0);
        assert_eq!(compared(&[(INF, 1.0); 6], 1).p, 2.0 / 64.0);
        assert_eq!(compared(&[(INF, 1.0); 6], 1).interval, Some(Interval { low: INF, high: INF }));
        assert_eq!(compared(&[(1.0, INF); 6], 1).ratio, 0.0);
        // The default has two failures, the tuned configuration one.
        assert_eq!(compared(&[(INF, 1.0), (INF, INF), (1.0, 1.0)], 1).ratio, 2.0);
    }

    #[test]
    fn negative_costs_of_a_maximised_objective_are_compared_by_size() {
        let found = compared(&[(-100.0, -150.0); 6], 1);
        assert_eq!((found.ratio, found.default, found.tuned), (1.5, -100.0, -150.0));
        assert!(compared(&[(-100.0, -50.0); 6], 1).ratio < 1.0);
        assert_eq!(compared(&[(0.0, -50.0); 6], 1).ratio, INF);
        assert_eq!(compared(&[(INF, -50.0); 6], 1).ratio, INF);
    }

    #[test]
    fn enormous_costs_do_not_overflow() {
        let found = compared(&[(f64::MAX, f64::MAX / 2.0); 8], 1);
        assert_eq!((found.ratio, found.default), (2.0, f64::MAX));
    }

    #[test]
    fn costs_that_cannot_be_compared_are_rejected() {
        assert_eq!(compare(&[], &mut Rng::new(1, "", 0)), Err(CompareError::Empty));
        assert!(matches!(ratio_of_means(&pairs(&[(f64::NAN, 1.0)], 1)), Err(CompareError::NotACost { .. })));
        assert!(matches!(ratio_of_means(&pairs(&[(1.0, -INF)], 1)), Err(CompareError::NotACost { .. })));
        let mixed = ratio_of_means(&pairs(&[(1.0, -2.0)], 1));
        assert_eq!(mixed, Err(CompareError::MixedSigns { lowest: -2.0, highest: 1.0 }));
    }

    #[test]
    fn the_same_random_stream_gives_the_same_numbers() {
        let costs: Vec<_> = (0..30).map(|i| (f64::from(i % 7) + 1.0, f64::from(i % 5) + 1.0)).collect();
        assert_eq!(compared(&costs, 1), compared(&costs, 1));
        assert_eq!(ratio_of_means(&pairs(&costs, 1)), Ok(compared(&costs, 1).ratio));
    }
}
