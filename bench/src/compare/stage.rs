//! A scenario made ready: what configurators may ask of it, and the test that all of them get.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use anyhow::{Result, ensure};
use campaign::executor::Answer;
use engine::{Configuration, InstanceId, Objective, Pair, Seed, Status};

use super::digest::Digest;
use super::scenarios::Scenario;
use super::subject::Known;

/// What rows of one scenario have in common: a number of everything that the list says of it.
pub(super) fn definition(scenario: &Scenario) -> String {
    let mut digest = Digest::default();
    digest.take(format!("{scenario:?}").as_bytes());
    format!("{:016x}", digest.value())
}

/// A scenario with its subject.
pub(super) struct Stage {
    pub(super) scenario: Scenario,
    pub(super) known: Known,
    pub(super) objective: Objective,
    default: OnceLock<f64>,
}

impl Stage {
    /// Refuses a subject that is not the scenario's.
    pub(super) fn new(scenario: Scenario, known: Known) -> Result<Self> {
        let (name, found) = (scenario.name, known.checksum);
        ensure!(
            found == scenario.checksum,
            "{name} has the checksum {:#018x} in the list, but {found:#018x} here: its rows would not be comparable",
            scenario.checksum
        );
        let objective = Objective::capped(scenario.cutoff);
        Ok(Self { scenario, known, objective, default: OnceLock::new() })
    }

    /// What a trial is, up to the cap.
    pub(super) fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        self.known.subject.answer(configuration, pair, cap)
    }

    /// The instances of the test, each with these seeds; where there are no other instances, those of the training.
    fn test(&self, seeds: RangeInclusive<u32>) -> Vec<Pair> {
        let (training, test) = (self.known.training, self.known.test);
        let instances = if test == 0 { 0..training } else { training..training + test };
        // Seeds of campaigns are below 2^31, and drawn: these are of nobody else on these instances.
        let pair = |instance, seed| Pair { instance: InstanceId(instance), seed: Seed(seed) };
        instances.flat_map(|instance| seeds.clone().map(move |seed| pair(instance, seed))).collect()
    }

    /// What an answer counts.
    pub(super) fn compared(&self, answer: &Answer) -> f64 {
        let finished = answer.status == Status::Finished && answer.cost <= self.scenario.cutoff;
        if finished { answer.cost } else { self.objective.penalty() }
    }

    /// PAR10 on the test.
    pub(super) fn evaluate(&self, configuration: &Configuration) -> f64 {
        self.mean(configuration, &self.test(1..=self.scenario.runs))
    }

    /// PAR10 on the test with so many other seeds.
    pub(super) fn evaluate_again(&self, configuration: &Configuration, runs: u32) -> f64 {
        let last = self.scenario.runs;
        self.mean(configuration, &self.test(last + 1..=last + runs))
    }

    fn mean(&self, configuration: &Configuration, pairs: &[Pair]) -> f64 {
        let cost = |&pair: &Pair| self.compared(&self.answer(configuration, pair, self.scenario.cutoff));
        pairs.iter().map(cost).sum::<f64>() / pairs.len() as f64
    }

    /// PAR10 of the default on the test.
    pub(super) fn default_cost(&self) -> f64 {
        *self.default.get_or_init(|| self.evaluate(&self.known.space.default_configuration()))
    }
}
