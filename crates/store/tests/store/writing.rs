//! Tests that batches are stored once and in order, and acknowledged only after that.

use engine::{Status, TrialId};
use store::{Acknowledgement, Batch, Store, StoreError};

use super::stage::{Folder, await_commit, batch, charter, space, start, trial};

#[test]
fn a_campaign_resumes_where_it_stopped() {
    let folder = Folder::new();
    let space = space();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    assert_eq!(writer.submit(batch(&space, 0)).unwrap(), 1);
    assert_eq!(writer.submit(batch(&space, 1)).unwrap(), 2);
    await_commit(&acknowledgements, 2);
    writer.finish("paused").unwrap();

    let store = Store::open(folder.path()).unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.charter, charter());
    assert_eq!(loaded.history.trials().len(), 4);
    let (mut writer, acknowledgements) = start(store);
    assert_eq!(writer.session(), 2);
    writer.submit(batch(&space, 2)).unwrap();
    await_commit(&acknowledgements, 1);
    drop(writer);

    let reader = Store::read(folder.path()).unwrap();
    let loaded = reader.load().unwrap();
    let ids: Vec<TrialId> = loaded.history.trials().iter().map(|trial| trial.id).collect();
    assert_eq!(ids, (0..6).map(TrialId).collect::<Vec<_>>());
    for (index, kept) in loaded.history.trials().iter().enumerate() {
        assert_eq!(*kept, trial(index as u64, index as u32 / 2).trial);
    }
    let [first, second] = &loaded.sessions[..] else { panic!("{:?}", loaded.sessions) };
    assert_eq!((first.reason.as_deref(), second.reason.as_deref()), (Some("paused"), None));
    assert!(first.ended_at >= Some(first.began_at.clone()) && second.ended_at.is_none());
    let summary = reader.summary().unwrap();
    assert_eq!((summary.trials, summary.configurations), (6, 3));
    assert_eq!(summary.count(Status::Finished), loaded.history.count(Status::Finished));
}

#[test]
fn a_trial_is_never_stored_twice() {
    let folder = Folder::new();
    let space = space();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space, 0)).unwrap();
    await_commit(&acknowledgements, 1);
    let again = Batch { trials: vec![trial(7, 0), trial(1, 0)], ..Batch::default() };
    writer.submit(again).unwrap();
    let acknowledgement = acknowledgements.recv().unwrap();
    let is_twice = matches!(acknowledgement, Acknowledgement::Failed(StoreError::TrialTwice { id: 1 }));
    assert!(is_twice, "{acknowledgement:?}");
    // A caller that has not received the failure yet gets its cause when it submits another batch.
    let why = "the store failed: trial 1 is already stored";
    assert_eq!(writer.submit(Batch::default()).unwrap_err().to_string(), why);
    assert!(matches!(Store::open(folder.path()), Err(StoreError::InUse { .. })), "the lock is kept");
    assert_eq!(writer.finish("done").unwrap_err().to_string(), why);
    assert!(acknowledgements.recv().is_err(), "a failure is reported once");
    let loaded = Store::read(folder.path()).unwrap().load().unwrap();
    assert_eq!(loaded.history.trials().len(), 2, "a batch is stored completely or not at all");
}

/// A caller that waits for an acknowledgement must not wait forever.
#[test]
fn a_panic_in_the_writing_thread_is_a_failure() {
    let folder = Folder::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    let acknowledge = move |acknowledgement| match acknowledgement {
        Acknowledgement::Committed { .. } => panic!("broken"),
        Acknowledgement::Failed(error) => sender.send(error).unwrap(),
    };
    let mut writer = Store::create(folder.path(), &charter()).unwrap().write(acknowledge).unwrap();
    writer.submit(batch(&space(), 0)).unwrap();
    assert!(matches!(receiver.recv(), Ok(StoreError::Stopped)));
    assert!(matches!(writer.finish("done"), Err(StoreError::Stopped)));
}
