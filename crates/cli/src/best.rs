//! `captune best`: prints the best configuration so far, for people or for programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use engine::Configuration;
use scenario::shell::quoted;
use space::Literal;
use view::{Ablation, Change, Figures, Kept, KeptFolds, Picture, Records, Verdict, changes};

use crate::bounds;
use crate::exit_code::ExitCode;
use crate::folds::why_chosen;
use crate::forms;
use crate::goal;
use crate::message::{self, Hinted};
use crate::verdict;
use crate::words::name;
use crate::words::{Costs, counted, harmless};
use crate::wrap;

#[derive(Args, Debug)]
#[command(after_help = "\
Without --as: a table of changes from the default, the cost, and the command.
With --as, only data:
  cmd    the command line to paste, with {instance} and {seed} left as they are
  file   the content of {config_file}, if the scenario has a `config_file`
  json   one object with names and values
  toml   one line `name = value` per parameter
  pcs    one line `name value` per parameter
Inactive parameters have no value and are left out. With folds, this is the
best configuration from the fold with the largest gain in training.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Print only the configuration, in this form
    #[arg(long = "as", value_enum)]
    form: Option<Form>,
    /// Only the changes that matter, as measured by `captune ablate`
    #[arg(long)]
    minimal: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    Cmd,
    File,
    Json,
    Pcs,
    Toml,
}

/// Prints the best configuration.
pub(crate) fn best(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (kept, of_folds) = match KeptFolds::find(&arguments.path)? {
        Some(folds) => {
            let (kept, joint) = folds.best()?;
            (kept, Some(joint))
        }
        None => (Kept::open(&arguments.path)?, None),
    };
    let records = Records::of(&kept)?;
    if arguments.minimal {
        return minimal(arguments, &kept, &records);
    }
    let picture = Picture::of_records(&records)?;
    let figures = picture.figures.known();
    if picture.best.is_none() {
        let against = figures.map_or("default", |figures| figures.costs.against);
        let name =
            if picture.incumbent == 0 { format!("the {against}") } else { name(picture.incumbent, against) };
        message::say(&format!(
            "error: there is no best configuration: every trial of {name} failed, and nothing better was found"
        ));
        let folder = quoted(&kept.folder.display().to_string());
        message::note(&format!("hint: `captune failures {folder}` shows why"));
        return Ok(ExitCode::TargetFailed);
    }
    // All folds of a run share one verdict.
    let found = match &of_folds {
        Some(joint) => joint.verdict.as_ref(),
        None => figures.and_then(|figures| figures.verdict.as_ref()),
    };
    let configuration = records.best_configuration();
    let width = wrap::stdout_width();
    let text = match arguments.form {
        Some(form) => data(form, &kept, configuration)?,
        None => match figures {
            Some(figures) => {
                let whose = of_folds.as_ref().and_then(why_chosen);
                let whose = whose.map_or_else(String::new, |why| format!("{}\n", wrap::text(&why, width)));
                whose + &in_full(&kept, &records, figures, found, width)?
            }
            // There are no figures, because the scenario cannot be read. This call fails and reports why.
            None => kept.command(configuration)?,
        },
    };
    if let (Some(_), Some(figures)) = (arguments.form, figures) {
        for warning in warnings(figures, found) {
            message::say(&format!("warning: {warning}"));
        }
    }
    if let (Some(Form::Cmd), Ok(scenario)) = (arguments.form, kept.scenario())
        && scenario.target.config_file.is_some()
    {
        let folder = quoted(&kept.folder.display().to_string());
        message::note(&format!(
            "hint: `captune best {folder} --as file` prints the file whose path replaces {{config_file}}"
        ));
    }
    match arguments.form {
        Some(_) => message::print(text.as_bytes())?,
        None => message::show(&text)?,
    }
    Ok(ExitCode::Done)
}

/// Prints the configuration with only the changes that matter.
fn minimal(arguments: &Arguments, kept: &Kept, records: &Records<'_>) -> anyhow::Result<ExitCode> {
    let costs = Costs::of(kept.scenario()?);
    let folder = quoted(&kept.folder.display().to_string());
    let ablation = Ablation::of(records)?;
    let found = ablation.as_ref().and_then(|ablation| Some((ablation, ablation.minimal.as_ref()?)));
    let Some((ablation, found)) = found else {
        let message = match &ablation {
            Some(ablation) if ablation.has_ended() => {
                format!(
                    "the ablation found no changes to keep: {}",
                    words::mattered::conclusion(ablation, &costs)
                )
            }
            Some(_) => "the ablation has not ended yet".to_owned(),
            None => "it has not been measured which changes matter".to_owned(),
        };
        let hint = match &ablation {
            Some(ablation) if ablation.end == Some("no_gain") => {
                format!("`captune run {folder}` with a larger budget may find a better one")
            }
            Some(ablation) if ablation.has_ended() => {
                format!("`captune best {folder}` prints the configuration with all changes")
            }
            _ => format!("`captune ablate {folder}` measures it"),
        };
        return Err(Hinted { message, hint }.into());
    };
    let configuration = &found.configuration;
    if let Some(form) = arguments.form {
        message::print(data(form, kept, configuration)?.as_bytes())?;
        return Ok(ExitCode::Done);
    }
    let width = wrap::stdout_width();
    let changes = table(&changes(records.default(), configuration), configuration, costs.against, width);
    let head = wrap::text(&format!("{}\n", words::mattered::conclusion(ablation, &costs)), width);
    message::show(&format!("{head}\n{changes}\n{}\n", kept.command(configuration)?))?;
    Ok(ExitCode::Done)
}

