//! Tests that stores from earlier versions are migrated with all their contents.

use engine::{ConfigId, Observation, Seed};
use rusqlite::Connection;
use store::{Store, StoreError};

use super::stage::{Folder, batch, charter, space, start};

/// Returns a store of version 1, which lacks the columns that were added later.
fn version_1() -> Folder {
    let folder = Folder::in_memory();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space(), 0)).unwrap();
    writer.finish("done").unwrap();
    let connection = Connection::open(folder.database()).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = delete; ALTER TABLE trial DROP COLUMN outputs;
             ALTER TABLE trial DROP COLUMN tie; ALTER TABLE state DROP COLUMN format;
             ALTER TABLE trial DROP COLUMN checksum; ALTER TABLE configuration DROP COLUMN checksum;
             ALTER TABLE incumbent DROP COLUMN checksum; DROP TABLE validation; DROP TABLE ablation;
             DROP TABLE worker; DROP TABLE lease;
             CREATE TABLE validation (
                 number INTEGER PRIMARY KEY, role TEXT NOT NULL,
                 configuration INTEGER NOT NULL REFERENCES configuration (id), instance TEXT NOT NULL,
                 seed INTEGER NOT NULL, status TEXT NOT NULL, cost REAL, censored INTEGER, cpu REAL, wall REAL,
                 UNIQUE (role, configuration, instance, seed));
             INSERT INTO validation VALUES (NULL, 'default', 0, 'x.cnf', 7, 'timeout', 3.5, 1, 3.4, 3.6);
             DELETE FROM campaign WHERE key = 'checksum';
             UPDATE campaign SET value = '1' WHERE key = 'format'; PRAGMA user_version = 1;",
        )
        .unwrap();
    folder
}

#[test]
fn a_store_of_version_1_is_migrated_and_can_be_resumed() {
    let folder = version_1();
    assert!(matches!(Store::read(folder.path()), Err(StoreError::Older { found: 1, .. })));
    let store = Store::open(folder.path()).unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.history.trials().len(), 2);
    assert!(loaded.state.is_none(), "this version cannot read the snapshot");
    let [validation] = &store.reader().validations().unwrap()[..] else { panic!("expected one validation") };
    assert_eq!((validation.key(), &validation.host), ((ConfigId(0), "x.cnf", Seed(7)), &None));
    assert_eq!(validation.record.trial.observation, Observation::timeout(3.5));
    assert!(store.reader().trial(1).unwrap().unwrap().detail.outputs.is_empty());
    let (mut writer, _acknowledgements) = start(store);
    writer.submit(batch(&space(), 1)).unwrap();
    writer.finish("done").unwrap();
    let reader = Store::read(folder.path()).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.trial(3).unwrap().unwrap().detail.outputs["nodes"], 1e20);
}
