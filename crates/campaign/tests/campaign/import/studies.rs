//! Tests importing an Optuna study as a scenario and trials.

use std::path::{Path, PathBuf};

use campaign::conduct::{Order, import};
use campaign::import::runs;
use campaign::import::scenarios::{Origin, read};
use engine::Reading;
use space::Literal;
use store::Store;

use scenario::testkit::Stage;

/// SQL for the Optuna 5 tables that captune reads. The study has every kind of parameter.
const STUDY: &str = r#"
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY, trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
CREATE TABLE trial_system_attributes (trial_system_attribute_id INTEGER PRIMARY KEY, trial_id INTEGER, key VARCHAR(512), value_json TEXT);
INSERT INTO studies VALUES (1, 'small');
INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);
INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE'), (2, 1, 1, 'COMPLETE'), (3, 2, 1, 'PRUNED'), (4, 3, 1, 'FAIL');
INSERT INTO trial_values VALUES (1, 1, 0, 0.5, 'FINITE'), (2, 2, 0, 0.25, 'FINITE');
"#;

fn study(stage: &Stage) -> PathBuf {
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
    // The draft can be read only once the program exists.
    stage.file("objective.py", "");
    found.draft.save(&stage.folder.join("captune.toml"), false).unwrap();
    if std::process::Command::new("python3").arg("--version").output().is_ok() {
        stage.read(&found.draft.to_toml());
    } else {
        println!("not read: python3 is not installed");
    }
    let runs = runs::read(&path).unwrap().list;
    let shown: Vec<String> = runs.iter().map(|run| format!("{:?} {}", run.ending, run.values[2].1)).collect();
    let expected =
        ["Finished(0.5) adam", "Finished(0.25) None", "Nothing(\"its state is PRUNED\") True", "Crashed 3"];
    assert_eq!(shown, expected);
}

/// Returns a copy of the study after running some SQL statements on it.
fn changed(stage: &Stage, sql: &str) -> PathBuf {
    let path = study(stage);
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    path
}

const TWO_CONSTRAINTS: &str = "DELETE FROM trial_params WHERE param_name = 'momentum';
    INSERT INTO trial_system_attributes (trial_id, key, value_json) VALUES
    (1, 'constraints', '[-1.0, 0.0]'), (2, 'constraints', '[-2.0, 0.25]'), (2, 'other', '{}')";

/// Returns the converted scenario of a study, ready to run.
fn scenario(stage: &Stage, study: &Path) -> Order {
    let found = read(study, &stage.folder).unwrap_or_else(|error| panic!("{error}"));
    let path = stage.folder.join("captune.toml");
    let mut draft = found.draft;
    draft.set("target.command", "[\"true\", \"{params}\", \"{seed}\"]");
    draft.save(&path, false).unwrap();
    Order { path, ..Order::default() }
}

