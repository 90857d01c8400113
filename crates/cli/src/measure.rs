//! `captune check --measure`: reports how reliable the measurements of a target are.

use std::sync::Arc;
use std::time::Duration;

use campaign::Settings;
use campaign::conduct;
use campaign::measure::{self, Advice, Findings, Repeated, Seeds, Terms, Times};
use campaign::staging::Staging;
use comfy_table::{Table, presets};
use confine::PrivateFolder;
use confine::quantity::{show_duration, show_size};
use engine::{ConfigId, Status, TrialId, TrialKey, TrialRequest, Why};
use execution::executor::Happening;
use execution::{CommandLine, ProcessTarget};
use scenario::Scenario;

use crate::exit_code::ExitCode;
use crate::message;
use crate::run::failing;
use crate::signals;
use crate::trouble::explained;
use crate::words::{Costs, count, counted, harmless, number, seconds, share, span, times};
use crate::wrap;

/// Measures the target and prints the findings.
pub(crate) fn measure(
    scenario: &Arc<Scenario>,
    settings: &Settings,
    workers: usize,
    time: Duration,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let chosen = measure::choose(scenario);
    let names: Vec<String> = chosen.iter().map(|instance| instance.name.clone()).collect();
    // This folder holds the staged copies. Dropping it removes them.
    let staged = scenario.instances.stage.then(PrivateFolder::new).transpose()?;
    let used = match staged.as_ref().and_then(|folder| Staging::of_check(scenario, folder.path())) {
        Some(staging) => {
            staging.stage(&chosen)?;
            staging.staged(&chosen)
        }
        None => chosen,
    };
    let target = ProcessTarget::new(Arc::clone(scenario)).on(used.clone());
    let slots = conduct::worker_slots(scenario, workers).map_err(|error| explained(error.into()))?;
    let terms = Terms { slots, time: time.as_secs_f64() };
    let (alone, in_company) = terms.trials(names.len());
    let costs = Costs::of(scenario);
    let then = match in_company {
        0 => String::new(),
        trials => format!(", then {trials} trials with {workers} at a time"),
    };
    message::note(&format!(
        "measuring the {}: {alone} trials alone{then}, {} at most",
        costs.against,
        show_duration(time)
    ));
    let available = measure::available_memory();
    let signals = signals::listen()?;
    let stop = |bell: execution::executor::Bell| signals.each(move |_| bell.ring(Happening::Interrupted));
    let Some(samples) = measure::run(target, settings, terms, names.len(), stop)? else {
        message::say("interrupted");
        return Ok(ExitCode::Interrupted);
    };
    let findings = Findings::of(scenario, settings, &samples, &names, workers, available);
    if json {
        message::print(format!("{}\n", serde_json::to_string(&findings)?).as_bytes())?;
    } else {
        message::show(&text(&findings, scenario, &costs, wrap::stdout_width()))?;
    }
    let occurred = |status| findings.count(status) > 0;
    if samples.is_empty() || [Status::Finished, Status::Timeout, Status::Capped].into_iter().any(occurred) {
        return Ok(ExitCode::Done);
    }
    message::say("error: every trial failed");
    if let Some((sample, instance)) =
        samples.first().and_then(|first| Some((first, used.get(first.pair().instance.index())?)))
    {
        let pair = sample.pair();
        let request = TrialRequest {
            id: TrialId(0),
            key: TrialKey { config: ConfigId(0), pair },
            configuration: settings.problem.default.clone(),
            cap: settings.problem.objective.full_cap(),
            why: Why::Incumbent,
        };
        let command = CommandLine::new(scenario, &request, instance).to_string();
        let (status, detail) = (sample.record.status(), &sample.record.detail);
        message::note(failing::explanation(&command, status, detail, &scenario.target).trim_end());
    }
    Ok(ExitCode::TargetFailed)
}

