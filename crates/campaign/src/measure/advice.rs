//! Advice on what to change in a scenario, based on the findings.

use confine::quantity::show_size;
use engine::Status;
use scenario::{Measure, Scenario};
use serde::Serialize;

use super::findings::{Findings, Memory, Times};
use crate::Settings;

/// Largest harmless slow-down by neighbouring trials, as a share. The same limit applies to the variation
/// between repeated trials.
const HARMLESS: f64 = 0.1;
/// Share of wall time below which CPU time counts as almost none.
const ALMOST_NONE: f64 = 0.1;
/// Smallest number of passes over the instances that a budget should cover.
const PASSES: f64 = 20.0;
/// Share of a memory limit above which too little memory is left.
const LITTLE_ROOM: f64 = 0.8;
/// Number of grains below which a cost is measured too coarsely.
const GRAINS: f64 = 10.0;

/// One recommended change to the scenario.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Advice {
    /// The key to change.
    pub key: String,
    /// Its new value as TOML, if only one value makes sense.
    pub value: Option<String>,
    /// The reason, in one sentence without a full stop.
    pub because: String,
}

/// Returns all advice, with the most important advice first.
pub(super) fn all(findings: &Findings, scenario: &Scenario, settings: &Settings) -> Vec<Advice> {
    let adviser = Adviser { findings, scenario, settings };
    let parts = [
        adviser.outputs(),
        adviser.seeds(),
        adviser.cpu_share(),
        adviser.neighbours(),
        adviser.variation(),
        adviser.timeouts(),
        adviser.coarse(),
        adviser.memory(),
        adviser.budget(),
    ];
    parts.into_iter().flatten().collect()
}

struct Adviser<'a> {
    findings: &'a Findings,
    scenario: &'a Scenario,
    settings: &'a Settings,
}

