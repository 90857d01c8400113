//! Tests that a campaign that is killed or interrupted at any moment resumes as if nothing had happened.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use campaign::budget::Budget;
use campaign::event::{Event, Stop, What};
use campaign::resume::Resumed;
use campaign::{ByModel, Campaign, Desk, Ledger, Search, Settings, Sink};
use engine::history::{History, Trial};
use engine::problem::{Constraint, Over};
use engine::propose::Learner;
use engine::{Rng, TrialRequest};
use execution::executor::{Answer, Bell, Happening, Inbox, Simulated};
use scenario::testkit::Stage;
use store::{Charter, Store};

use crate::simulated::{bowl, settings};

const FOLDER: &str = "CAPTUNE_TEST_INTERRUPTED";
const WORKERS: &str = "CAPTUNE_TEST_WORKERS";
const REPEATABLE: &str = "CAPTUNE_TEST_REPEATABLE";
const MODEL: &str = "CAPTUNE_TEST_MODEL";
const BOUNDED: &str = "CAPTUNE_TEST_BOUNDED";

/// Kind of campaign to interrupt.
#[derive(Clone, Copy, Debug)]
struct Manner {
    workers: usize,
    repeatable: bool,
    /// Whether a model proposes configurations. Such campaigns are smaller, because each start takes longer.
    model: bool,
    /// Whether an output is constrained, so that most cheap configurations are infeasible.
    bounded: bool,
}

impl Manner {
    fn trials(self) -> u64 {
        if self.model { 120 } else { 400 }
    }

    fn kills(self) -> usize {
        if self.model { 20 } else { 66 }
    }

    fn settings(self) -> Settings {
        let mut settings = settings(4, 20.0, Budget { trials: Some(self.trials()), ..Budget::default() });
        settings.repeatable = self.repeatable;
        if self.bounded {
            settings.problem.objective.constraints = vec![Constraint::new(0.2, Over::Mean)];
        }
        if self.model {
            let mut search = ByModel::default();
            (search.model.candidates, search.model.starts, search.model.steps) = (50, 2, 3);
            // Forest and networks are both trained briefly and take turns.
            search.model.learner = Learner::Auto;
            (search.model.thompson_candidates, search.model.training_steps) = (50, 60);
            search.model.neural.layers = vec![8, 8];
            settings.search = Search::Model(Box::new(search));
        }
        settings
    }
}

/// Returns the cost of a bowl, and an output whose minimum is at a different configuration.
fn bounded_bowl(request: &TrialRequest) -> Answer {
    let answer = bowl(request);
    let noise = Rng::new(u64::from(request.key.pair.seed.0), "output", 0).normal();
    let value = (request.configuration.codes()[0] - 0.6).abs() + 0.05 * noise;
    Answer { constraints: vec![value], ..answer }
}

fn executor(manner: Manner, wall: f64) -> Simulated {
    let oracle: fn(&TrialRequest) -> Answer = if manner.bounded { bounded_bowl } else { bowl };
    Simulated::new(Box::new(oracle), Some(20.0), manner.workers, wall)
}

/// Resumes the test's campaign in a folder and runs it to its end.
fn go_on(folder: &Path, manner: Manner) {
    go_on_until(folder, manner, |_| {});
}

/// Does the same as [`go_on`], and passes the bell to `ready`.
fn go_on_until(folder: &Path, manner: Manner, ready: impl FnOnce(Bell)) -> Stop {
    go_on_seen(folder, manner, ready, &mut |_| {})
}

/// Does the same as [`go_on_until`], and passes events to `sink`.
fn go_on_seen(folder: &Path, manner: Manner, ready: impl FnOnce(Bell), sink: Sink<'_>) -> Stop {
    let settings = manner.settings();
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
    let executor = executor(manner, resumed.wall);
    let inbox = Inbox::new();
    let bell = inbox.bell();
    let ledger = Ledger::on_disk(store, bell.clone(), configurations, trials as u64).unwrap();
    let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), ledger, Some(resumed)).unwrap();
    ready(bell);
    let stop = campaign.search(sink).unwrap();
    campaign.finish("done").unwrap();
    stop
}

fn uninterrupted(manner: Manner) -> History {
    uninterrupted_with_journal(manner).0
}

