//! Converting folders from SMAC 1 and 2, and from SMAC3 before version 2.

use engine::Reading;
use serde_json::Value;
use store::Loaded;

use super::{best, calls, checked, converted, copy, gain, load, program};
use crate::campaign::stage::Stage;
use crate::{installed, root, stderr};

/// A wrapper in the style of AClib. It is fast with small decays and with one of the heuristics.
const WRAPPER: &str = r#"#!/bin/sh
echo "$@" >> calls
while case $1 in --*) true ;; *) false ;; esac; do shift 2; done
exec awk 'BEGIN {
  for (i = 6; i < ARGC; i += 2) p[ARGV[i]] = ARGV[i + 1]
  hard = substr(ARGV[1], match(ARGV[1], /[0-9]+\.cnf/)) % 4 + 1
  time = 0.01 * hard * (10 * p["-DECAY"] - 9) * (p["-HEURISTIC"] == BEST ? 1 : 2) * (1 + ARGV[5] % 5 / 10)
  status = time > ARGV[3] ? "TIMEOUT" : "SAT"
  print "Result for SMAC: " status ", " (time > ARGV[3] ? ARGV[3] : time) ", 0, 0, " ARGV[5]
}' "$@"
"#;

fn wrapper(decay: &str, heuristic: &str, best: &str) -> String {
    WRAPPER.replace("DECAY", decay).replace("HEURISTIC", heuristic).replace("BEST", best)
}

const SCENARIO: &str = "algo = sh ./solver/wrapper --mem-limit 1024\nexecdir = .\nrun_obj = runtime\noverall_obj = PAR10\n\
    cutoff_time = 5\nwallclock_limit = 600\nparamfile = out/params.pcs\ninstance_file = out/train.txt\n\
    test_instance_file = out/test.txt\ncost_for_crash = 1000\nrf_num_trees = 10\n";

const SPACE: &str = "decay real [1, 2] [1.5]\nheuristic categorical {a, b, c} [a]\nnoise real [0, 1] [0.5]\nnoise | heuristic == b\n";

const RUNS: &str = r#"{"configs": {
  "1": {"decay": 1.5, "heuristic": "a"},
  "2": {"decay": 1.125, "heuristic": "c"},
  "3": {"decay": 2.0, "heuristic": "b", "noise": 0.25}},
 "data": [
  [[1, "cnf/1.cnf", 11], [0.25, 0.25, {"__enum__": "StatusType.SUCCESS"}, {}]],
  [[2, "cnf/1.cnf", 11], [0.0625, 0.0625, {"__enum__": "StatusType.SUCCESS"}, {}]],
  [[3, "cnf/1.cnf", 11], [2.5, 0.25, {"__enum__": "StatusType.CAPPED"}, {}]],
  [[1, "cnf/2.cnf", 12], [50, 5.0, {"__enum__": "StatusType.TIMEOUT"}, {}]],
  [[2, "cnf/2.cnf", 12], [0.125, 0.125, {"__enum__": "StatusType.SUCCESS"}, {}]]]}"#;

/// Checks that every run in a history is stored as a trial with the same data.
fn assert_equal(history: &Value, loaded: &Loaded) {
    let runs = history["data"].as_array().unwrap();
    assert!(loaded.history.trials().len() >= runs.len());
    for (run, trial) in runs.iter().zip(loaded.history.trials()) {
        let (key, told) = (&run[0], &run[1]);
        assert_eq!(key[1], *loaded.charter.instances[trial.key.pair.instance.index()]);
        assert_eq!(key[2], trial.key.pair.seed.0);
        let [cost, time] = [0, 1].map(|place| told[place].as_f64().unwrap());
        let (status, reading) = match told[2]["__enum__"].as_str().unwrap() {
            "StatusType.SUCCESS" => ("finished", Reading::Exact(cost)),
            "StatusType.CAPPED" => ("capped", Reading::AtLeast(time)),
            "StatusType.TIMEOUT" => ("timeout", Reading::AtLeast(time)),
            other => panic!("{other}"),
        };
        let observation = &trial.observation;
        assert_eq!((observation.status().name(), observation.cost()), (status, Some(reading)), "{run}");
        let configuration = loaded.history.configuration(trial.key.config);
        let values = history["configs"][key[0].to_string()].as_object().unwrap();
        assert_eq!(configuration.iter().count(), values.len());
        for (name, value) in values {
            let own = configuration.get(name).unwrap_or_else(|| panic!("{name} is inactive"));
            let is_same = match value {
                Value::String(text) => own.is_spelled(text),
                number => own.number() == number.as_f64(),
            };
            assert!(is_same, "{name}: {own} is not {value}");
        }
    }
}

