//! Compares Thompson sampling and expected improvement with the same networks: how often each proposes
//! configurations whose nearest neighbours were all stopped, and the final cost.
//!
//! ```text
//! Thompson:     θ = arg min μ_m(θ),   m cycles through the networks
//! improvement:  θ = arg max E max(0, 10^best - 10^y),   y ~ N(mean of all μ_m(θ), variance of all μ_m(θ))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ_m | logarithm of the cost over all instances, predicted by network m of five |
//! | best | the lowest mean of all μ_m among the configurations tried |
//!
//! Networks are retrained whenever the number of trials has grown by a twentieth. Both rules choose among
//! the same random configurations and neighbours of the best ones tried. Some proposals are random, as in a
//! campaign. A proposal counts as dead if none of the [`NEAREST`] tried configurations nearest to it has a
//! finished trial.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use clap::Args;
use engine::acquisition::{Acquisition, ExpectedSaving};
use engine::history::History;
use engine::learning;
use engine::propose::{ModelSettings, Proposer, RandomSearch};
use engine::racing::CappedRacer;
use engine::{Ask, ConfigId, Configuration, Observation, Optimizer, Problem, Rng, Space, Status};
use space::Neighbourhood;
use surrogate::neural::Ensemble;
use surrogate::{InstanceTable, Points, Prediction, Predictor};

use super::scenarios::{EQUAL_BUDGETS, Target};
use super::stage::Stage;
use crate::contest::subject;
use crate::seeds::range;
use crate::spine::stage::settings;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-3")]
    seeds: String,
}

/// Number of neighbours that decide whether a proposal is dead.
const NEAREST: usize = 5;
const NETWORKS: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Thompson,
    Improvement,
}

/// Numbers of proposals by networks and of random proposals, in total and dead.
#[derive(Default)]
struct Tally {
    proposals: AtomicUsize,
    dead: AtomicUsize,
    random: AtomicUsize,
    random_dead: AtomicUsize,
}

struct ByNetworks {
    rule: Rule,
    problem: Problem,
    /// The default settings of campaigns.
    settings: ModelSettings,
    instances: InstanceTable,
    random: RandomSearch,
    networks: Vec<Ensemble>,
    /// Number of trials when the networks were last trained.
    trained: usize,
    tally: Arc<Tally>,
}

impl ByNetworks {
    fn train(&mut self, history: &History) {
        let trials = history.trials().len();
        if trials < self.settings.first_fit || trials < self.trained + self.trained / 20 {
            return;
        }
        let data = learning::costs(&self.problem, history, trials, &self.instances);
        let settings = self.settings.network(data.len());
        let train = |number: usize| {
            let mut rng = Rng::new(self.problem.seed, "networks", (trials * NETWORKS + number) as u64);
            settings.train(&data, &mut rng).ok().filter(|(_, effort)| effort.untrained == 0)
        };
        self.networks = (0..NETWORKS).filter_map(train).map(|(network, _)| network).collect();
        self.trained = trials;
    }

    /// Returns the utility of each row under this rule; larger is better.
    fn judge(&self, rows: &[f64], best: f64, turn: usize) -> Vec<f64> {
        let width = self.problem.space.row_length();
        let means_by = |network: &Ensemble| {
            let mut found = vec![Prediction::default(); rows.len() / width];
            network.predict_marginal(Points::new(rows, width), &mut found);
            found.into_iter().map(|found| found.mean).collect::<Vec<f64>>()
        };
        if self.rule == Rule::Thompson {
            let means = means_by(&self.networks[turn % self.networks.len()]);
            return means.into_iter().map(|mean| -mean).collect();
        }
        let means: Vec<Vec<f64>> = self.networks.iter().map(means_by).collect();
        let improvement = |at: usize| {
            let mean = means.iter().map(|one| one[at]).sum::<f64>() / means.len() as f64;
            let variance = means.iter().map(|one| (one[at] - mean).powi(2)).sum::<f64>() / means.len() as f64;
            ExpectedSaving.log_utility(Prediction { mean, variance }, &[], Some(best))
        };
        (0..rows.len() / width).map(improvement).collect()
    }

