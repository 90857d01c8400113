//! Tests lost trials, which have no result: they are run again and never count.

use std::collections::BTreeMap;

use campaign::budget::Budget;
use campaign::event::{Stop, Warning, What};
use campaign::validation::{Concluded, GaveUp, conclude};
use campaign::{Campaign, Desk, Ledger};
use engine::{ConfigId, Status, TrialKey, TrialRequest, Why};
use execution::executor::{Answer, Inbox, Simulated};

use crate::simulated::{bowl, settings};
use crate::watched::Watched;

const UNSEEN: u32 = 20;
const REASON: &str = "lost in simulated time";
/// Cutoff that no trial reaches.
const CUTOFF: f64 = 1e6;

/// Runs a search and a validation on a bowl. `is_lost` determines which validation trials are lost. Also
/// returns how often each of them was run.
fn validated(is_lost: fn(&TrialRequest, u32) -> bool) -> (Concluded, BTreeMap<TrialKey, u32>) {
    let settings = settings(5, CUTOFF, Budget { trials: Some(300), ..Budget::default() });
    let (sender, asked) = std::sync::mpsc::channel();
    let mut tries: BTreeMap<TrialKey, u32> = BTreeMap::new();
    let oracle = move |request: &TrialRequest| {
        let answer = bowl(request);
        if request.why != Why::Validation {
            return answer;
        }
        sender.send(request.key).unwrap();
        let tried = tries.entry(request.key).or_default();
        *tried += 1;
        let status = if is_lost(request, *tried) { Status::Lost } else { answer.status };
        Answer { status, ..answer }
    };
    let executor = Simulated::new(Box::new(oracle), Some(CUTOFF), 2, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    let names = |id: engine::InstanceId| id.to_string();
    let concluded = conclude(&mut campaign, &settings, UNSEEN, &names, &[], &mut |_| {}).unwrap();
    drop(campaign);
    let mut tries = BTreeMap::new();
    asked.iter().for_each(|key| *tries.entry(key).or_default() += 1);
    (concluded, tries)
}

#[test]
fn a_lost_trial_of_a_validation_is_run_again_and_changes_nothing() {
    let (whole, tries) = validated(|_, _| false);
    assert_eq!((tries.len(), tries.values().all(|&tried| tried == 1)), (40, true));
    let (repeated, tries) = validated(|request, tried| request.key.pair.instance.0 % 4 == 0 && tried == 1);
    assert_eq!(repeated, whole);
    assert_eq!(tries.values().filter(|&&tried| tried == 2).count(), 10);
}

#[test]
fn a_trial_that_is_always_lost_is_reported_and_not_penalised() {
    let (whole, _) = validated(|_, _| false);
    let whole = whole.verdict.unwrap().verdict;
    // Instances 5 to 24 are unseen. The trial of the default is lost on four of them.
    let (partly, tries) =
        validated(|request, _| request.key.config == ConfigId(0) && request.key.pair.instance.0 % 5 == 0);
    let verdict = partly.verdict.unwrap().verdict;
    assert_eq!((whole.comparison.pairs, verdict.comparison.pairs), (20, 16));
    // If lost trials counted as penalties, the default would cost hundreds of times more.
    assert!(verdict.comparison.ratio < 2.0 * whole.comparison.ratio, "{verdict:?}");
    assert_eq!(partly.gave_up, Some(GaveUp::Lost { times: 12, reason: REASON.to_owned() }));
    assert_eq!(tries.values().filter(|&&tried| tried == 3).count(), 4);
}

#[test]
fn a_validation_whose_trials_are_all_lost_stops() {
    let (none, tries) = validated(|_, _| true);
    assert_eq!(none.verdict, None);
    assert_eq!(none.gave_up, Some(GaveUp::Lost { times: 10, reason: REASON.to_owned() }));
    assert!(tries.values().sum::<u32>() <= 11, "{tries:?}");
}

fn lost() -> Answer {
    Answer { status: Status::Lost, ..Answer::finished(0.1) }
}

#[test]
fn a_campaign_whose_trials_are_all_lost_warns_and_stops() {
    for workers in [1, 7] {
        let settings = settings(5, 50.0, Budget { trials: Some(1000), ..Budget::default() });
        let executor = Simulated::new(Box::new(|_: &TrialRequest| lost()), Some(50.0), workers, 0.0);
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
        let mut warnings = Vec::new();
        let stop = campaign.search(&mut |event| {
            if let What::Warning(warning) = &event.what {
                warnings.push(warning.clone());
            }
        });
        let Stop::Lost { trial, lost, of } = stop.unwrap() else { panic!("the campaign continues") };
        assert_eq!((lost, of, trial.status()), (10.max(3 * workers as u64), lost, Status::Lost));
        assert!(matches!(&warnings[..], [Warning::Lost { reason, .. }] if reason == REASON), "{warnings:?}");
        assert_eq!(campaign.progress().lost, lost);
    }
}

#[test]
fn a_campaign_that_loses_a_trial_now_and_then_goes_on() {
    let settings = settings(5, 50.0, Budget { trials: Some(500), ..Budget::default() });
    let mut asked = 0;
    let oracle = move |request: &TrialRequest| {
        asked += 1;
        if asked % 4 == 0 { lost() } else { bowl(request) }
    };
    let executor = Simulated::new(Box::new(oracle), Some(50.0), 2, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    let stop = campaign.search(&mut |_| {}).unwrap();
    assert!(matches!(stop, Stop::Budget(_)), "{stop:?}");
    let progress = campaign.progress();
    assert!((120..=130).contains(&progress.lost), "{}", progress.lost);
    let compared = progress.default.unwrap();
    assert!(compared.default / compared.incumbent > 2.0, "{compared:?}");
}

#[test]
fn cancelled_trials_do_not_count_as_lost() {
    let settings = settings(5, 50.0, Budget { trials: Some(1000), ..Budget::default() });
    let mut executor = Watched::new(Simulated::new(Box::new(bowl), Some(50.0), 7, 0.0));
    executor.loses_cancelled = true;
    let mut campaign =
        Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    let mut warned = false;
    let stop = campaign.search(&mut |event| {
        warned |= matches!(event.what, What::Warning(Warning::Lost { .. }));
    });
    assert!(matches!(stop, Ok(Stop::Budget(_))), "{stop:?}");
    let progress = campaign.progress();
    drop(campaign);
    assert!(progress.count(Status::Lost) > 5, "{:?}", progress.counts);
    assert_eq!((progress.lost, warned), (0, false));
}
