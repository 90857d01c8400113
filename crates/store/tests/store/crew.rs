//! Workers on other machines and the trials that they have taken.

use engine::TrialId;
use execution::executor::{Lease, RemoteWorker};
use store::{Batch, Store, WorkerChange};

use super::stage::{Folder, batch, charter, space, start};

fn worker(name: &str, first_slot: u32) -> RemoteWorker {
    RemoteWorker { name: name.to_owned(), host: "node".to_owned(), first_slot, slots: 2, speed: 61.5 }
}

fn lease(trial: TrialId, id: u64) -> Lease {
    Lease { id, trial, worker: "w".to_owned(), slot: 0, since: 1.0, until: 20.0 }
}

#[test]
fn a_lease_ends_with_its_trial_and_only_then() {
    let folder = Folder::in_memory();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    let trials = batch(&space(), 0);
    let ids: Vec<TrialId> = trials.trials.iter().map(|record| record.trial.id).collect();
    let [first, second] = ids[..] else { panic!("{ids:?}") };
    let other = TrialId(1 << 40);
    let leases = vec![lease(first, u64::MAX), lease(second, 8), lease(other, 9)];
    writer.submit(Batch { leases, ..Batch::default() }).unwrap();
    writer.submit(Batch { renewed: Some((vec![other], 50.0)), ..Batch::default() }).unwrap();
    // A second attempt replaces the first one.
    writer.submit(Batch { leases: vec![lease(first, 12)], ..Batch::default() }).unwrap();
    let one = Batch { trials: vec![trials.trials[0].clone()], ..trials.clone() };
    writer.submit(one).unwrap();
    writer.submit(Batch { released: vec![second], ..Batch::default() }).unwrap();
    writer.finish("done").unwrap();
    let left = Store::read(folder.path()).unwrap().leases().unwrap();
    assert_eq!(left, [Lease { until: 50.0, ..lease(other, 9) }]);
}

#[test]
fn a_worker_that_returns_keeps_its_slots_and_its_earlier_time() {
    let folder = Folder::in_memory();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    let trials = batch(&space(), 0);
    let slot = trials.trials[0].slot;
    writer.submit(trials.clone()).unwrap();
    let workers = vec![
        WorkerChange::Joined(worker("w", slot), 10.0),
        WorkerChange::Joined(worker("v", slot + 500), 11.0),
        WorkerChange::Left("w".to_owned(), 15.0),
        WorkerChange::Joined(worker("w", slot), 30.0),
        WorkerChange::Left("v".to_owned(), 31.0),
    ];
    writer.submit(Batch { workers, ..Batch::default() }).unwrap();
    writer.finish("done").unwrap();
    let stored = Store::read(folder.path()).unwrap().workers().unwrap();
    let [w, v] = &stored[..] else { panic!("{stored:?}") };
    assert_eq!((w.worker.clone(), w.joined, w.left, w.before), (worker("w", slot), 30.0, None, 5.0));
    assert_eq!((v.joined, v.left, v.before, v.trials), (11.0, Some(31.0), 0.0, 0));
    let own = trials.trials.iter().filter(|record| record.slot >= slot && record.slot < slot + 2);
    assert_eq!(w.trials, own.count() as u64);
}
