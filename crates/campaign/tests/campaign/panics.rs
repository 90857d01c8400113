//! Tests panics in code that a campaign waits for.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use campaign::budget::{Budget, Limit};
use campaign::event::{Stop, What};
use campaign::{Campaign, Desk, Ledger};
use engine::{Status, TrialRequest};
use execution::executor::{Inbox, Local, slots};
use execution::{Account, FunctionTarget, Leash, Outcome, Slot, Target, TargetError};

use crate::simulated::{bowl, settings};

/// Runs a search of 30 trials. Returns the reason why the search stopped, and the reasons for its failed
/// trials. Panics if the search hangs.
fn search(target: impl Target + 'static) -> (Stop, Vec<String>) {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let settings = settings(4, 20.0, Budget { trials: Some(30), ..Budget::default() });
        let inbox = Inbox::new();
        let executor = Local::new(Arc::new(target), slots(1, 1).unwrap(), 0.0, &inbox.bell()).unwrap();
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, inbox), Ledger::in_memory(), None).unwrap();
        let mut reasons = Vec::new();
        let stop = campaign.search(&mut |event| {
            if let What::TrialEnded(trial) = &event.what
                && trial.status() == Status::Crashed
            {
                reasons.extend(trial.detail.reason.clone());
            }
        });
        tell.send((stop.unwrap(), reasons))
    });
    told.recv_timeout(Duration::from_secs(60)).expect("the campaign hangs")
}

#[test]
fn a_function_that_panics_crashes_only_its_trial() {
    let target = FunctionTarget::new(Some(20.0), |request: &TrialRequest, _: &Leash| {
        assert!(request.id.0 % 5 != 3, "broken");
        Outcome::Finished(bowl(request).cost)
    });
    let (stop, reasons) = search(target);
    assert_eq!(stop, Stop::Budget(Limit::Trials));
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason == "panic: broken"), "{reasons:?}");
}

#[test]
fn a_function_that_returns_no_number_crashes_only_its_trial() {
    for cost in [f64::NAN, f64::INFINITY] {
        let target = FunctionTarget::new(Some(20.0), move |request: &TrialRequest, _: &Leash| {
            match request.id.0 % 5 {
                2 => Outcome::Stopped(cost),
                3 => Outcome::Finished(cost),
                _ => Outcome::Finished(bowl(request).cost),
            }
        });
        let (stop, reasons) = search(target);
        assert_eq!(stop, Stop::Budget(Limit::Trials));
        let reason = format!("the cost is {cost}");
        assert!(!reasons.is_empty() && reasons.iter().all(|one| *one == reason), "{reasons:?}");
    }
}

struct Broken;

impl Target for Broken {
    fn run_on(&self, _: &TrialRequest, _: &Leash, _: &Slot) -> Result<Account, TargetError> {
        panic!("not even started")
    }
}

#[test]
fn a_target_that_panics_stops_the_campaign() {
    assert_eq!(search(Broken).0, Stop::Aborted("the target panicked: not even started".to_owned()));
}
