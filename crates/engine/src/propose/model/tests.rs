//! Campaigns in simulated worlds, with proposals made by a model.

use std::collections::BTreeSet;

use math::Rng;
use space::Space;
use space::format::{Format, read};

use super::*;
use crate::history::Trial;
use crate::observation::{Observation, Status};
use crate::optimizer::Optimizer;
use crate::problem::Objective;
use crate::propose::Initial;
use crate::racing::{Ask, CappedRacer, Racing};
use crate::testkit::World;
use crate::trial::{Cap, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};

pub(super) fn optimizer(problem: &Problem, racing: &Racing, proposer: Box<dyn Proposer>) -> Optimizer {
    let mut history = History::new();
    let racer = CappedRacer::new(problem.clone(), racing.clone(), &mut history);
    Optimizer::new(history, Box::new(racer), proposer)
}

/// Runs trials on several workers; the trial that started first always ends first.
pub(super) fn drive(
    optimizer: &mut Optimizer,
    trials: usize,
    workers: usize,
    observe: &mut dyn FnMut(&TrialRequest) -> Observation,
) {
    while optimizer.history().trials().len() < trials {
        let free = workers - optimizer.running().count();
        match optimizer.ask(free) {
            Ask::Run(_) | Ask::Tighten(..) => {}
            Ask::Cancel(id) => optimizer.withdraw(id).unwrap(),
            Ask::Wait | Ask::Done(_) => {
                let Some(request) = optimizer.running().next().cloned() else { return };
                optimizer.tell(request.id, observe(&request)).unwrap();
            }
        }
    }
}

/// Returns settings that are fast enough for debug builds. The custom surrogate is a wrapped forest.
pub(super) fn small(learner: Learner) -> ModelSettings {
    let network = NeuralSettings { layers: vec![12, 12], members: 2, ..NeuralSettings::default() };
    let few =
        ModelSettings { candidates: 60, thompson_candidates: 60, starts: 4, ..ModelSettings::default() };
    let gaussian = GaussianSettings { starts: 1, evaluations: 8, ..GaussianSettings::default() };
    let own = Some(OwnSurrogate::new("mine", ForestSettings::default()));
    ModelSettings { learner, neural: network, gaussian, own, training_steps: 150, steps: 4, ..few }
}

#[test]
fn all_kinds_of_worlds_are_searched_and_proposals_are_new() {
    for seed in 0..24 {
        let world = World::random(seed);
        let settings = small(Learner::ALL[seed as usize % Learner::ALL.len()]);
        let proposer = Box::new(ModelSearch::new(world.problem.clone(), settings));
        let mut optimizer = optimizer(&world.problem, &world.racing, proposer);
        drive(&mut optimizer, 60, 1 + seed as usize / 4 % 4, &mut |request| {
            world.observe(&world.truth(request), request.cap)
        });
        let seen = optimizer.history().configurations();
        for (i, configuration) in seen.iter().enumerate() {
            world.problem.space.check(configuration.codes()).unwrap();
            assert!(seen[..i].iter().all(|earlier| earlier != configuration), "world {seed}");
        }
    }
}

fn bowl() -> Problem {
    let text = "a = { float = [0, 1] }\nb = { float = [0, 1] }\nc = { choices = [\"x\", \"y\", \"z\"] }\n\
                d = { float = [0, 1], when = \"c == 'y'\" }\n";
    let space: Space = read(text, "bowl", Format::Toml).unwrap();
    let default = space.default_configuration();
    Problem { space, default, objective: Objective::capped(100.0), instances: 1, seed: 5 }
}

/// Returns the log10 cost, with its minimum near a = 0.8, b = 0.2, c = y, d = 0.6.
fn depth(configuration: &Configuration) -> f64 {
    let codes = configuration.codes();
    let square = |x: f64, at: f64| (x - at) * (x - at);
    let own =
        [0.8, 0.0, 0.5][codes[2] as usize] + if codes[3].is_nan() { 0.0 } else { square(codes[3], 0.6) };
    3.0 * (square(codes[0], 0.8) + square(codes[1], 0.2)) + own - 1.0
}

fn run_bowl(request: &TrialRequest) -> Observation {
    let cost = libm::pow(10.0, depth(&request.configuration));
    let cap = request.cap.cost();
    match cost > cap {
        true if cap >= 100.0 => Observation::timeout(cap),
        true => Observation::capped(cap),
        false => Observation::finished(cost),
    }
}

