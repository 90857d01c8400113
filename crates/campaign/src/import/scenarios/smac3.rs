//! Reads the output folder of SMAC3, version 2 or later: `scenario.json`, `configspace.json`,
//! `runhistory.json`.
//!
//! The target is a Python function, or a script that is called with `--instance=… --seed=… --name=value` and
//! answers `cost=…; runtime=…; status=…` (the protocol `smac3`). The folder does not contain the name of
//! either.

use std::path::Path;

use scenario::draft::foreign::{Paths, text_of};
use scenario::draft::{Draft, value};
use serde_json::{Map, Value};

use super::{Found, Origin};
use crate::import::{ImportError, json, runs};

/// Keys that SMAC3 writes into every scenario but that do not describe the problem, or that are handled
/// elsewhere.
const NEEDLESS: [&str; 5] =
    ["_meta", "output_directory", "use_default_config", "crash_cost", "instance_features"];

pub(super) fn read(folder: &Path, paths: &Paths) -> Result<Found, ImportError> {
    let file = folder.join("scenario.json");
    let shape = |what: String| ImportError::Shape { path: file.clone(), what };
    let value = json::read(&text_of(&file)?).map_err(shape)?;
    let mut given: Map<String, Value> =
        value.as_object().cloned().ok_or_else(|| shape("it is not a JSON object".to_owned()))?;
    let history = folder.join("runhistory.json");
    let recorded = if history.is_file() { runs::read(&history)?.list.len() as u64 } else { 0 };
    let mut draft = Draft::default();
    draft.about.push(format!("From the SMAC3 folder `{}`.", paths.shown(folder)));
    let name = given.remove("name").and_then(|name| name.as_str().map(str::to_owned));
    draft.set_some("name", name.map(|name| value::text(&name)));
    target(&mut draft);
    let space = ["configspace.json", "configspace.yaml"].map(|name| folder.join(name));
    match space.iter().find(|path| path.is_file()) {
        Some(path) => {
            draft.space_from(&paths.shown(path));
        }
        None => {
            draft.space_from("configspace.json");
            draft.to_do.push("space.from: the folder has no configspace.json".into());
        }
    }
    objective(&mut draft, &mut given);
    instances(&mut draft, &mut given, folder);
    budget(&mut draft, &mut given, recorded);
    if given.remove("deterministic") == Some(Value::Bool(true)) {
        draft.set("racing.deterministic", "true");
    }
    draft.set_some("seed", given.remove("seed").and_then(|seed| seed.as_u64()).map(|seed| seed.to_string()));
    let workers = given.remove("n_workers").and_then(|workers| workers.as_u64());
    // SMAC3 uses one worker by default, so that number is not written.
    draft.set_some("parallel.workers", workers.filter(|workers| *workers > 1).map(|n| n.to_string()));
    if given.get("crash_cost").is_some_and(|cost| !cost.is_null()) {
        draft.lose(format!(
            "`crash_cost = {}`: a crash counts as `par` x cutoff; without a cutoff, the configuration loses",
            given["crash_cost"]
        ));
    }
    for (key, value) in given {
        let is_unset = value.is_null() || value == Value::Bool(false);
        if !is_unset && !NEEDLESS.contains(&key.as_str()) {
            draft.lose(format!("`{key} = {value}`: captune has no such setting"));
        }
    }
    Ok(Found { origin: Origin::Smac3, draft, runs: (recorded > 0).then_some(history) })
}

fn target(draft: &mut Draft) {
    draft.set("target.command", value::texts(["./target"])).set("target.protocol", value::text("smac3"));
    let how = "target.command: the script that SMAC3 called; turn a Python function into one that reads \
               --instance=…, --seed=… and --name=value for each parameter and prints `cost=0.5; status=SUCCESS`";
    draft.to_do.push(how.to_owned());
}

fn objective(draft: &mut Draft, given: &mut Map<String, Value>) {
    let objectives = given.remove("objectives");
    match objectives {
        Some(Value::Array(several)) if several.len() > 1 => {
            let rest: Vec<String> = several[1..].iter().map(Value::to_string).collect();
            draft.lose(format!("the objectives {}: only the first is minimised", rest.join(", ")));
        }
        _ => {}
    }
    draft.set("objective.minimise", value::text("cost"));
    let cutoff = given.remove("runtime_cutoff").and_then(|cutoff| cutoff.as_f64());
    let capped = given.remove("adaptive_capping") == Some(Value::Bool(true));
    let slack = given.remove("adaptive_capping_slackfactor").and_then(|slack| slack.as_f64());
    if let Some(cutoff) = cutoff.filter(|_| capped) {
        draft.set("objective.cutoff", value::number(cutoff));
        draft.set("objective.capped_by", value::text("argument"));
        draft.set_some("racing.slack", slack.filter(|slack| *slack >= 1.0).map(value::number));
    }
    let number = |key: &str, given: &mut Map<String, Value>| given.remove(key).and_then(|n| n.as_f64());
    draft.set_some("limits.wall", number("trial_walltime_limit", given).map(value::duration));
    let memory = number("trial_memory_limit", given);
    draft.set_some("limits.memory", memory.map(|mb| value::text(&format!("{}MiB", value::number(mb)))));
}

fn instances(draft: &mut Draft, given: &mut Map<String, Value>, folder: &Path) {
    let Some(Value::Array(list)) = given.remove("instances") else { return };
    let names: Vec<String> =
        list.iter().map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned)).collect();
    draft.set("instances.list", value::list(&names));
    draft.note("instances.list", "Passed as words. If they are files, use: files = […]");
    let Some(features) = given.get("instance_features").and_then(Value::as_object) else { return };
    let width = features.values().filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return;
    }
    let head = (1..=width).map(|number| format!(",feature{number}")).collect::<String>();
    let mut table = format!("instance{head}\n");
    for name in &names {
        let row = features.get(name).and_then(Value::as_array).into_iter().flatten();
        let row: String = row.map(|number| format!(",{number}")).collect();
        table += &format!("{}{row}\n", cell(name));
    }
    // The file's name contains the folder's name, because several imports may write into the same directory.
    let stem = folder.file_name().map_or_else(String::new, |name| format!("-{}", name.to_string_lossy()));
    let file = format!("features{stem}.csv");
    draft.set("instances.features", value::text(&file));
    draft.files.push((file, table));
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn budget(draft: &mut Draft, given: &mut Map<String, Value>, recorded: u64) {
    let number = |key: &str, given: &mut Map<String, Value>| given.remove(key).and_then(|n| n.as_f64());
    let wall = number("walltime_limit", given);
    let cpu = number("cputime_limit", given);
    let trials = number("n_trials", given).map(|trials| trials as u64 + recorded);
    draft.set_some("budget.wall", wall.map(value::duration));
    draft.set_some("budget.cpu", cpu.map(value::duration));
    draft.set_some("budget.trials", trials.map(|trials| trials.to_string()));
    if recorded > 0 {
        draft.note(
            "budget.trials",
            format!("Imported trials count towards this limit: {recorded} are recorded."),
        );
    }
    if wall.is_none() && cpu.is_none() && trials.is_none() {
        draft.set("budget.wall", value::text("1h"));
        draft.note("budget.wall", "The scenario had no limit; an hour is a guess.");
    }
}
