//! Tests that a validation that is interrupted and resumed gives the same verdict as an uninterrupted one.

use campaign::budget::Budget;
use campaign::event::What;
use campaign::resume::Resumed;
use campaign::validation::{Concluded, conclude};
use campaign::{Campaign, Desk, Ledger, Settings};
use engine::{ConfigId, InstanceId, Observation, Status, TrialRequest, Why};
use execution::executor::{Answer, Happening, Inbox, Simulated};
use scenario::testkit::Stage;
use store::{Batch, Charter, Store};

use crate::simulated::{bowl, settings};

const UNSEEN: u32 = 8;

/// Searches, unless the search is already complete, and validates until `most` validation trials have ended.
/// In every second session, some of these trials are lost.
fn session(stage: &Stage, number: usize, most: usize) -> Concluded {
    session_of(stage, number, most, settings(5, 50.0, Budget { trials: Some(60), ..Budget::default() }))
}

fn session_of(stage: &Stage, number: usize, most: usize, settings: Settings) -> Concluded {
    let folder = stage.folder.join("bowl.campaign");
    let charter = Charter {
        name: "bowl".to_owned(),
        scenario: String::new(),
        folder: stage.folder.clone(),
        space: settings.problem.space.clone(),
        instances: (0..5).map(|number| number.to_string()).collect(),
        seed: 1,
    };
    let store = Store::open(&folder).or_else(|_| Store::create(&folder, &charter)).unwrap();
    let measured = store.reader().validations().unwrap();
    let loaded = store.load().unwrap();
    let stored = (loaded.history.configurations().len(), loaded.history.trials().len() as u64);
    let resumed = Resumed::of_store(loaded).unwrap();
    let mut asked = 0;
    let oracle = move |request: &TrialRequest| {
        asked += usize::from(request.why == Why::Validation);
        let is_lost = request.why == Why::Validation && asked % 5 == 2 && number % 2 == 1;
        let answer = bowl(request);
        if is_lost { Answer { status: Status::Lost, ..answer } } else { answer }
    };
    let inbox = Inbox::new();
    let bell = inbox.bell();
    let ledger = Ledger::on_disk(store, bell.clone(), stored.0, stored.1).unwrap();
    let executor = Simulated::new(Box::new(oracle), Some(50.0), 2, resumed.wall);
    let desk = Desk::new(executor, inbox);
    let mut campaign = Campaign::new(&settings, desk, ledger, Some(resumed)).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    let names = |id: InstanceId| id.to_string();
    let mut ended = 0;
    let sink = &mut |event: &campaign::event::Event| {
        if matches!(event.what, What::Validating { .. }) {
            ended += 1;
            if ended == most {
                bell.ring(Happening::Interrupted);
            }
        }
    };
    let concluded = conclude(&mut campaign, &settings, UNSEEN, &names, &measured, sink).unwrap();
    campaign.finish("done").unwrap();
    concluded
}

#[test]
fn an_interrupted_validation_gives_the_same_verdict() {
    let whole = session(&Stage::new(), 1, usize::MAX).verdict.unwrap();
    assert_eq!(whole.verdict.comparison.pairs, 24);
    for step in [1, 2, 3, 7, 20] {
        let stage = Stage::new();
        let mut parts = 0;
        let resumed = loop {
            let concluded = session(&stage, parts, step).verdict;
            parts += 1;
            if let Some(judged) = concluded.filter(|judged| judged.verdict.comparison.pairs == 24) {
                break judged;
            }
            assert!(parts < 200, "it never ends");
        };
        assert!(parts > 1, "it was not interrupted");
        assert_eq!(resumed, whole, "in steps of {step}");
        // No pair was measured twice.
        let store = Store::read(&stage.folder.join("bowl.campaign")).unwrap();
        assert_eq!(store.validations().unwrap().len(), 48);
        // Another session changes nothing.
        assert_eq!(session(&stage, 0, usize::MAX).verdict, Some(whole.clone()));
    }
}

/// The load of a machine may have changed since the default was timed beside an earlier winner.
#[test]
fn the_default_is_timed_again_beside_a_new_winner_and_counts_are_kept() {
    for (are_times, expected) in [(true, 48), (false, 24)] {
        let stage = Stage::new();
        for trials in [20, 300] {
            let mut settings = settings(5, 50.0, Budget { trials: Some(trials), ..Budget::default() });
            settings.validation.are_times = are_times;
            let judged = session_of(&stage, 0, usize::MAX, settings).verdict.unwrap();
            assert_eq!(judged.verdict.comparison.pairs, 24);
        }
        let rows = Store::read(&stage.folder.join("bowl.campaign")).unwrap().validations().unwrap();
        let of_default = rows.iter().filter(|row| row.key().0 == ConfigId(0)).count();
        assert_eq!(rows.len() - of_default, 48, "both sessions have a winner of their own");
        assert_eq!(of_default, expected, "times: {are_times}");
    }
}

/// A later validation of another configuration timed the default under twice the load.
#[test]
fn later_times_of_the_default_do_not_change_a_verdict() {
    let stage = Stage::new();
    let first = session(&stage, 0, usize::MAX).verdict.unwrap();
    let folder = stage.folder.join("bowl.campaign");
    let mut rows = Store::read(&folder).unwrap().validations().unwrap();
    let other = (1..3).map(ConfigId).find(|other| rows.iter().all(|row| row.key().0 != *other)).unwrap();
    for row in &mut rows {
        let trial = &mut row.record.trial;
        let cost = trial.observation.cost().unwrap().lower_bound();
        trial.observation = Observation::finished(2.0 * cost);
        if trial.key.config != ConfigId(0) {
            trial.key.config = other;
        }
    }
    let mut writer = Store::open(&folder).unwrap().write(|_| {}).unwrap();
    writer.submit(Batch { validations: rows, ..Batch::default() }).unwrap();
    writer.finish("done").unwrap();
    let again = session(&stage, 0, usize::MAX).verdict.unwrap();
    assert_eq!(again.verdict, first.verdict);
    assert_eq!((first.candidates, again.candidates), (1, 2));
}
