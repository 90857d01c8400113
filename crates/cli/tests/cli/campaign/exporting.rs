//! Exporting trials for other programs.

use std::io::Read as _;
use std::process::Command;

use serde_json::Value;

use super::stage::{SCENARIO, Stage, stored_trials};
use super::validation::validations;
use crate::{code, stderr};

/// Runs a campaign with an output and some failing trials.
fn campaign() -> Stage {
    let scenario =
        SCENARIO.replace("[budget]\n", "[outputs]\ncount = { pattern = 'counted ([0-9]+)' }\n[budget]\n");
    let scenario = scenario.replace("[\"slow\", \"fast\"]", "[\"slow\", \"fast\", \"broken\"]");
    let stage = Stage::new(&scenario);
    let counter = std::fs::read_to_string(stage.folder.join("counter")).unwrap();
    stage.write("counter", &counter.replace("echo counted", "echo counted $loops"));
    assert_eq!(code(&stage.captune("run count.toml --trials 25")), 0);
    stage
}

#[test]
fn every_trial_is_a_line_with_all_its_data() {
    let stage = campaign();
    let ids = stored_trials(&stage.folder.join("count.campaign"));
    let lines: Vec<Value> = stage
        .said("export count.toml --to json")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (validated, lines): (Vec<Value>, Vec<Value>) =
        lines.into_iter().partition(|line| line["why"] == "validation");
    let mut told: Vec<u64> = lines.iter().map(|line| line["trial"].as_u64().unwrap()).collect();
    told.sort_unstable();
    assert_eq!(told, ids);
    let default = lines.iter().find(|line| line["configuration"] == 0).unwrap();
    assert_eq!((&default["values"]["mode"], &default["values"]["loops"]), (&"slow".into(), &2000.into()));
    assert_eq!(
        (&default["status"], &default["outputs"]["count"]),
        (&"finished".into(), &8000.0.into()),
        "{default}"
    );

    let csv = stage.said("export count.campaign --to csv");
    let mut rows = csv.lines();
    let header: Vec<&str> = rows.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|known| *known == name).unwrap();
    assert_eq!(&header[18..], ["param:loops", "param:mode", "output:count"], "{header:?}");
    for (row, line) in rows.zip(&lines) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells.len(), header.len(), "{row}");
        assert_eq!(cells[column("trial")], line["trial"].to_string());
        assert_eq!(cells[column("param:loops")], line["values"]["loops"].to_string());
        assert_eq!(cells[column("status")], line["status"].as_str().unwrap());
        assert_eq!(cells[column("output:count")].parse().ok(), line["outputs"]["count"].as_f64(), "{row}");
        match line["cost"].as_f64() {
            Some(cost) => assert_eq!(cells[column("cost")].parse(), Ok(cost), "{row}"),
            None => assert_eq!(cells[column("cost")], "", "{row}"),
        }
    }
    assert!(csv.contains(",crashed,,,"), "{csv}");

    // Next come the trials of the validation, which are on unseen instances and have the values of both
    // configurations.
    let kept = validations(&stage);
    assert!(!kept.is_empty());
    assert_eq!(validated.len(), kept.len());
    let rows: Vec<&str> = csv.lines().skip(1 + lines.len()).collect();
    assert_eq!(rows.len(), kept.len(), "{csv}");
    let of_config = |number: &Value| lines.iter().find(|line| line["configuration"] == *number).unwrap();
    for ((row, line), kept) in rows.iter().zip(&validated).zip(&kept) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells.len(), header.len(), "{row}");
        let cell = |name: &str| cells[column(name)];
        let slot = kept.record.slot.to_string();
        assert_eq!((cell("trial"), cell("why"), cell("slot")), ("", "validation", slot.as_str()), "{row}");
        assert_eq!(cell("output:count").parse().ok(), kept.record.detail.outputs.get("count").copied());
        assert_eq!(
            (cell("instance"), &line["instance"]),
            (kept.instance.as_str(), &kept.instance.as_str().into())
        );
        assert_eq!(cell("seed"), kept.key().2.to_string());
        assert_eq!(line["configuration"], kept.key().0.0);
        assert_eq!(cell("cost").parse().ok(), line["cost"].as_f64());
        assert_eq!(
            line["cost"].as_f64(),
            kept.record.trial.observation.cost().map(engine::Reading::lower_bound)
        );
        assert_eq!(line["values"], of_config(&line["configuration"])["values"]);
        assert_eq!(cell("param:mode"), line["values"]["mode"].as_str().unwrap());
    }
}

