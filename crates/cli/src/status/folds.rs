//! `captune status` for a campaign in folds.

use serde_json::json;
use view::{Costs, Joint, KeptFolds, Picture, Validated};

use super::{spent, warn_of_hosts};
use crate::exit_code::ExitCode;
use crate::folds::{verdict_lines, why_chosen};
use crate::message;
use crate::verdict::Hosts;
use crate::words::name;
use crate::words::{harmless, times};
use crate::wrap;

/// Prints the status of all folds.
pub(crate) fn print(kept: &KeptFolds, as_json: bool) -> anyhow::Result<ExitCode> {
    let joint = kept.joint()?;
    if as_json {
        message::print(format!("{}\n", json!(joint)).as_bytes())?;
    } else {
        message::show(&text(&joint, wrap::stdout_width()))?;
    }
    warn_of_hosts(&joint.hosts);
    Ok(ExitCode::Done)
}

fn text(joint: &Joint, width: Option<usize>) -> String {
    let (all, begun) = (joint.folds.len(), joint.begun());
    let mut text = format!("{}: {all} folds, {begun} started\n", harmless(&joint.name));
    for (place, (picture, validated)) in joint.folds.iter().zip(&joint.validated).enumerate() {
        let label = format!("fold-{}", place + 1);
        let row = match (picture, validated, &joint.costs) {
            (Some(picture), Some(validated), Some(costs)) => {
                let found = found(picture, validated, costs);
                format!("{} · {} · {found}", words::state(&picture.state), spent(picture))
            }
            _ => "not started".to_owned(),
        };
        text += &wrap::rows(&[(label.as_str(), row)], width);
    }
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (number, line) in verdict_lines(joint, Hosts::Always).into_iter().enumerate() {
        rows.push((if number == 0 { "verdict" } else { "" }, line));
    }
    rows.extend(why_chosen(joint).map(|why| ("best", why)));
    text + &wrap::rows(&rows, width)
}

/// Describes the best configuration of a fold and its gains.
fn found(picture: &Picture, validated: &Validated, costs: &Costs) -> String {
    let mut parts = Vec::new();
    if validated.is_infeasible {
        parts.push("no feasible configuration found".to_owned());
    } else {
        parts.push(format!("best {}", name(picture.incumbent, costs.against)));
        let training = picture.figures.known().and_then(|figures| figures.training?.ratio);
        parts.extend(training.map(|ratio| format!("training {}", times(ratio))));
    }
    parts.push(format!("{} of {} pairs validated", validated.pairs, validated.planned));
    parts.join(", ")
}
