//! Proposals by a model: where a forest expects most to be gained.
//!
//! | turn | proposal |
//! |---|---|
//! | every [`ModelSettings::random_every`]-th | random, so that no part of the space is forgotten |
//! | others | the best new configuration by log utility: of random ones, and of local searches from the best of these and of those tried |
//! | others, [in a hurry](Proposer::hurry) | by [`LocalSearch`], without a look at the model |
//!
//! Configurations that the model has not seen a trial of are [believed](Forest::believing) to cost what it
//! expects, so that several proposals at once differ.
//!
//! Like every proposer this one is a function of the seed, the history and the hurry: fits happen after
//! fixed numbers of trials t and use just the first t. One starts from nothing whenever t has doubled, the
//! others start from that one, so that any fit can be made without those between. After an interruption,
//! or a hurry, it takes two at most.

mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::search::{Judge, search};
use super::{LocalSearch, Proposer, RandomSearch};
use crate::acquisition::{
    Acquisition, ExpectedImprovement, ExpectedSaving, LowerBound, ProbabilityOfImprovement,
};
use crate::history::History;
use crate::racing::Problem;
use crate::racing::constraint::Tally;
use crate::rng::Rng;
use crate::space::Configuration;
use crate::surrogate::forest::{Forest, ForestSettings, ForestTrainer};
use crate::surrogate::{InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};
use crate::trial::ConfigId;

/// How a model proposes.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelSettings {
    /// The model.
    pub forest: ForestSettings,
    /// What makes a configuration worth a race.
    pub utility: Utility,
    /// Trials before the first fit.
    pub first_fit: usize,
    /// Share of new trials after which the model is fitted again.
    pub refit: f64,
    /// Every so many-th proposal is random.
    pub random_every: usize,
    /// Random configurations looked at for one proposal.
    pub candidates: usize,
    /// Local searches for one proposal.
    pub starts: usize,
    /// Most steps of a local search.
    pub steps: usize,
}

/// What makes a configuration worth a race.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Utility {
    /// Expected improvement of the cost.
    ExpectedImprovement,
    /// How good it may be: the mean less so many deviations.
    LowerBound(f64),
    /// The probability of being better at all.
    ProbabilityOfImprovement,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            forest: ForestSettings::default(),
            utility: Utility::ExpectedImprovement,
            first_fit: 10,
            refit: 0.05,
            random_every: 4,
            candidates: 1000,
            starts: 10,
            steps: 20,
        }
    }
}

/// Proposes what a forest expects most of.
pub struct ModelSearch {
    problem: Problem,
    settings: ModelSettings,
    instances: InstanceTable,
    random: RandomSearch,
    local: LocalSearch,
    model: Option<Model>,
    in_a_hurry: bool,
    /// The numbers of the configurations that were proposed in a hurry.
    hurried: BTreeSet<usize>,
}

/// What is known after some number of trials.
struct Model {
    /// The last fit that started from nothing: after how many trials, and what later ones start from.
    fresh: (usize, ForestTrainer),
    trials: usize,
    fitted: Option<Fitted>,
}

struct Fitted {
    forest: Forest,
    /// Which trials fail, if any did.
    success: Option<Forest>,
    scale: Scale,
    /// The mean cost that the forest expects of each configuration by number; NaN of those that were not
    /// tried or are not feasible.
    expected: Vec<f64>,
    /// The smallest of these.
    best: Option<f64>,
}

impl ModelSearch {
    /// Searches the space of a problem; what is known of its instances is which is which.
    pub fn new(problem: Problem, settings: ModelSettings) -> Self {
        let instances = match problem.instances {
            0 | 1 => InstanceTable::alike(),
            several => InstanceTable::named(several as usize),
        };
        Self::with_instances(problem, settings, instances)
    }

