//! Runs a campaign of real processes in a separate process, which tests kill with SIGKILL and resume.
//!
//! The campaign's folder contains its scenario and a file `alive`, on which every process of the target holds
//! a shared lock.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use campaign::budget::Budget;
use campaign::conduct::{Order, settings};
use campaign::event::{Stop, What};
use campaign::resume::Resumed;
use campaign::{Campaign, Desk, Ledger};
use engine::Rng;
use engine::history::Trial;
use execution::ProcessTarget;
use execution::executor::{Inbox, Local, slots};
use rustix::fs::{FlockOperation, flock};
use store::{Charter, Store, StoreError};

pub(crate) const GUARDIAN: &str = env!("CARGO_BIN_EXE_guardian");
pub(crate) const SCENARIO: &str = "scenario.toml";
/// Environment variable with the campaign's folder, for the process to be killed.
const FOLDER: &str = "CAPTUNE_TEST_KILLED";
/// Environment variable with the largest number of trials.
const TRIALS: &str = "CAPTUNE_TEST_TRIALS";
const WORKERS: usize = 2;

/// Resumes the campaign in a folder and runs it until it stops. Prints the number of every trial that is
/// reported to the optimizer.
pub(crate) fn go_on(folder: &Path, trials: u64) -> Stop {
    let text = std::fs::read_to_string(folder.join(SCENARIO)).unwrap();
    let scenario = scenario::read(&text, folder, "test").unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let budget = Budget { trials: Some(trials), ..Budget::default() };
    let settings = settings(&scenario, &Order { budget, ..Order::default() });
    let charter = Charter {
        name: "killed".to_owned(),
        scenario: text,
        folder: folder.to_owned(),
        space: scenario.space.clone(),
        instances: scenario.instances.train.iter().map(|instance| instance.name.clone()).collect(),
        seed: settings.problem.seed,
    };
    let store = match Store::open(folder) {
        Err(StoreError::Missing { .. }) => Store::create(folder, &charter).unwrap(),
        store => store.unwrap(),
    };
    let loaded = store.load().unwrap();
    let (configurations, stored) = (loaded.history.configurations().len(), loaded.history.trials().len());
    let resumed = Resumed::of_store(loaded).unwrap();
    let target = Arc::new(ProcessTarget::new(Arc::new(scenario)).guardian(GUARDIAN));
    let inbox = Inbox::new();
    let executor = Local::new(target, slots(WORKERS, 1).unwrap(), resumed.wall, &inbox.bell()).unwrap();
    let ledger = Ledger::on_disk(store, inbox.bell(), configurations, stored as u64).unwrap();
    let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), ledger, Some(resumed)).unwrap();
    let mut out = std::io::stdout();
    // The test harness has already written part of a line, so a new line must be started.
    writeln!(out).unwrap();
    let stop = campaign.search(&mut |event| {
        if let What::TrialEnded(trial) = &event.what {
            writeln!(out, "told {}", trial.trial.id).unwrap();
        }
    });
    campaign.finish("done").unwrap();
    stop.unwrap()
}

/// This function is not a test in itself: it runs in the process that gets killed.
#[test]
fn process_to_be_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        let stop = go_on(Path::new(&folder), std::env::var(TRIALS).unwrap().parse().unwrap());
        assert_eq!(stop, Stop::Budget(campaign::budget::Limit::Trials));
    }
}

/// Returns the command that runs the campaign in a separate process.
fn command(folder: &Path, trials: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["session::process_to_be_killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(TRIALS, trials.to_string())
        .stdout(Stdio::piped());
    command
}

/// Returns the number of the trial in an output line.
fn told(line: &str) -> Option<u64> {
    line.strip_prefix("told ")?.parse().ok()
}

/// Runs the campaign for a random time and kills it. Returns the trials that it reported.
fn go_on_until_killed(folder: &Path, rng: &mut Rng) -> Vec<u64> {
    let mut child = command(folder, u64::from(u32::MAX)).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    // A quarter of the processes are killed while they open the store, resume the campaign, or start the
    // guardian.
    let words = if rng.below(4) == 0 { 0 } else { 1 + rng.below(12) };
    while said.lines().filter_map(told).count() < words {
        assert!(lines.read_line(&mut said).unwrap() > 0, "the process ended by itself: {said}");
    }
    let moment = Instant::now() + Duration::from_micros(rng.below(20_000) as u64);
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    lines.read_to_string(&mut said).unwrap();
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(told).collect()
}

/// Waits until no process of the target holds the lock. Returns false if one still does after 30 s.
fn all_dead(folder: &Path) -> bool {
    let alive = File::open(folder.join("alive")).unwrap();
    let (tell, dead) = mpsc::channel();
    std::thread::spawn(move || tell.send(flock(&alive, FlockOperation::LockExclusive)));
    matches!(dead.recv_timeout(Duration::from_secs(30)), Ok(Ok(())))
}

/// Checks the store and returns its trials. The store must contain all earlier trials, and no trial twice.
fn check(folder: &Path, before: &[Trial], known: &BTreeSet<u64>) -> Vec<Trial> {
    // If the process was killed while it started the guardian, the guardian may hold the lock for a moment.
    let begin = Instant::now();
    let store = loop {
        match Store::open(folder) {
            Err(StoreError::Missing { .. }) if known.is_empty() => return Vec::new(),
            Err(StoreError::InUse { .. }) if begin.elapsed() < Duration::from_secs(30) => {
                std::thread::yield_now();
            }
            store => break store.unwrap(),
        }
    };
    store.reader().verify().unwrap();
    let trials = store.load().unwrap().history.trials().to_vec();
    assert_eq!(&trials[..before.len()], before, "stored trials stay");
    let ids: BTreeSet<u64> = trials.iter().map(|trial| trial.id.0).collect();
    assert_eq!(ids.len(), trials.len(), "no trial is duplicated");
    assert!(known.is_subset(&ids), "reported but not stored: {:?}", known.difference(&ids));
    trials
}

/// Kills the campaign `kills` times at random moments, resumes it each time, and finally lets it finish.
/// Checks each time that no reported trial is lost or duplicated and that no process of the target is alive.
/// Returns the stored trials.
pub(crate) fn kill_and_go_on(folder: &Path, kills: u64, stream: &str) -> Vec<Trial> {
    let (mut known, mut trials) = (BTreeSet::new(), Vec::new());
    for kill in 0..kills {
        known.extend(go_on_until_killed(folder, &mut Rng::new(kill, stream, 0)));
        assert!(all_dead(folder), "a process of the target is still alive");
        trials = check(folder, &trials, &known);
    }
    println!("{kills} kills, {} trials told, {} stored", known.len(), trials.len());
    // This time the campaign is not killed, so it finishes.
    let budget = trials.len() as u64 + 20;
    assert!(command(folder, budget).output().unwrap().status.success());
    trials = check(folder, &trials, &known);
    assert_eq!(trials.len() as u64, budget);
    assert!(all_dead(folder), "a process of the target is still alive");
    trials
}
