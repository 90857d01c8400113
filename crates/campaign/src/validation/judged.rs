//! The one verdict: what may be said of the best, its costs and its bounds together.
//!
//! | the default | the best | finding |
//! |---|---|---|
//! | - | gives wrong answers | wrong |
//! | keeps its bounds | keeps them | what the costs say: faster, nothing reliable or slower |
//! | does not | keeps them | only feasible |
//! | keeps them | does not | infeasible |
//! | does not | does not | neither feasible |

use engine::Rng;
use engine::racing::Problem;
use engine::stats::{Basis, Claim, Verdict, judge};

use super::{BothHoldings, OnBoth};
use crate::scenario::are_kept;

/// What may be said of a validation.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Of the costs.
    pub verdict: Verdict,
    /// Of the constraints.
    pub holdings: BothHoldings,
}

/// Costs and bounds in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The best beats the default.
    Faster,
    /// The data do not tell them apart, or must not.
    NothingReliable,
    /// The default beats the best.
    Slower,
    /// The best gives wrong answers.
    Wrong,
    /// The best keeps its bounds, the default does not.
    OnlyFeasible,
    /// The default keeps its bounds, the best does not.
    Infeasible,
    /// None of them keeps its bounds.
    NeitherFeasible,
}

impl Finding {
    /// Its word in JSON.
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

impl Judged {
    /// The verdict on pairs measured with both; `None` if there are none. `training` is what the training promised.
    pub fn of(on_both: &OnBoth, basis: Basis, training: Option<f64>, problem: &Problem) -> Option<Self> {
        let mut rng = Rng::new(problem.seed, "verdict", 0);
        let verdict = judge(&on_both.validated, basis, training, &mut rng).ok()?;
        Some(Self { verdict, holdings: on_both.holdings(&problem.objective.constraints) })
    }

    /// What was found.
    pub fn finding(&self) -> Finding {
        let Self { verdict, holdings } = self;
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

    /// Whether the best is worth using, as far as one can tell: on the training alone nothing is claimed, and what it
    /// found is all there is.
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
    use engine::racing::{Constraint, Objective, Over};
    use engine::space::format::{Format, read};
    use engine::stats::{Measured, Validated};
    use engine::{InstanceId, Reading, Status};

    use super::*;

    /// Twelve instances on which the default costs 4, with what both told of an output bounded by 1.
    fn judged(tuned: f64, status: Status, outputs: [f64; 2], basis: Basis) -> Judged {
        let space = read("x = { float = [0, 1] }\n", "space", Format::Toml).unwrap();
        let objective =
            Objective { constraints: vec![Constraint::new(1.0, Over::Mean)], ..Objective::capped(100.0) };
        let default = space.default_configuration();
        let problem = Problem { space, default, objective, instances: 3, seed: 1 };
        let mut on_both = OnBoth::default();
        for number in 0..12 {
            let measured = Measured { instance: InstanceId(number), default: 4.0, tuned };
            on_both.validated.push(Validated::new(measured, Status::Finished, status));
            on_both.readings.push(outputs.map(|value| vec![Some(Reading::Exact(value))].into()));
        }
        Judged::of(&on_both, basis, None, &problem).unwrap()
    }

    #[test]
    fn bounds_come_before_costs_and_wrong_answers_before_both() {
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
