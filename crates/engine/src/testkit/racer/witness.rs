//! Checks every answer from a racer and panics if it breaks a law.

use std::collections::{BTreeMap, HashSet};

use surrogate::Reading;

use super::super::World;
use super::Exercised;
use super::stage::Out;
use crate::history::History;
use crate::observation::{Observation, Status};
use crate::problem::Problem;
use crate::problem::constraint::{Constraint, Over};
use crate::racing::{Ask, News, Racer, Racing};
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialRequest, Why};

pub(super) struct Witness {
    /// The world and the number of workers, for error messages.
    place: (u64, usize),
    problem: Problem,
    racing: Racing,
    incumbent: ConfigId,
    pairs: usize,
    last_id: Option<TrialId>,
    opened: HashSet<ConfigId>,
    racing_now: HashSet<ConfigId>,
    /// Number of configurations that were opened as challengers at least once.
    challengers: usize,
    bounds: u64,
    pub(super) exercised: Exercised,
}

/// Panics with the world and the workers if a law is broken.
macro_rules! law {
    ($witness:expr, $holds:expr, $($message:tt)+) => {
        assert!($holds, "world and workers {:?}: {}", $witness.place, format_args!($($message)+))
    };
}

impl Witness {
    pub(super) fn new(world: &World, workers: usize, racer: &dyn Racer) -> Self {
        Self {
            place: (world.seed, workers),
            problem: world.problem.clone(),
            racing: world.racing.clone(),
            incumbent: racer.incumbent(),
            pairs: 0,
            last_id: None,
            // When the first incumbent races again, it does not count as a new challenger.
            opened: HashSet::from([racer.incumbent()]),
            racing_now: HashSet::new(),
            challengers: 0,
            bounds: 0,
            exercised: Exercised::default(),
        }
    }

    /// Checks what [`Racer::next`] returned.
    pub(super) fn see(
        &mut self,
        ask: &Ask,
        slots: usize,
        running: &BTreeMap<TrialId, Out>,
        history: &History,
        gave_up: bool,
    ) {
        match ask {
            Ask::Run(request) => {
                law!(self, slots > 0, "{request:?} without a free slot");
                self.check_request(request, running, history, gave_up);
                self.exercised.trials += 1;
            }
            Ask::Tighten(id, cap) => match running.get(id) {
                Some(out) => {
                    law!(self, *cap < out.cap, "trial {id} tightened from {:?} to {cap:?}", out.cap);
                    law!(self, !out.cancelled, "trial {id} tightened after it was cancelled");
                    self.check_cap(*cap);
                    self.exercised.tightened += 1;
                }
                None => law!(self, false, "trial {id} is tightened but not running"),
            },
            Ask::Cancel(id) => {
                let cancelled = running.get(id).map(|out| out.cancelled);
                law!(
                    self,
                    cancelled == Some(false),
                    "trial {id} is not running or was already cancelled: {cancelled:?}"
                );
                self.exercised.cancelled += 1;
            }
            Ask::Wait => law!(self, slots == 0 || gave_up, "{slots} free slots, but the racer waits"),
            Ask::Done(_) => {
                law!(self, gave_up && running.is_empty(), "done before the end");
                law!(self, self.racing_now.is_empty(), "done while {:?} are racing", self.racing_now);
                self.exercised.exhausted += 1;
            }
        }
    }

    fn check_cap(&self, cap: Cap) {
        let cutoff = self.problem.objective.cutoff;
        law!(self, cap.cost() > 0.0, "{cap:?}");
        law!(self, cutoff.is_none_or(|cutoff| cap.cost() <= cutoff), "{cap:?} above the cutoff");
        law!(self, cutoff.is_some() || cap == Cap::NONE, "{cap:?} without a cutoff");
    }

    fn check_request(
        &mut self,
        request: &TrialRequest,
        running: &BTreeMap<TrialId, Out>,
        history: &History,
        gave_up: bool,
    ) {
        let TrialRequest { id, key, configuration, cap, why } = request;
        law!(self, self.last_id.is_none_or(|last| last < *id), "trial {id} after {:?}", self.last_id);
        self.last_id = Some(*id);
        self.check_cap(*cap);
        law!(
            self,
            history.configuration(key.config) == configuration,
            "trial {id} has a different configuration"
        );
        law!(self, !running.values().any(|out| out.request.key == *key), "{key:?} runs twice");
        match compared(history, &self.problem, key.config, key.pair) {
            None => {}
            Some(Reading::Exact(_)) => law!(self, false, "{key:?} is run again although its cost is known"),
            Some(Reading::AtLeast(known)) => {
                law!(
                    self,
                    cap.cost() > known,
                    "{key:?} is run again with {cap:?} although it costs at least {known}"
                );
                self.exercised.repeated += 1;
            }
        }
        match why {
            Why::Incumbent => {
                law!(self, key.config == self.incumbent, "{key:?} is not the incumbent");
                law!(self, *cap == self.problem.objective.full_cap(), "the incumbent is capped at {cap:?}");
                let pending = running.values().filter(|out| self.is_gain(&out.request)).count();
                let (pairs, due) = (self.pairs + pending, self.pairs_due());
                law!(
                    self,
                    pairs < due || gave_up,
                    "the incumbent gains a pair in addition to {pairs}, with {due} due"
                );
            }
            Why::Challenge => {
                law!(self, self.racing_now.contains(&key.config), "{key:?} has no race");
                let met = compared(history, &self.problem, self.incumbent, key.pair).is_some();
                let soon = running
                    .values()
                    .any(|out| out.request.key.config == self.incumbent && out.request.key.pair == key.pair);
                law!(self, met || soon, "{key:?}: not a pair of the incumbent");
            }
            Why::Baseline => {
                law!(self, self.problem.objective.needs_baseline(), "no constraint needs the baseline");
                law!(self, *configuration == self.problem.default, "{key:?} is not the baseline");
                law!(self, *cap == self.problem.objective.full_cap(), "the baseline is capped at {cap:?}");
            }
            Why::Validation | Why::Ablation => {
                law!(self, false, "{key:?}: a search requests no {}", request.why.name());
            }
        }
    }

