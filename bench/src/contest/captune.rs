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
use super::course::Course;
use crate::clock;
use crate::spine::stage::settings;

/// A campaign: races, caps.
pub(crate) struct Captune {
    name: &'static str,
    /// The default for the target if `None`.
    search: Option<fn() -> Search>,
    /// The usual one if `None`.
    slack: Option<f64>,
}

impl Captune {
    /// With the default settings.
    pub(crate) const fn usual(name: &'static str) -> Self {
        Self { name, search: None, slack: None }
    }

    /// With the usual slack.
    pub(crate) const fn new(name: &'static str, search: fn() -> Search) -> Self {
        Self { name, search: Some(search), slack: None }
    }

    /// With a forest.
    pub(crate) const fn with_slack(name: &'static str, slack: f64) -> Self {
        Self { name, search: Some(|| Search::Model(Box::default())), slack: Some(slack) }
    }
}

/// The default search of a campaign.
pub(crate) fn suited(settings: &Settings) -> Search {
    Search::suited(&settings.problem.space, settings.racing.deterministic)
}

/// The default search, with another learner.
pub(crate) fn learning(learner: Learner) -> Search {
    Search::Model(Box::new(ByModel { model: ModelSettings::of(learner), ..ByModel::default() }))
}

impl Configurator for Captune {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Course> {
        run(arena, budget, seed, |settings| {
            settings.search = self.search.map_or_else(|| suited(settings), |search| search());
            settings.racing.slack = self.slack.unwrap_or(settings.racing.slack);
            Ok(())
        })
    }
}

/// A campaign, the usual settings changed.
pub(crate) fn run(
    arena: &Arc<Arena>,
    budget: &Budget,
    seed: u64,
    change: impl FnOnce(&mut Settings) -> Result<()>,
) -> Result<Course> {
    let known = &arena.known;
    let mut settings = settings(&known.space, known.training, arena.objective.clone(), seed);
    settings.racing.deterministic = known.deterministic;
    settings.budget = *budget;
    change(&mut settings)?;
    let mut course = Course::new(known.space.default_configuration());
    // CPU time of trials that are answered by this thread, in nanoseconds.
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
    // With one worker the clock is the sum of all costs.
    let executor = Simulated::new(Box::new(oracle), arena.objective.cutoff, 1, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
    let (mut told, mut crowned) = (0, Vec::new());
    campaign.search(&mut |event| match &event.what {
        What::TrialEnded(_) => told += 1,
        What::NewIncumbent(new) => crowned.push((new.config, told, event.at)),
        _ => {}
    })?;
    for (config, told, at) in crowned {
        course.crown(campaign.optimizer().history().configuration(config).clone(), told, at);
    }
    course.thinking = Some(clock::cpu() - begin - answering.load(Ordering::Relaxed) as f64 * 1e-9);
    course.trials = told;
    course.capped = campaign.optimizer().history().count(Status::Capped);
    course.configurations = campaign.progress().configurations as u64;
    course.tried = campaign.optimizer().history().configurations().to_vec();
    course.pairs = Some(campaign.optimizer().incumbent_pairs() as u64);
    Ok(course)
}
