//! The settings of a tuner.

use std::ops::RangeInclusive;

use engine::history::History;
use engine::problem::{self, Problem, Side};
use engine::propose::{Learner, ModelSettings, OwnSurrogate};
use engine::racing::{Racing, Snapshot};
use engine::{Configuration, Optimizer, SettingError, Space};
use surrogate::{InstanceTable, OutOfRange, Surrogate};

use crate::assembly::Assembly;
use crate::bound::Bound;
use crate::outcome::Rules;
use crate::search::Search;
use crate::tuner::Tuner;

/// Whether the cost should be low or high.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Objective {
    /// Low costs are better.
    #[default]
    Minimise,
    /// High costs are better.
    Maximise,
}

impl Objective {
    fn sense(self) -> Side {
        match self {
            Self::Minimise => Side::AtMost,
            Self::Maximise => Side::AtLeast,
        }
    }
}

/// The settings of a [`Tuner`]. [`TunerBuilder::build`] checks all of them.
///
/// ```
/// use captune::{Bound, Format, SettingError, Tuner, read_space};
///
/// let space = read_space("level = { integer = [1, 19], default = 3 }", "levels", Format::Toml)?;
/// let tuner = Tuner::builder(space.clone()).cutoff(30.0).constraint("size", Bound::at_most(1e6)).build()?;
/// assert_eq!(tuner.best().configuration.to_string(), "level=3");
///
/// let mistake = Tuner::builder(space).cutoff(-1.0).build().err().unwrap();
/// assert_eq!(mistake.to_string(), "`cutoff` is -1, but must be finite and above 0");
/// assert_eq!(mistake.setting(), "cutoff");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TunerBuilder {
    space: Space,
    objective: Objective,
    cutoff: Option<f64>,
    par: f64,
    grain: Option<f64>,
    bounds: Vec<(String, Bound)>,
    instances: u32,
    features: Option<(Vec<f64>, usize)>,
    seed: u64,
    racing: Racing,
    search: Option<Search>,
    initial: Vec<Configuration>,
    baseline: Option<Configuration>,
    repeatable: bool,
    trials: Option<u64>,
}

impl TunerBuilder {
    pub(crate) fn new(space: Space) -> Self {
        Self {
            space,
            objective: Objective::Minimise,
            cutoff: None,
            par: problem::Objective::uncapped().par,
            grain: None,
            bounds: Vec::new(),
            instances: 1,
            features: None,
            seed: 1,
            racing: Racing::default(),
            search: None,
            initial: Vec::new(),
            baseline: None,
            repeatable: false,
            trials: None,
        }
    }

    /// Sets whether the cost is minimised, as by default, or maximised.
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    /// Sets the largest cost that any trial may reach. With a cutoff, costs are amounts that grow while a
    /// trial runs, such as seconds, and slow trials are stopped early: each trial has a
    /// [cap](engine::TrialRequest::cap). Without a cutoff, costs are known only at the end of a trial.
    pub fn cutoff(self, cutoff: f64) -> Self {
        Self { cutoff: Some(cutoff), ..self }
    }

    /// Sets the factor on the cutoff that a trial without a cost counts as; 10 by default.
    pub fn par(self, par: f64) -> Self {
        Self { par, ..self }
    }

    /// Sets the smallest cost that the measurement resolves; 0.001 by default with a cutoff, otherwise 0.
    pub fn grain(self, grain: f64) -> Self {
        Self { grain: Some(grain), ..self }
    }

    /// Adds a bound on an output, which trials report by this name. An output may have a bound from above and
    /// another one from below.
    pub fn constraint(mut self, output: impl Into<String>, bound: Bound) -> Self {
        self.bounds.push((output.into(), bound));
        self
    }

    /// Sets the number of instances; 1 by default. Each trial runs on one of them, numbered from 0.
    pub fn instances(self, count: u32) -> Self {
        Self { instances: count, ..self }
    }

    /// Describes the instances by numbers, from which models generalise: one row of `width` numbers for each
    /// instance, NaN where a number is unknown.
    pub fn features(self, rows: impl Into<Vec<f64>>, width: usize) -> Self {
        Self { features: Some((rows.into(), width)), ..self }
    }

    /// Sets the seed of all random numbers; 1 by default.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets whether the target gives the same cost each time. If so, a configuration runs once on each
    /// instance, and a Gaussian process proposes if there are few parameters. False by default.
    pub fn deterministic(mut self, deterministic: bool) -> Self {
        self.racing.deterministic = deterministic;
        self
    }

    /// Sets the number of pairs that a configuration needs before it can win, and the largest number of pairs
    /// that the incumbent runs on; 1 to 2000 by default.
    pub fn pairs(mut self, pairs: RangeInclusive<usize>) -> Self {
        (self.racing.min_pairs, self.racing.max_pairs) = pairs.into_inner();
        self
    }

    /// Sets the slack: a challenger is stopped when its sum of costs exceeds this factor times the
    /// incumbent's; 1.3 by default.
    pub fn slack(mut self, slack: f64) -> Self {
        self.racing.slack = slack;
        self
    }

    /// Sets the configuration that the search starts from and that relative bounds refer to; the default of
    /// the space unless set.
    pub fn baseline(self, baseline: Configuration) -> Self {
        Self { baseline: Some(baseline), ..self }
    }

