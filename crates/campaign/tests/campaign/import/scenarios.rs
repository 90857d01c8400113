//! Tests converting scenarios from other configurators.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use campaign::import::scenarios::{Found, Origin, read};
use scenario::keys;
use scenario::testkit::Stage;

use super::data;

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

/// Converts the scenario in a folder. If this version knows all keys of the result, the result must be
/// readable.
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
fn missing_files_of_smac_are_listed_as_to_do() {
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

/// irace's templates leave every setting at its default.
#[test]
fn a_folder_of_irace_without_settings_is_recognised() {
    let stage = Stage::new();
    stage.file("scenario.txt", "# parameterFile = \"./parameters.txt\"\n");
    stage.file("parameters.txt", "a \"-a \" i (1, 5)\n");
    let found = read(&stage.folder, &stage.folder).unwrap();
    assert_eq!(found.origin, Origin::Irace);
    assert_eq!(found.draft.to_do.len(), 2, "{:?}", found.draft.to_do);
}

#[test]
fn files_of_unknown_origin_are_refused() {
    let stage = Stage::new();
    stage.file("notes.txt", "a = 1\n");
    let unknown = |path: &Path| read(path, &stage.folder).unwrap_err().to_string();
    assert!(unknown(&stage.folder).contains("not a scenario of a configurator"));
    assert!(unknown(&stage.folder.join("notes.txt")).contains("not a scenario of a configurator"));
    assert!(unknown(&stage.folder.join("gone")).contains("cannot read"));
}

/// Settings that captune does not have are listed, even if they are switched off or do not have the form of
/// an assignment.
#[test]
fn every_setting_of_irace_is_carried_over_or_listed() {
    let stage = Stage::new();
    let text = "elitist = 0\ntestType = \"t-test\"\nfirstTest = 5\nconfidence = 0.95\nlogFile = \"x.Rdata\"\n\
                maxExperiments = 10 * 100\nseed = 1e3\nboundPar = 10\nsource(\"more.R\")\n";
    stage.file("scenario.txt", text);
    stage.file("parameters.txt", "a \"-a \" i (1, 5)\n");
    let found = read(&stage.folder, &stage.folder).unwrap();
    assert_eq!(
        found.draft.lost,
        [
            "line 9, `source(\"more.R\")`: not an assignment",
            "`boundPar = 10`: trials are not capped",
            "`maxExperiments = 10 * 100`: not a number",
            "`seed = 1e3`: not a whole number below 2^32",
            "`confidence = 0.95`: captune has its own racing method",
            "`elitist = 0`: captune has its own racing method",
            "`firstTest = 5`: captune has its own racing method",
            "`logFile = x.Rdata`: captune writes its own record",
            "`testType = t-test`: captune has its own racing method",
        ]
    );
}
