//! `captune status` of several folds.

use serde_json::{Value, json};

use super::said::of_all;
use super::{Joint, KeptFolds};
use crate::exit_code::ExitCode;
use crate::message;
use crate::progress::block::name;
use crate::progress::json as events;
use crate::status::{Picture, verdict_json};
use crate::words::{harmless, times};

/// Prints where all folds stand.
pub(crate) fn print(kept: &KeptFolds, as_json: bool) -> anyhow::Result<ExitCode> {
    let joint = kept.joint()?;
    if as_json {
        message::print(format!("{}\n", json_of(kept, &joint)?).as_bytes())?;
    } else {
        message::show(&text(kept, &joint)?)?;
    }
    Ok(ExitCode::Done)
}

fn text(kept: &KeptFolds, joint: &Joint) -> anyhow::Result<String> {
    let (all, begun) = (kept.folds.len(), joint.begun());
    let mut text = format!("{}: {all} folds, {begun} begun\n", harmless(&kept.plan.name));
    for (place, campaign) in kept.folds.iter().enumerate() {
        let label = format!("fold-{}", place + 1);
        let row = match campaign {
            None => "not begun".to_owned(),
            Some(campaign) => {
                let picture = Picture::of(campaign)?;
                let found = found(joint, place);
                format!("{} · {} · {found}", picture.state(), picture.spent())
            }
        };
        text += &format!("{label:<9}{row}\n");
    }
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (number, line) in of_all(joint).into_iter().enumerate() {
        rows.push((if number == 0 { "verdict" } else { "" }, line));
    }
    rows.extend(joint.why_chosen().map(|why| ("best", why)));
    text += &rows.iter().map(|(label, row)| format!("{label:<9}{row}\n")).collect::<String>();
    Ok(text)
}

/// The best of a fold, and its gains.
fn found(joint: &Joint, place: usize) -> String {
    let (Some(fold), Some(costs)) = (&joint.folds[place], &joint.costs) else { return String::new() };
    let mut parts = vec![format!("best {}", name(fold.best, costs.against))];
    if fold.best.index() > 0 {
        parts.extend(
            fold.training
                .and_then(|both| both.telling_ratio())
                .map(|ratio| format!("training {}", times(ratio))),
        );
    }
    let validated = format!("{} of {} pairs validated", fold.names.len(), fold.planned);
    parts.push(validated);
    parts.join(", ")
}

/// The JSON of all folds: see docs/reference/campaign-json.md.
fn json_of(kept: &KeptFolds, joint: &Joint) -> anyhow::Result<Value> {
    let one = |campaign: &Option<crate::kept::Kept>| match campaign {
        Some(campaign) => Ok(Picture::of(campaign)?.json(campaign)),
        None => Ok(Value::Null),
    };
    let folds: Vec<Value> = kept.folds.iter().map(one).collect::<anyhow::Result<_>>()?;
    Ok(json!({
        "name": kept.plan.name,
        "folder": kept.folder.to_string_lossy(),
        "folds": folds,
        "planned": joint.planned,
        "verdict": verdict_of(joint),
        "chosen": chosen(kept, joint)?,
    }))
}

/// The verdict over all folds as JSON.
pub(crate) fn verdict_of(joint: &Joint) -> Value {
    let (Some(found), Some(costs)) = (&joint.verdict, &joint.costs) else { return Value::Null };
    verdict_json(found, costs)
}

/// The configuration to use as JSON.
pub(crate) fn chosen(kept: &KeptFolds, joint: &Joint) -> anyhow::Result<Value> {
    let Some(place) = joint.chosen else { return Ok(Value::Null) };
    let Some(campaign) = &kept.folds[place] else { return Ok(Value::Null) };
    let (config, configuration) = campaign.best()?;
    Ok(json!({
        "fold": place + 1,
        "configuration": config.0,
        "values": events::values(&configuration),
    }))
}
