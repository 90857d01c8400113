//! The verdict on the best configuration, from its costs and its constraints.
//!
//! | the default | the best | finding |
//! |---|---|---|
//! | - | gives wrong answers | wrong |
//! | feasible | feasible | from the costs: faster, nothing reliable or slower |
//! | infeasible | feasible | only feasible |
//! | feasible | infeasible | infeasible |
//! | infeasible | infeasible | neither feasible |

use engine::history::History;
use engine::problem::Objective;
use engine::stats::{Basis, Claim, CostVerdict, Unit, judge};
use engine::{ConfigId, Rng};
use scenario::are_kept;

use super::{BothHoldings, OnBoth};
use crate::progress;
use crate::settings::Settings;

/// The verdict of a validation.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The verdict on the costs.
    pub verdict: CostVerdict,
    /// The results of both configurations for each constraint.
    pub holdings: BothHoldings,
    /// Possible reduction of a claimed improvement by timeouts that are too rare to have been seen.
    pub unseen_timeouts: Option<UnseenTimeouts>,
    /// Number of configurations compared with the default on these pairs so far, including this one. The more
    /// there are, the more likely it is that one of them looks better by luck alone.
    pub candidates: usize,
    /// The machines that ran the trials, if known.
    pub hosts: Vec<String>,
}

/// Timeouts that are too rare to have been seen, but would matter because they are so expensive.
///
/// If none of n units timed out, the true share of timeouts is at most 3/n with 95 % confidence (the rule of
/// three): (1 - 3/n)^n is about e^-3.
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// A summary of the verdict on costs and constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The best configuration beats the default.
    Faster,
    /// The data do not show a difference, or do not allow a claim.
    NothingReliable,
    /// The default beats the best configuration.
    Slower,
    /// The best configuration gives wrong answers.
    Wrong,
    /// The best configuration is feasible, but the default is not.
    OnlyFeasible,
    /// The default is feasible, but the best configuration is not.
    Infeasible,
    /// Neither configuration is feasible.
    NeitherFeasible,
}

impl Finding {
    /// Returns the finding as a word for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::NothingReliable => "nothing_reliable",
            Self::Slower => "slower",
            Self::Wrong => "wrong",
            Self::OnlyFeasible => "only_feasible",
            Self::Infeasible => "infeasible",
            Self::NeitherFeasible => "neither_feasible",
        }
    }
}

impl UnseenTimeouts {
    fn of(verdict: &CostVerdict, objective: &Objective) -> Option<Self> {
        let found = &verdict.comparison;
        objective.cutoff?;
        if verdict.claim != Claim::Faster || verdict.solved.after < found.pairs {
            return None;
        }
        let units = match found.unit {
            Unit::Instance => found.instances,
            Unit::Pair => found.pairs,
        };
        let share = (3.0 / units as f64).min(1.0);
        let tuned = (1.0 - share) * found.tuned + share * objective.penalty();
        let break_even = (found.default - found.tuned) / (objective.penalty() - found.tuned);
        Some(Self { units, share, ratio: found.default / tuned, break_even })
    }
}

impl Judged {
    /// Returns the verdict from the pairs measured with both configurations; `None` if there are no such
    /// pairs. `training` is the ratio on the training pairs, `objective` is the validation's objective, and
    /// `seed` is the campaign's seed.
    pub fn of(
        on_both: &OnBoth,
        basis: Basis,
        training: Option<f64>,
        objective: &Objective,
        seed: u64,
    ) -> Option<Self> {
        let verdict = judge(&on_both.validated, basis, training, &mut Rng::new(seed, "verdict", 0)).ok()?;
        let holdings = on_both.holdings(&objective.constraints);
        let unseen_timeouts = UnseenTimeouts::of(&verdict, objective);
        let (candidates, hosts) = (on_both.candidates.max(1), on_both.hosts.iter().cloned().collect());
        Some(Self { verdict, holdings, unseen_timeouts, candidates, hosts })
    }

    /// Returns the verdict on the best configuration of a search. The ratio on the training pairs comes from
    /// the history.
    pub fn of_best(
        on_both: &OnBoth,
        basis: Basis,
        history: &History,
        settings: &Settings,
        best: ConfigId,
    ) -> Option<Self> {
        let is_known = best.index() < history.configurations().len();
        let both = is_known.then(|| progress::compare(history, settings, ConfigId(0), best)).flatten();
        let training = both.and_then(|both| both.meaningful_ratio());
        Self::of(on_both, basis, training, &super::objective(settings), settings.problem.seed)
    }

