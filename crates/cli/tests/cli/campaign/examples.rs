//! The scenarios in `examples/`: each is checked and run with its own scripts on smaller inputs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::stage::{SCENARIO, Stage};
use crate::{CAPTUNE, code, installed, root, stderr, stdout};

const ALL: [&str; 10] =
    ["cadical", "cbc", "gcc", "lsh", "minisat", "mlpack", "postgresql", "saps", "sqlite", "zstd"];

/// Copies the files of an example, except those that its scripts have created. Then applies `changes` to its
/// scenario. Fails if the text to change is not found.
fn copy_of(name: &str, changes: &[(&str, &str)]) -> Stage {
    let stage = Stage::new(SCENARIO);
    for entry in std::fs::read_dir(root().join("examples").join(name)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), stage.folder.join(entry.file_name())).unwrap();
        }
    }
    let scenario = format!("{name}.toml");
    let mut text = std::fs::read_to_string(stage.folder.join(&scenario)).unwrap();
    let space = format!("../../spaces/{name}.toml");
    if text.contains(&space) {
        std::fs::copy(root().join("spaces").join(&scenario), stage.folder.join("space.toml")).unwrap();
        text = text.replace(&space, "space.toml");
    }
    for (from, to) in changes {
        assert!(text.contains(from), "{name} has no `{from}`");
        text = text.replace(from, to);
    }
    stage.write(&scenario, &text);
    stage
}

/// Runs a shell command in the folder of the example.
fn make(stage: &Stage, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(&stage.folder).output().unwrap();
    assert!(output.status.success(), "{line}: {}", stderr(&output));
}

/// Checks the scenario and runs some trials. Returns the output of `check`.
fn runs(stage: &Stage, name: &str, trials: u32) -> String {
    let output = stage.captune(&format!("check {name}.toml"));
    let checked = stdout(&output);
    assert_eq!(code(&output), 0, "{checked}{}", stderr(&output));
    assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    let output = stage.captune(&format!("run {name}.toml --trials {trials}"));
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(&format!("Stopped: the budget of {trials} trials is spent.")), "{said}");
    checked
}

/// Checks that each trial of the default finished, was capped or was cancelled. If another configuration is
/// better, which depends on the machine, a trial of the default may be capped or cancelled. A cancelled trial
/// has the status of a lost one if its output says nothing before the end, but does not count as lost.
fn default_always_works(stage: &Stage, name: &str) {
    let reader = store::Store::read(&stage.folder.join(format!("{name}.campaign"))).unwrap();
    let loaded = reader.load().unwrap();
    assert_eq!(loaded.lost, 0);
    let ends: Vec<_> = loaded.history.trials().iter().filter(|trial| trial.key.config.0 == 0).collect();
    assert!(!ends.is_empty());
    for trial in ends {
        let status = trial.observation.status().name();
        assert!(["finished", "capped", "lost"].contains(&status), "trial {}: {status}", trial.id);
    }
}

#[test]
fn every_example_is_run_and_explained() {
    let examples = std::fs::read_dir(root().join("examples")).unwrap();
    let folders = examples.filter(|entry| entry.as_ref().unwrap().path().is_dir());
    let mut names: Vec<_> = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ALL);
    let index = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
    for name in names {
        assert!(index.contains(&format!("[{name}]({name}/)")), "{name} is not in examples/README.md");
        let readme = root().join("examples").join(&name).join("README.md");
        let readme = std::fs::read_to_string(readme).unwrap();
        for line in [format!("captune check {name}.toml"), format!("captune run {name}.toml")] {
            assert!(readme.contains(&line), "the README of {name} does not say `{line}`");
        }
    }
}

#[test]
fn cadical_is_tuned_and_its_answers_are_checked() {
    if !installed("cadical") || !installed("python3") {
        return;
    }
    let stage = copy_of("cadical", &[]);
    make(&stage, "./make-formulas 8 8");
    runs(&stage, "cadical", 20);
    default_always_works(&stage, "cadical");
    // Both checks work: they detect a wrong answer and a model of another formula.
    let known = std::fs::read_to_string(stage.folder.join("known.csv")).unwrap();
    assert!(known.contains(",SATISFIABLE") && known.contains(",UNSATISFIABLE"), "{known}");
    stage.write("known.csv", &known.replace(",UNSATISFIABLE", ",SATISFIABLE"));
    let output = stage.captune("check cadical.toml");
    assert_eq!(code(&output), 3, "{}{}", stdout(&output), stderr(&output));
    stage.write("formula.cnf", "p cnf 2 2\n1 2 0\n-1 2 0\n");
    for (model, right) in [("v 1 2 0", true), ("v 1 -2 0", false)] {
        stage.write("said", &format!("s SATISFIABLE\n{model}\n"));
        let output = Command::new("./check-model")
            .args(["formula.cnf", "said"])
            .current_dir(&stage.folder)
            .output()
            .unwrap();
        assert_eq!(output.status.success(), right, "{model}");
    }
}

