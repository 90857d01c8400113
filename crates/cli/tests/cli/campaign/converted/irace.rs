//! Converting irace folders: the example that comes with irace, and a small one.

use std::path::PathBuf;
use std::process::Command;

use super::{best, checked, converted, copy, gain, program};
use crate::campaign::stage::Stage;
use crate::installed;

/// A program that stands in for the solver. Its best settings are one of the algorithms, a full local search
/// and an alpha of 1.
const ANTS: &str = r#"#!/bin/sh
exec awk 'BEGIN {
  for (i = 1; i < ARGC; i++) {
    if (ARGV[i] ~ /^--(as|mmas|eas|ras|acs)$/) kind = ARGV[i]
    else if (ARGV[i] != "--quiet") { p[ARGV[i]] = ARGV[i + 1]; i++ }
  }
  if (!("--rho" in p)) { print "no rho" > "/dev/stderr"; exit 1 }
  getline towns < p["-i"]
  cost = towns * (kind == "--mmas" ? 1 : 2) * (1 + (3 - p["--localsearch"]) / 3 + (p["--alpha"] - 1) ^ 2)
  print "Try 0, Best " int(100 * cost * (1 + p["--seed"] % 3 / 10)) ", found at 3"
}' "$@"
"#;

const RUNNER: &str = r#"#!/bin/sh
echo "$@" >> ../calls
instance=$4 seed=$3
shift 4
../ants/solve --tries 1 --quiet -i "$instance" --seed "$seed" "$@" | sed 's/.*Best //; s/,.*//'
"#;

const SPACE: &str = r#"# name     switch           type values      [conditions]
kind        "--"             c    (as,mmas,acs)
localsearch "--localsearch " c    (0, 1, 2, 3)
alpha       "--alpha "       r    (0.00, 5.00)
rho         "--rho  "        r    (0.01, 1.00)
q0          "--q0 "          r    (0.0, 1.0)    | kind == "acs"
"#;

fn towns(stage: &Stage, folder: &str) {
    for number in 1..=4 {
        stage.write(&format!("{folder}/{number}.tsp"), &format!("{number}00\n"));
    }
}

#[test]
fn a_small_folder_is_tuned() {
    if !installed("awk") {
        return;
    }
    let stage = Stage::new("");
    let scenario = "parameterFile = \"./parameters.txt\"\nexecDir = \"./arena\"\nmaxExperiments = 500\ndigits = 2\n\
        forbiddenFile = \"forbidden.txt\"\nconfigurationsFile = \"default.txt\"\ntargetEvaluator = \"./evaluate\"\n";
    stage.write("old/scenario.txt", scenario);
    stage.write("old/parameters.txt", SPACE);
    stage.write("old/forbidden.txt", "(alpha == 0.0) & (rho == 1.0)\n");
    stage.write("old/default.txt", "kind localsearch alpha rho q0\nas 0 2.5 0.5 NA\n");
    program(&stage, "old/target-runner", RUNNER);
    let said = converted(&stage, "old");
    let expected = "\
wrote the scenario to new.toml, with initial-1.toml
to do before the scenario can run:
  target.workdir: the folder `./arena` was not found; create it
  targetEvaluator `./evaluate` is not supported: the runner must print the cost itself
  instances.files: the folder `./Instances` was not found
next: captune check new.toml
then: captune run new.toml
";
    assert_eq!(said, expected);
    // Once the user has provided all of this, the scenario runs unchanged.
    towns(&stage, "old/Instances");
    program(&stage, "old/ants/solve", ANTS);
    stage.write("old/arena/.keep", "");
    let call = checked(&stage);
    let words = "FOLDER/old/target-runner 1 1 1 FOLDER/old/Instances/1.tsp --as --localsearch 0 --alpha 2.5 --rho 0.51";
    assert_eq!(call, words);
    let gain = gain(&stage, 60);
    // The best possible gain is a factor of ten.
    assert!(gain > 2.0 && gain <= 10.7, "{gain}");
    assert_eq!(best(&stage)["kind"], "mmas", "{}", best(&stage));
    let seen = std::fs::read_to_string(stage.folder.join("old/calls")).unwrap();
    assert!(seen.lines().count() >= 61, "{seen}");
    assert!(seen.lines().any(|line| line.contains("--acs ") && line.contains(" --q0 ")), "{seen}");
}

/// Returns the folder with irace's examples, if irace is installed.
fn examples() -> Option<PathBuf> {
    let script = "cat(system.file('examples', package = 'irace'))";
    let output = Command::new("Rscript").args(["-e", script]).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?);
    path.join("acotsp").is_dir().then_some(path)
}

#[test]
fn the_example_of_irace_is_tuned() {
    let Some(examples) = examples() else {
        println!("skipped: irace is not installed");
        return;
    };
    if !installed("bash") || !installed("awk") {
        return;
    }
    let stage = Stage::new("");
    copy(&examples.join("acotsp"), &stage, ".");
    // The example lacks instances, the solver and the folder to run in.
    towns(&stage, "Instances");
    stage.write("acotsp-arena/.keep", "");
    program(&stage, "ACOTSP-1.03/acotsp", ANTS);
    let said = converted(&stage, ".");
    assert_eq!(
        said,
        "wrote the scenario to new.toml\nnext: captune check new.toml\nthen: captune run new.toml\n"
    );
    assert!(checked(&stage).contains(" --rho 0.51 --ants "));
    let gain = gain(&stage, 60);
    assert!(gain > 3.0, "{gain}");
    // The target runner has cleaned up its folder.
    let left = std::fs::read_dir(stage.folder.join("acotsp-arena")).unwrap().count();
    assert_eq!(left, 1);
}