#[test]
fn a_small_folder_is_tuned_starting_with_its_runs() {
    if !installed("awk") {
        return;
    }
    let stage = Stage::new("");
    for (name, text) in [("scenario.txt", SCENARIO), ("params.pcs", SPACE), ("runhistory.json", RUNS)] {
        stage.write(&format!("out/{name}"), text);
    }
    for (list, numbers) in [("train", 1..=4), ("test", 5..=10)] {
        let names: Vec<String> = numbers.map(|number| format!("cnf/{number}.cnf\n")).collect();
        stage.write(&format!("out/{list}.txt"), &names.concat());
    }
    stage.write("solver/wrapper", &wrapper("decay", "heuristic", "\"c\""));
    let said = converted(&stage, "out");
    let expected = "\
wrote the scenario to new.toml
not carried over from SMAC:
  `cost_for_crash = 1000`: a crash counts as `par` x cutoff; without a cutoff, the configuration loses
  `rf_num_trees = 10`: captune has no such setting
next: captune check new.toml
then: captune import new.toml out/runhistory.json      # import its runs
then: captune run new.toml
";
    assert_eq!(said, expected);
    let call = checked(&stage);
    let words = "sh ./solver/wrapper --mem-limit 1024 cnf/1.cnf 0 5.000 2147483647 1 -decay 1.5 -heuristic a";
    assert!(call.ends_with(words), "{call}");

    let imported = stderr(&stage.captune("import new.toml out/runhistory.json"));
    assert!(imported.starts_with("imported 5 of 5 runs (3 finished, 1 capped, 1 timeout) of "), "{imported}");
    let history = serde_json::from_str(RUNS).unwrap();
    assert_equal(&history, &load(&stage));
    // The best imported configuration races at once, and the imported trials do not change.
    std::fs::remove_file(stage.folder.join("calls")).unwrap();
    let gain = gain(&stage, 50);
    assert_equal(&history, &load(&stage));
    let early = calls(&stage).into_iter().take(4).collect::<Vec<_>>().join("\n");
    assert!(early.contains("-decay 1.125 -heuristic c"), "{early}");
    // The best imported run is 5.33 times better than the default. The search may find a better one.
    assert!((5.3..=12.0).contains(&gain), "{gain}");
    assert_eq!(best(&stage)["heuristic"], "c", "{}", best(&stage));
}

/// The folder contains 729 runs from a real campaign on spear.
#[test]
fn a_real_folder_is_tuned_starting_with_its_runs() {
    let folder = root().join("../shared/data/smac3-spear-qcp");
    if !folder.is_dir() {
        println!("skipped: {} does not exist", folder.display());
        return;
    }
    if !installed("awk") {
        return;
    }
    let stage = Stage::new("");
    copy(&folder, &stage, "run");
    let lost = "not carried over from SMAC:\n  `cost_for_crash = 2147483647.0`: a crash counts as `par` x cutoff; without a cutoff, the configuration loses\n";
    let to_do = "to do before the scenario can run:\n  target.command: `./target_algorithm/scripts/SATCSSCWrapper.py` was not found; \
        correct the path\n";
    let said = converted(&stage, "run");
    assert!(said.contains(lost) && said.contains(to_do), "{said}");
    // Correct the path, as the message requires.
    program(&stage, "wrapper", &wrapper("sp-variable-decay", "sp-phase-dec-heur", "3"));
    let text = std::fs::read_to_string(stage.folder.join("new.toml")).unwrap();
    let before = "\"python\", \"-u\", \"./target_algorithm/scripts/SATCSSCWrapper.py\"";
    assert!(text.contains(before), "{text}");
    stage.write("new.toml", &text.replace(before, "\"./wrapper\""));
    let call = checked(&stage);
    assert!(
        call.contains("spearCSSCWrapper.py instances/qcplin2006.10218.cnf 0 5.000 2147483647 1 -sp-"),
        "{call}"
    );
    let output = stage.captune("import new.toml run/runhistory.json");
    assert!(
        stderr(&output).starts_with("imported 729 of 729 runs (639 finished, 90 capped) of "),
        "{output:?}"
    );
    let history = std::fs::read_to_string(folder.join("runhistory.json")).unwrap();
    let history = serde_json::from_str(&history).unwrap();
    assert_equal(&history, &load(&stage));
    let gain = gain(&stage, 729 + 40);
    assert_equal(&history, &load(&stage));
    assert!(gain > 1.5, "{gain}");
}
