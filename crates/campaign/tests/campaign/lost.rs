//! Trials that were lost say nothing: they are run again, and never count.

use std::collections::BTreeMap;

use campaign::budget::Budget;
use campaign::executor::{Answer, Simulated};
use campaign::validation::{Concluded, GaveUp, conclude, is_of_validation};
use campaign::{Campaign, Ledger};
use engine::{ConfigId, Status, TrialKey, TrialRequest};

use crate::simulated::{bowl, settings};

const UNSEEN: u32 = 20;
/// Nothing takes so long.
const CUTOFF: f64 = 1e6;

/// The validation of a bowl, where trials are lost that `is_lost` says so of, with how often each was tried.
fn validated(is_lost: fn(&TrialRequest, u32) -> bool) -> (Concluded, BTreeMap<TrialKey, u32>) {
    let settings = settings(5, CUTOFF, Budget { trials: Some(300), ..Budget::default() });
    let (sender, asked) = std::sync::mpsc::channel();
    let mut tries: BTreeMap<TrialKey, u32> = BTreeMap::new();
    let oracle = move |request: &TrialRequest| {
        let answer = bowl(request);
        if !is_of_validation(request.id) {
            return answer;
        }
        sender.send(request.key).unwrap();
        let tried = tries.entry(request.key).or_default();
        *tried += 1;
        let status = if is_lost(request, *tried) { Status::Lost } else { answer.status };
        Answer { status, ..answer }
    };
    let executor = Simulated::new(Box::new(oracle), Some(CUTOFF), 2, 0.0);
    let mut campaign = Campaign::new(&settings, Box::new(executor), Ledger::in_memory(), None).unwrap();
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
fn what_is_lost_each_time_is_no_penalty_and_is_said() {
    let (whole, _) = validated(|_, _| false);
    let whole = whole.verdict.unwrap().verdict;
    // Instances 5 to 24 are unseen; the default vanishes on four of them.
    let (partly, tries) =
        validated(|request, _| request.key.config == ConfigId(0) && request.key.pair.instance.0 % 5 == 0);
    let verdict = partly.verdict.unwrap().verdict;
    assert_eq!((whole.comparison.pairs, verdict.comparison.pairs), (20, 16));
    // With penalties the default would cost hundreds of times more.
    assert!(verdict.comparison.ratio < 2.0 * whole.comparison.ratio, "{verdict:?}");
    assert_eq!(partly.gave_up, Some(GaveUp::Lost { times: 12, reason: "lost".to_owned() }));
    assert_eq!(tries.values().filter(|&&tried| tried == 3).count(), 4);
}

#[test]
fn a_validation_whose_trials_are_all_lost_stops() {
    let (none, tries) = validated(|_, _| true);
    assert_eq!(none.verdict, None);
    assert_eq!(none.gave_up, Some(GaveUp::Lost { times: 10, reason: "lost".to_owned() }));
    assert!(tries.values().sum::<u32>() <= 11, "{tries:?}");
}