fn text(findings: &Findings, scenario: &Scenario, costs: &Costs, width: Option<usize>) -> String {
    let mut rows = vec![("trials", trials(findings))];
    if let Some(slow) = findings.slow_down {
        let cpu = slow.cpu.map_or_else(String::new, |cpu| format!(", CPU time {}", times(cpu)));
        let busy = counted(findings.workers as u64, "slot");
        rows.push(("parallel", format!("with {busy} busy: wall time {}{cpu}", times(slow.wall))));
    }
    rows.extend(seeds(&findings.seeds).map(|text| ("seeds", text)));
    for output in &findings.outputs {
        let name = harmless(&output.name);
        let value = match (output.least, output.most) {
            (Some(least), Some(most)) if least == most => format!(": {}", number(least)),
            (Some(least), Some(most)) => format!(": {} to {}", number(least), number(most)),
            _ => String::new(),
        };
        rows.push((
            "output",
            format!("{name} found in {} of {}{value}", output.found, counted(output.of as u64, "trial")),
        ));
    }
    if let Some(part) = findings.cpu_share {
        rows.push(("cores", format!("CPU time is {} of wall time", share(part))));
    }
    if let Some(memory) = findings.memory {
        let limit = match memory.limit {
            Some(limit) => format!(" of {}", show_size(limit)),
            None => ", no limit".to_owned(),
        };
        rows.push(("memory", format!("at most {}{limit}", show_size(memory.peak))));
    }
    if let Some(pass) = &findings.pass {
        let cpu = pass.cpu.map_or_else(String::new, |cpu| format!(", CPU time {}", span(cpu)));
        let passes = match pass.affordable {
            Some(passes) if passes >= 10.0 => {
                format!(" · the budget covers about {} passes without capping", count(passes as u64))
            }
            Some(passes) => format!(" · the budget covers {passes:.1} passes without capping"),
            None => String::new(),
        };
        let all = counted(pass.instances as u64, "instance");
        rows.push(("pass", format!("over {all}: {}{cpu}{passes}", span(pass.wall))));
    }
    let table = table(findings, scenario, costs, width);
    format!("{table}{}{}", wrap::rows(&rows, width), all_advice(&findings.advice, width))
}

fn trials(findings: &Findings) -> String {
    let statuses: Vec<String> =
        findings.statuses.iter().map(|(status, trials)| format!("{trials} {status}")).collect();
    let parts = format!("{} alone, {} in parallel", findings.alone, findings.in_company);
    if statuses.is_empty() {
        format!("{parts}: no trial ended in time")
    } else {
        format!("{parts}: {}", statuses.join(", "))
    }
}

/// Returns a table of the instances with their medians, quartiles and variation.
fn table(findings: &Findings, scenario: &Scenario, costs: &Costs, width: Option<usize>) -> String {
    let measured = findings.instances.iter().filter(|one| one.alone.is_some());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let cost = (!scenario.objective.minimise.is_time()).then(|| "cost".to_owned());
    let mut header = vec!["same seed, alone".to_owned(), "cpu".to_owned(), "wall".to_owned()];
    header.extend(cost.clone());
    table.set_header(header);
    let mut any = false;
    for one in measured {
        let Some(Times { cpu, wall, cost: own }) = one.alone else { continue };
        let timed = |spread: &measure::Spread| shown(spread, &seconds);
        let name = if one.name.is_empty() { "-".to_owned() } else { harmless(&one.name) };
        let mut row = vec![name, cpu.as_ref().map_or_else(|| "-".to_owned(), timed), timed(&wall)];
        row.extend(cost.as_ref().map(|_| shown(&own, &|cost| costs.show(cost))));
        table.add_row(row);
        any = true;
    }
    if !any {
        return String::new();
    }
    wrap::fit(&mut table, width);
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Formats a distribution: `52.3 ms [51.0 ms, 53.9 ms] ±3 %`.
fn shown(spread: &measure::Spread, show: &dyn Fn(f64) -> String) -> String {
    let mut text = show(spread.median);
    if spread.count > 1 {
        text += &format!(" [{}, {}]", show(spread.lower), show(spread.upper));
    }
    if let Some(variation) = spread.variation {
        text += &format!(" ±{}", share(variation));
    }
    text
}

fn seeds(seeds: &Seeds) -> Option<String> {
    let result = |what: &Repeated| {
        let mut parts = Vec::new();
        if what.are_same() {
            return "same results".to_owned();
        }
        if what.ended_otherwise {
            parts.push("different exit code".to_owned());
        }
        if !what.differing.is_empty() {
            let names: Vec<String> = what.differing.iter().map(|name| harmless(name)).collect();
            parts.push(format!("different {}", names.join(", ")));
        }
        if parts.is_empty() {
            parts.push("different text".to_owned());
        }
        parts.join(", ")
    };
    let mut parts = Vec::new();
    parts.extend(seeds.same.as_ref().map(|same| format!("same seed again: {}", result(same))));
    parts.extend(seeds.other.as_ref().map(|other| format!("other seeds: {}", result(other))));
    parts.extend(seeds.change_costs.map(|change| {
        (if change { "costs depend on the seed" } else { "costs do not depend on the seed" }).to_owned()
    }));
    if !seeds.given {
        parts.push("the target receives no seed".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn all_advice(advice: &[Advice], width: Option<usize>) -> String {
    if advice.is_empty() {
        return "Advice: none; the scenario is ready to run.\n".to_owned();
    }
    let line = |one: &Advice| {
        let value = one.value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        let line = format!("  {}{value}: {}", harmless(&one.key), harmless(&one.because));
        format!("{}\n", wrap::paragraph(&line, width, 4))
    };
    format!("Advice:\n{}", advice.iter().map(line).collect::<String>())
}
