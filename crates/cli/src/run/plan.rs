//! The first lines of a run: what is tuned, and the state from which the campaign starts.

use campaign::conduct::{Opened, Opening};
use campaign::staging::Staging;
use campaign::validation::Terms;
use confine::quantity::{show_duration, show_size};
use confine::{Limits, Tier};
use engine::Space;
use scenario::Scenario;
use scenario::shell::quoted;

use super::job::Job;
use crate::trouble::changed;
use crate::words::{chosen, clock, count, counted, harmless};

/// Maximum number of families that are listed by name.
const FAMILIES: usize = 20;

/// Returns the first line: what is tuned, on which instances and with how many workers. Without a number of
/// workers, trials run on the workers that join.
pub(crate) fn headline(scenario: &Scenario, local: Option<(usize, Tier)>) -> String {
    let cores = scenario.parallel.cores_per_trial;
    let mut parts = vec![
        format!("captune {}", env!("CARGO_PKG_VERSION")),
        harmless(&scenario.name),
        parameters(&scenario.space),
        instances(scenario),
        format!(
            "{} ({} each)",
            local
                .map_or_else(|| "workers that join".to_owned(), |(count, _)| counted(count as u64, "worker")),
            counted(u64::from(cores), "core")
        ),
    ];
    parts.extend(local.map(|(_, tier)| format!("limits: {tier}")));
    parts.join(" · ")
}

fn parameters(space: &Space) -> String {
    let size = space.size();
    let varying = space.parameters().iter().filter(|parameter| parameter.is_variable()).count();
    let combinations = match size.log10 {
        log10 if log10 < 6.0 => count(10f64.powf(log10).round() as u64),
        log10 => format!("10^{log10:.0}"),
    };
    let continuous = size.continuous + size.dependent;
    let size = match (continuous, continuous == varying) {
        (0, _) => format!("{combinations} combinations"),
        (_, true) => "continuous".to_owned(),
        (some, false) => format!("{combinations} combinations and {some} continuous"),
    };
    format!("{} ({size})", counted(varying as u64, "parameter"))
}

fn instances(scenario: &Scenario) -> String {
    if !scenario.instances.are_given() {
        return "no instances, many seeds".to_owned();
    }
    let train = counted(scenario.instances.train.len() as u64, "instance");
    match scenario.instances.test.len() {
        0 => match scenario.instances.folds {
            Some(folds) => format!("{train} in {folds} folds"),
            None => train,
        },
        test => format!("{train} + {test} unseen"),
    }
}

/// Returns lines about the families and the features of the instances.
pub(crate) fn about_instances(scenario: &Scenario) -> Vec<String> {
    let families = scenario.instances.families();
    let family = |(name, (train, test)): (&&str, &(usize, usize))| match test {
        0 => format!("{} {train}", harmless(name)),
        test => format!("{} {train} + {test}", harmless(name)),
    };
    let mut lines = Vec::new();
    if !families.is_empty() {
        let count = families.len() as u64;
        let noun = if count == 1 { "1 family".to_owned() } else { format!("{count} families") };
        let shown: Vec<String> = families.iter().take(FAMILIES).map(family).collect();
        let more = families.len().saturating_sub(FAMILIES);
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        lines.push(format!("{noun}: {}{more}", shown.join(", ")));
    }
    if let Some(features) = &scenario.instances.features {
        lines.push(format!("{} per instance", counted(features.numbers().len() as u64, "feature")));
    }
    lines
}

/// Formats the time limit for the validation.
fn validation(terms: &Terms) -> String {
    let budget = terms.budget.filter(|_| terms.wanted);
    budget.map_or_else(String::new, |budget| format!(", then at most {} for the validation", chosen(budget)))
}

/// Formats the limits of a trial.
pub(crate) fn limits(limits: &Limits) -> String {
    let time = |time| show_duration(time).to_string();
    let size = |bytes| show_size(bytes).to_string();
    let parts = [
        limits.cpu.map(|limit| format!("CPU time {}", time(limit))),
        limits.effective_wall().map(|limit| format!("wall time {}", time(limit))),
        limits.memory.map(|limit| format!("memory {}", size(limit))),
        limits.output.map(|limit| format!("output {}", size(limit))),
        limits.file_size.map(|limit| format!("files {}", size(limit))),
        limits.processes.map(|limit| format!("{limit} processes")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

/// Describes the state from which the campaign starts, and how the end of its job affects it.
pub(crate) fn opening(opened: &Opened, job: Option<&Job>) -> Vec<String> {
    let folder = quoted(&opened.folder.to_string_lossy());
    let budget = words::budget(&opened.settings.budget);
    let validation = validation(&opened.settings.validation);
    let so_far = opened.so_far();
    let mut not_fitting = Vec::new();
    let (first, differences) = match &opened.opening {
        Opening::New => (format!("new campaign in {folder}, budget {budget}{validation}"), &[][..]),
        Opening::Continue(differences) => {
            let spent = clock(so_far.wall);
            let trials = counted(so_far.trials, "trial");
            (
                format!("resuming {folder} after {spent} and {trials}, budget {budget} in total{validation}"),
                &differences[..],
            )
        }
        Opening::Reuse { differences, trials, not_reused, set_aside } => {
            let aside = quoted(&set_aside.to_string_lossy());
            let left: usize = not_reused.values().sum();
            let reused = match (trials, left) {
                (0, _) => String::new(),
                (trials, 0) => format!(", reusing {}", counted(*trials as u64, "trial")),
                (trials, left) => {
                    format!(", reusing {trials} of {}", counted((trials + left) as u64, "trial"))
                }
            };
            not_fitting.extend(not_reused.iter().map(|(why, count)| {
                format!("not reused: {}, because {}", counted(*count as u64, "trial"), harmless(why))
            }));
            let first = format!(
                "new campaign in {folder}{reused}, budget {budget}{validation}; the previous one is kept in {aside}"
            );
            (first, &differences[..])
        }
    };
    let mut lines = vec![first];
    lines.extend(not_fitting);
    lines.extend(job.map(|job| job.plan(opened)));
    if let Some(staging) = Staging::of(&opened.scenario, &opened.folder) {
        lines.push(format!("instances are copied to {}", quoted(&staging.folder().to_string_lossy())));
    }
    if !differences.is_empty() {
        lines.push("changes since the last session:".to_owned());
        lines.extend(changed(differences));
    }
    lines
}