fn advice(key: &str, value: Option<&str>, because: String) -> Advice {
    Advice { key: key.to_owned(), value: value.map(str::to_owned), because }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

impl Adviser<'_> {
    fn measure(&self) -> Measure {
        self.scenario.objective.minimise
    }

    fn outputs(&self) -> Vec<Advice> {
        let missing = self.findings.outputs.iter().filter(|output| output.found < output.of);
        let one = |output: &super::OutputValues| {
            let key = format!("outputs.{}", output.name);
            let of = output.of;
            let because = match output.found {
                0 => {
                    format!("no value was found in the {of} finished trials: correct the output's definition")
                }
                found => format!(
                    "a value was found in only {found} of {of} finished trials: correct the output's definition"
                ),
            };
            Advice { key, value: None, because }
        };
        missing.map(one).collect()
    }

    fn seeds(&self) -> Vec<Advice> {
        let seeds = &self.findings.seeds;
        let deterministic = self.scenario.racing.deterministic;
        let mut found = Vec::new();
        let cost_differs = |differing: &std::collections::BTreeSet<String>| match self.measure() {
            Measure::Output(place) => differing.contains(&self.scenario.outputs[place].name),
            _ => false,
        };
        let by_chance =
            seeds.same.as_ref().is_some_and(|same| cost_differs(&same.differing) || same.ended_otherwise);
        let differ = |what: &super::Repeated| {
            let names: Vec<&str> = what.differing.iter().map(String::as_str).collect();
            if names.is_empty() { "exit code".to_owned() } else { names.join(", ") }
        };
        if let Some(same) = seeds.same.as_ref().filter(|_| by_chance) {
            let what = differ(same);
            found.push(if deterministic {
                let because = format!("the same trial gave different results ({what})");
                advice("racing.deterministic", Some("false"), because)
            } else if seeds.given {
                let because =
                    format!("results differ with the same seed ({what}): the seed does not determine them");
                advice("target.command", None, because)
            } else {
                let because =
                    format!("results vary randomly ({what}), and `{{seed}}` is not passed to the target");
                advice("target.command", None, because)
            });
            return found;
        }
        let all_same = |what: &Option<super::Repeated>| what.as_ref().map(super::Repeated::are_same);
        match (seeds.change_costs, all_same(&seeds.other)) {
            (Some(true), _) if deterministic => {
                let because = "costs differ from seed to seed".to_owned();
                found.push(advice("racing.deterministic", Some("false"), because));
            }
            (Some(false), Some(true)) if !deterministic && seeds.given => {
                let because = "other seeds changed neither cost nor output: `{seed}` seems to have no effect"
                    .to_owned();
                found.push(advice("racing.deterministic", Some("true"), because));
            }
            (Some(false), Some(true)) if !deterministic => {
                let because = "repeated trials gave the same results, and `{seed}` is not passed to the target: one trial per instance is enough";
                found.push(advice("racing.deterministic", Some("true"), because.to_owned()));
            }
            _ => {}
        }
        found
    }

    fn cpu_share(&self) -> Vec<Advice> {
        let share = self.findings.cpu_share.filter(|&share| share < ALMOST_NONE);
        let Some(share) = share.filter(|_| self.measure() == Measure::CpuTime) else { return Vec::new() };
        let because = format!("CPU time is only {} of wall time: the work happens elsewhere", percent(share));
        vec![advice("objective.minimise", Some("\"wall_time\""), because)]
    }

    fn neighbours(&self) -> Vec<Advice> {
        let Some(slow) = self.findings.slow_down else { return Vec::new() };
        let busy = self.findings.workers;
        let fewer = (busy / 2).max(1).to_string();
        let disturbed = |ratio: f64| ratio > 1.0 + HARMLESS;
        match self.measure() {
            Measure::CpuTime => match slow.cpu.filter(|&cpu| disturbed(cpu)) {
                Some(cpu) => {
                    let because = format!("CPU time is {cpu:.2}x as long with {busy} slots busy");
                    vec![advice("parallel.workers", Some(&fewer), because)]
                }
                None => Vec::new(),
            },
            Measure::WallTime if disturbed(slow.wall) => {
                let because = format!("wall time is {:.2}x as long with {busy} slots busy", slow.wall);
                let mut found = Vec::new();
                let idle = self.findings.cpu_share.is_some_and(|share| share < 0.5);
                if let Some(cpu) = slow.cpu.filter(|&cpu| !disturbed(cpu) && !idle) {
                    let because = format!("{because}, CPU time {cpu:.2}x");
                    found.push(advice("objective.minimise", Some("\"cpu_time\""), because));
                }
                found.push(advice("parallel.workers", Some("1"), because));
                found
            }
            _ => Vec::new(),
        }
    }

    fn variation(&self) -> Vec<Advice> {
        let noise = |of: fn(&Times) -> Option<super::Spread>| self.findings.variation(of);
        let Some(own) = noise(|times| Some(times.cost)).filter(|&own| own > HARMLESS) else {
            return Vec::new();
        };
        let cpu = noise(|times| times.cpu).filter(|&cpu| 2.0 * cpu < own);
        let working = self.findings.cpu_share.is_some_and(|share| share >= 0.5);
        match (self.measure(), cpu) {
            (Measure::WallTime, Some(cpu)) if working => {
                let because = format!(
                    "wall time of the same trial varies by {}, CPU time by {}",
                    percent(own),
                    percent(cpu)
                );
                vec![advice("objective.minimise", Some("\"cpu_time\""), because)]
            }
            _ => {
                let because = format!(
                    "the cost of the same trial varies by {}: require more trials before a configuration may win, such as \
                     `[3, 2000]`, or use a quieter machine",
                    percent(own)
                );
                vec![advice("racing.repeats", None, because)]
            }
        }
    }

    fn timeouts(&self) -> Vec<Advice> {
        let (timeouts, all) =
            (self.findings.count(Status::Timeout), self.findings.alone + self.findings.in_company);
        if 2 * timeouts <= all || all == 0 {
            return Vec::new();
        }
        let because = format!(
            "{timeouts} of {all} trials of the baseline reach it: raise it, or choose easier instances"
        );
        vec![advice("objective.cutoff", None, because)]
    }

    fn coarse(&self) -> Vec<Advice> {
        let grain = self.scenario.objective.grain;
        let medians = self.findings.instances.iter().filter_map(|one| Some(one.alone.as_ref()?.cost.median));
        let coarse = medians.filter(|&median| grain > 0.0 && median < GRAINS * grain).count();
        if coarse == 0 || !self.measure().is_time() {
            return Vec::new();
        }
        let because = format!(
            "{coarse} of {} measured instances take less than {GRAINS:.0} times the resolution of {:.1} ms: \
             use harder ones",
            self.findings.instances.len(),
            grain * 1e3
        );
        vec![advice("instances", None, because)]
    }

    fn memory(&self) -> Vec<Advice> {
        let Some(Memory { peak, limit, available }) = self.findings.memory else { return Vec::new() };
        let workers = self.findings.workers as u64;
        if let Some(limit) = limit.filter(|&limit| peak as f64 > LITTLE_ROOM * limit as f64) {
            let because =
                format!("a trial used {} of {}; raise the limit", show_size(peak), show_size(limit));
            return vec![advice("limits.memory", None, because)];
        }
        // The largest amount of memory that one trial may use.
        let each = limit.unwrap_or(peak);
        match available.filter(|&available| each.saturating_mul(workers) > available && each > 0) {
            Some(available) => {
                let fit = (available / each).max(1).to_string();
                let because = format!(
                    "{workers} trials of {} do not fit into the {} of free memory",
                    show_size(each),
                    show_size(available)
                );
                vec![advice("parallel.workers", Some(&fit), because)]
            }
            None => Vec::new(),
        }
    }

    fn budget(&self) -> Vec<Advice> {
        let Some(pass) = self.findings.pass else { return Vec::new() };
        let Some(passes) = pass.affordable.filter(|&passes| passes < PASSES) else { return Vec::new() };
        let budget = &self.settings.budget;
        let key = match (budget.wall, budget.cpu) {
            (Some(_), _) => "budget.wall",
            (None, Some(_)) => "budget.cpu",
            (None, None) => "budget.trials",
        };
        let because = format!(
            "it covers about {passes:.1} passes over {} instances without capping: raise it, or use fewer instances",
            pass.instances
        );
        vec![advice(key, None, because)]
    }
}
