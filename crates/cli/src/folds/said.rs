//! What all folds together have found, and the last lines of a run in folds.

use scenario::shell::quoted;
use view::{Joint, KeptFolds, Records};

use crate::paint::Paint;
use crate::run::ending::written;
use crate::run::{how_to_use, verdict};
use crate::words::{Costs, times};

/// What may be said of all folds, which configuration to use, and where to see more.
pub(crate) fn said(kept: &KeptFolds, joint: &Joint, paint: Paint) -> anyhow::Result<String> {
    let mut paragraphs = vec![("Verdict:", of_all(joint))];
    let is_worth_using = joint.verdict.as_ref().is_some_and(|verdict| verdict.worth_using);
    if let (true, Some(chosen), Some(why)) = (is_worth_using, &joint.chosen, why_chosen(joint)) {
        let mut lines = vec![why];
        if let Some(fold) = &kept.folds[chosen.fold - 1] {
            let records = Records::of(fold)?;
            lines.push(how_to_use(fold.scenario()?, records.best_configuration(), &joint.folder));
        }
        paragraphs.push(("Use it:", lines));
    }
    let folder = quoted(&joint.folder);
    paragraphs.push(("See it:", vec![format!("captune status {folder} · captune best {folder}")]));
    Ok(written(&paragraphs, paint))
}

/// The verdict on the procedure, each sentence a line.
pub(super) fn of_all(joint: &Joint) -> Vec<String> {
    let (Some(found), Some(costs)) = (&joint.verdict, &joint.costs) else {
        return vec!["none before every fold has been validated.".to_owned()];
    };
    let costs = Costs::from(costs.clone());
    let against = costs.against;
    if joint.chosen.is_none() {
        let nothing = costs.nothing("");
        return vec![format!("{nothing} than the {against} was found in any fold. Keep the {against}.")];
    }
    let mut said = verdict::lines(found, &costs).into_iter();
    let mut lines: Vec<String> = said.next().into_iter().collect();
    lines.push(
        "Each instance was tested once, by the best of a campaign that never saw it: this is the gain of \
         tuning, not of one configuration."
            .to_owned(),
    );
    let kept = joint.folds.iter().flatten().filter(|fold| fold.incumbent == 0).count();
    if kept > 0 {
        let all = joint.folds.len();
        lines.push(format!("{kept} of {all} folds kept the {against}, and count with a ratio of 1."));
    }
    lines.extend(said);
    let (pairs, planned) = (found.pairs, joint.planned);
    if pairs < planned {
        lines.push(format!("{pairs} of {planned} pairs were measured: the same command completes it."));
    }
    lines
}

/// Which fold's best is to be used, and why.
pub(crate) fn why_chosen(joint: &Joint) -> Option<String> {
    let (chosen, costs) = (joint.chosen.as_ref()?, joint.costs.as_ref()?);
    let number = chosen.fold;
    let figures = joint.folds[number - 1].as_ref().and_then(|fold| fold.figures.known());
    let gain = figures.and_then(|figures| figures.training?.ratio);
    let gain = gain.map_or_else(String::new, |ratio| format!(" ({})", times(ratio)));
    let of = match (joint.begun(), joint.folds.len()) {
        (begun, all) if begun == all => format!("all {all} folds"),
        (begun, all) => format!("{begun} of {all} folds so far"),
    };
    Some(format!("fold {number}: of {of}, its best gained most over the {} in training{gain}", costs.against))
}
