//! Tests looking up single trials and failed trials.

use engine::{ConfigId, Observation, Status, TrialId};
use execution::Record;
use store::{Batch, Store};

use super::stage::{Folder, await_commit, batch, charter, configuration, space, start, trial};

fn failed(id: u64, config: u32, status: Status, reason: &str) -> Record {
    let mut stored = trial(id, config);
    stored.trial.observation = Observation::failed(status, 0.5);
    stored.detail.reason = Some(reason.to_owned());
    stored.detail.stdout_tail = format!("out {id}").into_bytes();
    stored.detail.stderr_tail = vec![0xff];
    stored
}

#[test]
fn a_trial_is_found_by_its_number() {
    let folder = Folder::new();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space(), 0)).unwrap();
    await_commit(&acknowledgements, 1);
    let reader = Store::read(folder.path()).unwrap();
    assert_eq!(reader.trial_of_id(TrialId(1)).unwrap(), Some(trial(1, 0)));
    assert_eq!(reader.trial_of_id(TrialId(99)).unwrap(), None);
    assert_eq!(reader.last_trial().unwrap(), Some(TrialId(1)));
}

#[test]
fn failures_are_grouped_by_reason() {
    let folder = Folder::new();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    assert_eq!(Store::read(folder.path()).unwrap().failures().unwrap(), []);
    let trials = vec![
        failed(0, 1, Status::Memory, "more than 1GiB of memory"),
        trial(4, 0),
        failed(5, 0, Status::Crashed, "signal 11"),
        failed(6, 1, Status::Crashed, "signal 11"),
        failed(8, 1, Status::Crashed, "signal 11"),
    ];
    let configurations = vec![configuration(&space(), 0), configuration(&space(), 1)];
    writer.submit(Batch { configurations, trials, ..Batch::default() }).unwrap();
    await_commit(&acknowledgements, 1);

    let failures = Store::read(folder.path()).unwrap().failures().unwrap();
    let [signal, memory] = &failures[..] else { panic!("{failures:?}") };
    assert_eq!((signal.reason.as_str(), signal.trials), ("signal 11", 3));
    assert_eq!((signal.first.trial.id, signal.newest.trial.id), (TrialId(5), TrialId(8)));
    assert_eq!(signal.configurations, [ConfigId(0), ConfigId(1)]);
    assert_eq!(memory.configurations, [ConfigId(1)]);
    assert_eq!(signal.instances, ["i0.cnf", "i1.cnf", "i3.cnf"]);
    let detail = &signal.newest.detail;
    assert_eq!((&detail.stdout_tail[..], &detail.stderr_tail[..]), (&b"out 8"[..], &[0xff][..]));
    assert_eq!((memory.status, memory.trials, memory.first.trial.id), (Status::Memory, 1, TrialId(0)));
}
