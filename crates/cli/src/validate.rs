//! `captune validate`: compares the best configuration, or any other one, with the baseline.

use std::path::PathBuf;

use anyhow::Context;
use campaign::conduct::{self, ValidationOrder};
use clap::Args;
use confine::quantity::{parse_duration, parse_size};
use scenario::configuration_file;
use scenario::{Measure, Scenario};
use serde_json::json;
use view::{Kept, Later};

use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};
use crate::progress::{Choice, Display, Facts};
use crate::run::stopping::Stopping;
use crate::signals;
use crate::trouble::explained;
use crate::verdict::{self, Hosts};
use crate::words::Costs;
use crate::words::name;

#[derive(Args, Debug)]
#[command(after_help = "\
Runs both configurations on the instances that the campaign never used, or on
fresh seeds if there are none, interleaved and in random order. Then prints the
verdict. The trials are stored with the campaign: pairs that were measured
before on this machine are not measured again, unless --fresh is given. The
campaign must not be running.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// File with the configuration to validate [default: the best]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Instances to use instead of the held-out ones: files and patterns relative to the scenario's folder,
    /// or words if the scenario lists words
    #[arg(long, value_name = "INSTANCE", num_args = 1..)]
    instances: Vec<String>,
    /// Cutoff for the trials, in the unit of the objective (5000s, 2GiB, 1e6) [default: the scenario's]
    #[arg(long, value_name = "COST")]
    cutoff: Option<String>,
    /// Number of seeds per instance [default: the scenario's]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Number of trials that run at the same time [default: the scenario's]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// Measure every pair again, instead of reusing earlier measurements
    #[arg(long)]
    fresh: bool,
    /// Progress display: auto, lines, json or none
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Choice::Auto, hide_possible_values = true)]
    progress: Choice,
}

/// Validates a configuration and prints the verdict.
pub(crate) fn validate(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let signals = signals::listen()?;
    let kept = Kept::open(&arguments.path)?;
    let configuration = match &arguments.config {
        None => None,
        Some(path) => {
            let shown = path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
            Some(configuration_file::read(&text, &shown, &kept.charter.space)?)
        }
    };
    let cutoff = arguments.cutoff.as_deref().map(|text| cutoff(text, kept.scenario()?)).transpose()?;
    let order = ValidationOrder {
        folder: kept.folder.clone(),
        configuration,
        instances: arguments.instances.clone(),
        cutoff,
        seeds: arguments.seeds,
        workers: arguments.workers.map(|workers| workers as usize),
        fresh: arguments.fresh,
    };
    let budget = kept.budget()?;
    // While a reader is open, the store cannot be merged into one file.
    drop(kept);
    let opened = conduct::open_to_validate(&order).map_err(explained)?;
    let costs = Costs::of(&opened.scenario);
    let facts = Facts {
        folder: order.folder.to_string_lossy().into_owned(),
        budget,
        costs: costs.clone(),
        default: opened.settings.problem.default.clone(),
        instances: u64::from(opened.settings.problem.instances),
        workers: opened.workers as u64,
    };
    message::note(&format!(
        "validating {} against the {}",
        name(opened.candidate.config.0, costs.against),
        costs.against
    ));
    let mut display = Display::new(arguments.progress, facts);
    let stopping = Stopping::on(signals);
    let result = opened.run(|bell| stopping.register(bell), &mut |event| display.show(event));
    display.close();
    let later = Later::of(&result.map_err(explained)?, &costs);
    let gave_up = later.gave_up.as_ref().filter(|_| !stopping.is_interrupted());
    let code = match gave_up {
        _ if stopping.is_interrupted() => ExitCode::Interrupted,
        Some(why) => why.into(),
        None => ExitCode::Done,
    };
    if arguments.progress == Choice::Json {
        let mut line = json!(later);
        line["event"] = "verdict".into();
        message::print(format!("{line}\n").as_bytes())?;
        return Ok(code);
    }
    let (pairs, planned) = (later.pairs(), later.planned);
    let mut lines =
        later.verdict.as_ref().map_or_else(Vec::new, |found| verdict::lines(found, &costs, Hosts::Always));
    lines.extend(match gave_up {
        Some(why) => Some(verdict::gave_up(why, pairs, planned)),
        None if pairs == 0 => Some("No pair was measured with both configurations.".to_owned()),
        None => (pairs < planned).then(|| {
            let how = completed_by(arguments.fresh);
            format!("{pairs} of {planned} pairs were measured{how}.")
        }),
    });
    message::show_wrapped(&format!("{}\n", lines.join("\n")))?;
    Ok(code)
}

/// Returns the advice on how to complete a validation. With `--fresh`, the advice is empty, because the same
/// command would start from the beginning.
fn completed_by(fresh: bool) -> &'static str {
    if fresh { "" } else { "; the same command completes the validation" }
}

/// Parses a cutoff in the unit of the objective.
fn cutoff(text: &str, scenario: &Scenario) -> anyhow::Result<f64> {
    let wrong = |hint: &str| {
        let message = format!("--cutoff: `{text}` is not a valid cost for this scenario");
        anyhow::Error::from(Hinted { message, hint: hint.to_owned() })
    };
    match scenario.objective.minimise {
        Measure::CpuTime | Measure::WallTime => parse_duration(text)
            .map(|time| time.as_secs_f64())
            .map_err(|_| wrong("give a duration such as 90s")),
        Measure::Memory => {
            parse_size(text).map(|bytes| bytes as f64).map_err(|_| wrong("give a size such as 2GiB"))
        }
        Measure::Output(_) => {
            let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
            number.ok_or_else(|| wrong("give a number above zero"))
        }
    }
}