    /// Sets configurations that race before all others.
    pub fn initial(self, initial: impl IntoIterator<Item = Configuration>) -> Self {
        Self { initial: initial.into_iter().collect(), ..self }
    }

    /// Sets the method that proposes configurations. By default, a model that suits the target.
    pub fn search(self, search: Search) -> Self {
        Self { search: Some(search), ..self }
    }

    /// Makes this learner propose, with the settings that suit it.
    pub fn learner(self, learner: Learner) -> Self {
        self.search(Search::by(ModelSettings::of(learner)))
    }

    /// Makes a custom surrogate propose. `name` is the origin of its proposals.
    pub fn surrogate(self, name: &'static str, surrogate: impl Surrogate + 'static) -> Self {
        self.search(Search::by(ModelSettings::by(OwnSurrogate::new(name, surrogate))))
    }

    /// Sets whether requests must not depend on how long the running trials have been running. If so, caps
    /// are never lowered and trials are never cancelled. False by default.
    pub fn repeatable(self, repeatable: bool) -> Self {
        Self { repeatable, ..self }
    }

    /// Sets the number of trials that are planned. During the last tenth of them, the best configurations
    /// among those that lost race once more. The tuner does not stop by itself.
    pub fn trials(self, planned: u64) -> Self {
        Self { trials: Some(planned), ..self }
    }

    /// Checks the settings and creates the tuner.
    pub fn build(&self) -> Result<Tuner, SettingError> {
        self.resumed(History::new(), None)
    }

    /// Creates a tuner that continues from a history and a snapshot.
    pub(crate) fn resumed(
        &self,
        history: History,
        snapshot: Option<Snapshot>,
    ) -> Result<Tuner, SettingError> {
        let problem = self.problem()?;
        let optimizer = self.with_assembly(&problem, |assembly| assembly.optimizer(history, snapshot))?;
        Ok(self.tuner(problem, optimizer))
    }

    fn tuner(&self, problem: Problem, optimizer: Optimizer) -> Tuner {
        Tuner::new(problem, self.rules(), self.trials, optimizer)
    }

    /// Returns the rules for turning outcomes into observations.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            cutoff: self.cutoff,
            sense: self.objective.sense(),
            bounds: self.bounds.clone(),
            takes_any_bound: false,
        }
    }

    /// Passes the parts of an optimizer to a function.
    pub(crate) fn with_assembly<T>(
        &self,
        problem: &Problem,
        run: impl FnOnce(&Assembly<'_>) -> Result<T, SettingError>,
    ) -> Result<T, SettingError> {
        let mut racing = self.racing.clone();
        if racing.deterministic {
            let most = self.instances as usize;
            (racing.min_pairs, racing.max_pairs) = (racing.min_pairs.min(most), racing.max_pairs.min(most));
        }
        let search = self.searched(problem)?;
        let (initial, repeatable) = (&self.initial, self.repeatable);
        run(&Assembly { problem, racing: &racing, search: &search, initial, repeatable })
    }

    /// Returns the search, with the features of the instances.
    fn searched(&self, problem: &Problem) -> Result<Search, SettingError> {
        let suited = || Search::suited(&self.space, self.racing.deterministic);
        let mut search = self.search.clone().unwrap_or_else(suited);
        let Some((rows, width)) = &self.features else { return Ok(search) };
        OutOfRange::if_zero("features", *width)?;
        let (count, instances) = (rows.len() / width, problem.instances);
        if rows.len() != width * instances as usize {
            return Err(SettingError::Features { rows: count, instances });
        }
        match &mut search {
            Search::Model(by) => by.features = Some(InstanceTable::of_features(rows, *width)),
            Search::Random | Search::Local => {
                let why = "only models use features";
                return Err(SettingError::Excluded { setting: "features", other: "search", why });
            }
        }
        Ok(search)
    }

    /// Returns the problem. [`Assembly::check`] checks its numbers.
    pub(crate) fn problem(&self) -> Result<Problem, SettingError> {
        OutOfRange::if_zero("instances", self.instances as usize)?;
        if self.cutoff.is_some() && self.objective == Objective::Maximise {
            let why = "costs with a cutoff are minimised";
            return Err(SettingError::Excluded { setting: "cutoff", other: "objective", why });
        }
        for (place, (name, bound)) in self.bounds.iter().enumerate() {
            let same = |(other, earlier): &(String, Bound)| other == name && earlier.side() == bound.side();
            if self.bounds[..place].iter().any(same) {
                return Err(SettingError::Twice { setting: "constraint", name: name.clone() });
            }
        }
        let plain = self.cutoff.map_or_else(problem::Objective::uncapped, problem::Objective::capped);
        let objective = problem::Objective {
            par: self.par,
            grain: self.grain.unwrap_or(plain.grain),
            constraints: self.bounds.iter().map(|(_, bound)| bound.for_engine()).collect(),
            ..plain
        };
        let default = self.baseline.clone().unwrap_or_else(|| self.space.default_configuration());
        let (space, instances, seed) = (self.space.clone(), self.instances, self.seed);
        Ok(Problem { space, default, objective, instances, seed })
    }
}
