//! Proposals by a model.
//!
//! | turn | proposal |
//! |---|---|
//! | every [`ModelSettings::random_every`]-th | random, so that no part of the space is forgotten |
//! | others | what the [`Learner`] finds worth a race: of random configurations, and of local searches from the best of these and of those tried |
//! | others, [briskly](Tempo::Brisk) | what the forest finds worth a race, in place of the other learners; where it is the learner, as in a hurry |
//! | others, [in a hurry](Tempo::Hurried) | by [`LocalSearch`], without a look at the model |
//!
//! | learner | finds worth a race | file |
//! |---|---|---|
//! | forest, gaussian, own | where most is expected to be gained, given how uncertain that is | `improvement` |
//! | neural | what one fresh network expects least of, another one for each proposal | `thompson` |
//! | auto | what that one says which foretells trials best | `choice` |
//!
//! All of them are multiplied by the probability that a configuration keeps its constraints ([`feasibility`])
//! and that its trials do not fail.
//!
//! Like every proposer this one is a function of the seed, the history and the tempo, so that a campaign
//! goes on after an interruption as if there had been none.

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
mod own;
#[cfg(test)]
mod own_tests;
mod search;
mod task;
#[cfg(test)]
mod tests;
mod thompson;

pub use choice::Choice;
pub use dependence::Dependence;
pub use own::OwnSurrogate;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use space::{Configuration, Space};
use surrogate::InstanceTable;
use surrogate::Interrupt;
use surrogate::forest::ForestSettings;
use surrogate::gaussian::GaussianSettings;
use surrogate::neural::NeuralSettings;

use self::choice::Chooser;
use self::improvement::Improvement;
use self::task::Task;
use self::thompson::Thompson;
use super::{Foretold, LocalSearch, Proposer, RandomSearch, Tempo};
use crate::history::History;
use crate::problem::Problem;
use crate::trial::ConfigId;

/// Most parameters for which the Gaussian process is the default, and the number of trials it proposes for.
const FEW_PARAMETERS: usize = 20;
const GAUSSIAN_TRIALS: usize = 200;

/// How a model proposes.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelSettings {
    /// Which model.
    pub learner: Learner,
    /// The forest.
    pub forest: ForestSettings,
    /// What makes a configuration worth a race to the forest, the Gaussian process and somebody's own surrogate.
    pub utility: Utility,
    /// The networks.
    pub neural: NeuralSettings,
    /// The Gaussian process.
    pub gaussian: GaussianSettings,
    /// Somebody's own surrogate; there has to be one where it is to learn something.
    pub own: Option<OwnSurrogate>,
    /// Most points for which [`Learner::Auto`] thinks of it.
    pub gaussian_points: usize,
    /// Number of trials after which a forest replaces the Gaussian process, whose fits grow with the cube of the points;
    /// `None` for never.
    pub forest_from: Option<usize>,
    /// What learns the output of each constraint; what learns the cost where nothing is said, and a forest
    /// beside networks.
    pub constraints: Vec<Option<Learner>>,
    /// How several constraints count together.
    pub dependence: Dependence,
    /// Trials before the first fit.
    pub first_fit: usize,
    /// Share of new trials after which a model is fitted again.
    pub refit: f64,
    /// Every so many-th proposal is random.
    pub random_every: usize,
    /// Trials up to which a model learns from all of them, and about how many readings it learns from where there
    /// are more.
    pub points: usize,
    /// Random configurations looked at for one proposal.
    pub candidates: usize,
    /// The same, where a network is asked, which is quicker.
    pub thompson_candidates: usize,
    /// Most configurations tried that are looked at for one proposal.
    pub known: usize,
    /// Most steps of training for one network.
    pub training_steps: usize,
    /// Local searches for one proposal.
    pub starts: usize,
    /// Most steps of a local search.
    pub steps: usize,
}

/// What learns from the trials of a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learner {
    /// A forest.
    Forest,
    /// Networks.
    Neural,
    /// A Gaussian process.
    Gaussian,
    /// Somebody's [own surrogate](ModelSettings::own).
    Own,
    /// The best of the first three, judged again whenever trials have doubled.
    Auto,
}

