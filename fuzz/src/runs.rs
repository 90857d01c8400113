//! Checks the invariants of runs that another program recorded, in any format.
//!
//! Every run is imported or left out for a reason. An imported trial has a valid configuration, and all its
//! numbers are finite. A censored cost is neither above the cutoff nor above the cap. Importing the same runs
//! again adds no trial. Runs in a store are unchanged after a round trip through CSV.

use std::path::Path;
use std::sync::LazyLock;
use std::{fs, io};

use campaign::Settings;
use campaign::conduct::{Order, import, settings};
use campaign::import::runs::{Runs, read, take_in};
use engine::history::{History, Trial};
use engine::{Cap, Configuration, Pair, Reading, Status};
use scenario::Scenario;
use store::Store;
use view::export::csv;

use crate::fixtures::{FOLDER, file, scenario};

const TIMES: &str = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\", \"{instance}\"]\n\
    [objective]\nminimise = \"cpu_time\"\ncutoff = \"5s\"\n[instances]\nfrom = \"list.txt\"\n[budget]\ntrials = 9";
const LOSSES: &str = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\n[objective]\nminimise = \"loss\"\n\
    [outputs]\nloss = { pattern = '(.+)' }\n[budget]\ntrials = 9";
const BOUNDED: &str = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\n[objective]\nmaximise = \"rate\"\n\
    [outputs]\nrate = { pattern = 'r(.+)' }\nconstraint0 = { pattern = 'c(.+)' }\n\
    [constraints]\nconstraint0 = \"<= 0\"\n[budget]\ntrials = 9";

static SCENARIOS: LazyLock<[(Scenario, Settings); 3]> = LazyLock::new(|| {
    [TIMES, LOSSES, BOUNDED].map(|lines| {
        let scenario = scenario(lines);
        let settings = settings(&scenario, &Order::default());
        (scenario, settings)
    })
});

/// Reads the runs in a file, imports them into campaigns and checks them. If `keep` is true, also checks the
/// round trip through a store.
pub fn check(path: &Path, keep: bool) {
    let runs = match read(path) {
        Ok(runs) => runs,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a message"),
    };
    for (number, (scenario, settings)) in SCENARIOS.iter().enumerate() {
        let runs = fitting(&runs, scenario);
        let mut history = new(settings);
        let taken = match take_in(&mut history, &runs, settings, scenario, None) {
            Ok(taken) => taken,
            Err(misfits) => {
                assert!(
                    !misfits.list.is_empty() && !misfits.to_string().is_empty(),
                    "an error without a message"
                );
                continue;
            }
        };
        let left: usize = taken.left.values().sum();
        assert_eq!(
            history.trials().len() + left,
            runs.list.len(),
            "runs that are neither imported nor left out"
        );
        history.trials().iter().for_each(|trial| check_trial(trial, &history, settings));
        let before = history.trials().len();
        take_in(&mut history, &runs, settings, scenario, None)
            .unwrap_or_else(|misfits| panic!("in the second import: {misfits}"));
        assert_eq!(history.trials().len(), before, "imported twice");
        // A store does not keep the outputs of imported runs, so constraints are unknown after a round trip.
        if keep && before > 0 && scenario.constraints.is_empty() {
            check_round_trip([TIMES, LOSSES][number], &runs, &history, (scenario, settings));
        }
    }
}

/// Returns a history with no trials.
fn new(settings: &Settings) -> History {
    let mut history = History::new();
    history.intern(&settings.problem.default);
    history
}

/// Removes parameters and outputs that the scenario does not have, because the import would reject them.
fn fitting(runs: &Runs, scenario: &Scenario) -> Runs {
    let mut unknown: Vec<String> = Vec::new();
    for run in &runs.list {
        let parameters =
            run.values.iter().map(|(name, _)| name).filter(|name| scenario.space.find(name).is_none());
        let outputs = run.outputs.iter().map(|(name, _)| name);
        let outputs = outputs.filter(|name| !scenario.outputs.iter().any(|output| output.name == **name));
        unknown.extend(parameters.chain(outputs).cloned());
    }
    runs.clone().without(&unknown).unwrap_or_else(|name| panic!("no run has `{name}`"))
}

fn check_trial(trial: &Trial, history: &History, settings: &Settings) {
    let configuration = history.configuration(trial.key.config);
    let space = &settings.problem.space;
    assert!(space.check(configuration.codes()).is_ok(), "not valid: {configuration}");
    let Trial { observation, cap, .. } = trial;
    let cutoff = settings.problem.objective.cutoff.unwrap_or(f64::INFINITY);
    match observation.cost() {
        Some(Reading::Exact(cost)) => assert!(cost.is_finite() && cost <= cutoff, "{trial:?}"),
        Some(Reading::AtLeast(cost)) => {
            assert!(cost.is_finite() && (0.0..=cutoff).contains(&cost) && cost <= cap.cost(), "{trial:?}");
        }
        None => assert!(observation.status().is_failure(), "{trial:?}"),
    }
    assert!(cap.cost() <= cutoff, "{trial:?}");
    assert!(observation.spent().is_finite() && observation.spent() >= 0.0, "{trial:?}");
    let readings = observation.constraints().iter().flatten();
    readings.for_each(|reading| assert!(reading.lower_bound().is_finite(), "{trial:?}"));
    assert!(trial.key.pair.instance.0 < settings.problem.instances, "{trial:?}");
}

/// Content of a trial, without the numbers that a campaign assigns.
type Content<'a> = (&'a Configuration, Pair, Status, Option<Reading>, Cap);

fn contents(history: &History) -> Vec<Content<'_>> {
    let one =
        |trial: &Trial| (trial.key.pair, trial.observation.status(), trial.observation.cost(), trial.cap);
    let all = history.trials().iter().map(|trial| (history.configuration(trial.key.config), one(trial)));
    all.map(|(configuration, (pair, status, cost, cap))| (configuration, pair, status, cost, cap)).collect()
}

/// Checks that runs are unchanged after writing them to a store, exporting it to CSV and reading the CSV.
fn check_round_trip(
    lines: &str,
    runs: &Runs,
    history: &History,
    (scenario, settings): (&Scenario, &Settings),
) {
    let path = file("kept.toml", format!("{lines}\n[space]\nfrom = \"space.toml\"\n").as_bytes());
    let folder = FOLDER.join("kept.campaign");
    if let Err(error) = fs::remove_dir_all(&folder) {
        assert_eq!(error.kind(), io::ErrorKind::NotFound, "{error}");
    }
    let order = Order { path, folder: Some(folder.clone()), ..Order::default() };
    let imported = import(&order, runs).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(imported.count(), history.trials().len());
    let mut text = Vec::new();
    csv(&Store::read(&folder).expect("a store"), &mut text).unwrap_or_else(|error| panic!("{error}"));
    let path = file("kept.csv", &text);
    let shown = String::from_utf8_lossy(&text);
    let again = read(&path).unwrap_or_else(|error| panic!("{shown}\n{error}"));
    let mut second = new(settings);
    let taken = take_in(&mut second, &again, settings, scenario, None);
    taken.unwrap_or_else(|misfits| panic!("{shown}\n{misfits}"));
    assert_eq!(contents(&second), contents(history), "not equal after a round trip:\n{shown}");
}
