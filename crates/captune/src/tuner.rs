//! The tuner: an object that requests trials and learns from their results.

use engine::history::History;
use engine::problem::Problem;
use engine::propose::{Choice, Forecast, Tempo};
use engine::racing::{Ask, News, Requested};
use engine::{ConfigId, Configuration, Interrupt, Optimizer, Reading, Space, TrialId, TrialRequest};

use crate::builder::TunerBuilder;
use crate::outcome::{Outcome, Rules, TellError};
use crate::standing::Standing;

/// Share of the budget after which the best configurations that lost a race may race again.
pub const FINAL: f64 = 0.9;

/// A tuner. It decides which trials to run and learns from their results; the caller runs them.
///
/// The tuner reads no clock and no files, and it starts no threads and no programs. Its requests depend only
/// on the settings and on the calls made so far, and are the same on every platform.
pub struct Tuner {
    pub(crate) problem: Problem,
    pub(crate) rules: Rules,
    pub(crate) optimizer: Optimizer,
    /// The outputs of each trial as they were reported. Kept only if a bound is relative, because the history
    /// then contains ratios.
    pub(crate) reported: Vec<Box<[Option<Reading>]>>,
    pub(crate) planned: Option<u64>,
}

/// The error for a configuration of another space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the configuration belongs to another space; build it with the space of the tuner")]
pub struct OtherSpace;

impl Tuner {
    /// Returns the settings of a tuner for this space, to be changed and [built](TunerBuilder::build).
    pub fn builder(space: Space) -> TunerBuilder {
        TunerBuilder::new(space)
    }

    pub(crate) fn new(problem: Problem, rules: Rules, planned: Option<u64>, optimizer: Optimizer) -> Self {
        Self { problem, rules, optimizer, reported: Vec::new(), planned }
    }

    /// Returns what to do next with this many free slots: run a trial, lower the cap of a running trial,
    /// cancel one, wait, or stop. Call it again until it returns [`Ask::Wait`] or [`Ask::Done`]. With no free
    /// slot, it returns only orders about running trials, or [`Ask::Wait`].
    pub fn ask(&mut self, slots: usize) -> Ask {
        if let Some(planned) = self.planned {
            let told = self.history().trials().len() as f64;
            self.optimizer.near_end(told >= FINAL * planned as f64);
        }
        self.optimizer.ask(slots)
    }

    /// Records the result of a trial that has ended. After an error, the trial is still running.
    pub fn tell(&mut self, trial: TrialId, outcome: impl Into<Outcome>) -> Result<(), TellError> {
        let observation = self.rules.observation(&outcome.into())?;
        let outputs = self.problem.objective.needs_baseline().then(|| observation.constraints().into());
        self.optimizer.tell(trial, observation).map_err(|error| TellError::NotRunning(error.0))?;
        self.reported.extend(outputs);
        Ok(())
    }

    /// Withdraws a running trial, which then ends without a result.
    pub fn withdraw(&mut self, trial: TrialId) -> Result<(), TellError> {
        self.optimizer.withdraw(trial).map_err(|error| TellError::NotRunning(error.0))
    }

