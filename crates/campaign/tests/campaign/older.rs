//! Tests that campaigns from earlier versions can be resumed.

use campaign::resume::Resumed;
use engine::racing::Snapshot;
use engine::{ConfigId, Status};
use rusqlite::Connection;
use scenario::testkit::Stage;
use store::Store;

/// A campaign of version 6, dumped with `sqlite3 .dump`. The campaign was searched, validated, resumed and
/// killed. Its target is a bowl over two parameters with a constraint on the second output.
const VERSION_6: &str = include_str!("version-6.sql");

#[test]
fn a_campaign_of_version_6_is_resumed_in_the_middle_of_its_races() {
    let stage = Stage::new();
    let connection = Connection::open(stage.folder.join("campaign.sqlite")).unwrap();
    connection.execute_batch(VERSION_6).unwrap();
    drop(connection);
    let store = Store::open(&stage.folder).unwrap();
    store.reader().verify().unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.history.trials().len(), 147);
    assert_eq!(loaded.history.count(Status::Crashed), 5);
    let state = loaded.state.clone().unwrap();
    assert_eq!((state.format, state.told), (1, 146));
    let restarted = Snapshot::of_incumbent(ConfigId(33), &loaded.history);
    let resumed = Resumed::of_store(loaded).unwrap();
    let snapshot = resumed.snapshot.unwrap();
    assert_eq!(snapshot.incumbent(), ConfigId(33));
    assert_eq!((snapshot.incumbent_pairs().len(), resumed.untold.len()), (25, 1));
    assert_ne!(snapshot, restarted, "its races were restarted");
    assert!(snapshot.pending.iter().any(|trial| trial.id == resumed.untold[0].id), "{snapshot:?}");
    // There are twenty pairs on two unseen instances, measured with the default and with the best
    // configuration at that time.
    let validations = store.reader().validations().unwrap();
    assert_eq!(validations.len(), 40);
    let of_default = validations.iter().filter(|row| row.key().0 == ConfigId(0)).count();
    assert_eq!((of_default, validations[0].record.trial.observation.constraints().len()), (20, 1));
}