/// Returns only the configuration.
fn data(form: Form, kept: &Kept, configuration: &Configuration) -> anyhow::Result<String> {
    Ok(match form {
        Form::Cmd => kept.command(configuration)? + "\n",
        Form::File => config_file(kept, configuration)?,
        Form::Json => forms::json(configuration) + "\n",
        Form::Toml => forms::toml(configuration),
        Form::Pcs => forms::pcs(configuration),
    })
}

/// Returns the configuration file that the target reads.
fn config_file(kept: &Kept, configuration: &Configuration) -> anyhow::Result<String> {
    let scenario = kept.scenario()?;
    let form = scenario.target.config_file.as_ref().ok_or_else(|| Hinted {
        message: "the target does not read a configuration file: the scenario has no `config_file`"
            .to_owned(),
        hint: "`--as cmd` prints the command; `--as json`, `toml` or `pcs` prints the values".to_owned(),
    })?;
    Ok(form.content(&scenario.space, configuration))
}

/// Returns the reasons not to use the best configuration: it violates a bound, or the validation refuted it.
fn warnings(figures: &Figures, found: Option<&Verdict>) -> Vec<String> {
    let costs = Costs::from(figures.costs.clone());
    let best = figures.best.as_ref().filter(|best| !best.feasible);
    let bounds =
        best.map(|best| bounds::nothing_feasible(best.configuration, &best.constraints, costs.against));
    let refuted = found.filter(|found| !found.worth_using);
    bounds.into_iter().chain(refuted.map(|found| verdict::first_line(found, &costs))).collect()
}

fn in_full(
    kept: &Kept,
    records: &Records<'_>,
    figures: &Figures,
    found: Option<&Verdict>,
    width: Option<usize>,
) -> anyhow::Result<String> {
    let (config, configuration) = (records.best().0, records.best_configuration());
    let costs = Costs::from(figures.costs.clone());
    let mut parts = vec![format!("best: {}", name(config, costs.against))];
    let mut bounds = String::new();
    match &figures.best {
        Some(best) => {
            parts.push(costs.standing(best));
            if !best.feasible {
                parts[0] = bounds::nothing_feasible(config, &best.constraints, costs.against);
            }
            if !best.constraints.is_empty() {
                bounds = format!("{}\n", bounds::line(&best.constraints));
            }
        }
        None => parts.push("not measured yet".to_owned()),
    }
    let mut verdict = String::new();
    if let Some(found) = found {
        verdict = format!("verdict: {}\n", verdict::first_line(found, &costs));
    } else {
        parts.extend(figures.training.map(|both| format!("{} (training)", costs.in_training(&both))));
    }
    let changes = table(&changes(records.default(), configuration), configuration, costs.against, width);
    let head = wrap::text(&format!("{}\n{verdict}{bounds}", parts.join(" · ")), width);
    let mut text = format!("{head}\n{changes}\n{}\n", kept.command(configuration)?);
    if kept.scenario()?.target.config_file.is_some() {
        let folder = quoted(&kept.folder.display().to_string());
        text += &format!("The content of {{config_file}}: captune best {folder} --as file\n");
    }
    Ok(text)
}

/// Returns a table of the differences from the default.
fn table(changes: &[Change], configuration: &Configuration, against: &str, width: Option<usize>) -> String {
    let all = configuration.space().parameters().len();
    if changes.is_empty() {
        return format!("no changes from the {against} ({})\n", counted(all as u64, "parameter"));
    }
    let shown = |value: &Option<Literal>| {
        value.as_ref().map_or_else(|| "inactive".to_owned(), |value| harmless(&value.to_string()))
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["parameter", against, "best"]);
    for change in changes {
        table.add_row([harmless(&change.name), shown(&change.default), shown(&change.value)]);
    }
    wrap::fit(&mut table, width);
    let rows: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let rest = counted((all - changes.len()) as u64, "parameter");
    if all == changes.len() { rows } else { format!("{rows}{rest} unchanged\n") }
}