    /// Runs trials one after the other, until this many have ended or nothing is left to try.
    ///
    /// ```
    /// use captune::{Format, Tuner, read_space};
    ///
    /// let space = read_space("x = { float = [-5, 5], default = 4 }", "line", Format::Toml)?;
    /// let mut tuner = Tuner::builder(space).deterministic(true).build()?;
    /// tuner.run(25, |trial| {
    ///     let x = trial.configuration.number("x").unwrap();
    ///     (x - 1.0) * (x - 1.0)
    /// })?;
    /// assert!(tuner.best().cost.unwrap() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run<O: Into<Outcome>>(
        &mut self,
        trials: usize,
        mut function: impl FnMut(&TrialRequest) -> O,
    ) -> Result<(), TellError> {
        let mut waiting: Vec<TrialRequest> = self.running().cloned().collect();
        waiting.reverse();
        for _ in 0..trials {
            let request = match waiting.pop() {
                Some(request) => request,
                None => match self.ask(1) {
                    Ask::Run(request) => request,
                    // Orders concern running trials, and there are none.
                    Ask::Tighten(..) | Ask::Cancel(_) | Ask::Wait | Ask::Done(_) => break,
                },
            };
            self.tell(request.id, function(&request))?;
        }
        Ok(())
    }

    /// Reports the costs that running trials have reached, all at the same moment. A running trial that is
    /// not listed counts as having cost nothing so far. The next calls of [`Tuner::ask`] may then return
    /// [`Ask::Tighten`] and [`Ask::Cancel`].
    pub fn elapsed(&mut self, reached: &[(TrialId, f64)]) {
        self.optimizer.elapsed(reached);
    }

    /// Returns how much more each running trial may cost before the caller should call [`Tuner::elapsed`],
    /// unless a trial has ended in the meantime; `None` if that is not needed.
    pub fn patience(&self) -> Option<f64> {
        self.optimizer.patience()
    }

    /// Lets a configuration race before any new one. Returns its number and how the request was handled.
    pub fn enqueue(&mut self, configuration: &Configuration) -> Result<(ConfigId, Requested), OtherSpace> {
        if *configuration.space() != self.problem.space {
            return Err(OtherSpace);
        }
        Ok(self.optimizer.request(configuration))
    }

    /// Returns the best configuration so far and its results.
    pub fn best(&self) -> Standing {
        self.standing(self.optimizer.incumbent())
    }

    /// Returns a configuration and its results.
    ///
    /// # Panics
    /// If no configuration has this number.
    pub fn standing(&self, config: ConfigId) -> Standing {
        Standing::of(&self.rules, &self.problem, self.history(), config)
    }

    /// Returns the space.
    pub fn space(&self) -> &Space {
        &self.problem.space
    }

    /// Returns all trials that have ended so far. Costs that are maximised, and outputs that are bounded from
    /// below, have a negative sign here. Outputs of relative bounds are divided by the baseline's.
    pub fn history(&self) -> &History {
        self.optimizer.history()
    }

    /// Returns the number of trials that have ended so far.
    pub fn trials(&self) -> usize {
        self.history().trials().len()
    }

    /// Returns the trials that were requested and have not ended yet, ordered by their numbers.
    pub fn running(&self) -> impl Iterator<Item = &TrialRequest> {
        self.optimizer.running()
    }

    /// Returns the name of a configuration's source, such as `default`, `design`, `random`, `forest`, or the
    /// name of a custom surrogate.
    pub fn origin(&self, config: ConfigId) -> &'static str {
        self.optimizer.origin(config)
    }

    /// Returns what a model predicted for a configuration when it was proposed; `None` if no model proposed
    /// it since the tuner was built or loaded.
    pub fn forecast(&self, config: ConfigId) -> Option<Forecast> {
        let Forecast { cost, low, high } = self.optimizer.forecast(config)?;
        let sense = self.rules.sense;
        let [one, other] = [low, high].map(|end| sense.signed(end));
        Some(Forecast { cost: sense.signed(cost), low: one.min(other), high: one.max(other) })
    }

    /// Returns the learner that was chosen to propose, if several were compared.
    pub fn choice(&self) -> Option<Choice> {
        self.optimizer.choice()
    }

    /// Returns the events in the races since the last call.
    pub fn news(&mut self) -> Vec<News> {
        self.optimizer.news()
    }

    /// Sets how much time may be spent on proposing configurations from now on.
    pub fn set_tempo(&mut self, tempo: Tempo) {
        self.optimizer.set_tempo(tempo);
    }

    /// Interrupts long computations when the flag is raised. From then on, the tuner's answers and its state
    /// are invalid; continue from an earlier [saved state](Tuner::save).
    pub fn watch_interrupt(&mut self, interrupt: &Interrupt) {
        self.optimizer.watch_interrupt(interrupt);
    }
}
