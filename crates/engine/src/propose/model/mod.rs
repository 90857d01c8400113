//! Proposals made by a model.
//!
//! | turn | proposal |
//! |---|---|
//! | every [`ModelSettings::random_every`]-th | random, so that no part of the space is neglected |
//! | others | the configuration with the largest utility according to the [`Learner`], among random ones and those found by local searches from the best random and the best tried ones |
//! | two of three, after a Gaussian process has converged | from a [`restart`], which has learned only from its own trials |
//! | one of four, after [`ModelSettings::forest_from`] trials on a single instance | from a forest, if the learner is a Gaussian process; after twice as many trials, or on several instances, all of them |
//! | others, at a [brisk](Tempo::Brisk) tempo | as above, with a forest instead of the other learners; if the learner is a forest, as in the next row |
//! | others, [in a hurry](Tempo::Hurried) | chosen by [`LocalSearch`], without the model |
//!
//! [`learner`] lists the learners. Most of them use an acquisition function such as expected improvement
//! (`improvement`).
//!
//! All utilities are multiplied by the probability that a configuration satisfies the constraints
//! ([`feasibility`]) and by the probability that its trials do not fail.
//!
//! Like every proposer, this one is a function of the seed, the history and the tempo. So an interrupted
//! campaign continues as if it had never stopped.

mod choice;
#[cfg(test)]
mod constrained_tests;
mod dependence;
#[cfg(test)]
mod dependence_tests;
mod due;
mod feasibility;
mod improvement;
mod known;
mod learned;
mod learner;
mod restart;
mod search;
mod task;
#[cfg(test)]
mod tests;

pub use choice::Choice;
pub use dependence::Dependence;
pub use learner::own::OwnSurrogate;
pub use learner::{Keys, Learner};

use std::collections::BTreeMap;

use space::{Configuration, Space};
use surrogate::InstanceTable;
use surrogate::Interrupt;
use surrogate::forest::ForestSettings;
use surrogate::gaussian::GaussianSettings;
use surrogate::neural::NeuralSettings;

use self::choice::Chooser;
use self::learner::Method;
use self::task::Task;
use super::{Forecast, LocalSearch, Proposer, RandomSearch, Tempo};
use crate::history::History;
use crate::problem::Problem;
use crate::setting::SettingError;
use crate::trial::ConfigId;

/// Largest number of parameters for which a Gaussian process is the default.
const FEW_PARAMETERS: usize = 20;
/// Number of trials after which a forest replaces the default Gaussian process.
const GAUSSIAN_TRIALS: usize = 200;
/// While a Gaussian process and a forest take turns, one proposal in this many comes from the forest.
const FOREST_EVERY: usize = 4;
/// They take turns until there are this many times as many trials as before.
const TURNS_UNTIL: usize = 2;

/// Settings for proposals made by a model.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelSettings {
    /// The learner that proposes.
    pub learner: Learner,
    /// The learner that [`Learner::Auto`] uses until another one predicts clearly better. Campaigns and tuners
    /// replace it with the default for their target: see [`Self::for_target`].
    pub first: Learner,
    /// Settings of the forest.
    pub forest: ForestSettings,
    /// Acquisition function for the forest, the Gaussian process and the custom surrogate.
    pub utility: Utility,
    /// Settings of the networks.
    pub neural: NeuralSettings,
    /// Settings of the Gaussian process.
    pub gaussian: GaussianSettings,
    /// The custom surrogate; required if [`Learner::Own`] learns the cost or a constrained output.
    pub own: Option<OwnSurrogate>,
    /// Largest number of readings for which [`Learner::Auto`] considers a Gaussian process. The exact readings of a
    /// configuration on an instance count once, because the process merges them.
    pub gaussian_points: usize,
    /// Number of trials after which a forest replaces the Gaussian process, whose fitting time grows with the
    /// cube of the number of points; `None` for never. On a single instance, the two take turns until there
    /// are twice as many trials: every trial is a point of its own, and the process goes on improving.
    pub forest_from: Option<usize>,
    /// The learner for the output of each constraint. `None` means the same learner as for the cost, or a
    /// forest if the cost is learned by networks.
    pub constraints: Vec<Option<Learner>>,
    /// The method for combining the probabilities of satisfying several constraints.
    pub dependence: Dependence,
    /// Number of points in the initial design; replaced like [`first`](Self::first) if the learner is
    /// [`Learner::Auto`].
    pub design: usize,
    /// Number of trials before the first fit; replaced like [`first`](Self::first) if the learner is
    /// [`Learner::Auto`].
    pub first_fit: usize,
    /// Relative growth in the number of trials after which a model is fitted again.
    pub refit: f64,
    /// Interval between random proposals: one proposal in this many is random.
    pub random_every: usize,
    /// Largest number of trials from which a model learns without thinning. With more trials, it learns from
    /// about this many readings.
    pub points: usize,
    /// Number of random configurations evaluated for one proposal.
    pub candidates: usize,
    /// Number of random configurations evaluated by a network, which is faster than the other models.
    pub thompson_candidates: usize,
    /// Largest number of tried configurations evaluated for one proposal.
    pub known: usize,
    /// Largest number of training steps for one network.
    pub training_steps: usize,
    /// Number of local searches for one proposal.
    pub starts: usize,
    /// Largest number of steps in a local search.
    pub steps: usize,
}

