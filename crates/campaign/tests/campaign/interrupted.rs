//! A campaign killed at any moment goes on as if nothing had happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use campaign::budget::Budget;
use campaign::executor::{Executor, Simulated};
use campaign::resume::Resumed;
use campaign::store::{Charter, Store};
use campaign::{Campaign, Ledger, Settings};
use engine::Rng;
use engine::history::{History, Trial};

use crate::simulated::{bowl, settings};
use crate::stage::Stage;

const FOLDER: &str = "CAPTUNE_TEST_INTERRUPTED";
const WORKERS: &str = "CAPTUNE_TEST_WORKERS";
const REPEATABLE: &str = "CAPTUNE_TEST_REPEATABLE";
const TRIALS: u64 = 400;
const KILLS: usize = 200;

/// How a campaign takes its trials.
#[derive(Clone, Copy, Debug)]
struct Manner {
    workers: usize,
    repeatable: bool,
}

fn plan(repeatable: bool) -> Settings {
    let settings = settings(4, 20.0, Budget { trials: Some(TRIALS), ..Budget::default() });
    Settings { repeatable, ..settings }
}

/// The campaign of this test in a folder, from wherever it was left.
fn go_on(folder: &Path, Manner { workers, repeatable }: Manner) {
    let settings = plan(repeatable);
    let charter = Charter {
        name: "bowl".to_owned(),
        scenario: String::new(),
        folder: std::path::PathBuf::new(),
        space: settings.problem.space.clone(),
        instances: (0..4).map(|number| number.to_string()).collect(),
        seed: 1,
    };
    let store = match Store::open(folder) {
        Ok(store) => store,
        Err(_) => Store::create(folder, &charter).unwrap(),
    };
    let loaded = store.load().unwrap();
    let (configurations, trials) = (loaded.history.configurations().len(), loaded.history.trials().len());
    let resumed = Resumed::of_store(loaded).unwrap();
    let executor = Simulated::new(Box::new(bowl), Some(20.0), workers, resumed.wall);
    let ledger = Ledger::on_disk(store, executor.bell(), configurations, trials as u64).unwrap();
    let mut campaign = Campaign::new(&settings, Box::new(executor), ledger, Some(resumed)).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    campaign.finish("done").unwrap();
}

fn uninterrupted(Manner { workers, repeatable }: Manner) -> History {
    let settings = plan(repeatable);
    let executor = Simulated::new(Box::new(bowl), Some(20.0), workers, 0.0);
    let mut campaign = Campaign::new(&settings, Box::new(executor), Ledger::in_memory(), None).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    campaign.optimizer().history().clone()
}

/// Not a test of its own: the process that gets killed.
#[test]
fn process_to_be_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        let workers = std::env::var(WORKERS).unwrap().parse().unwrap();
        let repeatable = std::env::var(REPEATABLE).unwrap().parse().unwrap();
        go_on(Path::new(&folder), Manner { workers, repeatable });
    }
}

fn start(folder: &Path, manner: Manner) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["interrupted::process_to_be_killed", "--exact", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(WORKERS, manner.workers.to_string())
        .env(REPEATABLE, manner.repeatable.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_campaign_ends_with_the_history_of_an_uninterrupted_one() {
    for (workers, repeatable) in [(1, false), (4, false), (3, true)] {
        let manner = Manner { workers, repeatable };
        let stage = Stage::new();
        let folder = stage.folder.join("campaign");
        let mut rng = Rng::new(workers as u64, "kills", 0);
        let (mut kills, mut finished) = (0, 0);
        while kills < KILLS / 3 && finished < 3 {
            let mut child = start(&folder, manner);
            std::thread::sleep(Duration::from_micros(rng.below(40_000) as u64));
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            if ended.success() { finished += 1 } else { kills += 1 }
        }
        println!("{manner:?}: {kills} kills");
        assert!(start(&folder, manner).wait().unwrap().success());
        let reader = Store::read(&folder).unwrap();
        reader.verify().unwrap();
        let stored = reader.load().unwrap().history;
        let expected = uninterrupted(manner);
        let by_id = |history: &History| -> BTreeMap<u64, Trial> {
            history.trials().iter().map(|trial| (trial.id.0, trial.clone())).collect()
        };
        assert_eq!(stored.trials().len(), TRIALS as usize);
        assert_eq!(by_id(&stored).len(), TRIALS as usize, "no trial is doubled");
        for (stored, expected) in stored.trials().iter().zip(expected.trials()) {
            assert_eq!(stored, expected);
        }
        assert_eq!(stored.configurations(), expected.configurations());
    }
}
