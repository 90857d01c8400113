//! Constraints whose outputs depend on each other.

use math::Rng;
use math::normal::cdf;
use space::format::{Format, read};
use surrogate::Reading;
use surrogate::{Points, Prediction};

use super::dependence::{Residual, correlations};
use super::feasibility::Feasibility;
use super::tests::small;
use super::*;
use crate::acquisition::log_feasibility;
use crate::history::Trial;
use crate::observation::Observation;
use crate::problem::{Constraint, Objective, Over};
use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, TrialKey, Why};

/// Returns a problem with constraints that have these bounds, and a history with trials of random
/// configurations.
pub(super) fn random_history(
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
        let outputs: Vec<_> = outputs(output).into_iter().map(|value| Some(Reading::Exact(value))).collect();
        history.push(Trial {
            id: TrialId(number),
            key: TrialKey { config, pair },
            cap: Cap::NONE,
            why: Why::Challenge,
            observation: Observation::finished(cost).with_constraints(outputs).with_spent(spent),
        });
    }
    let settings = ModelSettings { dependence, ..small(learner) };
    (Task { problem, settings, instances: InstanceTable::alike(), interrupt: Interrupt::default() }, history)
}

const ASKED: usize = 40;

/// Returns fitted models of the constraints, and their predicted excesses for some configurations.
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
        random_history(Learner::Gaussian, Dependence::Residuals, &[0.9, 0.9], &|output| vec![output, output]);
    let (feasibility, excesses) = learned(&task, &history);
    let mut uncertain = 0;
    for both in excesses {
        let (one, found) = (log_feasibility(&both[..1]), feasibility.log_probability(&both));
        assert!((found - one).abs() < 0.01 + 0.02 * one.abs(), "{found} {one}");
        uncertain += usize::from((-20.0..-0.1).contains(&one));
    }
    assert!(uncertain > 5, "only {uncertain} places show a difference");
}

#[test]
fn opposite_outputs_give_the_probability_between_their_bounds() {
    let (task, history) =
        random_history(Learner::Gaussian, Dependence::Residuals, &[0.85, -0.75], &|output| {
            vec![output, -output]
        });
    let (feasibility, excesses) = learned(&task, &history);
    let mut uncertain = 0;
    for both in excesses {
        let below = |excess: Prediction| cdf(-excess.mean / excess.deviation());
        let between = below(both[0]) + below(both[1]) - 1.0;
        let found = feasibility.log_probability(&both);
        assert!(found.is_finite(), "{both:?}");
        if between > 0.02 {
            assert!((found - libm::log(between)).abs() < 0.05, "{found} {between}");
            uncertain += usize::from(libm::log(between) < log_feasibility(&both) - 0.05);
        }
    }
    assert!(uncertain > 2, "only {uncertain} places show a difference");
}

#[test]
fn by_default_probabilities_are_multiplied() {
    assert_eq!(ModelSettings::default().dependence, Dependence::Independent);
    let outputs = |output: f64| vec![output, output];
    // Forests do not provide residuals.
    for (learner, dependence) in
        [(Learner::Gaussian, Dependence::Independent), (Learner::Forest, Dependence::Residuals)]
    {
        let (task, history) = random_history(learner, dependence, &[0.9, 1.0], &outputs);
        let (feasibility, excesses) = learned(&task, &history);
        for both in excesses {
            assert_eq!(feasibility.log_probability(&both).to_bits(), log_feasibility(&both).to_bits());
        }
    }
}

#[test]
fn correlations_use_each_reading_once_and_only_trials_with_exact_readings_of_all_outputs() {
    let z = |at: usize| libm::sin(7.0 * at as f64);
    let residuals = |value: &dyn Fn(usize) -> f64| -> Vec<Option<Residual>> {
        (0..14).map(|reading| Some(Residual { reading, value: value(reading) })).collect()
    };
    let (one, mut other) = (residuals(&z), residuals(&|at| 3.0 - 2.0 * z(at)));
    let found = correlations(&[one.clone(), other.clone()]).unwrap();
    for (found, known) in found.iter().zip([1.0, -1.0, -1.0, 1.0]) {
        assert!((found - known).abs() < 1e-12, "{found}");
    }
    // Trials without an exact reading, and repeated readings, do not count.
    other[0] = None;
    other[1] = None;
    let again = |output: &[Option<Residual>], first: usize| [&output[..first], &vec![output[5]; 9]].concat();
    let pairs = |first: usize| correlations(&[again(&one, first), again(&other, first)]);
    assert!((pairs(14).unwrap()[1] + 1.0).abs() < 1e-12);
    assert_eq!(pairs(11), None, "nine trials are too few");
    assert_eq!(correlations(&[one, residuals(&|_| 0.5)]).unwrap()[1], 0.0, "a constant output");
}

#[test]
fn each_output_is_learned_by_the_learner_set_for_it() {
    use Learner::{Forest, Gaussian};
    // Only Gaussian processes have gradients.
    let has_gradient = |cost: Learner, constraints: &[Option<Learner>]| {
        let (mut task, history) =
            random_history(cost, Dependence::Independent, &[1.0, 0.0], &|output| vec![output, -output]);
        task.settings.constraints = constraints.to_vec();
        learned(&task, &history).0.excesses_with_gradient(Points::new(&[0.3, 0.4], 2)).is_some()
    };
    assert!(has_gradient(Gaussian, &[]) && !has_gradient(Forest, &[]));
    assert!(has_gradient(Forest, &[Some(Gaussian), Some(Gaussian)]));
    assert!(!has_gradient(Forest, &[Some(Gaussian)]));
    assert!(has_gradient(Gaussian, &[None, None]) && !has_gradient(Gaussian, &[None, Some(Forest)]));
    // Forests and custom surrogates that wrap forests use different random streams, so their predictions
    // differ.
    let excess = |cost: Learner, constraint: Option<Learner>| {
        let (mut task, history) =
            random_history(cost, Dependence::Independent, &[1.0], &|output| vec![output]);
        task.settings.constraints = vec![constraint];
        learned(&task, &history).1
    };
    assert_eq!(excess(Learner::Own, None), excess(Forest, Some(Learner::Own)));
    assert_ne!(excess(Learner::Own, None), excess(Learner::Own, Some(Forest)));
    let pairs =
        [(Gaussian, Forest), (Forest, Gaussian), (Learner::Neural, Gaussian), (Gaussian, Learner::Own)];
    for (cost, constraint) in pairs {
        let (mut task, history) =
            random_history(cost, Dependence::Independent, &[1.0], &|output| vec![output]);
        task.settings.constraints = vec![Some(constraint)];
        let mut model = ModelSearch::new(task.problem.clone(), task.settings.clone());
        let found = model.propose(&history, ConfigId(0)).unwrap();
        assert!(history.find(&found).is_none());
    }
}