    /// Searches with features of the instances.
    ///
    /// # Panics
    /// If the table has neither one row nor one for each instance, or settings make no sense.
    pub fn with_instances(problem: Problem, settings: ModelSettings, instances: InstanceTable) -> Self {
        let rows = instances.count();
        assert!(
            rows == 1 || rows == problem.instances as usize,
            "{rows} rows for {} instances",
            problem.instances
        );
        assert!(settings.first_fit > 0 && settings.random_every > 0, "turns are counted from one");
        let random = RandomSearch::new(problem.space.clone(), problem.seed);
        let local = LocalSearch::new(problem.space.clone(), problem.seed);
        let (model, in_a_hurry, hurried) = (None, false, BTreeSet::new());
        Self { problem, settings, instances, random, local, model, in_a_hurry, hurried }
    }

    fn is_random_turn(&self, number: usize) -> bool {
        self.problem.space.row_length() == 0 || number.is_multiple_of(self.settings.random_every)
    }

    /// Fits what is due by now, if it is not there yet.
    fn learn(&mut self, history: &History) {
        let Some(Due { fresh, last }) = due(&self.settings, history.trials().len()) else {
            self.model = None;
            return;
        };
        match self.model.take() {
            Some(model) if model.fresh.0 == fresh && model.trials == last => self.model = Some(model),
            Some(model) if model.fresh.0 == fresh => self.model = Some(self.fit(history, model.fresh, last)),
            _ => {
                let seed = Rng::new(self.problem.seed, "forest", fresh as u64).bits();
                let mut trainer = ForestTrainer::new(self.settings.forest.clone(), seed);
                if last > fresh {
                    // Where there is no cost yet, the next one starts from nothing as well.
                    let costs = TrainingSet::costs(&self.problem, history, fresh, &self.instances);
                    let _ = trainer.fit(&costs);
                }
                self.model = Some(self.fit(history, (fresh, trainer), last));
            }
        }
    }

    fn fit(&self, history: &History, mut fresh: (usize, ForestTrainer), trials: usize) -> Model {
        let Self { problem, instances, .. } = self;
        let costs = TrainingSet::costs(problem, history, trials, instances);
        let grown = if trials == fresh.0 { fresh.1.fit(&costs) } else { fresh.1.clone().fit(&costs) };
        let fitted = grown.ok().map(|(forest, _)| {
            let expected = expected_of_tried(problem, history, trials, &forest);
            let best = expected.iter().copied().filter(|mean| !mean.is_nan()).min_by(f64::total_cmp);
            let seed = Rng::new(problem.seed, "success", trials as u64).bits();
            let success = success(problem, history, trials, instances, seed);
            Fitted { forest, success, scale: costs.scale(), expected, best }
        });
        Model { fresh, trials, fitted }
    }

    fn by_model(&mut self, history: &History, number: usize) -> Option<Configuration> {
        self.learn(history);
        let Model { trials, fitted: Some(fitted), .. } = self.model.as_ref()? else { return None };
        let space = &self.problem.space;
        let (tried, pending) = tried_and_pending(history, *trials);
        let rows = |ids: &[ConfigId]| -> Vec<f64> {
            ids.iter().flat_map(|&id| space.encode(history.configuration(id))).collect()
        };
        let pending = rows(&pending);
        let believing = fitted.forest.believing(Points::new(&pending, space.row_length()));
        let judge = Judging { fitted, forest: &believing, utility: self.settings.utility };
        let mut rng = Rng::new(self.problem.seed, "model search", number as u64);
        search(space, history, &tried, &judge, &self.settings, &mut rng)
    }
}

impl Proposer for ModelSearch {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let number = history.configurations().len();
        self.hurried.remove(&number);
        if self.is_random_turn(number) {
            return self.random.propose(history, incumbent);
        }
        if self.in_a_hurry {
            self.hurried.insert(number);
            return self.local.propose(history, incumbent);
        }
        self.by_model(history, number).or_else(|| self.random.propose(history, incumbent))
    }

    fn origin(&self, config: ConfigId, history: &History) -> &'static str {
        match config.index() {
            number if self.is_random_turn(number) => "random",
            number if self.hurried.contains(&number) => self.local.origin(config, history),
            _ => "model",
        }
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        if self.in_a_hurry {
            return &[];
        }
        self.learn(history);
        self.model.as_ref().and_then(|model| model.fitted.as_ref()).map_or(&[], |fitted| &fitted.expected)
    }

    fn hurry(&mut self, hurry: bool) {
        self.in_a_hurry = hurry;
    }
}