/// The acquisition function: how useful it is to race a configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Utility {
    /// Expected improvement in the cost.
    ExpectedImprovement,
    /// Lower confidence bound: the mean minus this many standard deviations.
    LowerBound(f64),
    /// The probability of improvement.
    ProbabilityOfImprovement,
    /// Expected improvement in the cost, divided by the part of the budget that a trial is expected to use.
    ImprovementPerSpent,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            learner: Learner::Forest,
            first: Learner::Forest,
            forest: ForestSettings::default(),
            utility: Utility::ExpectedImprovement,
            neural: NeuralSettings::default(),
            gaussian: GaussianSettings::default(),
            own: None,
            gaussian_points: 300,
            forest_from: None,
            constraints: Vec::new(),
            dependence: Dependence::Independent,
            design: 10,
            first_fit: 10,
            refit: 0.05,
            random_every: 4,
            points: 3000,
            candidates: 1000,
            thompson_candidates: 5000,
            known: 10_000,
            training_steps: 10_000,
            starts: 10,
            steps: 20,
        }
    }
}

impl ModelSettings {
    /// Returns the settings that suit a learner. A Gaussian process needs fewer trials before its first fit
    /// and fewer random proposals. The more trials it has learned from, the longer its predictions take.
    pub fn of(learner: Learner) -> Self {
        learner.suited(Self::default())
    }

    /// Returns the settings for a custom surrogate.
    pub fn by(own: OwnSurrogate) -> Self {
        Self { own: Some(own), ..Self::of(Learner::Own) }
    }

    /// Returns the default settings for a target. For a deterministic target with few parameters, a Gaussian
    /// process proposes during the first trials; in all other cases a forest proposes. On noisy targets and
    /// with more parameters, the forest was at least as good (`docs/results/ablation.md`).
    pub fn suited(space: &Space, deterministic: bool) -> Self {
        let variable = space.parameters().iter().filter(|parameter| parameter.is_variable()).count();
        if deterministic && (1..=FEW_PARAMETERS).contains(&variable) {
            // Random proposals are as frequent as with a forest, because a Gaussian process exploits early
            // and can get stuck in a local optimum.
            let Self { random_every, .. } = Self::default();
            Self { forest_from: Some(GAUSSIAN_TRIALS), random_every, ..Self::of(Learner::Gaussian) }
        } else {
            Self::default()
        }
    }

    /// Returns these settings for a target: [`Learner::Auto`] starts with the learner that is the default for
    /// it, and takes the size of the initial design and the time of the first fit from that default.
    #[must_use]
    pub fn for_target(self, space: &Space, deterministic: bool) -> Self {
        if self.learner != Learner::Auto || self.gaussian_points == 0 {
            return self;
        }
        let Self { learner: first, design, first_fit, .. } = Self::suited(space, deterministic);
        Self { first, design, first_fit, ..self }
    }

    /// Returns the settings for one network. With this many points, it trains for as many epochs as the
    /// training steps allow, but for at least one.
    pub fn network(&self, points: usize) -> NeuralSettings {
        let steps = (points / self.neural.batch).max(1);
        let epochs = self.neural.epochs.min(self.training_steps / steps).max(1);
        NeuralSettings { members: 1, epochs, ..self.neural.clone() }
    }
}

/// A proposer of configurations that have a large utility according to a model.
pub struct ModelSearch {
    task: Task,
    chooser: Chooser,
    /// The learners that have been asked so far, with their models.
    methods: BTreeMap<Learner, Box<dyn Method>>,
    random: RandomSearch,
    local: LocalSearch,
    tempo: Tempo,
    /// The origins of the configurations proposed by this search, by number.
    origins: BTreeMap<usize, &'static str>,
    /// Forecasts for the configurations proposed by this search, by number.
    forecasts: BTreeMap<usize, Forecast>,
}

