//! Tests of the dispatch: each law with the messages that could break it.

use engine::{
    Cap, ConfigId, InstanceId, Observation, Pair, Seed, Status, TrialId, TrialKey, TrialRequest, Why,
};
use execution::executor::{Happening, Lease, News};
use execution::{Detail, Record};
use space::format::{Format, read};

use super::dispatch::{Dispatch, Effect, Terms};
use crate::message::{Ask, Beat, Grant, Order, Outcome, Report, Reported};

const LEASE: f64 = 10.0;

fn terms() -> Terms {
    Terms {
        version: "1".to_owned(),
        scenario: "s".to_owned(),
        instances: vec!["a".to_owned(), "b".to_owned()],
        lease: LEASE,
        beat: 1.0,
        first_lease: 500,
    }
}

fn dispatch() -> Dispatch {
    Dispatch::new(terms(), 100.0, &[], Vec::new())
}

fn request(id: u64) -> TrialRequest {
    let space = read("x = { integer = [1, 9] }\n", "space", Format::Toml).unwrap();
    let pair = Pair { instance: InstanceId(1), seed: Seed(7) };
    TrialRequest {
        id: TrialId(id),
        key: TrialKey { config: ConfigId(0), pair },
        configuration: space.default_configuration(),
        cap: Cap::at(5.0),
        why: Why::Challenge,
    }
}

fn from(worker: &str, what: Reported) -> Report {
    Report { worker: worker.to_owned(), what }
}

fn beat(number: u64, asks: &[u64], leases: &[u64]) -> Beat {
    Beat {
        number,
        version: "1".to_owned(),
        scenario: "s".to_owned(),
        host: "node".to_owned(),
        speed: 100.0,
        slots: 1,
        asks: asks.iter().map(|&number| Ask { number, slot: 0, left: None }).collect(),
        leases: leases.iter().map(|&lease| (lease, Some(0.5))).collect(),
    }
}

fn finished(lease: u64) -> Reported {
    let outcome =
        Outcome::Ended { observation: Observation::finished(2.0), detail: Box::new(Detail::default()) };
    Reported::Result { lease, outcome }
}

fn grants(effects: &[Effect]) -> Vec<(&str, Grant)> {
    let grant = |effect| match effect {
        &Effect::Send(ref worker, Order::Grant(ref grant)) => Some((worker.as_str(), grant.clone())),
        _ => None,
    };
    effects.iter().filter_map(grant).collect()
}

fn ended(effects: &[Effect]) -> Vec<&Record> {
    let record = |effect| match effect {
        &Effect::Ring(Happening::Ended(ref record)) => Some(&**record),
        _ => None,
    };
    effects.iter().filter_map(record).collect()
}

fn settled(effects: &[Effect]) -> Vec<u64> {
    let lease = |effect: &Effect| match effect {
        Effect::Send(_, Order::Settled { lease }) => Some(*lease),
        _ => None,
    };
    effects.iter().filter_map(lease).collect()
}

/// Returns a dispatch in which the worker `w` has got trial 1 at second 0, and the lease.
fn one_held() -> (Dispatch, u64) {
    let mut dispatch = dispatch();
    dispatch.hear(from("w", Reported::Beat(beat(1, &[1], &[]))), 0.0);
    let effects = dispatch.submit(request(1), Some(5.0), 0.0);
    let [(_, grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(
        (grant.trial, grant.instance.as_str(), grant.values.as_slice()),
        (TrialId(1), "b", &[Some(5.0)][..])
    );
    let lease = grant.lease;
    (dispatch, lease)
}

#[test]
fn a_result_counts_once_and_is_confirmed_when_it_is_on_disk() {
    let (mut dispatch, lease) = one_held();
    let effects = dispatch.hear(from("w", finished(lease)), 2.0);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!((record.status(), record.started, record.ended), (Status::Finished, 100.0, 102.0));
    assert!(settled(&effects).is_empty(), "it is not on disk yet");
    let again = dispatch.hear(from("w", finished(lease)), 2.5);
    assert!(again.is_empty(), "{again:?}");
    assert_eq!(settled(&dispatch.settled(&[TrialId(1)])), [lease]);
    let late = dispatch.hear(from("w", finished(lease)), 3.0);
    assert!(ended(&late).is_empty() && settled(&late) == [lease], "{late:?}");
}

#[test]
fn a_silent_worker_loses_its_trial_and_its_late_result_changes_nothing() {
    let (mut dispatch, lease) = one_held();
    dispatch.hear(from("w", Reported::Beat(beat(2, &[], &[lease]))), 5.0);
    assert!(dispatch.tick(14.9).is_empty(), "the heartbeat renewed the lease");
    let effects = dispatch.tick(15.1);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert!(record.is_lost(), "{record:?}");
    assert_eq!(record.detail.reason.as_deref(), Some("the worker on node is gone: no heartbeat for 10 s"));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ring(Happening::News(News::NoWorkers)))));
    assert_eq!(dispatch.slots(), 0);
    let late = dispatch.hear(from("w", finished(lease)), 16.0);
    assert!(ended(&late).is_empty() && settled(&late) == [lease], "{late:?}");
    // The worker comes back with another trial that was lost: it must stop that.
    let back = dispatch.hear(from("w", Reported::Beat(beat(3, &[], &[lease]))), 17.0);
    let told = back.iter().find_map(|effect| match effect {
        Effect::Send(_, Order::Heard { drop, .. }) => Some(drop.clone()),
        _ => None,
    });
    assert_eq!(told, Some(vec![lease]));
}

