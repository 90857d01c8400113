//! What a few trials say of a scenario.

use std::collections::BTreeMap;

use engine::Status;
use scenario::{Scenario, Sense};
use serde::Serialize;

use super::advice::{self, Advice};
use super::seeds::Seeds;
use super::spread::{Spread, spread};
use super::trials::{FIRST_SEED, Sample};
use crate::Settings;

/// Everything that was found out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Findings {
    /// Trials that ran alone.
    pub alone: usize,
    /// Trials that ran with every slot busy.
    pub in_company: usize,
    /// How many slots were busy then.
    pub workers: usize,
    /// Trials by their status, as far as there are any.
    pub statuses: BTreeMap<&'static str, usize>,
    /// The times of each instance.
    pub instances: Vec<OfInstance>,
    /// How much longer trials take in company; `None` if no instance finished both ways.
    pub slow_down: Option<SlowDown>,
    /// What seeds do.
    pub seeds: Seeds,
    /// Every output of the scenario.
    pub outputs: Vec<OfOutput>,
    /// Of the wall time of the trials that ran alone, the share in which they used a core.
    pub cpu_share: Option<f64>,
    /// What trials need.
    pub memory: Option<Memory>,
    /// What meeting every instance once takes; `None` if no trial tells.
    pub pass: Option<Pass>,
    /// What to change, the most important first.
    pub advice: Vec<Advice>,
}

/// The times of trials of one instance with one seed that finished.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OfInstance {
    /// The instance's name.
    pub name: String,
    /// Of those that ran alone.
    pub alone: Option<Times>,
    /// Of those that ran with every slot busy.
    pub in_company: Option<Times>,
}

/// CPU and wall time of several trials, in seconds, and their cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Times {
    /// CPU time, if it was measured.
    pub cpu: Option<Spread>,
    /// Wall time.
    pub wall: Spread,
    /// What is minimised.
    pub cost: Spread,
}

/// How many times longer trials take with every slot busy: geometric means over the instances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SlowDown {
    /// By the clock.
    pub wall: f64,
    /// In CPU time, if that was measured.
    pub cpu: Option<f64>,
}

/// An output of the scenario.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OfOutput {
    /// Its name.
    pub name: String,
    /// In how many trials it was found.
    pub found: usize,
    /// Of how many.
    pub of: usize,
    /// Its smallest value.
    pub least: Option<f64>,
    /// Its largest value.
    pub most: Option<f64>,
}

/// Memory, in bytes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Memory {
    /// The most that a trial used.
    pub peak: u64,
    /// What it may use.
    pub limit: Option<u64>,
    /// What this machine had left before, if it tells.
    pub available: Option<u64>,
}

/// What it takes to meet every instance once.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Pass {
    /// Instances.
    pub instances: usize,
    /// Seconds by the clock, with every slot busy.
    pub wall: f64,
    /// Seconds of CPU time, if they were measured.
    pub cpu: Option<f64>,
    /// How many passes the budget affords, without capping; `None` if it has no bound that tells.
    pub affordable: Option<f64>,
}

impl Findings {
    /// What the samples say. `names` are those of the instances, `available` is the machine's free memory.
    pub fn of(
        scenario: &Scenario,
        settings: &Settings,
        samples: &[Sample],
        names: &[String],
        workers: usize,
        available: Option<u64>,
    ) -> Self {
        let mut statuses = BTreeMap::new();
        for sample in samples {
            *statuses.entry(sample.record.trial.observation.status().name()).or_insert(0) += 1;
        }
        let sense = scenario.objective.sense;
        let of_instance = |(place, name): (usize, &String)| OfInstance {
            name: name.clone(),
            alone: times(sense, samples, place, false),
            in_company: times(sense, samples, place, true),
        };
        let instances: Vec<OfInstance> = names.iter().enumerate().map(of_instance).collect();
        let alone = || samples.iter().filter(|sample| !sample.in_company);
        let wall: f64 = alone().filter_map(|sample| sample.record.detail.wall).sum();
        let cpu: Option<f64> = alone().map(|sample| sample.record.detail.cpu).sum();
        let limit = scenario.limits.memory;
        let peak = samples.iter().filter_map(|sample| sample.record.detail.memory).max();
        let mut findings = Self {
            alone: alone().count(),
            in_company: samples.len() - alone().count(),
            workers,
            statuses,
            slow_down: slow_down(&instances),
            instances,
            seeds: Seeds::of(scenario, samples),
            outputs: outputs(scenario, samples),
            cpu_share: cpu.filter(|_| wall > 0.0).map(|cpu| cpu / wall),
            memory: peak.map(|peak| Memory { peak, limit, available }),
            pass: pass(settings, samples, workers),
            advice: Vec::new(),
        };
        findings.advice = advice::all(&findings, scenario, settings);
        findings
    }

