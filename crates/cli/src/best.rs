//! `captune best`: the best configuration so far, for people and for programs.

use std::path::PathBuf;

use campaign::progress;
use campaign::validation::Judged;
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use engine::history::History;
use engine::{ConfigId, Configuration};
use scenario::shell::quoted;
use space::Literal;

use crate::changes::changes;
use crate::exit_code::ExitCode;
use crate::folds::KeptFolds;
use crate::forms;
use crate::init;
use crate::kept::{Kept, is_failing, standing};
use crate::message;
use crate::progress::block::name;
use crate::run::verdict;
use crate::words::{Costs, counted, harmless};

#[derive(Args, Debug)]
#[command(after_help = "\
Without --as, a table of what it changes of the default, its cost, and the command. With it, only data:
  cmd    the command line to paste, {instance} and {seed} left in their places
  file   what the target reads as {config_file}, if the scenario has a `config_file`
  json   an object of names and values
  toml   a line `name = value` for each parameter
  pcs    a line `name value` for each parameter
Parameters that are inactive have no value and are left out. Of several folds, the best of the one that
gained most in its own training is shown.")]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR", default_value = init::FILE)]
    path: PathBuf,
    /// Only the configuration, in this form
    #[arg(long = "as", value_enum)]
    form: Option<Form>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    Cmd,
    File,
    Json,
    Pcs,
    Toml,
}

/// Prints the best.
pub(crate) fn best(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (kept, of_folds) = match KeptFolds::find(&arguments.path)? {
        Some(folds) => {
            let (kept, joint) = folds.best()?;
            (kept, Some(joint))
        }
        None => (Kept::open(&arguments.path)?, None),
    };
    let (config, configuration) = kept.best()?;
    let history = kept.reader.load()?.history;
    if is_failing(&history, config) {
        message::say(&format!(
            "error: there is no best configuration: every trial of {} has failed, and nothing better was found",
            kept.name_of(config)
        ));
        let folder = quoted(&kept.folder.display().to_string());
        message::note(&format!("hint: `captune failures {folder}` shows why"));
        return Ok(ExitCode::TargetFailed);
    }
    // Without a scenario that reads nothing can be judged.
    let found = match of_folds {
        Some(ref joint) => joint.verdict.clone(),
        None if kept.scenario().is_ok() => kept.verdict(&history, config)?,
        None => None,
    };
    let whose =
        of_folds.and_then(|joint| joint.why_chosen()).map_or_else(String::new, |why| format!("{why}\n"));
    let text = match arguments.form {
        Some(Form::Cmd) => kept.command(&configuration)? + "\n",
        Some(Form::File) => kept.config_file(&configuration)?,
        Some(Form::Json) => forms::json(&configuration) + "\n",
        Some(Form::Toml) => forms::toml(&configuration),
        Some(Form::Pcs) => forms::pcs(&configuration),
        None => whose + &in_full(&kept, &history, config, &configuration, found.as_ref())?,
    };
    if arguments.form.is_some() {
        for warning in warnings(&kept, &history, config, found.as_ref())? {
            message::say(&format!("warning: {warning}"));
        }
    }
    match arguments.form {
        Some(_) => message::print(text.as_bytes())?,
        None => message::show(&text)?,
    }
    Ok(ExitCode::Done)
}

/// Why nobody should use it: it does not keep its bounds, or the validation says so.
fn warnings(
    kept: &Kept,
    history: &History,
    config: ConfigId,
    found: Option<&Judged>,
) -> anyhow::Result<Vec<String>> {
    // Without a scenario that reads there are no bounds to be said.
    let Ok(settings) = kept.settings() else { return Ok(Vec::new()) };
    let costs = Costs::of(kept.scenario()?);
    let standing = standing(history, &settings, config).filter(|standing| !standing.is_feasible());
    let bounds =
        standing.map(|standing| costs.bounds.nothing_feasible(config, &standing.holdings, costs.against));
    let refuted = found.filter(|found| !found.is_worth_using());
    Ok(bounds.into_iter().chain(refuted.map(|found| verdict::first_line(found, &costs))).collect())
}

fn in_full(
    kept: &Kept,
    history: &History,
    config: ConfigId,
    configuration: &Configuration,
    found: Option<&Judged>,
) -> anyhow::Result<String> {
    let settings = kept.settings()?;
    let costs = Costs::of(kept.scenario()?);
    let mut parts = vec![format!("best: {}", name(config, costs.against))];
    let mut bounds = String::new();
    match standing(history, &settings, config) {
        Some(standing) => {
            parts.push(costs.standing(&standing));
            if !standing.is_feasible() {
                parts[0] = costs.bounds.nothing_feasible(config, &standing.holdings, costs.against);
            }
            if !standing.holdings.is_empty() {
                bounds = format!("{}\n", costs.bounds.line(&standing.holdings));
            }
        }
        None => parts.push("not measured yet".to_owned()),
    }
    let mut verdict = String::new();
    if let Some(found) = found {
        verdict = format!("verdict: {}\n", verdict::first_line(found, &costs));
    } else if config != ConfigId(0) {
        let compared = progress::compare(history, &settings, ConfigId(0), config);
        parts.extend(compared.map(|compared| format!("{} (training)", costs.in_training(&compared))));
    }
    let changes = table(&kept.default()?, configuration, costs.against);
    let mut text =
        format!("{}\n{verdict}{bounds}\n{changes}\n{}\n", parts.join(" · "), kept.command(configuration)?);
    if kept.scenario()?.target.config_file.is_some() {
        let folder = quoted(&kept.folder.display().to_string());
        text += &format!("{{config_file}} is what this prints: captune best {folder} --as file\n");
    }
    Ok(text)
}

/// What is changed, against the default.
fn table(default: &Configuration, configuration: &Configuration, against: &str) -> String {
    let changes = changes(default, configuration);
    let all = configuration.space().parameters().len();
    if changes.is_empty() {
        return format!(
            "nothing is changed: all {} are as in the {against}\n",
            counted(all as u64, "parameter")
        );
    }
    let shown = |value: &Option<Literal>| {
        value.as_ref().map_or_else(|| "inactive".to_owned(), |value| harmless(&value.to_string()))
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["parameter", against, "best"]);
    for change in &changes {
        table.add_row([harmless(&change.name), shown(&change.default), shown(&change.value)]);
    }
    let rows: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let rest = counted((all - changes.len()) as u64, "parameter");
    if all == changes.len() { rows } else { format!("{rows}{rest} as in the {against}\n") }
}
