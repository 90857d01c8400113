//! A run in folds: runs one campaign after another, then prints a joint verdict.

use campaign::conduct::{Folds, Order, workers};
use campaign::folds::fold_folder;
use scenario::shell::quoted;
use serde_json::json;
use view::KeptFolds;

use super::fleet::FleetArguments;
use super::job::Job;
use super::stopping::Stopping;
use super::{Ended, plan, tier, warn};
use crate::ending::Layout;
use crate::exit_code::ExitCode;
use crate::folds::ending;
use crate::message;
use crate::progress::Choice;
use crate::trouble::explained;
use crate::words::counted;

/// Runs the unfinished folds and prints the joint verdict.
pub(super) fn run(
    mut folds: Folds,
    order: &Order,
    job: Option<&Job>,
    progress: Choice,
    stopping: &Stopping,
) -> anyhow::Result<ExitCode> {
    warn(&folds.scenario);
    let tier = tier(&folds.scenario)?;
    let workers = workers(&folds.scenario, order).map_err(|error| explained(error.into()))?;
    message::note(&plan::headline(&folds.scenario, Some((workers, tier))));
    let (count, mut trials) = (folds.count(), 0);
    for number in 1..=count {
        if stopping.is_interrupted() {
            message::note("interrupted; run the same command again to resume");
            return Ok(ExitCode::Interrupted);
        }
        let opened = folds.open(number).map_err(explained)?;
        let is_finished = opened.is_finished().map_err(explained)?;
        let folder = fold_folder(&folds.folder, number);
        if progress == Choice::Json {
            let folder = folder.to_string_lossy();
            let line = json!({
                "event": "fold", "fold": number, "of": count, "folder": folder, "finished": is_finished,
            });
            message::print(format!("{line}\n").as_bytes())?;
        }
        let instances = &opened.scenario.instances;
        let (train, test) = (counted(instances.train.len() as u64, "instance"), instances.test.len());
        if is_finished {
            let folder = quoted(&folder.to_string_lossy());
            message::note(&format!("fold {number} of {count}: already finished, in {folder}"));
            continue;
        }
        message::note(&format!("fold {number} of {count}: {train} + {test} unseen"));
        plan::opening(&opened, job).iter().for_each(|line| message::note(line));
        let ended = Ended::of(opened, &FleetArguments::default(), progress, stopping)?;
        let code = ended.say(stopping.is_interrupted(), trials, |ending, layout| ending.of_fold(layout))?;
        trials += ended.trials_ended();
        if code != ExitCode::Done {
            return Ok(code);
        }
    }
    end(&folds, progress)
}

fn end(folds: &Folds, progress: Choice) -> anyhow::Result<ExitCode> {
    let Some(kept) = KeptFolds::find(&folds.folder)? else { return Ok(ExitCode::Failed) };
    let joint = kept.joint()?;
    if progress == Choice::Json {
        let line = json!({
            "event": "verdict",
            "planned": joint.planned,
            "verdict": joint.verdict,
            "chosen": joint.chosen,
        });
        message::print(format!("{line}\n").as_bytes())?;
    }
    message::painted(ending(&kept, &joint, Layout::of_standard_error())?.trim_end());
    Ok(ExitCode::Done)
}