    fn by_rule(&self, history: &History, number: usize) -> Option<Configuration> {
        let space = &self.problem.space;
        let width = space.row_length();
        let tried: Vec<ConfigId> =
            (0..number).map(|id| ConfigId(id as u32)).filter(|&id| is_tried(history, id)).collect();
        let codes_of = |ids: &[ConfigId]| -> Vec<f64> {
            ids.iter().flat_map(|&id| history.configuration(id).codes().to_vec()).collect()
        };
        let encoded = |codes: &[f64]| {
            let mut rows = vec![0.0; codes.len()];
            space.encode_many(codes, &mut rows);
            rows
        };
        let mut expected = vec![0.0; tried.len()];
        let rows = encoded(&codes_of(&tried));
        for network in &self.networks {
            let mut found = vec![Prediction::default(); tried.len()];
            network.predict_marginal(Points::new(&rows, width), &mut found);
            expected
                .iter_mut()
                .zip(found)
                .for_each(|(sum, found)| *sum += found.mean / self.networks.len() as f64);
        }
        let best = expected.iter().copied().fold(f64::INFINITY, f64::min);
        let mut order: Vec<usize> = (0..tried.len()).collect();
        order.sort_by(|&a, &b| expected[a].total_cmp(&expected[b]));
        let mut rng = Rng::new(self.problem.seed, "candidates", number as u64);
        let mut codes = vec![0.0; self.settings.thompson_candidates * width];
        space.sample_many(&mut rng, &mut codes).ok()?;
        for &at in order.iter().take(self.settings.starts) {
            let origin = history.configuration(tried[at]).codes().to_vec();
            for id in space.ids().filter(|&id| space.parameter(id).is_variable()) {
                space.vary(id, &origin, &Neighbourhood::default(), &mut rng, &mut |near| {
                    codes.extend_from_slice(near);
                });
            }
        }
        let rows = encoded(&codes);
        let utilities = self.judge(&rows, best, number);
        let mut order: Vec<usize> = (0..utilities.len()).collect();
        order.sort_by(|&a, &b| utilities[b].total_cmp(&utilities[a]));
        let configuration = |at: usize| space.decode(&rows[at * width..(at + 1) * width]).ok();
        order.into_iter().filter_map(configuration).find(|found| history.find(found).is_none())
    }
}

/// Returns whether none of the nearest tried configurations has a finished trial.
fn is_dead(space: &Space, history: &History, configuration: &Configuration) -> bool {
    let own = space.encode(configuration);
    let ids = (0..history.configurations().len()).map(|id| ConfigId(id as u32));
    let mut near: Vec<(f64, bool)> = ids
        .filter(|&id| is_tried(history, id))
        .map(|id| {
            let row = space.encode(history.configuration(id));
            let distance = own.iter().zip(&row).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let mut trials = history.readings(id).map(|(_, trial)| trial.observation.status());
            (distance, trials.any(|status| status == Status::Finished))
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.len() >= NEAREST && !near[..NEAREST].iter().any(|(_, finished)| *finished)
}

fn is_tried(history: &History, id: ConfigId) -> bool {
    history.readings(id).next().is_some()
}

impl Proposer for ByNetworks {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let number = history.configurations().len();
        self.train(history);
        let by_rule = !number.is_multiple_of(self.settings.random_every) && !self.networks.is_empty();
        let found = if by_rule { self.by_rule(history, number) } else { None };
        let (all, dead) = match found {
            Some(_) => (&self.tally.proposals, &self.tally.dead),
            None => (&self.tally.random, &self.tally.random_dead),
        };
        let found = found.or_else(|| self.random.propose(history, incumbent))?;
        all.fetch_add(1, Ordering::Relaxed);
        dead.fetch_add(usize::from(is_dead(&self.problem.space, history, &found)), Ordering::Relaxed);
        Some(found)
    }

    fn origin(&self, _config: ConfigId, _history: &History) -> &'static str {
        "networks or random"
    }
}

