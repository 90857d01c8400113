//! Stores of earlier versions are brought up to date, with everything in them.

use campaign::store::{Store, StoreError};
use rusqlite::Connection;

use super::stage::{Folder, batch, charter, space, start};

/// A store as version 1 had it: without the columns that came later.
fn version_1() -> Folder {
    let folder = Folder::fleeting();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space(), 0)).unwrap();
    writer.finish("done").unwrap();
    let connection = Connection::open(folder.database()).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = delete; ALTER TABLE trial DROP COLUMN outputs;
             ALTER TABLE trial DROP COLUMN tie; ALTER TABLE validation DROP COLUMN constraints;
             ALTER TABLE trial DROP COLUMN checksum; ALTER TABLE configuration DROP COLUMN checksum;
             ALTER TABLE incumbent DROP COLUMN checksum; ALTER TABLE validation DROP COLUMN checksum;
             DELETE FROM campaign WHERE key = 'checksum';
             UPDATE campaign SET value = '1' WHERE key = 'format'; PRAGMA user_version = 1;",
        )
        .unwrap();
    folder
}

#[test]
fn a_store_of_version_1_goes_on() {
    let folder = version_1();
    assert!(matches!(Store::read(folder.path()), Err(StoreError::Older { found: 1, .. })));
    let store = Store::open(folder.path()).unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.history.trials().len(), 2);
    assert!(loaded.state.is_none(), "a snapshot that this version cannot read");
    assert!(store.reader().trial(1).unwrap().unwrap().outputs.is_empty());
    let (mut writer, _acknowledgements) = start(store);
    writer.submit(batch(&space(), 1)).unwrap();
    writer.finish("done").unwrap();
    let reader = Store::read(folder.path()).unwrap();
    reader.verify().unwrap();
    assert_eq!(reader.trial(3).unwrap().unwrap().outputs["nodes"], 1e20);
}
