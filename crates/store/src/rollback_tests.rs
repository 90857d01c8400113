//! Tests the rollback journal for network file systems on a local file system.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;

use engine::ConfigId;
use space::format::{Format, read};

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("campaign-rollback-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn charter() -> Charter {
    let space = read("a = { integer = [0, 1000000] }\n", "test", Format::Toml).unwrap();
    let instances = vec!["only".to_owned()];
    Charter {
        name: "test".to_owned(),
        scenario: String::new(),
        folder: "test".into(),
        space,
        instances,
        seed: 1,
    }
}

fn batch(id: u32) -> Batch {
    let configuration = charter().space.configuration([("a", i64::from(id).into())]).unwrap();
    let stored = StoredConfiguration { id: ConfigId(id), origin: "design".to_owned(), configuration };
    Batch { configurations: vec![stored], ..Batch::default() }
}

fn write(store: Store, ids: impl IntoIterator<Item = u32>) -> Writer {
    let (send, acknowledgements) = channel();
    let mut writer =
        store.write(move |acknowledgement| send.send(acknowledgement).unwrap_or_default()).unwrap();
    for id in ids {
        writer.submit(batch(id)).unwrap();
        assert!(matches!(acknowledgements.recv().unwrap(), Acknowledgement::Committed { .. }));
    }
    writer
}

#[test]
fn a_campaign_runs_without_a_log_and_locks_out_readers() {
    let folder = Folder::new("run");
    let store = Store::create_using(&folder.0, &NewCampaign::of(charter()), Journal::Rollback).unwrap();
    assert_eq!(store.journal(), Journal::Rollback);
    let writer = write(store, 0..3);
    assert!(!folder.0.join("campaign.sqlite-wal").exists() && !folder.0.join("campaign.sqlite-shm").exists());
    let error = Store::read(&folder.0).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    writer.finish("done").unwrap();
    assert_eq!(Store::read(&folder.0).unwrap().load().unwrap().history.configurations().len(), 3);

    // Then the store is moved to a local file system, its writer is killed there, and the store is moved
    // back.
    let writer = write(Store::open_using(&folder.0, Journal::WriteAhead).unwrap(), 3..5);
    let (database, log) = (folder.0.join("campaign.sqlite"), folder.0.join("campaign.sqlite-wal"));
    let moved = Folder::new("moved");
    for file in [database, log] {
        fs::copy(&file, moved.0.join(file.file_name().unwrap())).unwrap();
    }
    drop(writer);
    let store = Store::open_using(&moved.0, Journal::Rollback).unwrap();
    assert_eq!(store.load().unwrap().history.configurations().len(), 5);
    assert!(!moved.0.join("campaign.sqlite-wal").exists());
    write(store, 5..6).finish("done").unwrap();
    assert_eq!(Store::read(&moved.0).unwrap().load().unwrap().history.configurations().len(), 6);
}

#[test]
fn an_interrupted_write_is_undone_by_the_next_process() {
    let folder = Folder::new("cut");
    let writer =
        write(Store::create_using(&folder.0, &NewCampaign::of(charter()), Journal::Rollback).unwrap(), 0..3);
    writer.finish("done").unwrap();
    // The file contains half a transaction, because a cache of one page spills uncommitted data.
    let store = Store::open_using(&folder.0, Journal::Rollback).unwrap();
    let connection = &store.reader.connection;
    let sql = "PRAGMA cache_size = 1; BEGIN;
               WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
               INSERT INTO configuration SELECT i, 'cut', '{}', zeroblob(8), 0 FROM n";
    connection.execute_batch(sql).unwrap();
    for next in ["reader", "writer"] {
        let copy = Folder::new(next);
        for file in ["campaign.sqlite", "campaign.sqlite-journal"] {
            fs::copy(folder.0.join(file), copy.0.join(file)).unwrap();
        }
        let large = fs::metadata(copy.0.join("campaign.sqlite")).unwrap().len();
        assert!(large > 100_000, "the file contains uncommitted data: {large}");
        let loaded = match next {
            "reader" => Store::read(&copy.0).unwrap().load().unwrap(),
            _ => Store::open_using(&copy.0, Journal::Rollback).unwrap().load().unwrap(),
        };
        assert_eq!(loaded.history.configurations().len(), 3, "{next}");
    }
}
