//! The verdict on the best configuration's costs and constraints, as data.

use campaign::validation::{self, Finding, Judged};
use engine::stats::{self, Basis, Claim, Unit};
use scenario::are_kept;
use serde::{Serialize, Serializer};

use crate::bounds::Held;
use crate::costs::Costs;

/// The verdict of a validation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// A summary of the verdict on costs and constraints.
    #[serde(rename = "claim", serialize_with = "finding")]
    pub finding: Finding,
    /// The verdict on the costs alone.
    #[serde(skip)]
    pub of_costs: Claim,
    /// The difference between these pairs and the training pairs.
    #[serde(serialize_with = "basis")]
    pub basis: Basis,
    /// Number of pairs measured with both configurations.
    pub pairs: usize,
    /// Number of instances in these pairs.
    pub instances: usize,
    /// The unit that the test and the interval treat as independent.
    #[serde(skip)]
    pub unit: Unit,
    /// The default's mean compared cost.
    pub default: f64,
    /// The best configuration's mean compared cost.
    pub best: f64,
    /// Factor by which the best configuration is better.
    pub ratio: f64,
    /// 95 % confidence interval for the ratio.
    pub interval: Option<[f64; 2]>,
    /// Probability of a ratio at least this far from 1 if there were no difference.
    pub p: f64,
    /// Numbers of pairs whose trials finished.
    pub solved: Solved,
    /// Number of pairs on which the best configuration gave a wrong answer.
    pub wrong: usize,
    /// Possible reduction of a claimed improvement by timeouts that are too rare to have been seen.
    pub unseen_timeouts: Option<UnseenTimeouts>,
    /// Factor by which the best configuration was better on the training pairs.
    pub training_ratio: Option<f64>,
    /// Whether the ratio on the training pairs is above the interval.
    pub gain_does_not_carry_over: bool,
    /// Whether all constraints are satisfied.
    pub feasible: Both<bool>,
    /// The result for each constraint.
    pub constraints: Both<Vec<Held>>,
    /// Whether the data suggest using the best configuration.
    pub worth_using: bool,
    /// Number of configurations compared with the default on these pairs so far, including this one.
    pub candidates: usize,
    /// The machines that ran the trials, if known.
    pub hosts: Vec<String>,
}

/// A value for the default and one for the best configuration.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Both<T> {
    /// The value for the default.
    pub default: T,
    /// The value for the best configuration.
    pub best: T,
}

/// Numbers of pairs whose trials finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Solved {
    /// Number of pairs whose trial finished with the default.
    pub before: usize,
    /// Number of pairs whose trial finished with the best configuration.
    pub after: usize,
    /// Number of pairs whose trial finished with the default, but not with the best configuration.
    pub lost: usize,
}

/// Timeouts that are too rare to have been seen, but would matter because they are so expensive.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct UnseenTimeouts {
    /// Number of independent units, none of which timed out.
    pub units: usize,
    /// The largest share of timeouts that is plausible at 95 % confidence.
    pub share: f64,
    /// Factor by which the best configuration would be better if it had this share of timeouts.
    pub ratio: f64,
    /// The share of timeouts at which the best configuration would be only as good as the default.
    pub break_even: f64,
}

impl Verdict {
    /// Converts a verdict to the user's sign.
    pub fn of(judged: &Judged, costs: &Costs) -> Self {
        let Judged { verdict, holdings, unseen_timeouts, candidates, hosts } = judged;
        let stats::CostVerdict { comparison: found, solved, .. } = verdict;
        let (default, best) = (&holdings.default, &holdings.tuned);
        Self {
            finding: judged.finding(),
            of_costs: verdict.claim,
            basis: verdict.basis,
            pairs: found.pairs,
            instances: found.instances,
            unit: found.unit,
            default: costs.number(found.default),
            best: costs.number(found.tuned),
            ratio: found.ratio,
            interval: found.interval.map(|interval| [interval.low, interval.high]),
            p: found.p,
            solved: Solved { before: solved.before, after: solved.after, lost: solved.lost },
            wrong: verdict.wrong,
            unseen_timeouts: unseen_timeouts.map(UnseenTimeouts::of),
            training_ratio: verdict.training_ratio,
            gain_does_not_carry_over: verdict.gain_does_not_carry_over,
            feasible: Both { default: are_kept(default), best: are_kept(best) },
            constraints: Both { default: costs.held(default), best: costs.held(best) },
            worth_using: judged.is_worth_using(),
            candidates: *candidates,
            hosts: hosts.clone(),
        }
    }
}

impl UnseenTimeouts {
    fn of(unseen: validation::UnseenTimeouts) -> Self {
        let validation::UnseenTimeouts { units, share, ratio, break_even } = unseen;
        Self { units, share, ratio, break_even }
    }
}

fn finding<S: Serializer>(finding: &Finding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(finding.word())
}

fn basis<S: Serializer>(basis: &Basis, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match basis {
        Basis::UnseenInstances => "unseen_instances",
        Basis::FreshSeeds => "fresh_seeds",
        Basis::MeasuredAgain => "measured_again",
        Basis::TrainingOnly => "training_only",
    })
}