/// After how many trials to fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Due {
    /// From nothing.
    fresh: usize,
    /// From that one, for proposing; the same one if there are no more trials yet.
    last: usize,
}

/// The fits due after so many trials; `None` before the first.
fn due(settings: &ModelSettings, trials: usize) -> Option<Due> {
    let mut next = settings.first_fit;
    let mut due = (next <= trials).then_some(Due { fresh: next, last: next })?;
    while next <= trials {
        due.last = next;
        if next >= 2 * due.fresh {
            due.fresh = next;
        }
        next += ((settings.refit * next as f64) as usize).max(1);
    }
    Some(due)
}

/// The configurations that the first so many trials were of, and the others.
fn tried_and_pending(history: &History, trials: usize) -> (Vec<ConfigId>, Vec<ConfigId>) {
    let mut seen = vec![false; history.configurations().len()];
    history.trials()[..trials].iter().for_each(|trial| seen[trial.key.config.index()] = true);
    let ids = || (0..seen.len()).map(|index| ConfigId(index as u32));
    (ids().filter(|id| seen[id.index()]).collect(), ids().filter(|id| !seen[id.index()]).collect())
}

/// The mean cost expected of each configuration by number; NaN of those not tried or not feasible.
fn expected_of_tried(problem: &Problem, history: &History, trials: usize, forest: &Forest) -> Vec<f64> {
    let constraints = &problem.objective.constraints;
    let mut tallies = vec![Tally::default(); history.configurations().len()];
    for trial in &history.trials()[..trials] {
        tallies[trial.key.config.index()].take_in(&trial.observation);
    }
    let mut expected = vec![f64::NAN; tallies.len()];
    let (mut tried, _) = tried_and_pending(history, trials);
    tried.retain(|id| constraints.is_empty() || tallies[id.index()].violation(constraints) == 0.0);
    let rows: Vec<f64> =
        tried.iter().flat_map(|&id| problem.space.encode(history.configuration(id))).collect();
    let points = Points::new(&rows, problem.space.row_length());
    let mut found = vec![Prediction::default(); points.len()];
    forest.predict_marginal(points, &mut found);
    for (id, found) in tried.into_iter().zip(found) {
        expected[id.index()] = found.mean;
    }
    expected
}

/// A forest that tells which trials succeed, if some failed.
fn success(
    problem: &Problem,
    history: &History,
    trials: usize,
    instances: &InstanceTable,
    seed: u64,
) -> Option<Forest> {
    let failed = history.trials()[..trials].iter().any(|trial| trial.observation.status().is_failure());
    if !failed {
        return None;
    }
    let outcomes = TrainingSet::outcomes(problem, history, trials, instances);
    let (forest, _) = ForestTrainer::new(ForestSettings::of_success(), seed).fit(&outcomes).ok()?;
    Some(forest)
}

/// Judges configurations by the utility of what is expected of them.
struct Judging<'a> {
    fitted: &'a Fitted,
    forest: &'a Forest,
    utility: Utility,
}

impl Judge for Judging<'_> {
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
        let mut costs = vec![Prediction::default(); rows.len()];
        self.forest.predict_marginal(rows, &mut costs);
        let best = self.fitted.best;
        let acquisition: &dyn Acquisition = match (self.utility, self.fitted.scale) {
            (Utility::ExpectedImprovement, Scale::Log10 { .. }) => &ExpectedSaving,
            (Utility::ExpectedImprovement, Scale::Linear) => &ExpectedImprovement,
            (Utility::LowerBound(deviations), _) => &LowerBound { deviations },
            (Utility::ProbabilityOfImprovement, _) => &ProbabilityOfImprovement,
        };
        out.clear();
        out.extend(costs.iter().map(|&cost| acquisition.log_utility(cost, &[], best)));
        if let Some(success) = &self.fitted.success {
            success.predict_marginal(rows, &mut costs);
            for (utility, share) in out.iter_mut().zip(&costs) {
                *utility = crate::acquisition::with_success(*utility, share.mean);
            }
        }
    }
}