fn best_depth(seed: u64, make: &dyn Fn(Problem) -> Box<dyn Proposer>) -> f64 {
    let problem = Problem { seed, ..bowl() };
    let racing = Racing { deterministic: true, ..Racing::default() };
    let mut optimizer = optimizer(&problem, &racing, make(problem.clone()));
    drive(&mut optimizer, 60, 1, &mut run_bowl);
    depth(optimizer.history().configuration(optimizer.incumbent()))
}

#[test]
fn a_model_is_better_than_random_search() {
    let model = |problem: Problem| -> Box<dyn Proposer> {
        Box::new(ModelSearch::new(problem, ModelSettings { candidates: 200, ..ModelSettings::default() }))
    };
    let random =
        |problem: Problem| -> Box<dyn Proposer> { Box::new(RandomSearch::new(problem.space, problem.seed)) };
    let mean = |make: &dyn Fn(Problem) -> Box<dyn Proposer>| {
        (0..6).map(|seed| best_depth(seed, make)).sum::<f64>() / 6.0
    };
    let (model, random) = (mean(&model), mean(&random));
    println!("log10 cost after 60 trials: model {model:.3}, random {random:.3}; the minimum is -1");
    assert!(model < random - 0.05 && model < -0.9, "{model} {random}");
}

#[test]
fn a_network_sees_each_point_as_often_as_its_steps_allow_but_at_least_once() {
    let neural = NeuralSettings { epochs: 300, batch: 10, ..NeuralSettings::default() };
    let settings = ModelSettings { neural, training_steps: 1000, ..ModelSettings::default() };
    let epochs = [3, 10, 100, 5000, 1_000_000].map(|points| settings.network(points).epochs);
    assert_eq!(epochs, [300, 300, 100, 2, 1]);
    assert_eq!(settings.network(50).members, 1);
}

/// Training networks is slow in debug builds. So only a few are trained, on random trials, most of which were
/// stopped.
#[test]
fn networks_propose_better_configurations_than_most_tried_ones() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let random = Box::new(RandomSearch::new(problem.space.clone(), 5));
    let mut optimizer = optimizer(&problem, &racing, random);
    drive(&mut optimizer, 60, 1, &mut run_bowl);
    let mut history = optimizer.history().clone();
    assert!(history.count(Status::Capped) > 40, "{}", history.count(Status::Capped));
    let mut tried: Vec<f64> = history.configurations().iter().map(depth).collect();
    tried.sort_by(f64::total_cmp);
    let neural = NeuralSettings { layers: vec![30, 30], ..NeuralSettings::default() };
    let settings =
        ModelSettings { learner: Learner::Neural, neural, training_steps: 2000, ..ModelSettings::default() };
    let mut model = ModelSearch::new(problem, settings);
    let mut proposed = Vec::new();
    while proposed.len() < 6 {
        let number = history.configurations().len();
        let next = model.propose(&history, ConfigId(0)).unwrap();
        if !model.is_random_turn(number) {
            proposed.push(depth(&next));
        }
        history.intern(&next);
    }
    proposed.sort_by(f64::total_cmp);
    println!("log10 costs: proposed {proposed:.2?}, best tried {:.2?}", &tried[..8]);
    // After so little training, the networks propose the corner next to the best configuration.
    assert!(proposed[2] < tried[tried.len() / 4], "half of the proposals must be in the best quarter");
}

#[test]
fn a_network_that_could_not_be_trained_makes_no_proposal() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let random = Box::new(RandomSearch::new(problem.space.clone(), 5));
    let mut optimizer = optimizer(&problem, &racing, random);
    drive(&mut optimizer, 21, 1, &mut run_bowl);
    for (rate, origin) in [(1e-2, "neural"), (1e300, "random")] {
        let mut history = optimizer.history().clone();
        let mut settings = small(Learner::Neural);
        settings.neural.rate = rate;
        let mut model = ModelSearch::new(problem.clone(), settings);
        while model.is_random_turn(history.configurations().len()) {
            history.intern(&problem.space.sample(&mut Rng::new(1, "one more", 0)).unwrap());
        }
        let number = ConfigId(history.configurations().len() as u32);
        let next = model.propose(&history, ConfigId(0)).unwrap();
        history.intern(&next);
        assert_eq!(model.origin(number, &history), origin, "{rate}");
    }
}

#[test]
fn a_new_proposer_continues_as_an_old_one_would() {
    Learner::ALL.iter().copied().for_each(continues_alike);
}