impl Learner {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Forest => "forest",
            Self::Neural => "neural",
            Self::Gaussian => "gaussian",
            Self::Own => "own",
            Self::Auto => "auto",
        }
    }
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
    /// Expected improvement of the cost, divided by what a trial is expected to use of the budget.
    ImprovementPerSpent,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            learner: Learner::Forest,
            forest: ForestSettings::default(),
            utility: Utility::ExpectedImprovement,
            neural: NeuralSettings::default(),
            gaussian: GaussianSettings::default(),
            own: None,
            gaussian_points: 300,
            forest_from: None,
            constraints: Vec::new(),
            dependence: Dependence::Independent,
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
    /// What suits a learner. A Gaussian process learns from few trials, looks where it knows little of its own
    /// accord, and takes longer for each look the more it knows.
    pub fn of(learner: Learner) -> Self {
        match learner {
            Learner::Gaussian => {
                Self { learner, known: 200, first_fit: 5, random_every: 20, ..Self::default() }
            }
            _ => Self { learner, ..Self::default() },
        }
    }

    /// By somebody's own surrogate.
    pub fn by(own: OwnSurrogate) -> Self {
        Self { own: Some(own), ..Self::of(Learner::Own) }
    }

    /// The default for a target: a Gaussian process for the first trials of a deterministic target with few parameters,
    /// a forest otherwise. On noisy targets and with more parameters the forest was as good or better
    /// (`docs/results/ablation.md`).
    pub fn suited(space: &Space, deterministic: bool) -> Self {
        let variable = space.parameters().iter().filter(|parameter| parameter.is_variable()).count();
        if deterministic && (1..=FEW_PARAMETERS).contains(&variable) {
            // Random proposals as often as with a forest: a Gaussian process exploits early and can get stuck in a local
            // optimum.
            let Self { random_every, .. } = Self::default();
            Self { forest_from: Some(GAUSSIAN_TRIALS), random_every, ..Self::of(Learner::Gaussian) }
        } else {
            Self::default()
        }
    }

    /// The word for what a learner proposes.
    fn origin(&self, learner: Learner) -> &'static str {
        let own = self.own.as_ref().filter(|_| learner == Learner::Own);
        own.map_or(learner.word(), OwnSurrogate::name)
    }

    /// Whether something is to be learned by somebody's own surrogate that is not there.
    fn misses_own(&self) -> bool {
        let asked =
            [Some(self.learner)].iter().chain(&self.constraints).any(|asked| *asked == Some(Learner::Own));
        asked && self.own.is_none()
    }

    /// One network, with as many epochs on so many points as the steps of training allow, one at least.
    pub fn network(&self, points: usize) -> NeuralSettings {
        let steps = (points / self.neural.batch).max(1);
        let epochs = self.neural.epochs.min(self.training_steps / steps).max(1);
        NeuralSettings { members: 1, epochs, ..self.neural.clone() }
    }
}

/// Proposes what a model finds worth a race.
pub struct ModelSearch {
    task: Task,
    chooser: Chooser,
    forest: Improvement,
    gaussian: Improvement,
    own: Improvement,
    thompson: Thompson,
    random: RandomSearch,
    local: LocalSearch,
    tempo: Tempo,
    /// Where the configurations proposed here come from, by number.
    origins: BTreeMap<usize, &'static str>,
    /// What was expected of them.
    foretold: BTreeMap<usize, Foretold>,
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
        assert!(!settings.misses_own(), "a surrogate of one's own is asked for and was not given");
        let random = RandomSearch::new(problem.space.clone(), problem.seed);
        let local = LocalSearch::new(problem.space.clone(), problem.seed);
        Self {
            task: Task { problem, settings, instances, interrupt: Interrupt::default() },
            chooser: Chooser::default(),
            forest: Improvement::new(Learner::Forest),
            gaussian: Improvement::new(Learner::Gaussian),
            own: Improvement::new(Learner::Own),
            thompson: Thompson::default(),
            random,
            local,
            tempo: Tempo::Calm,
            origins: BTreeMap::new(),
            foretold: BTreeMap::new(),
        }
    }

    fn is_random_turn(&self, number: usize) -> bool {
        self.task.problem.space.row_length() == 0 || number.is_multiple_of(self.task.settings.random_every)
    }

    /// Whether there is time to ask a model.
    fn has_time(&self) -> bool {
        match self.tempo {
            Tempo::Calm => true,
            Tempo::Brisk => self.task.settings.learner != Learner::Forest,
            Tempo::Hurried => false,
        }
    }

    /// Who is asked now.
    fn learner(&mut self, history: &History) -> Learner {
        let has_many = || self.task.settings.forest_from.is_some_and(|from| history.trials().len() >= from);
        match self.tempo {
            Tempo::Calm => match self.chooser.learner(&self.task, history) {
                Learner::Gaussian if has_many() => Learner::Forest,
                learner => learner,
            },
            _ => Learner::Forest,
        }
    }

    fn by_model(&mut self, history: &History, number: usize) -> Option<(Configuration, &'static str)> {
        let learner = self.learner(history);
        let found = match learner {
            Learner::Neural => self.thompson.propose(&self.task, history, number),
            Learner::Gaussian => self.gaussian.propose(&self.task, history, number),
            Learner::Own => self.own.propose(&self.task, history, number),
            Learner::Forest | Learner::Auto => self.forest.propose(&self.task, history, number),
        };
        let found = found?;
        let foretold = match learner {
            Learner::Neural => None,
            Learner::Gaussian => self.gaussian.foretell(&self.task, &found),
            Learner::Own => self.own.foretell(&self.task, &found),
            Learner::Forest | Learner::Auto => self.forest.foretell(&self.task, &found),
        };
        self.foretold.extend(foretold.map(|foretold| (number, foretold)));
        Some((found, self.task.settings.origin(learner)))
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

    fn foretold(&self, config: ConfigId) -> Option<Foretold> {
        self.foretold.get(&config.index()).copied()
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        if !self.has_time() {
            return &[];
        }
        // Asked for often: the others have an answer at once, networks would be trained for it, and a choice judged.
        let named = self.task.settings.learner;
        match named {
            Learner::Gaussian if self.learner(history) == named => {
                self.gaussian.expected(&self.task, history)
            }
            Learner::Own if self.learner(history) == named => self.own.expected(&self.task, history),
            _ => self.forest.expected(&self.task, history),
        }
    }

    fn choice(&self) -> Option<Choice> {
        self.chooser.choice()
    }

    fn keep_tempo(&mut self, tempo: Tempo) {
        self.tempo = tempo;
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        self.task.interrupt = interrupt.clone();
    }
}
