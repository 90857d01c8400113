//! A benchmark with its objective, which runs the trials that configurators request and gives all
//! configurators the same test.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use anyhow::{Result, ensure};
use engine::{Configuration, InstanceId, Objective, Pair, Seed, Status};
use execution::executor::Answer;

use super::subject::Benchmark;

/// A benchmark with its objective and its test.
pub(crate) struct Arena {
    /// Name of the scenario.
    pub(crate) name: &'static str,
    pub(crate) benchmark: Benchmark,
    pub(crate) objective: Objective,
    /// Number of seeds per test instance.
    runs: u32,
    default: OnceLock<Tested>,
}

/// Result of the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tested {
    /// Mean compared cost, or the penalty for a timeout if the configuration is infeasible.
    pub(crate) cost: f64,
    pub(crate) feasible: bool,
}

/// Sums over the trials of one configuration.
pub(crate) struct Sums<'a> {
    arena: &'a Arena,
    cost: f64,
    /// Sum of each constrained output. The sum is infinite if a trial did not report the output, so that the
    /// configuration counts as infeasible.
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
        for (position, sum) in self.outputs.iter_mut().enumerate() {
            let output = answer.constraints.get(position).filter(|_| finished);
            *sum += output.copied().unwrap_or(f64::INFINITY);
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
    /// Returns an arena, or an error if the benchmark has a different checksum.
    pub(crate) fn new(
        name: &'static str,
        benchmark: Benchmark,
        objective: Objective,
        runs: u32,
        checksum: u64,
    ) -> Result<Self> {
        let found = benchmark.checksum;
        ensure!(
            found == checksum,
            "{name} has the checksum {checksum:#018x} in the list, but {found:#018x} on this machine; its rows would \
             not be comparable"
        );
        Ok(Self { name, benchmark, objective, runs, default: OnceLock::new() })
    }

    /// Runs a trial up to the cap.
    pub(crate) fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        self.benchmark.subject.answer(configuration, pair, cap)
    }

    /// Returns the largest cap; infinite if costs are known only at the end of a trial.
    pub(crate) fn cutoff(&self) -> f64 {
        self.objective.full_cap().cost()
    }

    /// Returns the test instances, each with these seeds. If there are no test instances, returns the
    /// training instances.
    fn pairs(&self, seeds: RangeInclusive<u32>) -> Vec<Pair> {
        let (training, test) = (self.benchmark.training, self.benchmark.test);
        let instances = if test == 0 { 0..training } else { training..training + test };
        // Campaigns draw their seeds below 2^31, so these small numbers hardly ever occur in training.
        let pair = |instance, seed| Pair { instance: InstanceId(instance), seed: Seed(seed) };
        instances.flat_map(|instance| seeds.clone().map(move |seed| pair(instance, seed))).collect()
    }

    /// Returns the compared cost of an answer.
    pub(crate) fn compared(&self, answer: &Answer) -> f64 {
        if self.finished(answer) { answer.cost } else { self.objective.penalty() }
    }

    fn finished(&self, answer: &Answer) -> bool {
        answer.status == Status::Finished && answer.cost <= self.cutoff()
    }

    /// Returns the mean result of a configuration on some pairs.
    fn mean(&self, configuration: &Configuration, pairs: &[Pair]) -> Tested {
        let mut sums = Sums::new(self);
        pairs.iter().for_each(|&pair| sums.add(&self.answer(configuration, pair, self.cutoff())));
        sums.tested()
    }

    /// Tests a configuration.
    pub(crate) fn test(&self, configuration: &Configuration) -> Tested {
        if *configuration == self.benchmark.space.default_configuration() {
            return self.default();
        }
        self.mean(configuration, &self.pairs(1..=self.runs))
    }

    /// Returns the test cost.
    pub(crate) fn evaluate(&self, configuration: &Configuration) -> f64 {
        self.test(configuration).cost
    }

    /// Returns the cost on the test instances, each with this number of seeds that the test does not use.
    pub(crate) fn evaluate_again(&self, configuration: &Configuration, runs: u32) -> f64 {
        self.mean(configuration, &self.pairs(self.runs + 1..=self.runs + runs)).cost
    }

    fn default(&self) -> Tested {
        let configuration = self.benchmark.space.default_configuration();
        *self.default.get_or_init(|| self.mean(&configuration, &self.pairs(1..=self.runs)))
    }

    /// Returns the test cost of the default.
    pub(crate) fn default_cost(&self) -> f64 {
        self.default().cost
    }
}