#[test]
fn cbc_is_tuned_and_reports_its_gap() {
    if !installed("cbc") || !installed("python3") {
        return;
    }
    // The wall-time limit is generous, because other tests run at the same time.
    let stage = copy_of("cbc", &[("[instances]", "[limits]\nwall = \"10m\"\n[instances]")]);
    make(&stage, "./make-models 4 3 5");
    let checked = runs(&stage, "cbc", 10);
    assert!(checked.contains("3 instances + 1 unseen"), "{checked}");
    assert!(checked.contains("\n    preprocess sos\n"), "{checked}");
    default_always_works(&stage, "cbc");
    // If the search is stopped before it is complete, the remaining gap is reported.
    stage.write(
        "cbc",
        "#!/bin/sh\necho 'Cbc0010I After 9 nodes, 3 on tree, 200 best solution, best possible 150 (0.5 seconds)'\n",
    );
    make(&stage, "chmod +x cbc && touch none && PATH=.:$PATH ./solve m.mps none 1 > said");
    let said = std::fs::read_to_string(stage.folder.join("said")).unwrap();
    assert!(said.ends_with("gap = 25.0000\n"), "{said}");
}

#[test]
fn sqlite_is_tuned_in_a_database_of_its_own() {
    if !installed("sqlite3") {
        return;
    }
    let stage = copy_of("sqlite", &[("seeds = 8", "when = \"never\"")]);
    make(&stage, "./make-work 2");
    let checked = runs(&stage, "sqlite", 6);
    assert!(checked.contains("\n    PRAGMA cache_size = -2000;\n"), "{checked}");
    default_always_works(&stage, "sqlite");
    assert!(!stage.folder.join("work.db").exists());
    // The file with the best configuration has the format that the target reads.
    let file = stage.said("best sqlite.campaign --as file");
    assert!(file.lines().all(|line| line.starts_with("PRAGMA ") && line.ends_with(';')), "{file}");
    assert!(file.contains("PRAGMA cache_size = -"), "{file}");
    assert!(stage.said("best sqlite.campaign").ends_with("captune best sqlite.campaign --as file\n"));
}

#[test]
fn zstd_is_tuned_for_its_ratio() {
    if !installed("zstd") || !installed("python3") {
        return;
    }
    let stage = copy_of("zstd", &[("wall = \"500ms\"", "wall = \"1m\"")]);
    make(&stage, "./make-files 3 200");
    let checked = runs(&stage, "zstd", 30);
    assert!(checked.contains("3 families: json 2 + 1, log 2 + 1, table 2 + 1"), "{checked}");
    // A maximised output is not called a cost.
    assert!(checked.contains("  finished · ratio "), "{checked}");
    default_always_works(&stage, "zstd");
}

#[test]
fn zstd_is_tuned_for_time_within_a_bound() {
    if !installed("zstd") || !installed("python3") {
        println!("skipped: zstd or python3 is not installed");
        return;
    }
    let stage = copy_of("zstd", &[]);
    make(&stage, "./make-files 3 200");
    let checked = runs(&stage, "bounded", 40);
    assert!(checked.contains("\nconstraints: ratio >= "), "{checked}");
    default_always_works(&stage, "bounded");
    let standing = &stage.status("bounded.campaign")["best_standing"];
    assert_eq!(standing["constraints"][0]["name"], "ratio", "{standing}");
}

#[test]
fn saps_is_tuned_in_steps() {
    // Use the solver that is built into captune for its demo.
    let program = format!("{CAPTUNE:?}, \"__saps\"");
    let stage = copy_of("saps", &[("\"captune-saps\"", &program)]);
    make(&stage, "sed -i s/26,243/8,30/ formulas.txt");
    runs(&stage, "saps", 30);
    default_always_works(&stage, "saps");
    let refused = stage.captune("best saps.campaign --as file");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("the scenario has no `config_file`\nhint: "), "{}", stderr(&refused));
}

