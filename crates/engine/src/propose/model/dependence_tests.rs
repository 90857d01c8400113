//! Constraints whose outputs depend on each other.

use math::Rng;
use math::normal::cdf;
use space::format::{Format, read};
use surrogate::Reading;
use surrogate::{Points, Prediction};

use super::dependence::{Surprise, correlations};
use super::feasibility::Feasibility;
use super::tests::small;
use super::*;
use crate::acquisition::log_feasibility;
use crate::history::Trial;
use crate::observation::Observation;
use crate::problem::{Constraint, Objective, Over};
use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, TrialKey, Why};

/// Constraints of these bounds, and what trials of random configurations tell of them.
pub(super) fn told(
    learner: Learner,
    dependence: Dependence,
    bounds: &[f64],
    outputs: &dyn Fn(f64) -> Vec<f64>,
) -> (Task, History) {
    let space = read("x = { float = [0, 1] }\ny = { float = [0, 1] }\n", "square", Format::Toml).unwrap();
    let mut objective = Objective::uncapped();
    objective.constraints = bounds.iter().map(|&bound| Constraint::new(bound, Over::Mean)).collect();
    let problem = Problem { default: space.default_configuration(), space, objective, instances: 1, seed: 1 };
    let mut history = History::new();
    let mut rng = Rng::new(1, "dependent", 0);
    for number in 0..25 {
        let codes = vec![rng.unit(), rng.unit()];
        let output = libm::sin(5.0 * codes[0]) + codes[1] + 0.1 * rng.normal();
        let cost = 1.0 + codes[0] * codes[0] + codes[1];
        let spent = 1.0 + libm::exp(3.0 * codes[1]);
        let config = history.intern(&problem.space.configuration_of_codes(codes).unwrap());
        let pair = Pair { instance: InstanceId(0), seed: Seed(1) };
        let told: Vec<_> = outputs(output).into_iter().map(|output| Some(Reading::Exact(output))).collect();
        history.push(Trial {
            id: TrialId(number),
            key: TrialKey { config, pair },
            cap: Cap::NONE,
            why: Why::Challenge,
            observation: Observation::finished(cost).with_constraints(told).with_spent(spent),
        });
    }
    let settings = ModelSettings { dependence, ..small(learner) };
    (Task { problem, settings, instances: InstanceTable::alike(), interrupt: Interrupt::default() }, history)
}

const ASKED: usize = 40;

/// What is known of the constraints, and what is expected at some places.
fn learned(task: &Task, history: &History) -> (Feasibility, Vec<Vec<Prediction>>) {
    let mut feasibility = Feasibility::default();
    feasibility.learn(task, task.settings.learner, history);
    let mut rng = Rng::new(2, "asked", 0);
    let rows: Vec<f64> = (0..2 * ASKED).map(|_| rng.unit()).collect();
    let excesses = feasibility.excesses(Points::new(&rows, 2));
    (feasibility, excesses)
}

#[test]
fn an_output_that_is_bounded_twice_counts_once() {
    let (task, history) =
        told(Learner::Gaussian, Dependence::Residuals, &[0.9, 0.9], &|output| vec![output, output]);
    let (feasibility, excesses) = learned(&task, &history);
    let mut doubtful = 0;
    for both in excesses {
        let (one, found) = (log_feasibility(&both[..1]), feasibility.log_probability(&both));
        assert!((found - one).abs() < 0.01 + 0.02 * one.abs(), "{found} {one}");
        doubtful += usize::from((-20.0..-0.1).contains(&one));
    }
    assert!(doubtful > 5, "{doubtful} places show a difference");
}

#[test]
fn of_opposite_outputs_what_lies_between_counts() {
    let (task, history) =
        told(Learner::Gaussian, Dependence::Residuals, &[0.85, -0.75], &|output| vec![output, -output]);
    let (feasibility, excesses) = learned(&task, &history);
    let mut doubtful = 0;
    for both in excesses {
        let below = |excess: Prediction| cdf(-excess.mean / excess.deviation());
        let between = below(both[0]) + below(both[1]) - 1.0;
        let found = feasibility.log_probability(&both);
        assert!(found.is_finite(), "{both:?}");
        if between > 0.02 {
            assert!((found - libm::log(between)).abs() < 0.05, "{found} {between}");
            doubtful += usize::from(libm::log(between) < log_feasibility(&both) - 0.05);
        }
    }
    assert!(doubtful > 2, "{doubtful} places show a difference");
}