#[test]
fn a_grant_that_got_lost_is_repeated() {
    let (mut dispatch, lease) = one_held();
    let effects = dispatch.hear(from("w", Reported::Beat(beat(2, &[1], &[]))), 1.0);
    let [(_, grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!((grant.lease, grant.ask), (lease, 1));
    assert!(ended(&effects).is_empty());
    // A heartbeat that was sent before and arrives after must not count.
    let stale = dispatch.hear(from("w", Reported::Beat(beat(1, &[], &[]))), 1.1);
    assert!(stale.is_empty(), "{stale:?}");
}

#[test]
fn a_trial_that_its_worker_no_longer_has_is_lost_at_once() {
    let (mut dispatch, lease) = one_held();
    dispatch.hear(from("w", Reported::Beat(beat(2, &[], &[lease]))), 1.0);
    let effects = dispatch.hear(from("w", Reported::Beat(beat(3, &[2], &[]))), 2.0);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert!(record.is_lost());
}

#[test]
fn a_grant_to_a_worker_that_no_longer_asks_goes_to_another() {
    let (mut dispatch, lease) = one_held();
    let effects = dispatch.hear(from("w", Reported::Beat(beat(2, &[], &[]))), 1.0);
    assert!(ended(&effects).is_empty(), "it never ran, so it is not lost: {effects:?}");
    // The worker hands back the grant when that arrives.
    dispatch.hear(from("w", Reported::Return { lease }), 1.1);
    let effects = dispatch.hear(from("v", Reported::Beat(beat(1, &[1], &[]))), 2.0);
    let [("v", grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(grant.trial, TrialId(1));
}

#[test]
fn a_trial_that_is_given_back_runs_next_on_another_worker() {
    let (mut dispatch, lease) = one_held();
    dispatch.submit(request(2), Some(5.0), 0.0);
    dispatch.hear(from("w", Reported::Return { lease }), 1.0);
    let effects = dispatch.hear(from("v", Reported::Beat(beat(1, &[1], &[]))), 2.0);
    let [("v", grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(grant.trial, TrialId(1));
    assert_ne!(grant.lease, lease, "each attempt has its own lease");
    let late = dispatch.hear(from("w", finished(lease)), 3.0);
    assert!(ended(&late).is_empty(), "the result of the first attempt is late: {late:?}");
}

#[test]
fn a_worker_gets_only_trials_that_can_end_in_time() {
    let mut dispatch = dispatch();
    let mut hurried = beat(1, &[1], &[]);
    hurried.asks[0].left = Some(3.0);
    dispatch.hear(from("w", Reported::Beat(hurried)), 0.0);
    assert!(grants(&dispatch.submit(request(1), Some(5.0), 0.0)).is_empty());
    let effects = dispatch.submit(request(2), Some(2.0), 0.0);
    let [(_, grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(grant.trial, TrialId(2), "a shorter trial fits");
}

#[test]
fn workers_with_another_version_or_scenario_are_refused() {
    for (version, scenario, part) in [("2", "s", "captune 2"), ("1", "t", "scenario differs")] {
        let mut dispatch = dispatch();
        let beat = Beat { version: version.to_owned(), scenario: scenario.to_owned(), ..beat(1, &[1], &[]) };
        let effects = dispatch.hear(from("w", Reported::Beat(beat)), 0.0);
        let [Effect::Send(_, Order::Dismiss { why })] = &effects[..] else { panic!("{effects:?}") };
        assert!(why.contains(part), "{why}");
        assert_eq!(dispatch.slots(), 0);
    }
}

#[test]
fn a_trial_of_an_earlier_session_is_awaited_and_not_run_again() {
    let stored =
        Lease { id: 77, trial: TrialId(1), worker: "w".to_owned(), slot: 65_536, since: 90.0, until: 0.0 };
    let mut dispatch = Dispatch::new(terms(), 100.0, &[], vec![stored.clone()]);
    assert!(dispatch.still_runs(TrialId(1)) && !dispatch.still_runs(TrialId(2)));
    assert!(dispatch.submit(request(1), Some(5.0), 0.0).is_empty());
    // The worker reports before it has introduced itself to this session.
    let effects = dispatch.hear(from("w", finished(77)), 3.0);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!((record.status(), record.started), (Status::Finished, 90.0));
    // Without a sign of the worker, the trial is lost.
    let mut dispatch = Dispatch::new(terms(), 100.0, &[], vec![stored]);
    dispatch.submit(request(1), Some(5.0), 0.0);
    assert!(dispatch.tick(LEASE - 0.1).is_empty());
    assert_eq!(ended(&dispatch.tick(LEASE + 0.1)).len(), 1);
}

#[test]
fn a_number_that_the_search_uses_again_gets_no_result_of_an_earlier_session() {
    let stored =
        Lease { id: 77, trial: TrialId(1), worker: "w".to_owned(), slot: 65_536, since: 90.0, until: 0.0 };
    let mut dispatch = Dispatch::new(terms(), 100.0, &[], vec![stored]);
    // The search did not know the trial of the lease any more, and gives its number to another one.
    assert!(dispatch.settled(&[TrialId(1)]).is_empty());
    assert!(!dispatch.still_runs(TrialId(1)));
    dispatch.submit(request(1), Some(5.0), 0.0);
    assert!(ended(&dispatch.hear(from("w", finished(77)), 3.0)).is_empty());
}

#[test]
fn a_machine_that_cannot_run_the_target_ends_the_campaign_only_if_no_other_can() {
    let failure = |lease| Reported::Result {
        lease,
        outcome: Outcome::Failed { message: "no program".to_owned(), of_machine: true },
    };
    let (mut dispatch, lease) = one_held();
    let effects = dispatch.hear(from("w", failure(lease)), 1.0);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ring(Happening::Failed(TrialId(1), _)))));
    let (mut dispatch, lease) = one_held();
    dispatch.hear(from("w", finished(lease)), 1.0);
    dispatch.hear(from("v", Reported::Beat(beat(1, &[1], &[]))), 1.0);
    let effects = dispatch.submit(request(2), None, 1.0);
    let [("v", grant)] = &grants(&effects)[..] else { panic!("{effects:?}") };
    let effects = dispatch.hear(from("v", failure(grant.lease)), 2.0);
    assert!(
        !effects.iter().any(|effect| matches!(effect, Effect::Ring(Happening::Failed(..)))),
        "{effects:?}"
    );
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(_, Order::Dismiss { .. }))));
    let effects = dispatch.hear(from("w", Reported::Ask(Ask { number: 2, slot: 0, left: None })), 3.0);
    assert_eq!(grants(&effects)[0].1.trial, TrialId(2), "the trial runs elsewhere");
    let lease = grants(&effects)[0].1.lease;
    dispatch.cancel(TrialId(2), 3.0);
    let effects = dispatch.hear(from("w", failure(lease)), 4.0);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert!(record.is_cancelled(), "a cancelled trial does not wait for another worker: {record:?}");
}

#[test]
fn a_cancelled_trial_ends_soon_even_if_its_worker_is_silent() {
    let (mut dispatch, lease) = one_held();
    let (was_waiting, effects) = dispatch.cancel(TrialId(1), 1.0);
    assert!(
        !was_waiting
            && matches!(&effects[..], [Effect::Send(_, Order::Cancel { lease: sent })] if *sent == lease)
    );
    let effects = dispatch.tick(4.5);
    let [record] = ended(&effects)[..] else { panic!("{effects:?}") };
    assert!(record.is_cancelled(), "{record:?}");
    dispatch.submit(request(2), None, 5.0);
    assert!(dispatch.cancel(TrialId(2), 5.0).0, "no worker has it");
}

#[test]
fn caps_are_repeated_with_every_heartbeat() {
    let (mut dispatch, lease) = one_held();
    let sent = dispatch.tighten(TrialId(1), Cap::at(1.5));
    assert!(matches!(&sent[..], [Effect::Send(_, Order::Tighten { .. })]));
    let effects = dispatch.hear(from("w", Reported::Beat(beat(2, &[], &[lease]))), 1.0);
    let caps = effects.iter().find_map(|effect| match effect {
        Effect::Send(_, Order::Heard { caps, .. }) => Some(caps.clone()),
        _ => None,
    });
    assert_eq!(caps, Some(vec![(lease, Cap::at(1.5))]));
    assert_eq!(dispatch.reached(), [(TrialId(1), 0.5)]);
}

#[test]
fn campaign_time_stands_still_without_workers() {
    let mut dispatch = dispatch();
    assert_eq!(dispatch.campaign_time(50.0), 100.0);
    dispatch.hear(from("w", Reported::Beat(beat(1, &[], &[]))), 50.0);
    dispatch.hear(from("w", Reported::Leave { why: "done".to_owned() }), 53.0);
    assert_eq!(dispatch.campaign_time(90.0), 103.0);
}
