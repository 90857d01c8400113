//! Tests importing runs from other configurators as trials.

use std::path::Path;

use campaign::conduct::{Imported, Opening, Order, import, open};
use campaign::import::runs;
use engine::{ConfigId, Reading, Status};
use scenario::testkit::{Stage, root};
use serde_json::Value;
use store::{Loaded, Store};

use super::data;

/// Writes a scenario that uses the space in a file.
fn scenario(stage: &Stage, instances: &str, space: &Path) -> std::path::PathBuf {
    let text = format!(
        "[target]\ncommand = [\"true\", \"{{params}}\", \"{{instance}}\", \"{{seed}}\"]\n\
         [objective]\nminimise = \"cpu_time\"\ncutoff = \"5s\"\n\
         [instances]\nlist = [{instances}]\n[budget]\ntrials = 10000\n\
         [space]\nfrom = \"{}\"\n",
        space.display()
    );
    stage.file("s.toml", &text)
}

fn order(path: &Path) -> Order {
    Order { path: path.to_owned(), ..Order::default() }
}

fn import_into(path: &Path, from: &Path) -> Imported {
    let runs = runs::read(from).unwrap_or_else(|error| panic!("{error}"));
    import(&order(path), &runs).unwrap_or_else(|error| panic!("{error}"))
}

fn load(imported: &Imported) -> Loaded {
    Store::read(&imported.folder).unwrap().load().unwrap()
}

/// Formats each trial, as in `#1 cnf/a.cnf 11 finished 0.25`.
fn shown(loaded: &Loaded) -> Vec<String> {
    let trial = |trial: &engine::history::Trial| {
        let instance = &loaded.charter.instances[trial.key.pair.instance.index()];
        let cost = trial.observation.cost().map_or("-".to_owned(), |cost| cost.to_string());
        let status = trial.observation.status().name();
        format!("#{} {instance} {} {status} {cost}", trial.key.config, trial.key.pair.seed)
    };
    loaded.history.trials().iter().map(trial).collect()
}

#[test]
fn stopped_runs_are_bounds_and_runs_that_do_not_fit_are_listed() {
    let stage = Stage::new();
    let smac = data().join("smac");
    let path = scenario(&stage, "\"cnf/a.cnf\", \"cnf/b.cnf\"", &smac.join("params.pcs"));
    let imported = import_into(&path, &smac);
    let loaded = load(&imported);
    assert_eq!(
        shown(&loaded),
        [
            "#0 cnf/a.cnf 11 finished 0.25",
            "#0 cnf/b.cnf 12 timeout >= 5",
            "#1 cnf/a.cnf 11 capped >= 0.25",
            "#1 cnf/b.cnf 12 memory -",
            "#2 cnf/a.cnf 11 crashed -",
            "#2 cnf/b.cnf 12 finished 0.2",
        ]
    );
    assert_eq!(
        loaded.history.configuration(ConfigId(2)).get("alpha"),
        Some(1.0.into()),
        "rounded by its writer"
    );
    let left: Vec<String> = imported.left.iter().map(|(why, count)| format!("{count} {why}")).collect();
    assert_eq!(
        left,
        [
            "1 instance `cnf/gone.cnf` is not in the scenario",
            "1 no usable result: its status is ABORT",
            "1 the configuration is not in the space: `2.0` is not a value of `alpha`: \
             it is outside the range 0.01 to 1.0",
        ]
    );
    assert_eq!((imported.count(), imported.configurations), (6, 3));
    // The campaign continues with these trials, and its search has spent nothing yet.
    let opened = open(&order(&path)).unwrap();
    assert_eq!(opened.opening, Opening::Continue(vec![]));
    assert_eq!((opened.so_far().trials, opened.so_far().wall), (6, 0.0));
}