fn continues_alike(learner: Learner) {
    let problem = bowl();
    let settings = small(learner);
    let racing = Racing { deterministic: true, ..Racing::default() };
    let make = || -> Box<dyn Proposer> {
        let then = Box::new(ModelSearch::new(problem.clone(), settings.clone()));
        let design = space::design::Design::Sobol;
        Box::new(Initial::new(Vec::new(), &problem.space, design, 5, 5, then).unwrap())
    };
    let mut through = optimizer(&problem, &racing, make());
    for trials in [12, 19, 33, 47, 58] {
        drive(&mut through, trials, 3, &mut run_bowl);
        let history = through.history().clone();
        let mut old = ModelSearch::new(problem.clone(), settings.clone());
        for told in [11, 26, 40] {
            // Unlike the new search, the old one has already made proposals, from parts of the history.
            let mut part = history.clone();
            part.take_after(told);
            old.propose(&part, ConfigId(0));
        }
        let mut new = ModelSearch::new(problem.clone(), settings.clone());
        assert_eq!(old.propose(&history, ConfigId(0)), new.propose(&history, ConfigId(0)), "{trials}");
        let bits = |expected: &[f64]| expected.iter().map(|cost| cost.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(old.expected(&history)), bits(new.expected(&history)), "{learner:?} {trials}");
        if !new.is_random_turn(history.configurations().len()) {
            let judged = learner == Learner::Auto && trials >= 20;
            assert_eq!((old.choice(), old.choice().is_some()), (new.choice(), judged), "{trials}");
        }
    }
}

#[test]
fn a_hurry_makes_proposals_cheap_and_does_not_affect_the_model() {
    let problem = bowl();
    let settings = small(Learner::Forest);
    let racing = Racing { deterministic: true, ..Racing::default() };
    let make = || ModelSearch::new(problem.clone(), settings.clone());
    let mut through = optimizer(&problem, &racing, Box::new(make()));
    drive(&mut through, 33, 1, &mut run_bowl);
    through.set_tempo(Tempo::Hurried);
    drive(&mut through, 60, 1, &mut run_bowl);
    let history = through.history().clone();
    let counted = |word| {
        let all = (0..history.configurations().len()).map(|index| ConfigId(index as u32));
        all.filter(|&id| through.origin(id) == word).count()
    };
    assert!(counted("forest") > 5 && counted("local") > 5 && counted("random") > 5);
    // Adds configurations until it is the model's turn.
    let mut part = history.clone();
    while part.configurations().len().is_multiple_of(settings.random_every) {
        part.intern(&problem.space.sample(&mut Rng::new(1, "one more", 0)).unwrap());
    }
    let (mut hurried, mut calm) = (make(), make());
    part.take_after(40);
    hurried.propose(&part, ConfigId(0));
    hurried.set_tempo(Tempo::Hurried);
    let cheap = hurried.propose(&part, ConfigId(0));
    hurried.set_tempo(Tempo::Calm);
    assert_ne!(cheap, calm.propose(&part, ConfigId(0)));
    assert_eq!(hurried.propose(&part, ConfigId(0)), calm.propose(&part, ConfigId(0)));
}

/// The forest replaces slower learners. If the learner is a forest, local search replaces it.
#[test]
fn at_a_brisk_tempo_the_forest_proposes_without_a_choice() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    for &learner in Learner::ALL.iter().chain(&[Learner::Auto]) {
        let word = if learner == Learner::Forest { "local" } else { "forest" };
        let search = Box::new(ModelSearch::new(problem.clone(), small(learner)));
        let mut through = optimizer(&problem, &racing, search);
        through.set_tempo(Tempo::Brisk);
        drive(&mut through, 60, 1, &mut run_bowl);
        let all = (0..through.history().configurations().len()).map(|index| ConfigId(index as u32));
        let origins: BTreeSet<&str> = all.map(|id| through.origin(id)).collect();
        assert!(origins.contains(word) && through.choice().is_none(), "{learner:?} {origins:?}");
        assert!(
            ["forest", "local", "neural", "gaussian", "mine"]
                .iter()
                .all(|other| *other == word || !origins.contains(other))
        );
    }
}

#[test]
fn simultaneous_proposals_differ_and_failures_are_avoided() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let random = Box::new(RandomSearch::new(problem.space.clone(), 5));
    let mut optimizer = optimizer(&problem, &racing, random);
    // Trials with the best category crash.
    drive(&mut optimizer, 60, 1, &mut |request| match request.configuration.codes()[2] {
        1.0 => Observation::failed(Status::Crashed, 0.1),
        _ => run_bowl(request),
    });
    for &learner in Learner::ALL {
        let mut history = optimizer.history().clone();
        let mut model = ModelSearch::new(problem.clone(), small(learner));
        let (mut proposed, mut crashing) = (0, 0);
        for _ in 0..20 {
            let number = history.configurations().len();
            let next = model.propose(&history, ConfigId(0)).unwrap();
            assert!(history.find(&next).is_none());
            if !model.is_random_turn(number) {
                proposed += 1;
                crashing += usize::from(next.codes()[2] == 1.0);
            }
            history.intern(&next);
        }
        assert!(proposed >= 14 && crashing <= 1, "{learner:?}: {crashing} of {proposed} crash");
    }
}

