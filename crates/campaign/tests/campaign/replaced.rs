//! Tests that a campaign is complete at every moment, both when it is created and when it replaces another.

use std::path::{Path, PathBuf};

use campaign::conduct::{Imported, Opening, Order, import, open};
use campaign::import::runs;
use store::Store;

use scenario::testkit::Stage;

const SCENARIO: &str = "seed = 1\n[target]\ncommand = [\"true\", \"{params}\", \"{instance}\", \"{seed}\"]\n\
    [objective]\nminimise = \"cpu_time\"\ncutoff = \"5s\"\n[outputs]\nq = { pattern = 'q (.*)' }\n[instances]\nlist = [\"a\", \"b\", \"c\", \"d\"]\n\
    test = \"50%\"\n[budget]\ntrials = 100\n[space]\nx = { integer = [0, 9], default = 3 }\n";

struct World {
    stage: Stage,
    path: PathBuf,
    folder: PathBuf,
}

impl World {
    /// Creates a campaign with two trials.
    fn new() -> Self {
        let stage = Stage::new();
        let path = stage.file("s.toml", SCENARIO);
        let folder = path.with_extension("campaign");
        let world = Self { stage, path, folder };
        world.import("x,instance,seed,cost,output:q\n4,INSTANCE,1,0.5,7\n5,INSTANCE,1,0.25,8\n").unwrap();
        assert_eq!(world.known(), 2);
        world
    }

    fn order(&self) -> Order {
        Order { path: self.path.clone(), ..Order::default() }
    }

    /// Imports a table in which the word INSTANCE is replaced by a training instance.
    fn import(&self, table: &str) -> Result<Imported, String> {
        let train = open(&self.order()).unwrap().instances[0].name.clone();
        let table = self.stage.file("runs.csv", &table.replace("INSTANCE", &train));
        let runs = runs::read(&table).unwrap_or_else(|error| panic!("{error}"));
        import(&self.order(), &runs).map_err(|error| error.to_string())
    }

    /// Returns the number of trials in the campaign.
    fn known(&self) -> usize {
        Store::read(&self.folder).unwrap().load().unwrap().history.trials().len()
    }

    /// Returns the output of each trial.
    fn outputs(&self) -> Vec<Option<f64>> {
        let all = Store::read(&self.folder).unwrap().outputs().unwrap();
        all.iter().map(|told| told.get("q").copied()).collect()
    }

    fn change_the_seed(&self) {
        self.stage.file("s.toml", &SCENARIO.replace("seed = 1", "seed = 2"));
    }
}

const MORE: &str = "x,instance,seed,cost\n6,INSTANCE,1,0.75\n";

/// Returns a 32-bit number from the header of an SQLite file.
fn header(path: &Path, place: usize) -> u32 {
    let bytes = std::fs::read(path).unwrap();
    u32::from_be_bytes(bytes[place..place + 4].try_into().unwrap())
}

#[test]
fn a_campaign_stays_if_it_cannot_be_replaced() {
    let world = World::new();
    world.change_the_seed();
    let too_many = Order { workers: Some(100_000), ..world.order() };
    open(&too_many).unwrap_err();
    assert_eq!(world.known(), 2, "no cores for so many workers");
    // A folder with this name prevents a new store.
    std::fs::create_dir_all(world.folder.join("campaign.new/full")).unwrap();
    open(&world.order()).unwrap_err();
    assert_eq!(world.known(), 2, "no new store can be created");
    assert!(!world.folder.join("campaign-1.sqlite").exists());
}

/// Re-used trials are stored before anything runs, so a kill at that moment loses none of them.
#[test]
fn trials_are_in_the_new_store_from_the_start() {
    let world = World::new();
    world.change_the_seed();
    let opened = open(&world.order()).unwrap();
    assert!(matches!(&opened.opening, Opening::Reuse { trials: 2, .. }), "{:?}", opened.opening);
    drop(opened);
    assert_eq!(world.known(), 2);
    assert_eq!(world.outputs(), [Some(7.0), Some(8.0)]);
    assert_eq!(open(&world.order()).unwrap().so_far().trials, 2);
}

#[test]
fn an_import_under_a_changed_scenario_keeps_the_earlier_trials() {
    let world = World::new();
    world.change_the_seed();
    let train = Store::read(&world.folder).unwrap().charter().unwrap().instances[0].clone();
    let table = world.stage.file("more.csv", &MORE.replace("INSTANCE", &train));
    import(&world.order(), &runs::read(&table).unwrap()).unwrap();
    assert_eq!(world.known(), 3);
    assert_eq!(world.outputs(), [Some(7.0), Some(8.0), None]);
}

#[test]
fn the_remains_of_a_killed_replacement_are_removed() {
    let world = World::new();
    std::fs::write(world.folder.join("campaign.new"), "half").unwrap();
    let (store, aside) = (world.folder.join("campaign.sqlite"), world.folder.join("campaign-1.sqlite"));
    std::fs::hard_link(&store, &aside).unwrap();
    drop(open(&world.order()).unwrap());
    assert!(store.exists() && !aside.exists() && !world.folder.join("campaign.new").exists());
    let more = world.import(MORE).unwrap();
    assert_eq!(more.set_aside.as_deref(), Some(&*aside));
    drop(open(&world.order()).unwrap());
    assert!(aside.exists(), "an earlier store stays");
    assert_eq!(world.known(), 3);
}

/// With two transactions, a kill between them could make a campaign forget which instances it had set apart.
#[test]
fn a_campaign_is_created_in_one_transaction() {
    let stage = Stage::new();
    let path = stage.file("s.toml", SCENARIO);
    drop(open(&Order { path: path.clone(), ..Order::default() }).unwrap());
    let store = path.with_extension("campaign").join("campaign.sqlite");
    assert_eq!(header(&store, 24), 1, "the number of changes to the file");
}

/// If a write-ahead log is left over, readers create files beside the store, and readers without write access
/// fail.
#[test]
fn a_store_that_is_opened_and_not_written_stays_a_single_file() {
    let world = World::new();
    let store = world.folder.join("campaign.sqlite");
    let formats = |path: &Path| header(path, 16) & 0xffff;
    assert_eq!(formats(&store), 0x0101);
    drop(open(&world.order()).unwrap());
    assert_eq!(world.import("x,instance,seed,cost\n4,INSTANCE,1,0.5\n").unwrap().count(), 0);
    assert_eq!(formats(&store), 0x0101);
    // This is the state that a writer leaves if it is killed at the very end.
    let connection = rusqlite::Connection::open(&store).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(connection);
    assert_eq!(formats(&store), 0x0202);
    drop(open(&world.order()).unwrap());
    assert_eq!(formats(&store), 0x0101);
    world.known();
    let names = std::fs::read_dir(&world.folder).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["campaign.lock", "campaign.sqlite"]);
}
