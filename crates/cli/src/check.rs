//! `captune check`: reads a scenario, explains it and runs one trial.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use campaign::conduct::{self, Order};
use campaign::staging::Staging;
use clap::Args;
use confine::PrivateFolder;
use confine::quantity::{parse_duration, show_size};
use engine::{ConfigId, Configuration, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};
use execution::{Account, ProcessTarget};
use scenario::Scenario;

use crate::bounds;
use crate::exit_code::ExitCode;
use crate::goal;
use crate::measure;
use crate::message;
use crate::run::{self, failing, plan};
use crate::trouble::explained;
use crate::tryout;
use crate::words::{Costs, harmless, number, seconds};

/// The seed of the trial. Any value would do.
const SEED: Seed = Seed(1);

#[derive(Args, Debug)]
#[command(after_help = "\
Runs the default configuration, or the baseline if there is one, on the first
instance, with seed 1 and the cutoff as its cap. With --measure, it runs on a
few instances, several times each: first alone, then with every worker busy.
The report shows how reliable the measurements are. Nothing is stored.

Exit code: 0 if the trial succeeded; 2 if the scenario is invalid; 3 if the
trial failed (with --measure: if every trial failed); 4 if this machine cannot
enforce a limit.")]
pub(crate) struct Arguments {
    /// Scenario file
    #[arg(value_name = "SCENARIO", default_value = goal::FILE)]
    path: PathBuf,
    /// Print the command without running it
    #[arg(long)]
    no_run: bool,
    /// Repeat the trial to measure the noise, the effect of seeds and busy workers, and how far the budget
    /// goes
    #[arg(long, conflicts_with = "no_run")]
    measure: bool,
    /// Time limit for --measure
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "measure", value_parser = parse_duration)]
    time: Duration,
    /// Number of trials that run at the same time [default: the scenario's]
    #[arg(long, value_name = "COUNT", requires = "measure", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// Print the measurements as JSON
    #[arg(long, requires = "measure")]
    json: bool,
}

/// Shows the plan and runs one trial.
pub(crate) fn check(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (_, scenario) = conduct::scenario_of_file(&arguments.path).map_err(explained)?;
    run::warn(&scenario);
    let workers = arguments.workers.map(|workers| workers as usize);
    let order = Order { path: arguments.path.clone(), workers, ..Order::default() };
    let settings = conduct::settings(&scenario, &order);
    let workers = conduct::workers(&scenario, &order).map_err(|error| explained(error.into()))?;
    let tier = run::tier(&scenario)?;
    let costs = Costs::of(&scenario);
    let scenario = Arc::new(scenario);
    if arguments.measure {
        message::note(&plan::headline(&scenario, Some((workers, tier))));
        return measure::measure(&scenario, &settings, workers, arguments.time, arguments.json);
    }
    // This folder holds the staged copies. Dropping it removes them.
    let staged = scenario.instances.stage.then(PrivateFolder::new).transpose()?;
    let instances = match staged.as_ref().and_then(|folder| Staging::of_check(&scenario, folder.path())) {
        Some(staging) => {
            let first = &scenario.instances.train[..1];
            staging.stage(first)?;
            staging.staged(first)
        }
        None => scenario.instances.train.clone(),
    };
    let target = ProcessTarget::new(Arc::clone(&scenario)).on(instances);
    let pair = Pair { instance: InstanceId(0), seed: SEED };
    let request = TrialRequest {
        id: TrialId(0),
        key: TrialKey { config: ConfigId(0), pair },
        configuration: settings.problem.default.clone(),
        cap: settings.problem.objective.full_cap(),
        why: Why::Incumbent,
    };
    let command = target.command_line(&request)?.to_string();
    let steps = target.steps(&request)?.into_iter();
    let steps: String = steps.map(|(key, line)| format!("  {key}: {line}\n")).collect();
    let file = config_file(&scenario, &request.configuration);
    let instance = match scenario.instances.train[0].name.as_str() {
        "" => String::new(),
        name => format!(" on {name}"),
    };
    let about: String = plan::about_instances(&scenario).iter().map(|line| format!("{line}\n")).collect();
    let each =
        scenario.instances.folds.map_or_else(String::new, |folds| format!(" for each of {folds} folds"));
    let against = costs.against;
    let bounds =
        bounds::wanted(&costs.bounds).map_or_else(String::new, |bounds| format!("constraints: {bounds}\n"));
    let text = format!(
        "{}\n{about}{bounds}budget: {}\nlimits per trial: {}\n\none trial of the {against}{instance} with seed {SEED}:\n  {command}\n{steps}{file}",
        plan::headline(&scenario, Some((workers, tier))),
        words::budget(&settings.budget) + &each,
        plan::limits(&target.limits(request.cap, None)),
    );
    message::show_wrapped(&text)?;
    if arguments.no_run {
        return Ok(ExitCode::Done);
    }
    let Some((account, _)) = tryout::run(&target, &request)? else {
        message::say("interrupted");
        return Ok(ExitCode::Interrupted);
    };
    message::show(&format!("  {}\n", result(&account, &costs)))?;
    if account.observation.status().is_failure() || account.observation.status().is_uninformative() {
        message::say("error: the trial failed");
        let status = account.observation.status();
        message::note(failing::explanation(&command, status, &account.detail, &scenario.target).trim_end());
        return Ok(ExitCode::TargetFailed);
    }
    Ok(ExitCode::Done)
}

/// Returns the content of `{config_file}`, if there is one.
fn config_file(scenario: &Scenario, configuration: &Configuration) -> String {
    let Some(form) = &scenario.target.config_file else { return String::new() };
    let content = form.content(&scenario.space, configuration);
    let lines: String = content.lines().map(|line| format!("    {}\n", harmless(line))).collect();
    format!("  {{config_file}}:\n{lines}")
}

/// Describes how a trial ended and what it used.
fn result(account: &Account, costs: &Costs) -> String {
    let detail = &account.detail;
    let mut parts = vec![account.observation.status().name().to_owned()];
    // A maximised quantity is shown as an output, not as a cost. A cost that the target reports may also be
    // in the outputs, and is then shown only once.
    let cost = account.observation.cost().filter(|_| !costs.are_maximised());
    let cost = cost.map(|cost| format!("cost {}", costs.reading(cost)));
    let output = |(name, value): (&String, &f64)| format!("{} {}", harmless(name), number(*value));
    let outputs: Vec<String> = detail.outputs.iter().map(output).collect();
    parts.extend(cost.filter(|cost| !outputs.contains(cost)));
    parts.extend(outputs);
    parts.extend(detail.cpu.map(|cpu| format!("cpu {}", seconds(cpu))));
    parts.extend(detail.wall.map(|wall| format!("wall {}", seconds(wall))));
    parts.extend(detail.memory.map(|memory| format!("memory {}", show_size(memory))));
    parts.extend(detail.exit.map(exit));
    parts.join(" · ")
}

/// Describes how the main process ended.
pub(crate) fn exit(exit: i32) -> String {
    if exit < 0 { format!("signal {}", -exit) } else { format!("exit code {exit}") }
}
