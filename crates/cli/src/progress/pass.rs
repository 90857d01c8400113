//! What one pass of the default over the instances takes, told once it is known well enough.

use std::collections::BTreeSet;

use campaign::event::{Event, What};
use engine::{ConfigId, InstanceId, Status};
use execution::Record;

use super::Facts;
use crate::words::{count, counted, share, span};

/// Instances that tell enough, if there are more.
const ENOUGH: usize = 10;

/// Watches the trials of the default.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    met: BTreeSet<InstanceId>,
    trials: u64,
    timeouts: u64,
    wall: f64,
    cpu: f64,
    least: Option<f64>,
    most: Option<f64>,
    told: bool,
}

impl Pass {
    /// The line, when the time has come.
    pub(crate) fn after(&mut self, event: &Event, facts: &Facts) -> Option<String> {
        if self.told {
            return None;
        }
        match &event.what {
            What::TrialEnded(trial)
                if trial.trial.key.config == ConfigId(0) && !trial.status().says_nothing() =>
            {
                self.add(trial);
                let enough = usize::try_from(facts.instances).unwrap_or(usize::MAX).min(ENOUGH);
                if self.met.len() < enough {
                    return None;
                }
            }
            // The default is beaten, and meets hardly any more pairs.
            What::NewIncumbent(_) => {}
            _ => return None,
        }
        // Nothing can be said of a default that fails.
        let (least, most) = (self.least?, self.most?);
        self.told = true;
        Some(self.line(least, most, facts))
    }

    fn add(&mut self, record: &Record) {
        if record.status().says_nothing() {
            return;
        }
        self.met.insert(record.trial.key.pair.instance);
        self.trials += 1;
        self.timeouts += u64::from(record.status() == Status::Timeout);
        self.wall += record.detail.wall.unwrap_or(0.0);
        self.cpu += record.detail.cpu.unwrap_or(0.0);
        if let Some(cost) = record.trial.observation.cost() {
            let cost = cost.lower_bound();
            self.least = Some(self.least.map_or(cost, |least| least.min(cost)));
            self.most = Some(self.most.map_or(cost, |most| most.max(cost)));
        }
    }

    fn line(&self, least: f64, most: f64, facts: &Facts) -> String {
        let costs = &facts.costs;
        let timeouts = match self.timeouts {
            0 => String::new(),
            timeouts => format!(" ({} timeouts)", share(timeouts as f64 / self.trials as f64)),
        };
        let shown = |cost: f64| costs.show(costs.number(cost));
        let range = match (shown(least), shown(most)) {
            (least, most) if least == most => least,
            (most, least) if costs.are_maximised() => format!("{least} to {most}"),
            (least, most) => format!("{least} to {most}"),
        };
        let mut parts = vec![format!(
            "the {} {} {range} on {}{timeouts}",
            costs.against,
            costs.verb(),
            counted(self.trials, "pair")
        )];
        let one = |total: f64| total / self.trials as f64;
        let instances = facts.instances as f64;
        let time = span(one(self.wall) * instances);
        parts.push(match facts.instances {
            1 => format!("one trial {time}"),
            many => format!("one pass over {} {time}", counted(many, "instance")),
        });
        let budget = &facts.budget;
        let passes = [
            budget.wall.map(|wall| wall * facts.workers as f64 / one(self.wall)),
            budget.cpu.map(|cpu| cpu / one(self.cpu)),
            budget.trials.map(|trials| trials as f64),
        ];
        let trials = passes.into_iter().flatten().fold(f64::INFINITY, f64::min);
        if trials.is_finite() {
            let passes = trials / instances;
            let shown = if passes < 10.0 { format!("{passes:.1}") } else { count(passes as u64) };
            parts.push(format!("the budget affords about {shown} of them, without capping"));
        }
        format!("plan: {}", parts.join(" · "))
    }
}
