//! Scenarios of others become ours.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use campaign::import::scenario::{Found, Origin, read};
use campaign::scenario::keys;

use super::data;
use crate::stage::Stage;

fn copy(from: &Path, stage: &Stage) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        stage.file(name, &std::fs::read_to_string(&path).unwrap());
    }
}

fn program(stage: &Stage, name: &str, text: &str) {
    let path = stage.file(name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Our scenario of a stage's folder, which must read if this version has all of its keys.
fn converted(stage: &Stage, folder: &Path) -> Found {
    let found = read(folder, &stage.folder).unwrap_or_else(|error| panic!("{error}"));
    found.draft.save(&stage.folder.join("captune.toml"), false).unwrap();
    let text = found.draft.to_toml();
    let has = |path: &str| {
        keys::KEYS.iter().any(|key| key.path == path || key.path.starts_with(&format!("{path}.")))
    };
    let needed = ["target.protocol", "target.workdir", "instances.features", "initial"];
    let missing: Vec<&str> =
        needed.into_iter().filter(|key| found.draft.get(key).is_some() && !has(key)).collect();
    if missing.is_empty() {
        stage.read(&text);
    } else {
        println!("not read: this version has no {}", missing.join(", "));
    }
    found
}

#[test]
fn a_scenario_of_smac_is_carried_over() {
    let stage = Stage::new();
    copy(&data().join("smac"), &stage);
    stage.file("wrapper.py", "");
    for name in ["a", "b", "c"] {
        stage.file(&format!("cnf/{name}.cnf"), "");
    }
    let found = converted(&stage, &stage.folder);
    assert_eq!((found.origin, found.draft.to_do.len()), (Origin::Smac, 0));
    assert_eq!(found.runs.unwrap().file_name().unwrap(), "runhistory.json");
    insta::assert_snapshot!(found.draft.to_toml());
}

#[test]
fn files_of_smac_that_are_gone_are_to_be_named() {
    let stage = Stage::new();
    stage.file(
        "run/scenario.txt",
        "algo-exec = ./gone\npcs-file = out/p.pcs\nrun-obj = QUALITY\ncutoff-time = 10\n",
    );
    stage.file("run/p.pcs", "a real [0, 1] [0.5]\n");
    let found = read(&stage.folder.join("run/scenario.txt"), &stage.folder).unwrap();
    insta::assert_snapshot!(found.draft.to_toml());
}

#[test]
fn a_folder_of_smac3_is_carried_over() {
    let stage = Stage::new();
    let folder = stage.folder.join("out/3");
    for name in ["scenario.json", "configspace.json", "runhistory.json"] {
        let text = std::fs::read_to_string(data().join("smac3").join(name)).unwrap();
        stage.file(&format!("out/3/{name}"), &text);
    }
    program(
        &stage,
        "target",
        "#!/bin/sh
",
    );
    let found = converted(&stage, &folder);
    assert_eq!(found.origin, Origin::Smac3);
    insta::assert_snapshot!(found.draft.to_toml());
    assert_eq!(found.draft.files[0].1, "instance,feature1\na,1.0\nb,2.0\n");
}

#[test]
fn a_folder_of_irace_is_carried_over() {
    let stage = Stage::new();
    copy(&data().join("irace"), &stage);
    program(&stage, "target-runner", "#!/bin/sh\n");
    for name in ["1", "2"] {
        stage.file(&format!("Instances/{name}.txt"), "");
    }
    stage.file("Tests/3.txt", "");
    let text = std::fs::read_to_string(stage.folder.join("scenario.txt")).unwrap();
    stage.file(
        "scenario.txt",
        &text.replace("testInstancesDir = \"./Instances\"", "testInstancesDir = \"./Tests\""),
    );
    let found = converted(&stage, &stage.folder);
    assert_eq!((found.origin, found.draft.to_do.len()), (Origin::Irace, 0));
    insta::assert_snapshot!(found.draft.to_toml());
    let files: Vec<String> = found.draft.files.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    let expected = [
        "initial-1.toml: mode = \"slow\"\nalpha = 1.0\n",
        "initial-2.toml: mode = \"fast\"\nalpha = 0.5\ndepth = 3\n",
        "initial-3.toml: mode = \"slow\"\nalpha = 0.25\n",
    ];
    assert_eq!(files, expected);
}

/// irace's own templates leave everything to its defaults.
#[test]
fn a_folder_of_irace_without_settings_is_one_all_the_same() {
    let stage = Stage::new();
    stage.file("scenario.txt", "# parameterFile = \"./parameters.txt\"\n");
    stage.file("parameters.txt", "a \"-a \" i (1, 5)\n");
    let found = read(&stage.folder, &stage.folder).unwrap();
    assert_eq!(found.origin, Origin::Irace);
    assert_eq!(found.draft.to_do.len(), 2, "{:?}", found.draft.to_do);
}

#[test]
fn what_is_of_nobody_is_said_to_be() {
    let stage = Stage::new();
    stage.file("notes.txt", "a = 1\n");
    let unknown = |path: &Path| read(path, &stage.folder).unwrap_err().to_string();
    assert!(unknown(&stage.folder).contains("no configurator"));
    assert!(unknown(&stage.folder.join("notes.txt")).contains("no configurator"));
    assert!(unknown(&stage.folder.join("gone")).contains("cannot read"));
}

/// The tables of Optuna 5 that are read, with a study of every sort of parameter.
const STUDY: &str = r#"
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
INSERT INTO studies VALUES (1, 'small');
INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);
INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE'), (2, 1, 1, 'COMPLETE'), (3, 2, 1, 'PRUNED'), (4, 3, 1, 'FAIL');
INSERT INTO trial_values VALUES (1, 1, 0, 0.5, 'FINITE'), (2, 2, 0, 0.25, 'FINITE');
"#;

fn study(stage: &Stage) -> std::path::PathBuf {
    let path = stage.folder.join("study.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(STUDY).unwrap();
    let parameters = [
        (
            "lr",
            r#"{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}"#,
        ),
        (
            "layers",
            r#"{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}"#,
        ),
        (
            "kind",
            r#"{"name": "CategoricalDistribution", "attributes": {"choices": ["adam", true, null, 3]}}"#,
        ),
        (
            "drop",
            r#"{"name": "DiscreteUniformDistribution", "attributes": {"low": 0.0, "high": 1.0, "q": 0.25}}"#,
        ),
        ("momentum", r#"{"name": "UniformDistribution", "attributes": {"low": 0.0, "high": 1.0}}"#),
    ];
    let values = [
        [0.01, 2.0, 0.0, 0.5, 0.75],
        [0.001, 4.0, 2.0, 0.0, f64::NAN],
        [0.02, 1.0, 1.0, 1.0, 0.5],
        [0.03, 3.0, 3.0, 0.25, 0.5],
    ];
    for (trial, values) in (1..).zip(values) {
        for ((name, distribution), value) in
            parameters.iter().zip(values).filter(|(_, value)| !value.is_nan())
        {
            let sql = "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)";
            connection.execute(sql, (trial, name, value, distribution)).unwrap();
        }
    }
    path
}

#[test]
fn a_study_of_optuna_is_carried_over() {
    let stage = Stage::new();
    let path = study(&stage);
    let found = read(&path, &stage.folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((found.origin, found.runs.as_deref()), (Origin::Optuna, Some(path.as_path())));
    insta::assert_snapshot!(found.draft.to_toml());
    assert_eq!(
        found.draft.files[0].1,
        "# trial 0 of the study: 0.5\nlr = 0.01\nlayers = 2\nkind = \"adam\"\ndrop = 0.5\nmomentum = 0.75\n"
    );
    // All of it can run today, once the program is there.
    stage.file("objective.py", "");
    found.draft.save(&stage.folder.join("captune.toml"), false).unwrap();
    if std::process::Command::new("python3").arg("--version").output().is_ok() {
        stage.read(&found.draft.to_toml());
    } else {
        println!("not read: python3 is not installed");
    }
    let runs = campaign::import::runs::read(&path).unwrap().list;
    let shown: Vec<String> = runs.iter().map(|run| format!("{:?} {}", run.ending, run.values[2].1)).collect();
    let expected =
        ["Finished(0.5) adam", "Finished(0.25) None", "Nothing(\"its state is PRUNED\") True", "Crashed 3"];
    assert_eq!(shown, expected);
}