#[test]
fn constraints_are_imported_and_the_initial_configuration_satisfies_them() {
    let stage = Stage::new();
    let path = changed(&stage, TWO_CONSTRAINTS);
    let found = read(&path, &stage.folder).unwrap();
    let bounds = ["constraints.constraint0", "constraints.constraint1"].map(|key| found.draft.get(key));
    assert_eq!(bounds, [Some("\"<= 0\""); 2]);
    // Trial 1 has the better value but violates the second constraint.
    assert!(found.draft.files[0].1.starts_with("# trial 0 of the study: 0.5\n"), "{:?}", found.draft.files);
    let order = scenario(&stage, &path);
    let imported = import(&order, &runs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let loaded = Store::read(&imported.folder).unwrap().load().unwrap();
    let told: Vec<_> =
        loaded.history.trials().iter().map(|trial| trial.observation.constraints().to_vec()).collect();
    let exact = |values: [f64; 2]| values.map(|value| Some(Reading::Exact(value))).to_vec();
    assert_eq!(told, [exact([-1.0, 0.0]), exact([-2.0, 0.25]), vec![None, None]], "the last one crashed");
}

#[test]
fn there_is_no_initial_configuration_if_no_trial_is_feasible() {
    let stage = Stage::new();
    let sql =
        "INSERT INTO trial_system_attributes (trial_id, key, value_json) VALUES (1, 'constraints', '[1.0]')";
    let found = read(&changed(&stage, sql), &stage.folder).unwrap();
    assert_eq!((found.draft.get("initial"), found.draft.files.len()), (None, 0));
    let told = "an initial configuration: no trial has all parameters and satisfies all constraints";
    assert!(found.draft.lost.iter().any(|lost| lost == told), "{:?}", found.draft.lost);
}

#[test]
fn a_best_trial_outside_the_space_is_not_an_initial_configuration() {
    let stage = Stage::new();
    // The range is narrower than when the trial ran.
    let sql = "UPDATE trial_params SET distribution_json = replace(distribution_json, '0.1', '0.005')
        WHERE param_name = 'lr'";
    let found = read(&changed(&stage, sql), &stage.folder).unwrap();
    assert_eq!((found.draft.get("initial"), found.draft.files.len()), (None, 0));
    let told = "an initial configuration: the best trial, 0, is not in the space: `0.01`";
    assert!(found.draft.lost.iter().any(|lost| lost.starts_with(told)), "{:?}", found.draft.lost);
}

#[test]
fn a_number_that_is_not_the_index_of_a_choice_is_not_a_choice() {
    for code in ["-1", "0.5", "4"] {
        let stage = Stage::new();
        let sql = format!("UPDATE trial_params SET param_value = {code} WHERE param_name = 'kind'");
        let path = changed(&stage, &sql);
        let number: f64 = code.parse().unwrap();
        for run in runs::read(&path).unwrap().list {
            assert_eq!(run.values[2].1, Literal::Float(number), "{code}");
        }
        assert_eq!(read(&path, &stage.folder).unwrap().draft.get("initial"), None, "{code}");
    }
    let stage = Stage::new();
    let path = changed(&stage, "UPDATE trial_params SET param_value = 2.5 WHERE param_name = 'layers'");
    assert_eq!(runs::read(&path).unwrap().list[0].values[1].1, Literal::Float(2.5));
}

#[test]
fn constraints_that_are_not_in_the_scenario_are_refused() {
    let stage = Stage::new();
    let path = study(&stage);
    let order = scenario(&stage, &path);
    rusqlite::Connection::open(&path).unwrap().execute_batch(TWO_CONSTRAINTS).unwrap();
    let refused = import(&order, &runs::read(&path).unwrap()).unwrap_err().to_string();
    assert!(
        refused.contains("trial 0 and 1 more: `constraint0` is not an output of the scenario"),
        "{refused}"
    );
}

#[test]
fn a_maximised_study_is_imported_with_its_own_sign() {
    let stage = Stage::new();
    let path = changed(&stage, "UPDATE study_directions SET direction = 'MAXIMIZE'");
    let order = scenario(&stage, &path);
    let imported = import(&order, &runs::read(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let loaded = Store::read(&imported.folder).unwrap().load().unwrap();
    let costs: Vec<_> = loaded.history.trials().iter().filter_map(|trial| trial.observation.cost()).collect();
    assert_eq!(costs, [Reading::Exact(-0.5)], "the other one lacks a parameter");
    let text = std::fs::read_to_string(&order.path).unwrap().replace("maximise", "minimise");
    let other = Order { path: stage.file("other.toml", &text), ..Order::default() };
    let refused = import(&other, &runs::read(&path).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("the source maximises, but the scenario minimises"), "{refused}");
}

#[test]
fn trials_that_repeat_parameters_get_different_seeds() {
    let stage = Stage::new();
    let sql = "INSERT INTO trials VALUES (5, 4, 1, 'COMPLETE');
        INSERT INTO trial_values VALUES (3, 5, 0, 0.75, 'FINITE');
        INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json)
        SELECT 5, param_name, param_value, distribution_json FROM trial_params WHERE trial_id = 1";
    let runs = runs::read(&changed(&stage, sql)).unwrap().list;
    assert_eq!(runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
}
