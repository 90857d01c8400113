//! A subject with its objective: what configurators may ask of it, and the test that all of them get.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use anyhow::{Result, ensure};
use engine::{Configuration, InstanceId, Objective, Pair, Seed, Status};
use execution::executor::Answer;

use super::subject::Known;

/// Where configurators meet a subject.
pub(crate) struct Arena {
    /// Of its scenario.
    pub(crate) name: &'static str,
    pub(crate) known: Known,
    pub(crate) objective: Objective,
    /// Seeds on each test instance.
    runs: u32,
    default: OnceLock<Tested>,
}

/// What the test found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tested {
    /// The mean compared cost; the penalty of a timeout if the configuration is infeasible.
    pub(crate) cost: f64,
    pub(crate) feasible: bool,
}

/// Trials of one configuration, added up.
pub(crate) struct Sums<'a> {
    arena: &'a Arena,
    cost: f64,
    /// Of each constrained output; infinite once a trial has told nothing, which is not within any bound.
    outputs: Vec<f64>,
    count: usize,
}

impl<'a> Sums<'a> {
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { arena, cost: 0.0, outputs: vec![0.0; arena.objective.constraints.len()], count: 0 }
    }

    pub(crate) fn add(&mut self, answer: &Answer) {
        let finished = self.arena.finished(answer);
        self.cost += self.arena.compared(answer);
        for (place, sum) in self.outputs.iter_mut().enumerate() {
            let told = answer.constraints.get(place).filter(|_| finished);
            *sum += told.copied().unwrap_or(f64::INFINITY);
        }
        self.count += 1;
    }

    pub(crate) fn tested(&self) -> Tested {
        let count = self.count as f64;
        let bounds = self.arena.objective.constraints.iter().map(|constraint| constraint.bound);
        let feasible = self.outputs.iter().zip(bounds).all(|(sum, bound)| sum / count <= bound);
        let cost = if feasible { self.cost / count } else { self.arena.objective.penalty() };
        Tested { cost, feasible }
    }
}

impl Arena {
    /// Refuses a subject with another checksum than `checksum`.
    pub(crate) fn new(
        name: &'static str,
        known: Known,
        objective: Objective,
        runs: u32,
        checksum: u64,
    ) -> Result<Self> {
        let found = known.checksum;
        ensure!(
            found == checksum,
            "{name} has the checksum {checksum:#018x} in the list, but {found:#018x} here: its rows would not be \
             comparable"
        );
        Ok(Self { name, known, objective, runs, default: OnceLock::new() })
    }

    /// What a trial is, up to the cap.
    pub(crate) fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        self.known.subject.answer(configuration, pair, cap)
    }

    /// The largest cap: infinite where costs do not grow while a trial runs.
    pub(crate) fn cutoff(&self) -> f64 {
        self.objective.full_cap().cost()
    }

    /// The instances of the test, each with these seeds; where there are no other instances, those of the training.
    fn pairs(&self, seeds: RangeInclusive<u32>) -> Vec<Pair> {
        let (training, test) = (self.known.training, self.known.test);
        let instances = if test == 0 { 0..training } else { training..training + test };
        // Seeds of campaigns are below 2^31, and drawn: these are of nobody else on these instances.
        let pair = |instance, seed| Pair { instance: InstanceId(instance), seed: Seed(seed) };
        instances.flat_map(|instance| seeds.clone().map(move |seed| pair(instance, seed))).collect()
    }

    /// What an answer counts.
    pub(crate) fn compared(&self, answer: &Answer) -> f64 {
        if self.finished(answer) { answer.cost } else { self.objective.penalty() }
    }

    fn finished(&self, answer: &Answer) -> bool {
        answer.status == Status::Finished && answer.cost <= self.cutoff()
    }

    /// What a configuration comes to on some pairs.
    fn mean(&self, configuration: &Configuration, pairs: &[Pair]) -> Tested {
        let mut sums = Sums::new(self);
        pairs.iter().for_each(|&pair| sums.add(&self.answer(configuration, pair, self.cutoff())));
        sums.tested()
    }

    /// The test.
    pub(crate) fn test(&self, configuration: &Configuration) -> Tested {
        if *configuration == self.known.space.default_configuration() {
            return self.default();
        }
        self.mean(configuration, &self.pairs(1..=self.runs))
    }

    /// The cost on the test.
    pub(crate) fn evaluate(&self, configuration: &Configuration) -> f64 {
        self.test(configuration).cost
    }

    /// The cost on the test with so many other seeds.
    pub(crate) fn evaluate_again(&self, configuration: &Configuration, runs: u32) -> f64 {
        self.mean(configuration, &self.pairs(self.runs + 1..=self.runs + runs)).cost
    }

    fn default(&self) -> Tested {
        let configuration = self.known.space.default_configuration();
        *self.default.get_or_init(|| self.mean(&configuration, &self.pairs(1..=self.runs)))
    }

    /// The cost of the default on the test.
    pub(crate) fn default_cost(&self) -> f64 {
        self.default().cost
    }
}
