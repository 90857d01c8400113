//! `captune validate`: the best, or any other configuration, against the baseline once more.

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
use crate::progress::block::name;
use crate::progress::{Choice, Display, Facts};
use crate::run::stopping::Stopping;
use crate::run::verdict;
use crate::signals;
use crate::trouble::explained;
use crate::words::Costs;

#[derive(Args, Debug)]
#[command(after_help = "\
Runs both on the instances that the campaign never used, or on fresh seeds if there are none, interleaved
and in random order, and prints the verdict. Trials are kept with the campaign: what has been measured
is not measured again. The campaign must not be running.")]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// A file with a configuration, in place of the best
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Instances in place of those kept for the validation: files and patterns from the scenario's
    /// folder, or words if the scenario has words
    #[arg(long, value_name = "INSTANCE", num_args = 1..)]
    instances: Vec<String>,
    /// Where trials are stopped, in the unit of the objective (5000s, 2GiB, 1e6)
    #[arg(long, value_name = "COST")]
    cutoff: Option<String>,
    /// Measurements of each instance
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: Option<u32>,
    /// Trials at one time, instead of the scenario's
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// How to show progress: auto, lines, json or none
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Choice::Auto, hide_possible_values = true)]
    progress: Choice,
}

/// Validates and prints the verdict.
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
    };
    let budget = kept.budget()?;
    // A reader would keep the store from being one file again.
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
    let told = opened.run(|bell| stopping.tell(bell), &mut |event| display.show(event));
    display.close();
    let later = Later::of(&told.map_err(explained)?, &costs);
    let gave_up = later.gave_up.as_ref().filter(|_| !stopping.is_interrupted());
    let code = match gave_up {
        _ if stopping.is_interrupted() => ExitCode::Interrupted,
        Some(why) => verdict::exit_code_of(why),
        None => ExitCode::Done,
    };
    if arguments.progress == Choice::Json {
        let mut line = json!(later);
        line["event"] = "verdict".into();
        message::print(format!("{line}\n").as_bytes())?;
        return Ok(code);
    }
    let (pairs, planned) = (later.pairs(), later.planned);
    let mut lines = later.verdict.as_ref().map_or_else(Vec::new, |found| verdict::lines(found, &costs));
    lines.extend(match gave_up {
        Some(why) => Some(verdict::gave_up(why, pairs, planned)),
        None if pairs == 0 => Some("no pair was measured with both.".to_owned()),
        None => (pairs < planned)
            .then(|| format!("{pairs} of {planned} pairs were measured: the same command completes it.")),
    });
    message::show(&format!("{}\n", lines.join("\n")))?;
    Ok(code)
}

fn cutoff(text: &str, scenario: &Scenario) -> anyhow::Result<f64> {
    let wrong = |hint: &str| {
        let message = format!("--cutoff: `{text}` is no cost of this scenario");
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
