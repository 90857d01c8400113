//! Tests importing files that other configurators have just written, if they are installed.

use std::path::Path;
use std::process::Command;

use campaign::import;
use campaign::import::runs;
use scenario::draft::Draft;

use scenario::testkit::Stage;

const SMAC3: &str = r#"
from ConfigSpace import ConfigurationSpace, Float, Integer, Categorical, EqualsCondition
from smac import RandomFacade, Scenario
space = ConfigurationSpace(seed=0)
rate, mode = Float("rate", (0.0, 1.0), default=0.25), Categorical("mode", ["slow", "fast"], default="slow")
space.add([Float("alpha", (0.01, 1.0), default=0.5, log=True), Integer("depth", (1, 9), default=3), mode, rate])
space.add(EqualsCondition(rate, mode, "fast"))
def cost(config, seed):
    if config["depth"] == 9: raise ValueError("nine")
    return config["alpha"] * config["depth"]
scenario = Scenario(space, name="small", output_directory="out", n_trials=25, seed=3)
RandomFacade(scenario, cost, logging_level=50, overwrite=True).optimize()
"#;

const OPTUNA: &str = r#"
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(study_name="small", storage="sqlite:///study.db")
def cost(trial):
    kind = trial.suggest_categorical("kind", ["adam", "sgd"])
    return trial.suggest_float("lr", 1e-5, 1e-1, log=True) * trial.suggest_int("layers", 1, 5)
study.optimize(cost, n_trials=8)
"#;

/// Runs a Python script if its package is installed. `CAPTUNE_PEERS` may name a Python interpreter that has
/// the package.
fn python(package: &str, script: &str, folder: &Path) -> bool {
    let python = std::env::var("CAPTUNE_PEERS").unwrap_or_else(|_| "python3".to_owned());
    let run =
        |text: &str| Command::new(&python).args(["-W", "ignore", "-c", text]).current_dir(folder).output();
    if !run(&format!("import {package}")).is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no {package}");
        return false;
    }
    let output = run(script).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn what_smac3_writes_today_is_read() {
    let stage = Stage::new();
    if !python("smac", SMAC3, &stage.folder) {
        return;
    }
    let folder = stage.folder.join("out/small/3");
    let found = import::scenarios::read(&folder, &stage.folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.draft.lost, Vec::<String>::new());
    let runs = runs::read(&found.runs.unwrap()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.list.len(), 25);
    assert!(runs.list.iter().all(|run| !matches!(run.ending, runs::Ending::Nothing(_))), "{:?}", runs.list);
}

#[test]
fn what_optuna_writes_today_is_read() {
    let stage = Stage::new();
    if !python("optuna", OPTUNA, &stage.folder) {
        return;
    }
    let found = import::scenarios::read(&stage.folder.join("study.db"), &stage.folder).unwrap();
    assert_eq!(found.draft.lost, Vec::<String>::new());
    assert!(found.draft.to_toml().contains("lr = { float = [1e-5, 0.1], log = true }"));
    let runs = runs::read(&found.runs.unwrap()).unwrap();
    assert_eq!(runs.list.iter().filter(|run| matches!(run.ending, runs::Ending::Finished(_))).count(), 8);
}

/// The examples that come with irace.
#[test]
fn the_examples_of_irace_are_read() {
    let examples = Path::new("/usr/lib/R/site-library/irace/examples");
    let test = ["`testType = t-test`: captune has its own racing method"];
    for (name, to_do, files, not_carried) in [("acotsp", 2, 0, &[][..]), ("Spear", 2, 0, &test[..])] {
        let folder = examples.join(name);
        if !folder.is_dir() {
            println!("skipped: {} does not exist", folder.display());
            continue;
        }
        let stage = Stage::new();
        let found =
            import::scenarios::read(&folder, &stage.folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        let Draft { lost, to_do: is_to_do, files: were_files, .. } = &found.draft;
        assert_eq!(lost, not_carried, "{name}");
        assert_eq!((is_to_do.len(), were_files.len()), (to_do, files), "{name}: {}", found.draft.to_toml());
    }
}