    /// How many trials ended in a way.
    pub fn count(&self, status: Status) -> usize {
        self.statuses.get(status.name()).copied().unwrap_or(0)
    }

    /// The mean variation of trials that ran alone with the same instance and seed, by what is looked at.
    pub fn variation(&self, of: impl Fn(&Times) -> Option<Spread>) -> Option<f64> {
        let all = self.instances.iter().filter_map(|one| of(one.alone.as_ref()?)?.variation);
        let squares: Vec<f64> = all.map(|variation| variation * variation).collect();
        (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
    }
}

fn times(sense: Sense, samples: &[Sample], instance: usize, in_company: bool) -> Option<Times> {
    let fits = |sample: &&Sample| {
        sample.pair().instance.index() == instance
            && sample.in_company == in_company
            && sample.pair().seed == FIRST_SEED
            && sample.record.trial.observation.status() == Status::Finished
    };
    let those: Vec<&Sample> = samples.iter().filter(fits).collect();
    let values =
        |of: fn(&Sample) -> Option<f64>| spread(&those.iter().filter_map(|one| of(one)).collect::<Vec<_>>());
    let cost =
        |one: &&Sample| one.record.trial.observation.cost().map(|cost| sense.shown(cost.lower_bound()));
    let costs: Vec<f64> = those.iter().filter_map(cost).collect();
    Some(Times {
        cpu: values(|one| one.record.detail.cpu),
        wall: values(|one| one.record.detail.wall)?,
        cost: spread(&costs)?,
    })
}

fn slow_down(instances: &[OfInstance]) -> Option<SlowDown> {
    let mean = |of: fn(&Times) -> Option<f64>| {
        let ratio = |one: &OfInstance| Some(of(one.in_company.as_ref()?)? / of(one.alone.as_ref()?)?);
        let logs: Vec<f64> =
            instances.iter().filter_map(ratio).map(f64::ln).filter(|log| log.is_finite()).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    let wall = mean(|times| Some(times.wall.median))?;
    Some(SlowDown { wall, cpu: mean(|times| Some(times.cpu?.median)) })
}

fn outputs(scenario: &Scenario, samples: &[Sample]) -> Vec<OfOutput> {
    let finished = |sample: &&Sample| sample.record.trial.observation.status() == Status::Finished;
    let of = samples.iter().filter(finished).count();
    let one = |output: &scenario::Output| {
        let value = |sample: &Sample| sample.record.detail.outputs.get(&output.name).copied();
        let found: Vec<f64> = samples.iter().filter(finished).filter_map(value).collect();
        OfOutput {
            name: output.name.clone(),
            found: found.len(),
            of,
            least: found.iter().copied().reduce(f64::min),
            most: found.iter().copied().reduce(f64::max),
        }
    };
    scenario.outputs.iter().map(one).collect()
}

fn pass(settings: &Settings, samples: &[Sample], workers: usize) -> Option<Pass> {
    // Times in company are those of the campaign.
    let busy = samples.iter().any(|sample| sample.in_company);
    let those: Vec<&Sample> = samples.iter().filter(|sample| sample.in_company == busy).collect();
    let mean = |of: fn(&Sample) -> Option<f64>| {
        let sum: Option<f64> = those.iter().map(|sample| of(sample)).sum();
        sum.filter(|_| !those.is_empty()).map(|sum| sum / those.len() as f64)
    };
    let instances = settings.problem.instances as usize;
    let wall = mean(|sample| sample.record.detail.wall)? * instances as f64 / workers.max(1) as f64;
    let cpu = mean(|sample| sample.record.detail.cpu).map(|cpu| cpu * instances as f64);
    let budget = &settings.budget;
    let affordable = [
        budget.wall.map(|budget| budget / wall),
        budget.cpu.zip(cpu).map(|(budget, cpu)| budget / cpu),
        budget.trials.map(|trials| trials as f64 / instances as f64),
    ];
    let affordable = affordable.into_iter().flatten().filter(|passes| passes.is_finite()).reduce(f64::min);
    Some(Pass { instances, wall, cpu, affordable })
}
