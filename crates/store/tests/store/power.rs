//! Simulates a power cut: the write-ahead log ends at a random point, with or without garbage after it.

use std::fs;

use engine::Rng;
use store::Store;

use super::stage::{Folder, await_commit, batch, charter, space, start, trial};

#[test]
fn after_a_power_cut_a_prefix_of_the_batches_is_stored() {
    let folder = Folder::new();
    let space = space();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    // Write one batch at a time, so that each has its own place in the log.
    for n in 0..60 {
        writer.submit(batch(&space, n)).unwrap();
        await_commit(&acknowledgements, u64::from(n) + 1);
    }
    let database = fs::read(folder.database()).unwrap();
    let log = fs::read(folder.path().join("campaign.sqlite-wal")).unwrap();
    drop(writer);

    let mut rng = Rng::new(1, "power", 0);
    let mut kept = Vec::new();
    for round in 0..100 {
        let cut = rng.below(log.len() + 1);
        let mut rest = log[..cut].to_vec();
        if round % 2 == 1 {
            rest.extend((0..rng.below(10_000)).map(|_| rng.bits() as u8));
        }
        let after = Folder::in_memory();
        fs::write(after.database(), &database).unwrap();
        fs::write(after.path().join("campaign.sqlite-wal"), rest).unwrap();
        let store = Store::open(after.path()).unwrap();
        store.reader().verify().unwrap();
        let history = store.load().unwrap().history;
        let batches = history.configurations().len();
        assert_eq!(history.trials().len(), 2 * batches);
        for (row, stored) in history.trials().iter().enumerate() {
            assert_eq!(*stored, trial(row as u64, row as u32 / 2).trial);
        }
        kept.push(batches);
        let (mut writer, acknowledgements) = start(store);
        writer.submit(batch(&space, batches as u32)).unwrap();
        await_commit(&acknowledgements, 1);
        writer.finish("done").unwrap();
        assert_eq!(Store::read(after.path()).unwrap().summary().unwrap().trials as usize, 2 * batches + 2);
    }
    kept.sort_unstable();
    kept.dedup();
    assert!(kept.len() > 30, "the cuts were not spread over the batches: {kept:?}");
}