    /// Returns whether the incumbent would gain a pair through this trial, or through its own trial after it.
    fn is_gain(&self, request: &TrialRequest) -> bool {
        let is_own = request.why == Why::Incumbent && request.key.config == self.incumbent;
        let is_baseline = request.configuration == self.problem.default;
        is_own || (is_baseline && self.problem.objective.needs_baseline())
    }

    /// Returns the number of pairs that the incumbent must have before the next challenger. It gets its first
    /// pairs together, and later ones according to the schedule.
    fn pairs_due(&self) -> usize {
        let Racing { min_pairs, max_pairs, schedule, deterministic, .. } = self.racing;
        let instances = self.problem.instances as usize;
        let most = max_pairs.min(if deterministic { instances } else { usize::MAX });
        let least = min_pairs.min(most);
        let due = schedule.pairs(self.challengers, instances).max(least).min(most);
        if self.pairs < least { least } else { due }
    }

    /// Checks the events in the races.
    pub(super) fn hear(
        &mut self,
        news: &[News],
        running: &BTreeMap<TrialId, Out>,
        racer: &dyn Racer,
        history: &History,
    ) {
        for item in news {
            match *item {
                News::Opened(config) => {
                    let again = !self.opened.insert(config);
                    self.exercised.returned += usize::from(again);
                    self.check_pairs(running, racer, history);
                    self.challengers += usize::from(!again);
                    law!(self, config != self.incumbent, "{config} races against itself");
                    law!(self, self.racing_now.insert(config), "{config} is already racing");
                }
                News::Dropped(config, ..) => {
                    law!(self, self.racing_now.remove(&config), "{config} is dropped without a race");
                }
                News::Dethroned(config, _, before) => {
                    law!(self, false, "{config} replaces {before}, but no answer here is wrong");
                }
                News::NewIncumbent(config, pairs, before) => {
                    law!(self, self.racing_now.remove(&config), "{config} wins without a race");
                    law!(
                        self,
                        before == self.incumbent,
                        "{config} replaces {before}, not {}",
                        self.incumbent
                    );
                    let snapshot = racer.snapshot();
                    let all = snapshot.incumbent_pairs();
                    law!(
                        self,
                        pairs >= self.pairs,
                        "{config} wins on {pairs} pairs, but the incumbent has {}",
                        self.pairs
                    );
                    // The cost of a former incumbent may be known on more pairs, which it gains at once.
                    let knows = |pair: &Pair| {
                        let reading = compared(history, &self.problem, racer.incumbent(), *pair);
                        reading.is_some_and(|reading| !reading.is_censored())
                    };
                    let won = &all[..pairs.min(all.len())];
                    let complete = won.len() == pairs && all[won.len()..].iter().all(knows);
                    law!(
                        self,
                        complete,
                        "{config} wins on {pairs} pairs, but the new incumbent has {}",
                        all.len()
                    );
                    let least = self.racing.min_pairs.min(self.racing.max_pairs);
                    let instances = self.problem.instances as usize;
                    let most = if self.racing.deterministic { instances } else { usize::MAX };
                    law!(
                        self,
                        pairs >= least.min(most),
                        "{config} wins before the incumbent has its first pairs"
                    );
                    self.check_better(config, before, won, history);
                    self.incumbent = config;
                    self.exercised.promoted += 1;
                    self.exercised.overtaken += usize::from(!self.racing_now.is_empty());
                }
            }
        }
        law!(self, racer.incumbent() == self.incumbent, "a new incumbent without news");
        let pairs = racer.incumbent_pairs();
        law!(self, pairs >= self.pairs, "the incumbent loses pairs: {pairs} after {}", self.pairs);
        law!(self, pairs <= self.racing.max_pairs.max(1), "the incumbent has {pairs} pairs");
        self.pairs = pairs;
    }

