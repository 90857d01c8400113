//! Findings about a scenario from a few trials.

use std::collections::BTreeMap;

use engine::Status;
use scenario::{Scenario, Sense};
use serde::Serialize;

use super::advice::{self, Advice};
use super::seeds::Seeds;
use super::spread::{Spread, spread};
use super::trials::{FIRST_SEED, Sample};
use crate::Settings;

/// The results of a measurement.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Findings {
    /// Number of trials that ran alone.
    pub alone: usize,
    /// Number of trials that ran with every slot busy.
    pub in_company: usize,
    /// Number of slots.
    pub workers: usize,
    /// Number of trials by status, for each status that occurred.
    pub statuses: BTreeMap<&'static str, usize>,
    /// The times of the trials on each instance.
    pub instances: Vec<InstanceTimes>,
    /// Slow-down of trials when every slot is busy; `None` if no instance has finished trials of both kinds.
    pub slow_down: Option<SlowDown>,
    /// Effect of the seed on the trials.
    pub seeds: Seeds,
    /// The values of every output of the scenario.
    pub outputs: Vec<OutputValues>,
    /// CPU time as a share of wall time, over the trials that ran alone.
    pub cpu_share: Option<f64>,
    /// The memory that trials need.
    pub memory: Option<Memory>,
    /// The time needed for one pass over the instances; `None` if it is unknown.
    pub pass: Option<Pass>,
    /// Recommended changes, with the most important change first.
    pub advice: Vec<Advice>,
}

/// The times of finished trials on one instance with one seed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InstanceTimes {
    /// The instance's name.
    pub name: String,
    /// Times of trials that ran alone.
    pub alone: Option<Times>,
    /// Times of trials that ran with every slot busy.
    pub in_company: Option<Times>,
}

/// CPU and wall time of several trials, in seconds, and their cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Times {
    /// CPU time, if it was measured.
    pub cpu: Option<Spread>,
    /// Wall time.
    pub wall: Spread,
    /// The cost, with the sign that the user sees.
    pub cost: Spread,
}

/// Factor by which trials take longer with every slot busy, as a geometric mean over the instances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SlowDown {
    /// The factor in wall time.
    pub wall: f64,
    /// The factor in CPU time, if it was measured.
    pub cpu: Option<f64>,
}

/// The values of an output of the scenario.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OutputValues {
    /// Its name.
    pub name: String,
    /// Number of trials in which it was found.
    pub found: usize,
    /// Total number of finished trials.
    pub of: usize,
    /// Its smallest value.
    pub least: Option<f64>,
    /// Its largest value.
    pub most: Option<f64>,
}

/// Memory, in bytes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Memory {
    /// The largest amount that a trial used.
    pub peak: u64,
    /// The memory limit for one trial, if there is one.
    pub limit: Option<u64>,
    /// Free memory on this machine before the measurement, if known.
    pub available: Option<u64>,
}

/// The time needed for one pass over the instances.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Pass {
    /// Number of instances.
    pub instances: usize,
    /// Wall time in seconds, with every slot busy.
    pub wall: f64,
    /// CPU time in seconds, if it was measured.
    pub cpu: Option<f64>,
    /// Number of passes that the budget covers without capping; `None` if the budget has no limit that
    /// determines it.
    pub affordable: Option<f64>,
}

impl Findings {
    /// Summarises the samples. `names` are the names of the instances; `available` is the machine's free
    /// memory in bytes.
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
        let instance_times = |(place, name): (usize, &String)| InstanceTimes {
            name: name.clone(),
            alone: times(sense, samples, place, false),
            in_company: times(sense, samples, place, true),
        };
        let instances: Vec<InstanceTimes> = names.iter().enumerate().map(instance_times).collect();
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

    /// Returns the number of trials that ended with this status.
    pub fn count(&self, status: Status) -> usize {
        self.statuses.get(status.name()).copied().unwrap_or(0)
    }

    /// Returns the relative variation of one quantity among trials that ran alone with the same seed, as a
    /// root mean square over the instances.
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

fn slow_down(instances: &[InstanceTimes]) -> Option<SlowDown> {
    let mean = |of: fn(&Times) -> Option<f64>| {
        let ratio = |one: &InstanceTimes| Some(of(one.in_company.as_ref()?)? / of(one.alone.as_ref()?)?);
        let logs: Vec<f64> =
            instances.iter().filter_map(ratio).map(f64::ln).filter(|log| log.is_finite()).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    let wall = mean(|times| Some(times.wall.median))?;
    Some(SlowDown { wall, cpu: mean(|times| Some(times.cpu?.median)) })
}

fn outputs(scenario: &Scenario, samples: &[Sample]) -> Vec<OutputValues> {
    let finished = |sample: &&Sample| sample.record.trial.observation.status() == Status::Finished;
    let of = samples.iter().filter(finished).count();
    let one = |output: &scenario::Output| {
        let value = |sample: &Sample| sample.record.detail.outputs.get(&output.name).copied();
        let found: Vec<f64> = samples.iter().filter(finished).filter_map(value).collect();
        OutputValues {
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
    // In a campaign, every slot is busy, so the times of trials in company are preferred.
    let busy = samples.iter().any(|sample| sample.in_company);
    let those: Vec<&Sample> = samples.iter().filter(|sample| sample.in_company == busy).collect();
    let mean = |of: fn(&Sample) -> Option<f64>| {
        let sum: Option<f64> = those.iter().map(|sample| of(sample)).sum();
        sum.filter(|_| !those.is_empty()).map(|sum| sum / those.len() as f64)
    };
    let instances = settings.problem.instances as usize;
    let wall = mean(|sample| Some(sample.record.duration()))? * instances as f64 / workers.max(1) as f64;
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
