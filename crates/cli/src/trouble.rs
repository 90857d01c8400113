//! Hints for errors in campaigns.

use std::path::Path;

use campaign::conduct::ConductError;
use campaign::folds::fold_folder;
use campaign::import::runs::{Misfit, Misfits};
use campaign::{CampaignError, LedgerError};
use engine::SettingError;
use execution::executor::SlotError;
use scenario::change::Difference;
use scenario::shell::quoted;
use space::SampleError;
use view::ViewError;

use crate::message::Hinted;

/// Converts the error to one whose causes and hint `message::report` can print.
pub(crate) fn explained(error: ConductError) -> anyhow::Error {
    match error {
        ConductError::Read { ref path, ref source } if source.kind() == std::io::ErrorKind::NotFound => {
            Hinted {
                message: format!("there is no scenario {}", path.display()),
                hint: "name an existing file, or write one with `captune init`".to_owned(),
            }
            .into()
        }
        ConductError::NotUtf8 { .. } => {
            Hinted { message: error.to_string(), hint: "rename the folder, or move the scenario".to_owned() }
                .into()
        }
        ConductError::Scenario(mistakes) => mistakes.into(),
        ConductError::Store(error) => error.into(),
        ConductError::Target(error) => error.into(),
        ConductError::Staging(error) => error.into(),
        ConductError::Campaign(CampaignError::Ledger(LedgerError::Store(error))) => error.into(),
        ConductError::Campaign(CampaignError::Ledger(error)) => error.into(),
        ConductError::Campaign(CampaignError::Setting(SettingError::Space(error))) => no_sample(error).into(),
        ConductError::Slots(error @ SlotError::TooFew { .. }) => Hinted {
            message: error.to_string(),
            hint: "use fewer --workers, or set `workers` and `cores_per_trial` in `[parallel]`".to_owned(),
        }
        .into(),
        ConductError::Slots(error @ SlotError::TooFewGpus { .. }) => Hinted {
            message: error.to_string(),
            hint:
                "use fewer --workers, or list the GPUs in CUDA_VISIBLE_DEVICES or as `gpus` in `[parallel]`"
                    .to_owned(),
        }
        .into(),
        ConductError::Refused { ref differences, .. } => Hinted {
            message: format!("{error}:\n{}", changed(differences).join("\n")),
            hint: "start a new campaign in another folder with --dir, or undo the changes".to_owned(),
        }
        .into(),
        ConductError::NotImportable { ref differences, .. } => Hinted {
            message: format!("{error}:\n{}", changed(differences).join("\n")),
            hint: "import them under a scenario and with programs that measure the same; if the results are \
                   comparable all the same, `captune export --to csv` writes a table that can be imported"
                .to_owned(),
        }
        .into(),
        ConductError::Folds(error) => error.into(),
        ConductError::Several { ref folder, .. } => several(&error, folder),
        ConductError::Runs(ref misfits) => {
            Hinted { message: error.to_string(), hint: advice(misfits).to_owned() }.into()
        }
        ConductError::NothingUnseen => {
            Hinted { message: error.to_string(), hint: "name the instances with --instances".to_owned() }
                .into()
        }
        ConductError::NothingToAblate => {
            Hinted { message: error.to_string(), hint: "continue the search with `captune run`".to_owned() }
                .into()
        }
        ConductError::NothingToValidate => Hinted {
            message: error.to_string(),
            hint: "name another configuration with --config FILE, or continue tuning".to_owned(),
        }
        .into(),
        ConductError::OtherSpace { ref folder } => other_space(&error, folder),
        other => other.into(),
    }
}

/// Converts an error from reading a campaign. Returns other errors unchanged.
pub(crate) fn of_view(error: anyhow::Error) -> anyhow::Error {
    error.downcast().map_or_else(|other| other, unseen)
}

fn unseen(error: ViewError) -> anyhow::Error {
    match error {
        ViewError::Store(error) => error.into(),
        ViewError::Folds(error) => error.into(),
        ViewError::Scenario(mistakes) => mistakes.into(),
        ViewError::Several { ref folder, .. } => several(&error, folder),
        ViewError::OtherSpace { ref folder } => other_space(&error, folder),
        ViewError::NoConfiguration(_) => Hinted {
            message: error.to_string(),
            hint: "the store is damaged: restore it from a copy, or start a new campaign with --dir"
                .to_owned(),
        }
        .into(),
    }
}

fn several(error: &dyn std::error::Error, folder: &Path) -> anyhow::Error {
    let hint = format!(
        "name one of them, such as {}; `run`, `status`, `best`, `report` and `serve` work on all of them",
        quoted(&fold_folder(folder, 1).to_string_lossy())
    );
    Hinted { message: error.to_string(), hint }.into()
}

fn other_space(error: &dyn std::error::Error, folder: &Path) -> anyhow::Error {
    let hint = format!("undo the change, or continue with `captune run {}`", folder.display());
    Hinted { message: error.to_string(), hint }.into()
}

/// Returns a hint for runs that do not fit the scenario. The hint covers only the first misfit, because
/// correcting that one may also solve the others.
fn advice(misfits: &Misfits) -> &'static str {
    match misfits.list.first() {
        Some(Misfit::Sense { .. }) => {
            "set `minimise` or `maximise` in `[objective]` as in the runs, or import a table with the costs that \
             the scenario measures"
        }
        Some(misfit) if misfit.can_be_ignored() => {
            "correct the names, or ignore those that made no difference: captune import … --ignore NAME"
        }
        Some(Misfit::Unreported { .. }) => "add it as a column `output:NAME` in a table of the runs",
        Some(Misfit::Contradiction { .. }) => {
            "remove one run of each pair, or give repeated runs different seeds"
        }
        _ => "correct or remove these runs",
    }
}

/// Returns one line per difference. Each names the matching row of the table in docs/reference/scenario.md.
pub(crate) fn changed(differences: &[Difference]) -> Vec<String> {
    let shown = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".to_owned());
    let line = |difference: &Difference| {
        let Difference { key, before, after, row } = difference;
        format!("  {key}: {} -> {} ({})", shown(before), shown(after), row.name())
    };
    differences.iter().map(line).collect()
}

/// Explains why no configuration could be drawn.
pub(crate) fn no_sample(error: SampleError) -> Hinted {
    let reasons: Vec<String> =
        error.reasons.iter().map(|(why, times)| format!("{why} rejected {times}")).collect();
    Hinted {
        message: format!("no valid configuration found in {} attempts: {}", error.attempts, reasons.join(", ")),
        hint: "nearly every combination of these parameters is forbidden; relax the clauses or narrow the ranges"
            .into(),
    }
}