    /// Checks that, when a race opens, the incumbent has the pairs that are due or is running on them.
    fn check_pairs(&self, running: &BTreeMap<TrialId, Out>, racer: &dyn Racer, history: &History) {
        let pending = running.values().filter(|out| self.is_gain(&out.request)).count();
        // The result that opens a race may also have given the incumbent a pair.
        let has_reigned = racer.incumbent() == self.incumbent;
        let own = if has_reigned { racer.incumbent_pairs() } else { self.pairs };
        let (pairs, due) = (own + pending, self.pairs_due());
        let has_only_failed = || failures(history, self.incumbent) == own && pairs >= 3.min(due);
        law!(
            self,
            pairs >= due || has_only_failed(),
            "{pairs} pairs after {} challengers, with {due} due",
            self.challengers
        );
    }

    /// Checks that configuration `new` is at least as good as `old` on these pairs.
    fn check_better(&self, new: ConfigId, old: ConfigId, pairs: &[Pair], history: &History) {
        let costs = |config: ConfigId| -> Vec<f64> {
            let known = |&pair: &Pair| {
                let reading = compared(history, &self.problem, config, pair);
                let cost = reading.and_then(Reading::exact);
                law!(self, cost.is_some(), "the cost of {config} on {pair:?} is not known: {reading:?}");
                cost
            };
            pairs.iter().filter_map(known).collect()
        };
        let (won, lost) = (costs(new), costs(old));
        let failures = |costs: &[f64]| costs.iter().filter(|cost| cost.is_infinite()).count();
        let sum = |costs: &[f64]| costs.iter().filter(|cost| cost.is_finite()).sum::<f64>();
        let cheaper =
            failures(&won) < failures(&lost) || failures(&won) == failures(&lost) && sum(&won) <= sum(&lost);
        let violation = |config| violation(history, &self.problem, config, pairs);
        let (own, other) = (violation(new), violation(old));
        // The racer may sum in a different order than this check, so their means may differ by rounding.
        let nearly = (own - other).abs() < 1e-9 || own == other;
        let better = match (own < 1e-9, other < 1e-9) {
            (true, true) => cheaper || other > 0.0,
            (feasible, other_feasible) if feasible != other_feasible => feasible,
            _ => own < other || nearly,
        };
        law!(
            self,
            better,
            "{new} with {} and {own} replaces {old} with {} and {other}",
            sum(&won),
            sum(&lost)
        );
    }

    pub(super) fn told(&mut self, observation: &Observation) {
        self.bounds += u64::from(observation.cost().is_some_and(Reading::is_censored));
    }

    /// Checks that no trial is forgotten.
    pub(super) fn count(&self, racer: &dyn Racer, running: &BTreeMap<TrialId, Out>) {
        let pending = racer.snapshot().pending;
        let same = pending.iter().map(|trial| trial.id).eq(running.keys().copied());
        law!(self, same, "{:?} are running, but the racer knows {pending:?}", running.keys());
    }

    pub(super) fn read(&self, history: &History) {
        let stopped = history.count(Status::Capped) + history.count(Status::Timeout);
        law!(self, self.bounds == stopped, "{} lower bounds from {stopped} stopped trials", self.bounds);
    }

    /// Checks the history at the end of a run.
    pub(super) fn end(&self, history: &History) -> Exercised {
        let bounds = history.trials().iter().filter_map(|trial| trial.observation.cost());
        let bounds = bounds.filter(|cost| cost.is_censored()).count() as u64;
        law!(self, bounds == self.bounds, "the history has {bounds} lower bounds instead of {}", self.bounds);
        self.exercised
    }
}

fn compared(history: &History, problem: &Problem, config: ConfigId, pair: Pair) -> Option<Reading> {
    let trial = history.reading(config, history.find_pair(pair)?)?;
    problem.objective.compared(&trial.observation)
}

/// Returns the number of pairs on which a configuration failed.
fn failures(history: &History, config: ConfigId) -> usize {
    history.readings(config).filter(|(_, trial)| trial.observation.status().is_failure()).count()
}

/// Returns the violation as defined in the module `constraint`, computed in the simplest way.
fn violation(history: &History, problem: &Problem, config: ConfigId, pairs: &[Pair]) -> f64 {
    let one = |(which, constraint): (usize, &Constraint)| {
        let output = |&pair: &Pair| {
            let trial = history.reading(config, history.find_pair(pair)?)?;
            trial.observation.constraints().get(which).copied().flatten()
        };
        let counts = |reading: &Reading| !reading.is_censored() || reading.lower_bound() > constraint.bound;
        let outputs: Vec<f64> =
            pairs.iter().filter_map(output).filter(counts).map(Reading::lower_bound).collect();
        let value = match constraint.over {
            _ if outputs.is_empty() => f64::INFINITY,
            Over::Mean => outputs.iter().sum::<f64>() / outputs.len() as f64,
            Over::Max => outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        };
        (value - constraint.bound).max(0.0) / constraint.bound.abs()
    };
    problem.objective.constraints.iter().enumerate().map(one).sum()
}
