//! The verdict: what may be claimed at the end of a campaign.
//!
//! An improvement is claimed only if p <= 5 % *and* the interval is above 1. If the costs of the two
//! configurations are exchangeable (see `sign_flip`), the test alone keeps false claims rare: at most one
//! campaign in forty then falsely claims an improvement. Configurations with equal means need not be
//! exchangeable: rare timeouts that did not occur in the validation can mislead the test. So if there was no
//! timeout, a claim is reported together with a note on what timeouts would mean. The interval keeps the
//! claim consistent with the numbers printed next to it.
//!
//! All this holds only for pairs that were not used to choose the configuration. On the training pairs, the
//! incumbent is the luckiest of many configurations, so nothing is ever claimed from them.

use math::Rng;

use super::paired::{CompareError, Comparison, DRAWS, Measured, compare_with};
use crate::observation::Status;

/// The largest p value that counts as evidence.
const LEVEL: f64 = 0.05;

/// Relative error of a ratio of sums that were added in different orders.
const ROUNDING: f64 = 1e-9;

/// The relation between the pairs used in the comparison and those used in the search (training).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// Instances that the campaign never used.
    UnseenInstances,
    /// Training instances with seeds that the campaign never used.
    FreshSeeds,
    /// Training instances, measured again with a deterministic target.
    MeasuredAgain,
    /// The training pairs themselves.
    TrainingOnly,
}

/// The claim that the data allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The tuned configuration beats the default.
    Faster,
    /// The data show no reliable difference, or come from the training pairs, from which nothing may be
    /// claimed.
    NothingReliable,
    /// The default beats the tuned configuration.
    Slower,
    /// The tuned configuration gives wrong answers, however fast it is.
    Wrong,
}

/// One pair, measured to the end with both configurations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Validated {
    /// The compared costs.
    pub measured: Measured,
    /// Whether the default finished, rather than reaching the cutoff or failing.
    pub default_solved: bool,
    /// Whether the tuned configuration finished.
    pub tuned_solved: bool,
    /// Whether the tuned configuration gave a wrong answer.
    pub tuned_wrong: bool,
}

impl Validated {
    /// Creates a pair from its costs and the status of both trials.
    pub fn new(measured: Measured, default: Status, tuned: Status) -> Self {
        Self {
            measured,
            default_solved: default == Status::Finished,
            tuned_solved: tuned == Status::Finished,
            tuned_wrong: tuned == Status::Wrong,
        }
    }
}

/// Numbers of pairs on which trials finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// Pairs on which the default finished.
    pub before: usize,
    /// Pairs on which the tuned configuration finished.
    pub after: usize,
    /// Pairs on which the default finished but the tuned configuration did not.
    pub lost: usize,
}

/// The verdict on the cost at the end of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct CostVerdict {
    /// The claim that the data allow.
    pub claim: Claim,
    /// The kind of pairs that the verdict is based on.
    pub basis: Basis,
    /// The comparison of the two configurations.
    pub comparison: Comparison,
    /// Numbers of pairs on which trials finished.
    pub solved: Solved,
    /// Number of pairs on which the tuned configuration gave a wrong answer.
    pub wrong: usize,
    /// Factor by which the tuned configuration was better in training.
    pub training_ratio: Option<f64>,
    /// Whether the ratio in training is above the interval found here.
    pub gain_does_not_carry_over: bool,
}

/// Returns the verdict, given pairs measured with both configurations.
pub fn judge(
    validated: &[Validated],
    basis: Basis,
    training_ratio: Option<f64>,
    rng: &mut Rng,
) -> Result<CostVerdict, CompareError> {
    judge_with(validated, basis, training_ratio, DRAWS, rng)
}

pub(super) fn judge_with(
    validated: &[Validated],
    basis: Basis,
    training_ratio: Option<f64>,
    draws: usize,
    rng: &mut Rng,
) -> Result<CostVerdict, CompareError> {
    let measured: Vec<Measured> = validated.iter().map(|one| one.measured).collect();
    let comparison = compare_with(&measured, draws, rng)?;
    let count = |which: fn(&Validated) -> bool| validated.iter().filter(|one| which(one)).count();
    let wrong = count(|one| one.tuned_wrong);
    Ok(CostVerdict {
        claim: if wrong > 0 { Claim::Wrong } else { claim(&comparison, basis) },
        wrong,
        basis,
        solved: Solved {
            before: count(|one| one.default_solved),
            after: count(|one| one.tuned_solved),
            lost: count(|one| one.default_solved && !one.tuned_solved),
        },
        training_ratio,
        gain_does_not_carry_over: basis != Basis::TrainingOnly
            && training_ratio.is_some_and(|training| promised_too_much(training, &comparison)),
        comparison,
    })
}

fn claim(comparison: &Comparison, basis: Basis) -> Claim {
    if basis == Basis::TrainingOnly || comparison.p > LEVEL {
        return Claim::NothingReliable;
    }
    match comparison.interval {
        Some(interval) if interval.low > 1.0 => Claim::Faster,
        Some(interval) if interval.high < 1.0 => Claim::Slower,
        _ => Claim::NothingReliable,
    }
}

