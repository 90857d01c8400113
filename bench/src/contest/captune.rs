//! Campaigns of captune in simulated time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use campaign::budget::Budget;
use campaign::event::What;
use campaign::{ByModel, Campaign, Desk, Ledger, Search, Settings};
use engine::propose::{Learner, ModelSettings};
use engine::{Status, TrialRequest};
use execution::executor::{Inbox, Simulated};

use super::arena::Arena;
use super::configurator::Configurator;
use super::trajectory::Trajectory;
use crate::clock;
use crate::spine::stage::settings;

/// A campaign with races and caps.
pub(crate) struct Captune {
    name: &'static str,
    /// The search; `None` for the target's default search.
    search: Option<fn() -> Search>,
    /// The slack; `None` for the default.
    slack: Option<f64>,
}

impl Captune {
    /// Creates a campaign with the default settings.
    pub(crate) const fn with_defaults(name: &'static str) -> Self {
        Self { name, search: None, slack: None }
    }

    /// Creates a campaign with this search and the default slack.
    pub(crate) const fn new(name: &'static str, search: fn() -> Search) -> Self {
        Self { name, search: Some(search), slack: None }
    }

    /// Creates a campaign with a forest and this slack.
    pub(crate) const fn with_slack(name: &'static str, slack: f64) -> Self {
        Self { name, search: Some(|| Search::Model(Box::default())), slack: Some(slack) }
    }
}

/// Returns the default search of a campaign.
pub(crate) fn suited(settings: &Settings) -> Search {
    Search::suited(&settings.problem.space, settings.racing.deterministic)
}

/// Returns the default search with another learner.
pub(crate) fn learning(learner: Learner) -> Search {
    Search::Model(Box::new(ByModel { model: ModelSettings::of(learner), ..ByModel::default() }))
}

impl Configurator for Captune {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Trajectory> {
        run(arena, budget, seed, |settings| {
            settings.search = self.search.map_or_else(|| suited(settings), |search| search());
            settings.racing.slack = self.slack.unwrap_or(settings.racing.slack);
            Ok(())
        })
    }
}

/// Runs a campaign with changes to the default settings.
pub(crate) fn run(
    arena: &Arc<Arena>,
    budget: &Budget,
    seed: u64,
    change: impl FnOnce(&mut Settings) -> Result<()>,
) -> Result<Trajectory> {
    let benchmark = &arena.benchmark;
    let mut settings = settings(&benchmark.space, benchmark.training, arena.objective.clone(), seed);
    settings.racing.deterministic = benchmark.deterministic;
    settings.budget = *budget;
    change(&mut settings)?;
    let mut trajectory = Trajectory::new(benchmark.space.default_configuration());
    // CPU time of the trials, which run in this thread, in nanoseconds.
    let answering = Arc::new(AtomicU64::new(0));
    let oracle = {
        let (arena, answering) = (arena.clone(), answering.clone());
        move |request: &TrialRequest| {
            let begin = clock::cpu();
            let answer = arena.answer(&request.configuration, request.key.pair, request.cap.cost());
            answering.fetch_add(((clock::cpu() - begin) * 1e9) as u64, Ordering::Relaxed);
            answer
        }
    };
    let begin = clock::cpu();
    // With one worker, the simulated time is the sum of all costs.
    let executor = Simulated::new(Box::new(oracle), arena.objective.cutoff, 1, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    let (mut ended, mut incumbents) = (0, Vec::new());
    campaign.search(&mut |event| match &event.what {
        What::TrialEnded(_) => ended += 1,
        What::NewIncumbent(new) => incumbents.push((new.config, ended, event.at)),
        _ => {}
    })?;
    for (config, trials, at) in incumbents {
        trajectory.push(campaign.optimizer().history().configuration(config).clone(), trials, at);
    }
    trajectory.own_cpu = Some(clock::cpu() - begin - answering.load(Ordering::Relaxed) as f64 * 1e-9);
    trajectory.trials = ended;
    trajectory.capped = campaign.optimizer().history().count(Status::Capped);
    trajectory.configurations = campaign.progress().configurations as u64;
    trajectory.tried = campaign.optimizer().history().configurations().to_vec();
    trajectory.pairs = Some(campaign.optimizer().incumbent_pairs() as u64);
    Ok(trajectory)
}