#[test]
fn a_file_is_written_as_a_whole() {
    let stage = campaign();
    let output = stage.captune("export count.toml --to csv --output trials.csv");
    let kept = validations(&stage).len();
    let part = format!("25 trials and {kept} from the validation written to trials.csv");
    assert!(stderr(&output).contains(&part), "{output:?}");
    let text = std::fs::read_to_string(stage.folder.join("trials.csv")).unwrap();
    assert_eq!(text, stage.said("export count.toml --to csv"));
    let nowhere = stage.captune("export count.toml --to csv --output no/such/trials.csv");
    assert!(
        code(&nowhere) != 0 && stderr(&nowhere).contains("cannot write no/such/trials.csv"),
        "{nowhere:?}"
    );
    let folder = stage.captune("export count.toml --to smac3");
    assert_eq!(code(&folder), 2);
    assert!(stderr(&folder).contains("hint: name a folder with --output"), "{folder:?}");
}

#[test]
fn links_and_pipes_are_not_replaced() {
    let stage = campaign();
    let csv = stage.said("export count.toml --to csv");
    let at = |name: &str| stage.folder.join(name);
    std::fs::write(at("real.csv"), "old").unwrap();
    std::os::unix::fs::symlink("real.csv", at("link.csv")).unwrap();
    assert_eq!(code(&stage.captune("export count.toml --to csv --output link.csv")), 0);
    assert!(at("link.csv").is_symlink());
    assert_eq!(std::fs::read_to_string(at("real.csv")).unwrap(), csv);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let mut pipe = std::fs::File::options().read(true).write(true).open(at("pipe")).unwrap();
    assert_eq!(code(&stage.captune("export count.toml --to csv --output pipe")), 0);
    assert!(!at("pipe").is_file(), "the pipe was replaced");
    let mut read = vec![0; csv.len()];
    pipe.read_exact(&mut read).unwrap();
    assert_eq!(String::from_utf8(read).unwrap(), csv);
}

const LOAD: &str = r#"
import json, sys
from ConfigSpace import ConfigurationSpace
from smac.runhistory.runhistory import RunHistory
space = ConfigurationSpace.from_json("smac/configspace.json")
history = RunHistory()
history.load("smac/runhistory.json", space)
print(json.dumps([[k.config_id, k.instance, k.seed, v.cost, int(v.status)] for k, v in history.items()]))
"#;

#[test]
fn an_export_for_smac3_can_be_loaded_and_imported() {
    let stage = campaign();
    let output = stage.captune("export count.toml --to smac3 --output smac");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let written = std::fs::read_to_string(stage.folder.join("smac/runhistory.json")).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["data"].as_array().unwrap().len(), 25);
    // In the exported history, failed trials and trials that were stopped early cost ten cutoffs.
    let stopped = |entry: &&Value| entry["status"] != 1;
    assert!(written["data"].as_array().unwrap().iter().filter(stopped).all(|entry| entry["cost"] == 20.0));

    std::fs::rename(stage.folder.join("count.campaign"), stage.folder.join("before")).unwrap();
    let imported = stage.captune("import count.toml smac/runhistory.json");
    assert!(stderr(&imported).contains("imported 25 of 25 runs"), "{imported:?}");

    let python = std::env::var("CAPTUNE_PEERS").unwrap_or_else(|_| "python3".to_owned());
    let run = |text: &str| {
        Command::new(&python).args(["-W", "ignore", "-c", text]).current_dir(&stage.folder).output()
    };
    // `import smac` alone is not enough: Python would take the exported folder `smac` for the package.
    if !run("from smac import Scenario").is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no smac");
        return;
    }
    let loaded = run(LOAD).unwrap();
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    let loaded: Vec<Value> = serde_json::from_slice(&loaded.stdout).unwrap();
    assert_eq!(loaded.len(), 25);
    for (there, here) in loaded.iter().zip(written["data"].as_array().unwrap()) {
        assert_eq!(
            [&there[1], &there[2], &there[3], &there[4]],
            [&here["instance"], &here["seed"], &here["cost"], &here["status"]]
        );
    }
}

#[test]
fn the_space_alone_can_be_exported() {
    let stage = campaign();
    let space: Value = serde_json::from_str(&stage.said("export count.toml --to configspace")).unwrap();
    assert_eq!(space["hyperparameters"].as_array().unwrap().len(), 2);
}
