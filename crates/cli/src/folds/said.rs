//! The last lines of a run in folds.

use campaign::validation::Judged;
use scenario::shell::quoted;

use super::{Joint, KeptFolds};
use crate::paint::Paint;
use crate::run::ending::written;
use crate::run::{how_to_use, verdict};

/// What may be said of all folds, which configuration to use, and where to see more.
pub(crate) fn said(kept: &KeptFolds, joint: &Joint, paint: Paint) -> anyhow::Result<String> {
    let mut paragraphs = vec![("Verdict:", of_all(joint))];
    let is_worth_using = joint.verdict.as_ref().is_some_and(Judged::is_worth_using);
    if let (true, Some(place), Some(why)) = (is_worth_using, joint.chosen, joint.why_chosen()) {
        let mut lines = vec![why];
        if let Some(fold) = &kept.folds[place] {
            let folder = kept.folder.to_string_lossy();
            lines.push(how_to_use(fold.scenario()?, &fold.best()?.1, &folder));
        }
        paragraphs.push(("Use it:", lines));
    }
    let folder = quoted(&kept.folder.to_string_lossy());
    paragraphs.push(("See it:", vec![format!("captune status {folder} · captune best {folder}")]));
    Ok(written(&paragraphs, paint))
}

/// The verdict on the procedure, each sentence a line.
pub(super) fn of_all(joint: &Joint) -> Vec<String> {
    let (Some(found), Some(costs)) = (&joint.verdict, &joint.costs) else {
        return vec!["none before every fold has been validated.".to_owned()];
    };
    let against = costs.against;
    if joint.chosen.is_none() {
        let nothing = costs.nothing("");
        return vec![format!("{nothing} than the {against} was found in any fold. Keep the {against}.")];
    }
    let mut said = verdict::lines(found, costs).into_iter();
    let mut lines: Vec<String> = said.next().into_iter().collect();
    lines.push(
        "Each instance was tested once, by the best of a campaign that never saw it: this is the gain of \
         tuning, not of one configuration."
            .to_owned(),
    );
    let kept = joint.folds.iter().flatten().filter(|fold| fold.best.index() == 0).count();
    if kept > 0 {
        let all = joint.folds.len();
        lines.push(format!("{kept} of {all} folds kept the {against}, and count with a ratio of 1."));
    }
    lines.extend(said);
    let pairs = found.verdict.comparison.pairs;
    if pairs < joint.planned {
        let planned = joint.planned;
        lines.push(format!("{pairs} of {planned} pairs were measured: the same command completes it."));
    }
    lines
}