impl ModelSearch {
    /// Creates a search for a problem whose instances have no features. The model can tell instances apart
    /// but knows nothing else about them.
    ///
    /// # Panics
    /// As [`Self::with_instances`].
    pub fn new(problem: Problem, settings: ModelSettings) -> Self {
        let instances = match problem.instances {
            0 | 1 => InstanceTable::alike(),
            several => InstanceTable::named(several as usize),
        };
        Self::with_instances(problem, settings, instances)
    }

    /// Creates a search that uses features of the instances.
    ///
    /// # Panics
    /// If the settings are [invalid](Self::check).
    pub fn with_instances(problem: Problem, settings: ModelSettings, instances: InstanceTable) -> Self {
        if let Err(error) = Self::check(&problem, &settings, &instances) {
            panic!("{error}");
        }
        let random = RandomSearch::new(problem.space.clone(), problem.seed);
        let local = LocalSearch::new(problem.space.clone(), problem.seed);
        Self {
            task: Task { problem, settings, instances, interrupt: Interrupt::default() },
            chooser: Chooser::default(),
            methods: BTreeMap::new(),
            random,
            local,
            tempo: Tempo::Calm,
            origins: BTreeMap::new(),
            forecasts: BTreeMap::new(),
        }
    }

    /// Checks the settings, and that the table has either a single row or one row for each instance.
    pub fn check(
        problem: &Problem,
        settings: &ModelSettings,
        instances: &InstanceTable,
    ) -> Result<(), SettingError> {
        let rows = instances.count();
        if rows != 1 && rows != problem.instances as usize {
            return Err(SettingError::Features { rows, instances: problem.instances });
        }
        settings.check()
    }

    fn is_random_turn(&self, number: usize) -> bool {
        self.task.problem.space.row_length() == 0 || number.is_multiple_of(self.task.settings.random_every)
    }

    /// Returns whether there is time to use a model.
    fn has_time(&self) -> bool {
        match self.tempo {
            Tempo::Calm => true,
            Tempo::Brisk => self.task.settings.learner != Learner::Forest,
            Tempo::Hurried => false,
        }
    }

    /// Returns whether a forest proposes now in place of a Gaussian process.
    fn is_forest_turn(&self, history: &History) -> bool {
        let Some(from) = self.task.settings.forest_from else { return false };
        let (trials, number) = (history.trials().len(), history.configurations().len());
        let take_turns = self.task.problem.instances <= 1 && trials < TURNS_UNTIL * from;
        trials >= from && (!take_turns || number % FOREST_EVERY == FOREST_EVERY - 1)
    }

    /// Returns the learner that proposes now.
    fn learner(&mut self, history: &History) -> Learner {
        match self.tempo {
            Tempo::Calm => match self.chooser.learner(&self.task, history) {
                learner if learner.gives_way() && self.is_forest_turn(history) => Learner::Forest,
                learner => learner,
            },
            _ => Learner::Forest,
        }
    }

    fn by_model(&mut self, history: &History, number: usize) -> Option<(Configuration, &'static str)> {
        let learner = self.learner(history);
        let method = self.methods.entry(learner).or_insert_with(|| learner.method());
        let found = method.propose(&self.task, history, number)?;
        let forecast = method.forecast(&self.task, &found);
        self.forecasts.extend(forecast.map(|forecast| (number, forecast)));
        Some((found, learner.origin(&self.task.settings)))
    }
}

impl Proposer for ModelSearch {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let number = history.configurations().len();
        let (found, origin) = if self.is_random_turn(number) {
            (self.random.propose(history, incumbent)?, "random")
        } else if !self.has_time() {
            (self.local.propose(history, incumbent)?, "local")
        } else {
            let random = |random: &mut RandomSearch| Some((random.propose(history, incumbent)?, "random"));
            self.by_model(history, number).or_else(|| random(&mut self.random))?
        };
        self.origins.insert(number, origin);
        Some(found)
    }

    fn origin(&self, config: ConfigId, _history: &History) -> &'static str {
        self.origins.get(&config.index()).copied().unwrap_or("earlier")
    }

    fn forecast(&self, config: ConfigId) -> Option<Forecast> {
        self.forecasts.get(&config.index()).copied()
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        if !self.has_time() {
            return &[];
        }
        // This method is called often. So a forest answers in place of networks, which would have to be
        // trained first.
        let proposing = self.learner(history);
        let learner = if proposing.expects_costs() { proposing } else { Learner::Forest };
        let method = self.methods.entry(learner).or_insert_with(|| learner.method());
        method.expected(&self.task, history)
    }

    fn choice(&self) -> Option<Choice> {
        self.chooser.choice()
    }

    fn set_tempo(&mut self, tempo: Tempo) {
        self.tempo = tempo;
    }

    fn watch_interrupt(&mut self, interrupt: &Interrupt) {
        self.task.interrupt = interrupt.clone();
    }
}