#[test]
fn by_default_probabilities_are_multiplied_to_the_last_bit() {
    assert_eq!(ModelSettings::default().dependence, Dependence::Independent);
    let outputs = |output: f64| vec![output, output];
    // Forests cannot tell their residuals.
    for (learner, dependence) in
        [(Learner::Gaussian, Dependence::Independent), (Learner::Forest, Dependence::Residuals)]
    {
        let (task, history) = told(learner, dependence, &[0.9, 1.0], &outputs);
        let (feasibility, excesses) = learned(&task, &history);
        for both in excesses {
            assert_eq!(feasibility.log_probability(&both).to_bits(), log_feasibility(&both).to_bits());
        }
    }
}

#[test]
fn correlations_are_over_different_trials_that_told_all_exactly() {
    let z = |at: usize| libm::sin(7.0 * at as f64);
    let told = |residual: &dyn Fn(usize) -> f64| -> Vec<Option<Surprise>> {
        (0..14).map(|reading| Some(Surprise { reading, residual: residual(reading) })).collect()
    };
    let (one, mut other) = (told(&z), told(&|at| 3.0 - 2.0 * z(at)));
    let found = correlations(&[one.clone(), other.clone()]).unwrap();
    for (found, known) in found.iter().zip([1.0, -1.0, -1.0, 1.0]) {
        assert!((found - known).abs() < 1e-12, "{found}");
    }
    // Not told, or told by the same reading: neither counts.
    other[0] = None;
    other[1] = None;
    let again = |output: &[Option<Surprise>], first: usize| [&output[..first], &vec![output[5]; 9]].concat();
    let pairs = |first: usize| correlations(&[again(&one, first), again(&other, first)]);
    assert!((pairs(14).unwrap()[1] + 1.0).abs() < 1e-12);
    assert_eq!(pairs(11), None, "nine are too few");
    assert_eq!(correlations(&[one, told(&|_| 0.5)]).unwrap()[1], 0.0, "what does not vary");
}

#[test]
fn each_output_is_learned_by_what_was_asked_for() {
    use Learner::{Forest, Gaussian};
    // Only Gaussian processes have slopes.
    let has_slopes = |cost: Learner, constraints: &[Option<Learner>]| {
        let (mut task, history) =
            told(cost, Dependence::Independent, &[1.0, 0.0], &|output| vec![output, -output]);
        task.settings.constraints = constraints.to_vec();
        learned(&task, &history).0.excesses_with_slopes(Points::new(&[0.3, 0.4], 2)).is_some()
    };
    assert!(has_slopes(Gaussian, &[]) && !has_slopes(Forest, &[]));
    assert!(has_slopes(Forest, &[Some(Gaussian), Some(Gaussian)]) && !has_slopes(Forest, &[Some(Gaussian)]));
    assert!(has_slopes(Gaussian, &[None, None]) && !has_slopes(Gaussian, &[None, Some(Forest)]));
    // Forests and own surrogates that are forests draw from other streams.
    let excess = |cost: Learner, constraint: Option<Learner>| {
        let (mut task, history) = told(cost, Dependence::Independent, &[1.0], &|output| vec![output]);
        task.settings.constraints = vec![constraint];
        learned(&task, &history).1
    };
    assert_eq!(excess(Learner::Own, None), excess(Forest, Some(Learner::Own)));
    assert_ne!(excess(Learner::Own, None), excess(Learner::Own, Some(Forest)));
    let pairs =
        [(Gaussian, Forest), (Forest, Gaussian), (Learner::Neural, Gaussian), (Gaussian, Learner::Own)];
    for (cost, constraint) in pairs {
        let (mut task, history) = told(cost, Dependence::Independent, &[1.0], &|output| vec![output]);
        task.settings.constraints = vec![Some(constraint)];
        let mut model = ModelSearch::new(task.problem.clone(), task.settings.clone());
        let found = model.propose(&history, ConfigId(0)).unwrap();
        assert!(history.find(&found).is_none());
    }
}