#[test]
fn postgresql_is_tuned_with_its_own_servers() {
    let succeeds = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line]).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    if !installed("pgbench") || !succeeds("ls /usr/lib/postgresql/*/bin/initdb") {
        println!("skipped: the PostgreSQL server is not installed");
        return;
    }
    if succeeds("test $(id -u) = 0") && !succeeds("id postgres && command -v setpriv") {
        println!("skipped: the server refuses to be run by root, and there is no user postgres");
        return;
    }
    // These ports are used by this process only, and are below those that the system assigns.
    let ports = 2000 + std::process::id() % 1000;
    let port = format!("{ports}{{slot}}");
    let changes = [
        ("5410{slot}", port.as_str()),
        ("\"-T\", \"5\"", "\"-t\", \"5\""),
        ("seeds = 8", "when = \"never\""),
    ];
    let stage = copy_of("postgresql", &changes);
    make(&stage, &format!("./make-template 1 {ports}9"));
    let checked = runs(&stage, "postgresql", 3);
    assert!(checked.contains("\n    shared_buffers = 128MB\n"), "{checked}");
    default_always_works(&stage, "postgresql");
}

/// Each trial compiles the program in its own folder and runs it there.
#[test]
fn gcc() {
    if !installed("gcc") {
        return;
    }
    let stage = copy_of("gcc", &[]);
    let checked = runs(&stage, "gcc", 12);
    assert!(checked.contains("/work"), "{checked}");
    default_always_works(&stage, "gcc");
    let best = stdout(&stage.captune("best gcc.campaign --as cmd"));
    assert!(best.contains("gcc -O") && best.contains(" && ") && best.ends_with("{workdir}/work\n"), "{best}");
}

/// Checks that the verdict says what the validation measured: which of the two keep the bound, and by that
/// whether the best configuration is worth using.
fn verdict_fits_its_measurements(stage: &Stage, name: &str) {
    let status = stage.status(&format!("{name}.campaign"));
    let verdict = &status["verdict"];
    if verdict.is_null() {
        // After so few trials, there may be nothing to validate.
        let is_default = status["best"]["configuration"] == 0;
        assert!(is_default || status["best_standing"]["feasible"] == false, "{status}");
        return;
    }
    let kept = |who: &str| {
        let constraint = &verdict["constraints"][who][0];
        assert_eq!(constraint["name"], "worse", "{verdict}");
        let kept = constraint["value"].as_f64().unwrap() <= constraint["bound"].as_f64().unwrap();
        assert_eq!(verdict["feasible"][who], kept, "{verdict}");
        kept
    };
    let expected: &[&str] = match (kept("default"), kept("best")) {
        (true, true) => &["faster", "nothing_reliable", "slower"],
        (false, true) => &["only_feasible"],
        (true, false) => &["infeasible"],
        (false, false) => &["neither_feasible"],
    };
    assert!(expected.iter().any(|claim| verdict["claim"] == *claim), "{expected:?} {verdict}");
    assert!(kept("best") || verdict["worth_using"] == false, "{verdict}");
}

#[test]
fn lsh_is_tuned_without_a_larger_error() {
    let program = Path::new(CAPTUNE).with_file_name("captune-lsh");
    if !program.is_file() {
        println!("skipped: captune-lsh is not built; `cargo test --workspace` builds it");
        return;
    }
    let stage = copy_of("lsh", &[("\"captune-lsh\"", &format!("{program:?}"))]);
    make(&stage, "sed -i s/1500,16/300,8/ points.txt");
    let checked = runs(&stage, "lsh", 60);
    assert!(checked.contains("\nconstraints: worse <= "), "{checked}");
    default_always_works(&stage, "lsh");
    verdict_fits_its_measurements(&stage, "lsh");
}

/// Returns a Python with mlpack, which is installed once and kept for later tests.
fn python_with_mlpack() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mlpack-4.8.0");
    let python = folder.join("bin/python");
    let has_mlpack = || {
        let mut command = Command::new(&python);
        command
            .args(["-c", "import mlpack"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !has_mlpack() {
        let line = "python3 -m venv \"$0\" && \"$0/bin/pip\" install --quiet mlpack==4.8.0";
        let installed = Command::new("sh").args(["-c", line]).arg(&folder).output().ok()?;
        if !has_mlpack() {
            println!("skipped: mlpack could not be installed: {}", stderr(&installed));
            return None;
        }
    }
    Some(python)
}

#[test]
fn mlpack_is_tuned_without_a_larger_error() {
    let Some(python) = python_with_mlpack() else { return };
    let stage = copy_of("mlpack", &[("\"venv/bin/python\"", &format!("{python:?}"))]);
    make(&stage, &format!("{python:?} make-points 4 600"));
    let checked = runs(&stage, "mlpack", 16);
    assert!(checked.contains("\nconstraints: worse <= "), "{checked}");
    default_always_works(&stage, "mlpack");
    verdict_fits_its_measurements(&stage, "mlpack");
}
