//! The joint result of all folds, and the last lines of a run in folds.

use scenario::shell::quoted;
use view::{Joint, KeptFolds, Records};

use crate::ending::how_to_use;
use crate::ending::{Layout, Line, written};
use crate::verdict::{self, Hosts};
use crate::words::{Costs, times};

/// Returns the verdict on all folds, the configuration to use, and the commands that show more.
pub(crate) fn ending(kept: &KeptFolds, joint: &Joint, layout: Layout) -> anyhow::Result<String> {
    let verdict = verdict_lines(joint, Hosts::IfOther).into_iter().map(Line::Text).collect();
    let mut paragraphs = vec![("Verdict:", verdict)];
    let is_worth_using = joint.verdict.as_ref().is_some_and(|verdict| verdict.worth_using);
    if let (true, Some(chosen), Some(why)) = (is_worth_using, &joint.chosen, why_chosen(joint)) {
        let mut lines = vec![Line::Text(why)];
        if let Some(fold) = &kept.folds[chosen.fold - 1] {
            let records = Records::of(fold)?;
            lines.push(Line::Command(how_to_use(
                fold.scenario()?,
                records.best_configuration(),
                &joint.folder,
            )));
        }
        paragraphs.push(("Use it:", lines));
    }
    let folder = quoted(&joint.folder);
    let commands = vec![format!("captune status {folder}"), format!("captune best {folder}")];
    paragraphs.push(("See it:", vec![Line::Commands(commands)]));
    Ok(written(&paragraphs, layout))
}

/// Returns the verdict on tuning as a whole, not on one configuration. Each line is one sentence.
pub(super) fn verdict_lines(joint: &Joint, hosts: Hosts) -> Vec<String> {
    let (Some(found), Some(costs)) = (&joint.verdict, &joint.costs) else {
        return vec!["none until every fold has been validated.".to_owned()];
    };
    let costs = Costs::from(costs.clone());
    let against = costs.against;
    let is_infeasible = |place: usize| joint.validated[place].is_some_and(|one| one.is_infeasible);
    if joint.chosen.is_none() {
        let feasible = if (0..joint.folds.len()).any(is_infeasible) { "feasible and " } else { "" };
        let nothing = costs.nothing(feasible);
        return vec![format!("{nothing} than the {against} was found in any fold. Keep the {against}.")];
    }
    let mut sentences = verdict::lines(found, &costs, hosts).into_iter();
    let mut lines: Vec<String> = sentences.next().into_iter().collect();
    lines.push(
        "Each instance was tested with the best configuration of a campaign that did not use this instance. \
         The result is the gain from tuning, not from one configuration."
            .to_owned(),
    );
    let incumbents = joint.folds.iter().map(|fold| fold.as_ref().map(|fold| fold.incumbent));
    let kept =
        incumbents.enumerate().filter(|(place, best)| *best == Some(0) || is_infeasible(*place)).count();
    if kept > 0 {
        let all = joint.folds.len();
        lines.push(format!("{kept} of {all} folds kept the {against}; their ratio counts as 1."));
    }
    lines.extend(sentences);
    let (pairs, planned) = (found.pairs, joint.planned);
    if pairs < planned {
        lines.push(format!(
            "{pairs} of {planned} pairs were measured; the same command completes the validation."
        ));
    }
    lines
}

/// Names the fold whose best configuration should be used, and explains why.
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
    Some(format!("fold {number}: the largest gain over the {} in training{gain}, among {of}", costs.against))
}