/// Measures and prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let seeds = range(&arguments.seeds)?;
    let scenario = EQUAL_BUDGETS[1];
    let Target::Saps { class, training, test } = scenario.target else {
        unreachable!("the first scenarios of the list are SAPS")
    };
    let stage = Stage::new(scenario, subject::saps::on(class, training, test)?)?;
    println!(
        "{}, a budget of {:.1e} steps, PAR10 of the default {:.0}",
        scenario.name,
        scenario.budget,
        stage.arena.default_cost()
    );
    println!(
        "\n| seed | rule | configurations | trials | dead by the rule | dead among random proposals | PAR10 of the best |"
    );
    println!("|---|---|---|---|---|---|---|");
    for seed in seeds {
        for rule in [Rule::Thompson, Rule::Improvement] {
            campaign(&stage, rule, seed)?;
        }
    }
    Ok(())
}

fn campaign(stage: &Stage, rule: Rule, seed: u64) -> Result<()> {
    let arena = &stage.arena;
    let settings = settings(&arena.benchmark.space, arena.benchmark.training, arena.objective.clone(), seed);
    let problem = settings.problem;
    let tally = Arc::new(Tally::default());
    let proposer = ByNetworks {
        rule,
        problem: problem.clone(),
        settings: ModelSettings::default(),
        instances: InstanceTable::named(problem.instances as usize),
        random: RandomSearch::new(problem.space.clone(), seed),
        networks: Vec::new(),
        trained: 0,
        tally: tally.clone(),
    };
    let mut history = History::new();
    let racer = CappedRacer::new(problem, settings.racing, &mut history);
    let mut optimizer = Optimizer::new(history, Box::new(racer), Box::new(proposer));
    let mut spent = 0.0;
    while spent < stage.scenario.budget {
        let Ask::Run(request) = optimizer.ask(1) else { break };
        let cap = request.cap.cost();
        let answer = stage.arena.answer(&request.configuration, request.key.pair, cap);
        spent += answer.cost.min(cap);
        let observation = match answer.cost {
            cost if answer.status == Status::Finished && cost <= cap => Observation::finished(cost),
            _ if cap >= stage.scenario.cutoff => Observation::timeout(cap),
            _ => Observation::capped(cap),
        };
        optimizer.tell(request.id, observation)?;
    }
    let history = optimizer.history();
    let incumbent = history.configuration(optimizer.incumbent());
    let share = |part: &AtomicUsize, all: &AtomicUsize| {
        let (part, all) = (part.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
        format!("{part} of {all} ({:.1} %)", 100.0 * part as f64 / all.max(1) as f64)
    };
    println!(
        "| {seed} | {} | {} | {} | {} | {} | {:.0} |",
        if rule == Rule::Thompson { "Thompson" } else { "improvement" },
        history.configurations().len(),
        history.trials().len(),
        share(&tally.dead, &tally.proposals),
        share(&tally.random_dead, &tally.random),
        stage.arena.evaluate(incumbent),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configurations_among_stopped_trials_are_dead() {
        let space = targets::saps::space();
        let settings = settings(&space, 1, engine::Objective::capped(10.0), 1);
        let mut history = History::new();
        let racer = CappedRacer::new(settings.problem, settings.racing, &mut history);
        let random = RandomSearch::new(space.clone(), 1);
        let mut optimizer = Optimizer::new(history, Box::new(racer), Box::new(random));
        let default = space.default_configuration();
        for _ in 0..200 {
            let Ask::Run(request) = optimizer.ask(1) else { break };
            // No configuration is better than the default.
            let stopped = Observation::capped(request.cap.cost());
            let seen = if request.configuration == default { Observation::finished(1.0) } else { stopped };
            optimizer.tell(request.id, seen).unwrap();
        }
        let history = optimizer.history();
        let all = history.configurations();
        let dead = all.iter().filter(|configuration| is_dead(&space, history, configuration)).count();
        assert!(!is_dead(&space, history, &default), "the default has finished");
        assert!(all.len() > 50 && dead > all.len() / 2 && dead < all.len(), "{dead} of {}", all.len());
    }
}
