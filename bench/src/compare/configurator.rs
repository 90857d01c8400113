//! Configurators: who searches. Each gets a stage, a seed and the scenario's budget, and gives back its
//! incumbents with the cost of all trials up to each.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;
use campaign::event::What;
use campaign::executor::Simulated;
use campaign::{ByModel, Campaign, Ledger, Search};
use engine::propose::Learner;
use engine::surrogate::forest::Treatment;
use engine::{Configuration, InstanceId, Pair, Rng, Seed, Status, TrialRequest};

use super::stage::Stage;
use crate::spine::stage::settings;

/// What a configurator did.
pub(super) struct Course {
    /// By the cost of all trials until then.
    incumbents: Vec<(f64, Configuration)>,
    pub(super) trials: u64,
    /// Trials stopped before the cutoff.
    pub(super) capped: u64,
    pub(super) configurations: u64,
}

impl Course {
    /// The incumbent when so much was spent.
    pub(super) fn at(&self, spent: f64) -> &Configuration {
        let known = self.incumbents.iter().rev().find(|(at, _)| *at <= spent);
        &known.unwrap_or(&self.incumbents[0]).1
    }
}

/// Someone who searches.
pub(super) trait Configurator: Sync {
    /// As in rows and on the command line.
    fn name(&self) -> &'static str;

    /// One cell: searches until the budget is spent. The first incumbent is the default, before any cost.
    fn run(&self, stage: &Arc<Stage>, seed: u64) -> Result<Course>;
}

const FOREST: Captune = captune("captune-forest", || Search::Model(Box::default()));
const NEURAL: Captune = captune("captune-neural", || learning(Learner::Neural));
const AUTO: Captune = captune("captune-auto", || learning(Learner::Auto));
const RANDOM: Captune = captune("captune-random", || Search::Random);

/// What proposals are learnt by.
pub(super) const LEARNERS: &[&dyn Configurator] = &[&NEURAL, &AUTO, &FOREST, &RANDOM];

/// Ways to search.
pub(super) const SEARCHES: &[&dyn Configurator] = &[
    &FOREST,
    &NEURAL,
    &AUTO,
    &RANDOM,
    &captune("captune-local", || Search::Local),
    &captune("captune-forest-mean", || treating(Treatment::Mean)),
    &captune("captune-forest-drop", || treating(Treatment::Drop)),
    &captune("captune-forest-ignore", || treating(Treatment::Ignore)),
    &Plain,
];

/// The same search with different slacks.
pub(super) const SLACKS: &[&dyn Configurator] = &[
    &slack("no-capping", f64::INFINITY),
    &slack("slack-1", 1.0),
    &slack("slack-1.1", 1.1),
    &slack("slack-1.3", 1.3),
    &slack("slack-1.5", 1.5),
    &slack("slack-2", 2.0),
];

/// A campaign: races, caps.
struct Captune {
    name: &'static str,
    search: fn() -> Search,
    slack: Option<f64>,
}

/// With the usual slack.
const fn captune(name: &'static str, search: fn() -> Search) -> Captune {
    Captune { name, search, slack: None }
}

/// With the usual search.
const fn slack(name: &'static str, slack: f64) -> Captune {
    Captune { name, search: || Search::Model(Box::default()), slack: Some(slack) }
}

/// The default search, with another learner.
fn learning(learner: Learner) -> Search {
    let mut search = ByModel::default();
    search.model.learner = learner;
    Search::Model(Box::new(search))
}

/// The default search, with another treatment of stopped trials.
fn treating(treatment: Treatment) -> Search {
    let mut search = ByModel::default();
    search.model.forest.treatment = treatment;
    Search::Model(Box::new(search))
}

impl Configurator for Captune {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, stage: &Arc<Stage>, seed: u64) -> Result<Course> {
        let known = &stage.known;
        let mut settings = settings(&known.space, known.training, stage.objective.clone(), seed);
        settings.search = (self.search)();
        settings.racing.deterministic = known.deterministic;
        settings.racing.slack = self.slack.unwrap_or(settings.racing.slack);
        settings.budget = Budget { cpu: Some(stage.scenario.budget), ..Budget::default() };
        let mut incumbents = vec![(0.0, known.space.default_configuration())];
        let oracle = {
            let stage = stage.clone();
            move |request: &TrialRequest| {
                stage.answer(&request.configuration, request.key.pair, request.cap.cost())
            }
        };
        // With one worker the clock is the sum of all costs.
        let executor = Simulated::new(Box::new(oracle), Some(stage.scenario.cutoff), 1, 0.0);
        let mut campaign = Campaign::new(&settings, Box::new(executor), Ledger::in_memory(), None)?;
        campaign.search(&mut |event| {
            if let What::NewIncumbent(new) = &event.what {
                incumbents.push((event.at, new.configuration.clone()));
            }
        })?;
        let progress = campaign.progress();
        let capped = campaign.optimizer().history().count(Status::Capped);
        let (trials, configurations) = (progress.counts.iter().sum(), progress.configurations as u64);
        Ok(Course { incumbents, trials, capped, configurations })
    }
}

/// Training pairs on which plain random search tries each configuration, at most.
const PLAIN_PAIRS: u32 = 10;

/// Random search without races and caps: every configuration on the same pairs, each to the cutoff.
struct Plain;

impl Configurator for Plain {
    fn name(&self) -> &'static str {
        "plain-random"
    }

    fn run(&self, stage: &Arc<Stage>, seed: u64) -> Result<Course> {
        let (space, cutoff) = (&stage.known.space, stage.scenario.cutoff);
        let mut rng = Rng::new(seed, "plain", 0);
        let mut pairs: Vec<Pair> = (0..stage.known.training)
            .map(|instance| Pair { instance: InstanceId(instance), seed: Seed((rng.bits() >> 33) as u32) })
            .collect();
        rng.shuffle(&mut pairs);
        pairs.truncate(PLAIN_PAIRS as usize);
        let mut configuration = space.default_configuration();
        let mut incumbents = vec![(0.0, configuration.clone())];
        let (mut best, mut spent, mut trials, mut configurations) = (f64::INFINITY, 0.0, 0, 0);
        while spent < stage.scenario.budget {
            let mut sum = 0.0;
            for &pair in &pairs {
                let answer = stage.answer(&configuration, pair, cutoff);
                spent += answer.cost.min(cutoff);
                sum += stage.compared(&answer);
                trials += 1;
            }
            configurations += 1;
            if sum < best {
                best = sum;
                incumbents.push((spent, configuration));
            }
            configuration = space.sample(&mut rng)?;
        }
        Ok(Course { incumbents, trials, capped: 0, configurations })
    }
}