/// Returns whether the ratio in training is above the interval by more than rounding. Returns `false` if there is no
/// interval, or if the ratio is at most 1, which is not a gain.
fn promised_too_much(training: f64, found: &Comparison) -> bool {
    training > 1.0 && found.interval.is_some_and(|interval| interval.high * (1.0 + ROUNDING) < training)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::trial::InstanceId;

    fn validated(costs: &[(f64, f64)], cutoff: f64) -> Vec<Validated> {
        let one = |(i, &(default, tuned)): (usize, &(f64, f64))| Validated {
            measured: Measured { instance: InstanceId(i as u32), default, tuned },
            default_solved: default <= cutoff,
            tuned_solved: tuned <= cutoff,
            tuned_wrong: false,
        };
        costs.iter().enumerate().map(one).collect()
    }

    fn verdict(costs: &[(f64, f64)], basis: Basis, training: Option<f64>) -> CostVerdict {
        judge(&validated(costs, 10.0), basis, training, &mut Rng::new(1, "verdict", 0)).unwrap()
    }

    const BETTER: [(f64, f64); 8] = [(4.0, 2.0); 8];
    const WORSE: [(f64, f64); 8] = [(2.0, 4.0); 8];

    #[test]
    fn clear_differences_are_claimed_in_either_direction() {
        for basis in [Basis::UnseenInstances, Basis::FreshSeeds] {
            let better = verdict(&BETTER, basis, None);
            assert_eq!((better.claim, better.comparison.ratio), (Claim::Faster, 2.0));
            assert_eq!(verdict(&WORSE, basis, None).claim, Claim::Slower);
            assert!(!better.gain_does_not_carry_over);
        }
    }

    #[test]
    fn one_wrong_answer_outweighs_any_gain() {
        let mut all = validated(&BETTER, 10.0);
        all[3].tuned_wrong = true;
        let found = judge(&all, Basis::UnseenInstances, None, &mut Rng::new(1, "verdict", 0)).unwrap();
        assert_eq!((found.claim, found.wrong), (Claim::Wrong, 1));
    }

    #[test]
    fn training_alone_claims_nothing_and_is_not_checked_against_itself() {
        for costs in [&BETTER, &WORSE] {
            let found = verdict(costs, Basis::TrainingOnly, Some(9.0));
            assert_eq!((found.claim, found.gain_does_not_carry_over), (Claim::NothingReliable, false));
        }
    }

    #[test]
    fn five_pairs_are_too_few_however_clear_the_difference() {
        let five = verdict(&BETTER[..5], Basis::UnseenInstances, None);
        assert_eq!((five.claim, five.comparison.p), (Claim::NothingReliable, 0.0625));
        assert_eq!(verdict(&BETTER[..6], Basis::UnseenInstances, None).claim, Claim::Faster);
    }

    #[test]
    fn both_the_test_and_the_interval_must_agree() {
        let with = |p, low, high| {
            let sure = verdict(&BETTER, Basis::FreshSeeds, None).comparison;
            claim(&Comparison { p, interval: Some(Interval { low, high }), ..sure }, Basis::FreshSeeds)
        };
        assert_eq!(with(0.05, 1.01, 2.0), Claim::Faster);
        assert_eq!(with(0.051, 1.01, 2.0), Claim::NothingReliable);
        assert_eq!(with(0.01, 1.0, 2.0), Claim::NothingReliable);
        assert_eq!(with(0.01, 0.5, 0.99), Claim::Slower);
        assert_eq!(with(0.01, 0.5, 1.0), Claim::NothingReliable);
    }

    #[test]
    fn finished_pairs_are_counted() {
        let costs = [(1.0, 2.0), (100.0, 3.0), (100.0, 4.0), (5.0, 100.0), (100.0, 100.0)];
        let found = verdict(&costs, Basis::UnseenInstances, None);
        assert_eq!(found.solved, Solved { before: 2, after: 3, lost: 1 });
    }

    #[test]
    fn the_training_gain_is_compared_with_the_gain_found() {
        let with = |training, ratio, high: Option<f64>| {
            let found = verdict(&BETTER, Basis::FreshSeeds, None).comparison;
            let interval = high.map(|high| Interval { low: 0.5, high });
            promised_too_much(training, &Comparison { ratio, interval, ..found })
        };
        assert!(!with(1.8, 1.6, Some(1.9)));
        assert!(with(1.8, 1.6, Some(1.7)), "above the interval");
        assert!(!with(1.8, 1.3, Some(2.5)), "within the interval, however much larger");
        assert!(!with(1.8, 0.9, Some(1.8)), "at the end of the interval");
        assert!(with(1.1, 0.9, Some(1.05)), "a gain that became a loss");
        assert!(!with(1.1, 0.9, None), "without an interval, nothing is known");
        assert!(!with(1.0, 0.9, Some(0.95)), "there was no gain in training");
    }

    #[test]
    fn the_verdict_contains_the_flag() {
        assert!(verdict(&BETTER, Basis::UnseenInstances, Some(3.5)).gain_does_not_carry_over);
        let rounded = verdict(&BETTER, Basis::UnseenInstances, Some(2.0 * (1.0 + f64::EPSILON)));
        assert!(!rounded.gain_does_not_carry_over);
        let kept = verdict(&BETTER, Basis::UnseenInstances, Some(1.9));
        assert_eq!((kept.gain_does_not_carry_over, kept.training_ratio), (false, Some(1.9)));
    }
}