/// Runs the campaign without interruptions. Also returns the events of its races.
fn uninterrupted_with_journal(manner: Manner) -> (History, Vec<String>) {
    let settings = manner.settings();
    let executor = executor(manner, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    let mut journal = Vec::new();
    campaign.search(&mut |event| journal.extend(race(&event.what))).unwrap();
    (campaign.optimizer().history().clone(), journal)
}

/// Returns the text of an event in a race, including lowered caps; `None` for other events.
fn race(what: &What) -> Option<String> {
    let is_of_race = matches!(
        what,
        What::RaceOpened { .. } | What::RaceDropped { .. } | What::NewIncumbent(_) | What::CapLowered { .. }
    );
    is_of_race.then(|| format!("{what:?}"))
}

/// This function is not a test in itself: it runs in the process that gets killed.
#[test]
fn process_to_be_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        let workers = std::env::var(WORKERS).unwrap().parse().unwrap();
        let is = |name: &str| std::env::var(name).unwrap().parse().unwrap();
        let (repeatable, model, bounded) = (is(REPEATABLE), is(MODEL), is(BOUNDED));
        go_on(Path::new(&folder), Manner { workers, repeatable, model, bounded });
    }
}

fn start(folder: &Path, manner: Manner) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["interrupted::process_to_be_killed", "--exact", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(WORKERS, manner.workers.to_string())
        .env(REPEATABLE, manner.repeatable.to_string())
        .env(MODEL, manner.model.to_string())
        .env(BOUNDED, manner.bounded.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_campaign_ends_with_the_history_of_an_uninterrupted_one() {
    for (workers, repeatable) in [(1, false), (4, false), (3, true)] {
        kill_and_compare(Manner { workers, repeatable, model: false, bounded: false }, 40_000);
    }
}

#[test]
fn a_killed_campaign_with_a_model_proposes_what_an_uninterrupted_one_does() {
    for (workers, repeatable) in [(1, false), (4, false), (3, true)] {
        kill_and_compare(Manner { workers, repeatable, model: true, bounded: false }, 400_000);
    }
}

#[test]
fn a_killed_campaign_with_a_constraint_keeps_its_readings() {
    for (workers, repeatable) in [(4, false), (3, true)] {
        let manner = Manner { workers, repeatable, model: false, bounded: true };
        let whole = uninterrupted(manner);
        let optimizer = manner.settings().optimizer(whole, None).unwrap();
        let history = optimizer.history();
        let told = |trial: &&Trial| trial.observation.constraints().iter().any(Option::is_some);
        let (all, told) = (history.trials().len(), history.trials().iter().filter(told).count());
        assert!(told > 50 && told < all, "{told} of {all} trials report the output");
        kill_and_compare(manner, 40_000);
    }
}

/// The campaign spends most of its time on fits, so most interruptions happen during a fit.
#[test]
fn a_campaign_interrupted_during_a_fit_proposes_what_an_uninterrupted_one_does() {
    for (workers, repeatable) in [(1, false), (4, false), (3, true)] {
        let manner = Manner { workers, repeatable, model: true, bounded: false };
        let stage = Stage::new();
        let folder = stage.folder.join("campaign");
        let mut rng = Rng::new(workers as u64, "interruptions", 0);
        let mut interruptions = 0;
        while interruptions < 30 {
            let pause = Duration::from_micros(rng.below(60_000) as u64);
            let stop = go_on_until(&folder, manner, |bell| {
                std::thread::spawn(move || {
                    std::thread::sleep(pause);
                    bell.ring(Happening::Interrupted);
                });
            });
            match stop {
                Stop::Interrupted => interruptions += 1,
                Stop::Budget(_) => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(interruptions > 3, "{interruptions}");
        go_on(&folder, manner);
        compare(&folder, manner);
    }
}

/// A campaign may be killed after any commit.
#[test]
fn a_constrained_campaign_resumes_from_every_commit_as_if_nothing_had_happened() {
    for (workers, repeatable) in [(4, false), (3, true)] {
        let manner = Manner { workers, repeatable, model: false, bounded: true };
        let stage = Stage::new();
        let folder = stage.folder.join("campaign");
        let mut copies = Vec::new();
        go_on_seen(&folder, manner, |_| {}, &mut |event| {
            let What::TrialEnded(_) = event.what else { return };
            let copy = stage.folder.join(format!("copy {}", copies.len()));
            std::fs::create_dir(&copy).unwrap();
            for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
            }
            copies.push(copy);
        });
        assert_eq!(copies.len() as u64, manner.trials());
        let expected = uninterrupted(manner);
        for (before, copy) in copies.iter().enumerate() {
            let further = go_on_for(copy, manner, 20);
            let stored = Store::read(copy).unwrap().load().unwrap().history;
            assert!(stored.trials().len() >= before + further, "{before} and {further}");
            assert!(further >= 20 || stored.trials().len() == expected.trials().len());
            assert_eq!(stored.trials(), &expected.trials()[..stored.trials().len()], "from commit {before}");
        }
    }
}

/// Resumes the campaign for at least `trials` trials, or for all that are left. Returns their number.
fn go_on_for(folder: &Path, manner: Manner, trials: usize) -> usize {
    let (bell, mut further) = (OnceCell::new(), 0);
    let ready = |its: Bell| assert!(bell.set(its).is_ok());
    go_on_seen(folder, manner, ready, &mut |event| {
        let What::TrialEnded(_) = event.what else { return };
        further += 1;
        if further == trials {
            bell.get().unwrap().ring(Happening::Interrupted);
        }
    });
    further
}

/// A migration of the store may be unable to preserve the snapshot.
#[test]
fn without_a_snapshot_the_incumbent_is_kept() {
    let stage = Stage::new();
    let folder = stage.folder.join("campaign");
    let manner = Manner { workers: 1, repeatable: false, model: false, bounded: false };
    go_on(&folder, manner);
    let database = rusqlite::Connection::open(folder.join("campaign.sqlite")).unwrap();
    database.execute("UPDATE state SET snapshot = NULL, told = NULL", []).unwrap();
    drop(database);
    let loaded = Store::read(&folder).unwrap().load().unwrap();
    let best = *loaded.incumbents.last().expect("a configuration better than the default");
    let resumed = Resumed::of_store(loaded).unwrap();
    let optimizer = manner.settings().optimizer(resumed.history, resumed.snapshot).unwrap();
    assert_eq!(optimizer.incumbent(), best.config);
    assert!(optimizer.incumbent_pairs() >= best.pairs as usize, "{}", optimizer.incumbent_pairs());
}

/// Kills a campaign repeatedly, each time after at most `longest` microseconds. Compares the result with that
/// of an uninterrupted campaign.
fn kill_and_compare(manner: Manner, longest: usize) {
    let stage = Stage::new();
    let folder = stage.folder.join("campaign");
    let mut rng = Rng::new(manner.workers as u64, "kills", 0);
    let (mut kills, mut finished) = (0, 0);
    while kills < manner.kills() && finished < 3 {
        let mut child = start(&folder, manner);
        std::thread::sleep(Duration::from_micros(rng.below(longest) as u64));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        if ended.success() { finished += 1 } else { kills += 1 }
    }
    println!("{manner:?}: {kills} kills");
    assert!(start(&folder, manner).wait().unwrap().success());
    compare(&folder, manner);
}

/// Checks that the stored campaign equals one without interruptions.
fn compare(folder: &Path, manner: Manner) {
    let reader = Store::read(folder).unwrap();
    reader.verify().unwrap();
    let stored = reader.load().unwrap().history;
    let (expected, journal) = uninterrupted_with_journal(manner);
    let events = reader.events().unwrap();
    let kept = events.iter().filter_map(|event| race(&Event::of_stored(event)?.what));
    assert_eq!(kept.collect::<Vec<_>>(), journal, "every event once, in the same order");
    let by_id = |history: &History| -> BTreeMap<u64, Trial> {
        history.trials().iter().map(|trial| (trial.id.0, trial.clone())).collect()
    };
    assert_eq!(stored.trials().len(), manner.trials() as usize);
    assert_eq!(by_id(&stored).len(), manner.trials() as usize, "no trial is duplicated");
    for (stored, expected) in stored.trials().iter().zip(expected.trials()) {
        assert_eq!(stored, expected);
    }
    assert_eq!(stored.configurations(), expected.configurations());
}