#[test]
fn the_choice_is_made_again_when_trials_double_and_names_the_origin() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let settings = small(Learner::Auto).for_target(&problem.space, true);
    assert_eq!((settings.first, settings.first_fit, settings.design), (Learner::Gaussian, 5, 4));
    let noisy = small(Learner::Auto).for_target(&problem.space, false);
    assert_eq!((noisy.first, noisy.first_fit, noisy.design), (Learner::Forest, 10, 10));
    let mut model = ModelSearch::new(problem.clone(), settings);
    let random = Box::new(RandomSearch::new(problem.space.clone(), 5));
    let mut optimizer = optimizer(&problem, &racing, random);
    let mut judged = Vec::new();
    for trials in [12, 20, 39, 40, 79, 85] {
        drive(&mut optimizer, trials, 1, &mut run_bowl);
        let mut history = optimizer.history().clone();
        while model.is_random_turn(history.configurations().len()) {
            history.intern(&problem.space.sample(&mut Rng::new(1, "one more", 0)).unwrap());
        }
        let number = ConfigId(history.configurations().len() as u32);
        let next = model.propose(&history, ConfigId(0)).unwrap();
        history.intern(&next);
        let choice = model.choice();
        judged.push(choice.map(|choice| choice.trials));
        let best = choice.map_or("gaussian", |choice| {
            let scores = [choice.forest, choice.neural, choice.gaussian.unwrap()];
            assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
            choice.learner.word()
        });
        assert_eq!(model.origin(number, &history), best);
    }
    assert_eq!(judged, [None, Some(20), Some(20), Some(40), Some(40), Some(80)]);
}

/// Runs of one configuration with several seeds are one point of a Gaussian process.
#[test]
fn a_gaussian_process_takes_part_if_it_has_few_points_however_many_runs_they_have() {
    let problem = bowl();
    let mut history = History::new();
    for id in 0..177 {
        let configuration = problem.space.sample(&mut Rng::new(id / 3, "few", 0)).unwrap();
        let config = history.intern(&configuration);
        let pair = Pair { instance: InstanceId(0), seed: Seed(id as u32 % 3) };
        let observation = Observation::finished(libm::pow(10.0, depth(&configuration)));
        let (id, key) = (TrialId(id), TrialKey { config, pair });
        history.push(Trial { id, key, cap: Cap::NONE, why: Why::Challenge, observation });
    }
    let takes_part = |gaussian_points: usize| {
        let settings = ModelSettings { gaussian_points, ..small(Learner::Auto) };
        let mut model = ModelSearch::new(problem.clone(), settings);
        model.propose(&history, ConfigId(0)).unwrap();
        model.choice().unwrap().gaussian.is_some()
    };
    // The choice is made with the first 160 trials, which are of 54 configurations.
    assert_eq!([53, 54].map(takes_part), [false, true]);
}

#[test]
fn improvements_count_less_where_trials_use_more_of_the_budget() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let random = Box::new(RandomSearch::new(problem.space.clone(), 5));
    let mut optimizer = optimizer(&problem, &racing, random);
    // The budget that a trial uses does not depend on its cost, and grows a thousandfold along one parameter.
    drive(&mut optimizer, 60, 1, &mut |request| {
        run_bowl(request).with_spent(libm::pow(10.0, 3.0 * request.configuration.codes()[0]))
    });
    for learner in [Learner::Forest, Learner::Gaussian] {
        let mean = |utility: Utility| {
            let mut history = optimizer.history().clone();
            let settings = ModelSettings { utility, random_every: usize::MAX, ..small(learner) };
            let mut model = ModelSearch::new(problem.clone(), settings);
            let mut next = || {
                let next = model.propose(&history, ConfigId(0)).unwrap();
                history.intern(&next);
                next.codes()[0]
            };
            (0..8).map(|_| next()).sum::<f64>() / 8.0
        };
        let (plain, per) = (mean(Utility::ExpectedImprovement), mean(Utility::ImprovementPerSpent));
        assert!(per < plain - 0.05, "{learner:?}: {per} {plain}");
    }
}

