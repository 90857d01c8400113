//! Campaigns of earlier versions go on.

use campaign::resume::Resumed;
use engine::racing::Snapshot;
use engine::{ConfigId, Status};
use rusqlite::Connection;
use scenario::testkit::Stage;
use store::Store;

/// A campaign that version 6 searched, validated, went on with and was killed in, as `sqlite3 .dump` wrote it: a bowl
/// over two parameters, with a bound on the second output.
const VERSION_6: &str = include_str!("version-6.sql");

#[test]
fn a_campaign_of_version_6_goes_on_in_the_midst_of_its_races() {
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
    let begun_anew = Snapshot::of_incumbent(ConfigId(33), &loaded.history);
    let resumed = Resumed::of_store(loaded).unwrap();
    let snapshot = resumed.snapshot.unwrap();
    assert_eq!(snapshot.incumbent(), ConfigId(33));
    assert_eq!((snapshot.incumbent_pairs().len(), resumed.untold.len()), (25, 1));
    assert_ne!(snapshot, begun_anew, "its races have begun anew");
    assert!(snapshot.pending.iter().any(|trial| trial.id == resumed.untold[0].id), "{snapshot:?}");
    // Twenty pairs of two unseen instances, by the default and by the best of then.
    let validations = store.reader().validations().unwrap();
    assert_eq!(validations.len(), 40);
    let of_default = validations.iter().filter(|row| row.key().0 == ConfigId(0)).count();
    assert_eq!((of_default, validations[0].record.trial.observation.constraints().len()), (20, 1));
}