    /// Returns the finding.
    pub fn finding(&self) -> Finding {
        let Self { verdict, holdings, .. } = self;
        match (verdict.claim, are_kept(&holdings.default), are_kept(&holdings.tuned)) {
            (Claim::Wrong, ..) => Finding::Wrong,
            (_, false, true) => Finding::OnlyFeasible,
            (_, true, false) => Finding::Infeasible,
            (_, false, false) => Finding::NeitherFeasible,
            (Claim::Faster, ..) => Finding::Faster,
            (Claim::NothingReliable, ..) => Finding::NothingReliable,
            (Claim::Slower, ..) => Finding::Slower,
        }
    }

    /// Returns whether the data suggest using the best configuration. If there are only training pairs,
    /// nothing is claimed, but the best configuration counts as worth using.
    pub fn is_worth_using(&self) -> bool {
        match self.finding() {
            Finding::Faster | Finding::OnlyFeasible => true,
            Finding::NothingReliable | Finding::Slower => self.verdict.basis == Basis::TrainingOnly,
            Finding::Wrong | Finding::Infeasible | Finding::NeitherFeasible => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::problem::{Constraint, Over};
    use engine::stats::{Measured, Validated};
    use engine::{InstanceId, Reading, Status};

    use super::*;

    /// Returns the verdict on twelve instances on which the default costs 4. `outputs` are the readings of
    /// both configurations for an output bounded by 1.
    fn judged(tuned: f64, status: Status, outputs: [f64; 2], basis: Basis) -> Judged {
        let objective =
            Objective { constraints: vec![Constraint::new(1.0, Over::Mean)], ..Objective::capped(0.8) };
        let mut on_both = OnBoth::default();
        for number in 0..12 {
            let measured = Measured { instance: InstanceId(number), default: 4.0, tuned };
            on_both.validated.push(Validated::new(measured, Status::Finished, status));
            on_both.readings.push(outputs.map(|value| vec![Some(Reading::Exact(value))].into()));
        }
        Judged::of(&on_both, basis, None, &objective, 1).unwrap()
    }

    #[test]
    fn an_improvement_without_timeouts_reports_the_effect_of_unseen_ones() {
        let of = |tuned, status| judged(tuned, status, [0.5; 2], Basis::UnseenInstances).unseen_timeouts;
        // A timeout counts as 8. If a quarter of the trials time out and the others cost 2, the mean is 3.5.
        let expected = UnseenTimeouts { units: 12, share: 0.25, ratio: 4.0 / 3.5, break_even: 2.0 / 6.0 };
        assert_eq!(of(2.0, Status::Finished), Some(expected));
        assert_eq!(of(2.0, Status::Timeout), None, "timeouts were seen");
        assert_eq!(of(4.0, Status::Finished), None, "nothing is claimed");
    }

    #[test]
    fn constraints_come_before_costs_and_wrong_answers_before_both() {
        use Basis::{TrainingOnly, UnseenInstances};
        use Status::{Finished, Wrong};
        let cases = [
            (2.0, Finished, [0.5, 0.5], UnseenInstances, Finding::Faster, true),
            (4.0, Finished, [0.5, 0.5], UnseenInstances, Finding::NothingReliable, false),
            (8.0, Finished, [0.5, 0.5], UnseenInstances, Finding::Slower, false),
            (2.0, Finished, [0.5, 0.5], TrainingOnly, Finding::NothingReliable, true),
            (8.0, Finished, [1.5, 0.5], UnseenInstances, Finding::OnlyFeasible, true),
            (2.0, Finished, [0.5, 1.5], UnseenInstances, Finding::Infeasible, false),
            (2.0, Finished, [1.5, 1.5], UnseenInstances, Finding::NeitherFeasible, false),
            (2.0, Finished, [1.5, 1.5], TrainingOnly, Finding::NeitherFeasible, false),
            (2.0, Wrong, [1.5, 0.5], UnseenInstances, Finding::Wrong, false),
        ];
        for (tuned, status, outputs, basis, finding, is_worth_using) in cases {
            let judged = judged(tuned, status, outputs, basis);
            assert_eq!(judged.finding(), finding, "{tuned} {status:?} {outputs:?}");
            assert_eq!(judged.is_worth_using(), is_worth_using, "{finding:?} {basis:?}");
        }
    }
}