#[test]
fn on_one_instance_the_gaussian_process_and_a_forest_take_turns() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let settings = ModelSettings { forest_from: Some(40), random_every: 4, ..small(Learner::Gaussian) };
    let mut optimizer = optimizer(&problem, &racing, Box::new(ModelSearch::new(problem.clone(), settings)));
    drive(&mut optimizer, 110, 1, &mut run_bowl);
    let counts = |numbers: std::ops::Range<usize>| {
        ["gaussian", "forest"].map(|word| {
            numbers.clone().filter(|&number| optimizer.origin(ConfigId(number as u32)) == word).count()
        })
    };
    // Each trial is of another configuration, and every fourth of these is random.
    assert_eq!(optimizer.history().configurations().len(), optimizer.history().trials().len());
    assert_eq!(counts(12..40), [21, 0]);
    assert_eq!(counts(40..80), [20, 10]);
    assert_eq!(counts(80..108), [0, 21]);
}

#[test]
fn on_several_instances_a_forest_replaces_the_gaussian_process() {
    let problem = Problem { instances: 3, ..bowl() };
    let racing = Racing { deterministic: true, ..Racing::default() };
    let settings = ModelSettings { forest_from: Some(40), ..small(Learner::Gaussian) };
    let mut through =
        optimizer(&problem, &racing, Box::new(ModelSearch::new(problem.clone(), settings.clone())));
    let mut before = 0;
    for (trials, word, other) in [(39, "gaussian", "forest"), (70, "forest", "gaussian")] {
        drive(&mut through, trials, 1, &mut run_bowl);
        let now = through.history().configurations().len();
        // Leaves out the configuration that was racing when the number of trials was reached.
        let new = (before + 1..now).map(|index| through.origin(ConfigId(index as u32)));
        let origins: BTreeSet<&str> = new.collect();
        assert!(origins.contains(word) && !origins.contains(other), "{trials}: {origins:?}");
        before = now;
    }
    let expected =
        [settings.clone(), ModelSettings { learner: Learner::Forest, ..settings }].map(|settings| {
            let mut model = ModelSearch::new(problem.clone(), settings);
            model.expected(through.history()).iter().map(|cost| cost.to_bits()).collect::<Vec<_>>()
        });
    assert_eq!(expected[0], expected[1]);
}

#[test]
fn the_gaussian_process_is_the_default_for_few_parameters_without_noise() {
    let space = |parameters: usize| {
        let text: String = (0..parameters).map(|at| format!("x{at} = {{ float = [0, 1] }}\n")).collect();
        let text = text + "fixed = { integer = [7, 7], default = 7 }\n";
        read(&text, "many", Format::Toml).unwrap()
    };
    let learner =
        |parameters, deterministic| ModelSettings::suited(&space(parameters), deterministic).learner;
    assert_eq!(learner(1, true), Learner::Gaussian);
    assert_eq!(learner(FEW_PARAMETERS, true), Learner::Gaussian);
    assert_eq!(learner(FEW_PARAMETERS + 1, true), Learner::Forest);
    assert_eq!(learner(3, false), Learner::Forest);
    assert_eq!(learner(0, true), Learner::Forest);
}

/// On a bowl without noise, forecasts must be near the true cost.
#[test]
fn proposals_by_a_model_have_a_forecast_and_random_ones_have_none() {
    let problem = bowl();
    let racing = Racing { deterministic: true, ..Racing::default() };
    for learner in [Learner::Forest, Learner::Gaussian] {
        let search = Box::new(ModelSearch::new(problem.clone(), small(learner)));
        let mut through = optimizer(&problem, &racing, search);
        drive(&mut through, 120, 1, &mut run_bowl);
        let history = through.history();
        let mut errors = Vec::new();
        for config in (0..history.configurations().len()).map(|index| ConfigId(index as u32)) {
            let is_by_model = through.origin(config) == learner.word();
            let Some(Forecast { cost, low, high }) = through.forecast(config) else {
                assert!(!is_by_model, "{learner:?}: no forecast for {config}");
                continue;
            };
            assert!(is_by_model && low <= cost && cost <= high, "{learner:?} {config}: {low} {cost} {high}");
            let costs: Vec<f64> = history
                .readings(config)
                .filter_map(|(_, trial)| problem.objective.known(&trial.observation))
                .collect();
            if !costs.is_empty() {
                let truth = costs.iter().sum::<f64>() / costs.len() as f64;
                errors.push(libm::fabs(libm::log10(cost / truth)));
            }
        }
        errors.sort_by(f64::total_cmp);
        assert!(errors.len() > 10 && errors[errors.len() / 2] < 0.5, "{learner:?}: {errors:?}");
    }
}