#[test]
fn the_same_runs_are_not_imported_twice_and_new_ones_are_added() {
    let stage = Stage::new();
    let smac = data().join("smac");
    let path = scenario(&stage, "\"cnf/a.cnf\", \"cnf/b.cnf\"", &smac.join("params.pcs"));
    import_into(&path, &smac);
    let again = import_into(&path, &smac);
    assert_eq!((again.count(), again.left["already known"], again.set_aside.clone()), (0, 6, None));
    let table = "alpha,depth,mode,rate,instance,seed,cost,status\n\
                 0.5,3,slow,,a.cnf,99,7.5,finished\n0.1,2,fast,0.5,b.cnf,99,2,capped\n";
    let more = import_into(&path, &stage.file("more.csv", table));
    assert_eq!(more.trials, [(Status::Capped, 1), (Status::Timeout, 1)]);
    assert!(more.set_aside.is_some_and(|path| path.is_file()));
    let loaded = load(&again);
    let trials = shown(&loaded);
    assert_eq!(trials[..1], ["#0 cnf/a.cnf 11 finished 0.25"]);
    assert_eq!(trials[6..], ["#0 cnf/a.cnf 99 timeout >= 5", "#3 cnf/b.cnf 99 capped >= 2"]);
    let ids: Vec<u64> = loaded.history.trials().iter().map(|trial| trial.id.0).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_campaign_is_imported_unless_it_measured_something_else() {
    let stage = Stage::new();
    let smac = data().join("smac");
    let path = scenario(&stage, "\"cnf/a.cnf\", \"cnf/b.cnf\"", &smac.join("params.pcs"));
    let first = import_into(&path, &smac);
    let text = std::fs::read_to_string(&path).unwrap();
    let second = stage.file("t.toml", &text.replace("\"5s\"", "\"9s\""));
    let imported = import_into(&second, &first.folder);
    let mut expected = shown(&load(&first));
    expected[1] = "#0 cnf/b.cnf 12 capped >= 5".to_owned();
    assert_eq!(shown(&load(&imported)), expected);
    let third = stage.file("u.toml", &text.replace("cpu_time", "wall_time"));
    let runs = runs::read(&first.folder).unwrap();
    let refused = import(&order(&third), &runs).unwrap_err().to_string();
    assert!(refused.contains("do not measure what this scenario asks for"), "{refused}");
}

/// Returns the reasons for refusing a table, line by line.
fn refused(path: &Path, stage: &Stage, table: &str) -> Vec<String> {
    let runs = runs::read(&stage.file("runs.csv", table)).unwrap_or_else(|error| panic!("{error}"));
    let error = import(&order(path), &runs).unwrap_err().to_string();
    error.lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn invalid_runs_are_refused_with_their_line() {
    let stage = Stage::new();
    let space =
        stage.file("space.toml", "a = { float = [0.0, 1.0], default = 0.9 }\nb = { integer = [0, 20] }\n");
    let path = scenario(&stage, "\"x\", \"y\"", &space);
    let refused = |table: &str| refused(&path, &stage, table);
    assert_eq!(
        refused("a,bb,instance,cost\n0.3,17,x,0.1\n0.4,9,x,-3\n"),
        [
            "line 2 and 1 more: `bb` is not a parameter of the scenario; did you mean `b`?",
            "line 3: the cost -3 is below zero"
        ]
    );
    assert_eq!(
        refused(
            "a,b,instance,cost,status\n0.3,1,x,0.1,\n0.3,1,y,0.1,\n\"0.3\n\",1,x,0.2,\n0.3,1,y,0.2,capped\n0.3,1,x,,crashed\n"
        ),
        [
            "line 4 contradicts line 2: same configuration, instance and seed, but finished 0.1 and finished 0.2",
            "line 6 contradicts line 3: same configuration, instance and seed, but finished 0.1 and capped >= 0.2",
            "line 7 contradicts line 2: same configuration, instance and seed, but finished 0.1 and crashed",
        ]
    );
    let mistakes =
        runs::read(&stage.file("t.csv", "a,cost,time,cap\n1,1,-1,2\n1,1,1,-2\n")).unwrap_err().to_string();
    assert!(mistakes.contains("t.csv:2:") && mistakes.contains("the time `-1` is below zero"), "{mistakes}");
    assert!(mistakes.contains("t.csv:3:") && mistakes.contains("the cap `-2` is below zero"), "{mistakes}");
    let table = stage.file("runs.csv", "a,b,instance,cost\n0.3,17,x,0.1\n");
    assert_eq!(import_into(&path, &table).set_aside, None, "the campaign is new");
}

#[test]
fn bounds_agree_with_costs_above_them_and_duplicates_are_imported_once() {
    let stage = Stage::new();
    let space =
        stage.file("space.toml", "a = { float = [0.0, 1.0] }\nb = { integer = [0, 20], default = 7 }\n");
    let path = scenario(&stage, "\"x\"", &space);
    let table = "a,instance,cost,status\n0.3,x,0.1,capped\n0.3,x,0.2,capped\n0.3,x,2,\n0.3,x,2,\n";
    let imported = import_into(&path, &stage.file("runs.csv", table));
    assert_eq!((imported.count(), imported.left[runs::KNOWN]), (3, 1));
    assert_eq!(imported.filled, [("b".to_owned(), "7".to_owned())].into());
    // Trials already in the campaign take precedence.
    let again = import_into(&path, &stage.file("runs.csv", "a,instance,cost\n0.3,x,3\n0.4,x,3\n"));
    assert_eq!((again.count(), again.left["already measured here, with a different result"]), (1, 1));
}

#[test]
fn a_cap_lies_between_the_reached_cost_and_the_cutoff() {
    let stage = Stage::new();
    let space = stage.file("space.toml", "a = { float = [0.0, 1.0] }\n");
    let path = scenario(&stage, "\"x\"", &space);
    let table = "a,instance,cost,status,cap\n0.1,x,3.5,capped,3\n0.2,x,1,finished,9\n0.3,x,1,finished,0\n\
        0.4,x,2,capped,2.5\n0.5,x,7,timeout,6\n";
    let loaded = load(&import_into(&path, &stage.file("runs.csv", table)));
    let caps: Vec<f64> = loaded.history.trials().iter().map(|trial| trial.cap.cost()).collect();
    assert_eq!(caps, [3.5, 5.0, 5.0, 2.5, 5.0]);
}

#[test]
fn ignored_names_are_treated_as_missing() {
    let stage = Stage::new();
    let space = stage.file("space.toml", "a = { float = [0.0, 1.0] }\n");
    let path = scenario(&stage, "\"x\"", &space);
    let runs = runs::read(&stage.file("runs.csv", "a,host,instance,cost\n0.3,here,x,1\n")).unwrap();
    assert_eq!(runs.clone().without(&["hots".to_owned()]).unwrap_err(), "hots");
    let imported = import(&order(&path), &runs.without(&["host".to_owned()]).unwrap()).unwrap();
    assert_eq!(imported.count(), 1);
}

#[test]
fn a_constrained_output_is_read_from_its_own_column() {
    let stage = Stage::new();
    let text = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\n[objective]\nmaximise = \"rate\"\n\
        [outputs]\nrate = { pattern = 'r (.*)' }\nerror = { pattern = 'e (.*)' }\n\
        [constraints]\nerror = \"<= 0.5\"\nsolved = \">= 0.9\"\n\
        [budget]\ntrials = 9\n[space]\na = { float = [0.0, 1.0] }\n";
    let path = stage.file("s.toml", text);
    let told = refused(&path, &stage, "a,cost\n0.3,1\n0.4,2\n");
    assert_eq!(told, ["line 2 and 1 more: no value for `error`, which the scenario constrains"]);
    let table =
        stage.file("runs.csv", "a,cost,output:error,output:rate,output:memory\n0.3,100,0.25,100,4096\n");
    let imported = import_into(&path, &table);
    assert_eq!(imported.unused, ["the output `memory`: the scenario does not constrain it"]);
    let outputs = Store::read(&imported.folder).unwrap().outputs().unwrap();
    assert_eq!(outputs, [[("error".to_owned(), 0.25), ("rate".to_owned(), 100.0)].into()]);
    let loaded = load(&imported);
    let observation = &loaded.history.trials()[0].observation;
    assert_eq!(observation.cost(), Some(Reading::Exact(-100.0)), "more is better");
    assert_eq!(observation.constraints(), [Some(Reading::Exact(0.25)), Some(Reading::Exact(-1.0))]);
}

/// Compares every run of a history with the file it came from, value by value.
fn assert_equal(history: &Value, loaded: &Loaded, cutoff: f64) {
    let data = history["data"].as_array().unwrap();
    assert_eq!(data.len(), loaded.history.trials().len());
    for (entry, trial) in data.iter().zip(loaded.history.trials()) {
        let (key, told) = (&entry[0], &entry[1]);
        assert_eq!(key[1], *loaded.charter.instances[trial.key.pair.instance.index()]);
        assert_eq!(key[2], trial.key.pair.seed.0);
        let cost = trial.observation.cost().unwrap();
        match told[2]["__enum__"].as_str().unwrap() {
            "StatusType.SUCCESS" => assert_eq!(cost, Reading::Exact(told[0].as_f64().unwrap())),
            "StatusType.CAPPED" => {
                assert_eq!(trial.observation.status(), Status::Capped);
                assert_eq!(cost, Reading::AtLeast(told[1].as_f64().unwrap()));
                assert!(cost.lower_bound() < cutoff);
            }
            other => panic!("{other}"),
        }
        let configuration = loaded.history.configuration(trial.key.config);
        let values = history["configs"][key[0].to_string()].as_object().unwrap();
        assert_eq!(configuration.iter().count(), values.len());
        for (name, value) in values {
            let own = configuration.get(name).unwrap_or_else(|| panic!("{name} is inactive"));
            let same = match value {
                Value::String(text) => own.is_spelled(text),
                number => own.number() == number.as_f64(),
            };
            assert!(same, "{name}: {own} is not {value}");
        }
    }
}

/// 729 runs of a real campaign, 90 of them capped.
#[test]
fn a_real_history_is_imported_run_by_run() {
    let folder = root().join("../shared/data/smac3-spear-qcp");
    if !folder.is_dir() {
        println!("skipped: {} does not exist", folder.display());
        return;
    }
    let stage = Stage::new();
    let instances = std::fs::read_to_string(folder.join("instances.txt")).unwrap();
    let instances: Vec<String> = instances.lines().map(|name| format!("{name:?}")).collect();
    let space = folder.canonicalize().unwrap().join("spear-params-mixed.pcs");
    let path = scenario(&stage, &instances.join(", "), &space);
    let imported = import_into(&path, &folder);
    assert_eq!(
        (&imported.trials[..], imported.left.len()),
        (&[(Status::Finished, 639), (Status::Capped, 90)][..], 0)
    );
    assert_eq!(imported.configurations, 234);
    let text = std::fs::read_to_string(folder.join("runhistory.json")).unwrap();
    assert_equal(&serde_json::from_str(&text).unwrap(), &load(&imported), 5.0);
}
