//! The one verdict as data: what may be said of the best, its costs and its bounds together.

use campaign::validation::{self, Finding, Judged};
use engine::stats::{self, Basis, Claim, Unit};
use scenario::are_kept;
use serde::{Serialize, Serializer};

use crate::bounds::Held;
use crate::costs::Costs;

/// What may be said of a validation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// Costs and bounds in one word.
    #[serde(rename = "claim", serialize_with = "finding")]
    pub finding: Finding,
    /// What the costs alone say.
    #[serde(skip)]
    pub of_costs: Claim,
    /// How the pairs relate to those of the training.
    #[serde(serialize_with = "basis")]
    pub basis: Basis,
    /// How many pairs were measured with both.
    pub pairs: usize,
    /// Of how many instances.
    pub instances: usize,
    /// What the test and the interval take for independent.
    #[serde(skip)]
    pub unit: Unit,
    /// The default's mean compared cost.
    pub default: f64,
    /// The best's.
    pub best: f64,
    /// How many times better the best is.
    pub ratio: f64,
    /// A 95 % interval of that.
    pub interval: Option<[f64; 2]>,
    /// How likely a ratio so far from 1 would be without a difference.
    pub p: f64,
    /// Pairs that finished.
    pub solved: Solved,
    /// Pairs on which the best gave a wrong answer.
    pub wrong: usize,
    /// What timeouts that nobody saw would mean for an improvement that is claimed.
    pub unseen_timeouts: Option<UnseenTimeouts>,
    /// How many times better the best was in the training.
    pub training_ratio: Option<f64>,
    /// Whether the training promised much more.
    pub gain_does_not_carry_over: bool,
    /// Whether all constraints are kept.
    pub feasible: Both<bool>,
    /// What was seen of each constraint.
    pub constraints: Both<Vec<Held>>,
    /// Whether the best is worth using, as far as one can tell.
    pub worth_using: bool,
    /// How many configurations were compared with the default on such pairs so far, this one among them.
    pub candidates: usize,
    /// The machines on which it was measured, as far as known.
    pub hosts: Vec<String>,
}

/// Of the default and of the best.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Both<T> {
    /// Of the default.
    pub default: T,
    /// Of the best.
    pub best: T,
}

/// Numbers of pairs that finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Solved {
    /// With the default.
    pub before: usize,
    /// With the best.
    pub after: usize,
    /// With the default, but not with the best.
    pub lost: usize,
}

/// Timeouts that are so rare that none was seen, and so dear that they would count.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct UnseenTimeouts {
    /// The units without a timeout.
    pub units: usize,
    /// The share of timeouts that there may be.
    pub share: f64,
    /// How many times better the best would be with so many of them.
    pub ratio: f64,
    /// The share with which it would be as good as the default.
    pub break_even: f64,
}

impl Verdict {
    /// A verdict with costs in the user's sign.
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
