//! `captune ablate`: measures which changes of the best configuration matter.

use std::path::PathBuf;
use std::time::Duration;

use campaign::budget::Budget;
use campaign::conduct::{self, AblationOrder};
use campaign::validation::GaveUp;
use clap::Args;
use comfy_table::{Table, presets};
use confine::quantity::parse_duration;
use scenario::shell::quoted;
use serde_json::json;
use store::StoreError;
use view::{Ablation, Kept, Records, ViewError};

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message;
use crate::progress::{Choice, Display, Facts};
use crate::run::stopping::Stopping;
use crate::signals;
use crate::trouble::explained;
use crate::words::mattered::{changes, conclusion, signed};
use crate::words::{Costs, counted, harmless, name};
use crate::wrap;

#[derive(Args, Debug)]
#[command(after_help = "\
Starts from the default and makes the changes of the best configuration one by
one. In each round, all remaining changes race on the training instances with
fresh seeds, and the fastest one is made. Slow trials are killed early, and no
change is made that would violate a constraint. Stops as soon as the remaining
changes gain less than 5 % of the whole, or nothing that can be told from noise,
and checks this on other pairs.

The trials are stored with the campaign, and the same command continues after a
stop. Without --budget, --cpu-budget or --trials, one call takes at most a
quarter of the campaign's time. The campaign must not be running. `captune best
--minimal` prints the configuration with only the changes that matter.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Wall time for this call (90s, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    budget: Option<Duration>,
    /// CPU time for the trials of this call
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    cpu_budget: Option<Duration>,
    /// Stop after this many trials of this call
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    trials: Option<u64>,
    /// Number of trials that run at the same time [default: the scenario's]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// Show the result so far without running anything
    #[arg(long, conflicts_with_all = ["budget", "cpu_budget", "trials", "workers"])]
    show: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Progress display: auto, lines, json or none
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Choice::Auto, hide_possible_values = true)]
    progress: Choice,
}

/// Runs an ablation and prints its result.
pub(crate) fn ablate(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folder = match Kept::open(&arguments.path) {
        Ok(kept) => kept.folder.clone(),
        // Opening the store for writing updates it.
        Err(ViewError::Store(StoreError::Older { .. })) if !arguments.show => {
            view::folder_of(&arguments.path)
        }
        Err(error) => return Err(error.into()),
    };
    let code = if arguments.show { ExitCode::Done } else { run(arguments, &folder)? };
    let kept = Kept::open(&folder)?;
    let costs = Costs::of(kept.scenario()?);
    let found = Ablation::of(&Records::of(&kept)?)?;
    if arguments.json {
        message::print(format!("{}\n", json!(found)).as_bytes())?;
        return Ok(code);
    }
    let width = wrap::stdout_width();
    match found {
        Some(found) => {
            let how = quoted(&folder.display().to_string());
            message::show(&text(&found, &costs, &how, width))?;
        }
        None => message::say("no ablation has been run"),
    }
    Ok(code)
}

fn run(arguments: &Arguments, folder: &std::path::Path) -> anyhow::Result<ExitCode> {
    let signals = signals::listen()?;
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    let order = AblationOrder {
        folder: folder.to_owned(),
        budget: Budget {
            wall: seconds(arguments.budget),
            cpu: seconds(arguments.cpu_budget),
            trials: arguments.trials,
        },
        workers: arguments.workers.map(|workers| workers as usize),
    };
    let opened = conduct::open_to_ablate(&order).map_err(explained)?;
    let costs = Costs::of(&opened.scenario);
    let facts = Facts {
        folder: order.folder.to_string_lossy().into_owned(),
        budget: opened.budget,
        costs: costs.clone(),
        default: opened.settings.problem.default.clone(),
        instances: u64::from(opened.settings.problem.instances),
        workers: opened.workers as u64,
    };
    let best = name(opened.best.0, costs.against);
    message::note(&format!("ablation from the {} to {best}", costs.against));
    let mut display = Display::new(arguments.progress, facts);
    let stopping = Stopping::on(signals);
    let result = opened.run(|bell| stopping.register(bell), &mut |event| display.show(event));
    display.close();
    let ablated = result.map_err(explained)?;
    if let Some(why) = ablated.gave_up.as_ref().filter(|_| !ablated.interrupted) {
        let reason = match why {
            GaveUp::Lost { times, reason } => {
                format!("trials were lost {} ({})", counted(*times, "time"), harmless(reason))
            }
            GaveUp::Aborted(reason) => format!("no trial could be run: {}", harmless(reason)),
        };
        message::say(&format!("error: the ablation gave up: {reason}"));
        return Ok(ExitCode::from(why));
    }
    Ok(if ablated.interrupted { ExitCode::Interrupted } else { ExitCode::Done })
}

fn text(found: &Ablation, costs: &Costs, folder: &str, width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["step", "change", costs.mean.as_str(), "gain"]);
    let known =
        |cost: Option<f64>| cost.map_or_else(|| "not measured yet".to_owned(), |cost| costs.show(cost));
    table.add_row([String::new(), format!("the {}", costs.against), known(found.default), String::new()]);
    for (place, step) in found.steps.iter().enumerate() {
        let gain = step.share.map_or_else(|| "-".to_owned(), signed);
        table.add_row([(place + 1).to_string(), changes(&step.changes), costs.show(step.cost), gain]);
    }
    let open = found.rest.iter().filter(|change| change.value.is_some()).count() as u64;
    if open > 0 && (found.end.is_none() || found.minimal.is_some()) {
        let rest = match found.end {
            Some(_) => format!("{} more", counted(open, "change")),
            None => format!("{} not decided yet", counted(open, "change")),
        };
        let gain = found.steps.iter().map(|step| step.share).sum::<Option<f64>>();
        let gain = gain.filter(|_| found.end.is_some());
        table.add_row([
            String::new(),
            rest,
            known(found.best),
            gain.map_or_else(String::new, |gain| signed(1.0 - gain)),
        ]);
    }
    wrap::fit(&mut table, width);
    let mut text: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text += "\n";
    let mut lines = vec![conclusion(found, costs)];
    lines.push(format!(
        "{} on {} of training instance and seed",
        counted(found.trials as u64, "trial"),
        counted(found.pairs as u64, "pair")
    ));
    lines.push(match (&found.end, &found.minimal) {
        (None, _) => format!("the same command continues: captune ablate {folder}"),
        (Some(_), Some(_)) => format!("use it: captune best {folder} --minimal"),
        _ => String::new(),
    });
    lines.retain(|line| !line.is_empty());
    text + &wrap::text(&format!("{}\n", lines.join("\n")), width)
}

#[cfg(test)]
mod tests {
    use space::Values;
    use space::format::{Format, read};
    use view::{AblationStep, Checked, Minimal};

    use space::Literal;
    use view::Change;

    use super::*;

    fn change(name: &str, default: impl Into<Literal>, value: impl Into<Literal>) -> Change {
        Change { name: name.to_owned(), default: Some(default.into()), value: Some(value.into()) }
    }

    fn found() -> Ablation {
        let space = read("x = { integer = [1, 9], default = 3 }\n", "space.toml", Format::Toml).unwrap();
        let configuration = space.default_configuration();
        let step = |changes, cost, share| AblationStep { changes, cost, share: Some(share), raced: 9 };
        Ablation {
            from: 0,
            to: 14,
            changes: 11,
            pairs: 30,
            trials: 412,
            end: Some("enough"),
            default: Some(0.0593),
            best: Some(0.0285),
            steps: vec![
                step(
                    vec![
                        change("pre", "-pre", "-no-pre"),
                        Change { value: None, ..change("grow", 0, 0) },
                        Change { value: None, ..change("simplification-garbage-fraction", 0.5, 0.5) },
                    ],
                    0.0362,
                    0.75,
                ),
                step(vec![change("var-decay", 0.95, 0.5853)], 0.0291, 0.23),
            ],
            rest: vec![change("rfirst", 100, 108), change("luby", "-luby", "-no-luby")],
            checks: vec![Checked { steps: 2, pairs: 30, cost: 0.0304, best: 0.0301, holds: true }],
            minimal: Some(Minimal {
                values: Values::from(&configuration),
                configuration,
                changes: 4,
                share: Some(0.98),
            }),
        }
    }

    #[test]
    fn the_table_fits_into_80_columns() {
        let costs = Costs::seconds(10.0);
        let ended = text(&found(), &costs, "minisat.campaign", Some(80));
        let mut open = found();
        (open.end, open.minimal, open.checks) = (None, None, Vec::new());
        let open = text(&open, &costs, "minisat.campaign", Some(80));
        let mut none = found();
        (none.end, none.minimal, none.checks, none.steps) = (Some("no_gain"), None, Vec::new(), Vec::new());
        let none = text(&none, &costs, "minisat.campaign", Some(80));
        let all = [ended, open, none].join("\n----\n\n");
        assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
        insta::assert_snapshot!("ablation", all);
    }
}
