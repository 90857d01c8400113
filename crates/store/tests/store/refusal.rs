//! Tests that unusable files are rejected with a message and left unchanged.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use engine::ConfigId;
use space::format::{Format, write};
use store::{Acknowledgement, Charter, Elapsed, Store, StoreError, StoredIncumbent};

use super::stage::{Folder, await_commit, batch, charter, space, start};

#[test]
fn a_folder_without_a_campaign_is_rejected() {
    let folder = Folder::new();
    for error in [Store::open(folder.path()).unwrap_err(), Store::read(folder.path()).unwrap_err()] {
        assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("there is no campaign in {}", folder.path().display()));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was created");
}

#[test]
fn a_campaign_is_not_created_twice() {
    let folder = Folder::new();
    drop(Store::create(folder.path(), &charter()).unwrap());
    let error = Store::create(folder.path(), &charter()).unwrap_err();
    assert!(matches!(error, StoreError::Exists { .. }), "{error:?}");
}

#[test]
fn an_empty_file_is_not_a_campaign_yet() {
    let folder = Folder::new();
    fs::write(folder.database(), "").unwrap();
    assert!(matches!(Store::open(folder.path()), Err(StoreError::Missing { .. })));
    Store::create(folder.path(), &charter()).unwrap();
}

/// Creating a new store would replace the link instead of its target.
#[test]
fn a_dangling_link_is_not_replaced() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("elsewhere.sqlite", folder.database()).unwrap();
    let error = Store::create(folder.path(), &charter()).unwrap_err();
    assert!(matches!(error, StoreError::File { .. }), "{error:?}");
    assert!(folder.database().is_symlink());
}

#[test]
fn the_error_of_a_second_writer_names_the_first() {
    let folder = Folder::new();
    assert_eq!(Store::holder(folder.path()).unwrap(), None);
    let store = Store::create(folder.path(), &charter()).unwrap();
    let holder_in_error = || match Store::open(folder.path()).unwrap_err() {
        StoreError::InUse { pid, host, .. } => (pid, host),
        error => panic!("{error:?}"),
    };
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(holder_in_error(), (Some(std::process::id()), Some(name.trim().to_owned())));
    let holder = Store::holder(folder.path()).unwrap().unwrap();
    assert_eq!((holder.pid, holder.host), holder_in_error());
    let (writer, _acknowledgements) = start(store);
    holder_in_error();
    let error = Store::create(folder.path(), &charter()).unwrap_err();
    assert!(error.to_string().contains(&format!("in use by process {}", std::process::id())), "{error}");
    writer.finish("done").unwrap();
    assert_eq!(Store::holder(folder.path()).unwrap(), None);
    Store::open(folder.path()).unwrap();
}

#[test]
fn checking_for_a_writer_does_not_block_one() {
    let folder = Folder::new();
    drop(Store::create(folder.path(), &charter()).unwrap());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                Store::holder(folder.path()).unwrap();
                Store::read(folder.path()).unwrap().summary().unwrap();
            }
        });
        let opened = (0..30).all(|_| Store::open(folder.path()).is_ok());
        done.store(true, Ordering::Relaxed);
        assert!(opened);
    });
}

#[test]
fn a_newer_version_is_rejected() {
    let folder = Folder::new();
    drop(Store::create(folder.path(), &charter()).unwrap());
    let mut file = fs::OpenOptions::new().write(true).open(folder.database()).unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&10u32.to_be_bytes()).unwrap();
    let before = fs::read(folder.database()).unwrap();
    for error in [Store::open(folder.path()).unwrap_err(), Store::read(folder.path()).unwrap_err()] {
        assert!(matches!(error, StoreError::Newer { found: 10, known: 9, .. }), "{error:?}");
        assert!(error.to_string().contains("version 10") && error.to_string().contains("up to 9"), "{error}");
    }
    assert!(matches!(Store::create(folder.path(), &charter()), Err(StoreError::Newer { .. })));
    assert!(fs::read(folder.database()).unwrap() == before);
}

#[test]
fn other_files_are_rejected() {
    let folder = Folder::new();
    let other = |bytes: &[u8]| {
        fs::write(folder.database(), bytes).unwrap();
        let errors = [
            Store::open(folder.path()).unwrap_err(),
            Store::read(folder.path()).unwrap_err(),
            Store::create(folder.path(), &charter()).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, StoreError::NotAStore { .. }), "{error:?}");
        }
        assert!(fs::read(folder.database()).unwrap() == bytes);
    };
    other(b"p cnf 3 2\n1 2 0\n");
    other(&[0x5a; 8192]);
    other(b"SQLite format 3\0");
    let mut header = [0; 4096];
    header[..16].copy_from_slice(b"SQLite format 3\0");
    other(&header);
}

/// Returns the bytes of a store with 400 trials, all in a single file.
fn filled(folder: &Folder) -> Vec<u8> {
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    for n in 0..200 {
        writer.submit(batch(&space(), n)).unwrap();
    }
    await_commit(&acknowledgements, 200);
    writer.finish("done").unwrap();
    fs::read(folder.database()).unwrap()
}

#[test]
fn damage_is_detected_when_it_is_read() {
    let folder = Folder::new();
    let whole = filled(&folder);
    let pages = whole.len() / 4096;
    for page in 1..pages {
        let mut bytes = whole.clone();
        bytes[page * 4096..][..4096].fill(0xa5);
        fs::write(folder.database(), &bytes).unwrap();
        let reader = Store::read(folder.path());
        let reader = match reader {
            Ok(reader) => reader,
            Err(error) => {
                assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
                continue;
            }
        };
        assert!(matches!(reader.verify(), Err(StoreError::Damaged { .. })), "page {page}");
        // Damage in indices and texts that are not needed to resume may stay undetected. Everything that
        // `load` reads must be valid.
        match reader.load() {
            Ok(loaded) => assert_eq!(loaded.history.trials().len(), 400),
            Err(StoreError::Damaged { .. }) => {}
            Err(error) => panic!("page {page}: {error:?}"),
        }
    }
    fs::write(folder.database(), &whole[..pages / 2 * 4096]).unwrap();
    let outcome = Store::read(folder.path()).and_then(|reader| reader.load().map(drop));
    assert!(matches!(outcome, Err(StoreError::Damaged { .. })), "cut in half: {outcome:?}");
}

#[test]
fn an_interrupted_creation_is_not_a_campaign_yet() {
    let folder = Folder::new();
    drop(Store::create(folder.path(), &charter()).unwrap());
    fs::rename(folder.database(), folder.path().join("campaign.new")).unwrap();
    fs::write(folder.path().join("campaign.new-journal"), "half a journal").unwrap();
    assert!(matches!(Store::open(folder.path()), Err(StoreError::Missing { .. })));
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space(), 0)).unwrap();
    await_commit(&acknowledgements, 1);
    writer.finish("done").unwrap();
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["campaign.lock", "campaign.sqlite"], "a campaign that has ended is a single file");
    // If bytes 18 and 19 have these values, the file can be read without write access to its folder.
    assert_eq!(fs::read(folder.database()).unwrap()[18..20], [1, 1]);
}

#[test]
fn the_log_of_a_removed_campaign_does_not_become_part_of_a_new_one() {
    let folder = Folder::new();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    writer.submit(batch(&space(), 0)).unwrap();
    await_commit(&acknowledgements, 1);
    let log = fs::read(folder.path().join("campaign.sqlite-wal")).unwrap();
    assert!(!log.is_empty());
    drop(writer);
    fs::remove_file(folder.database()).unwrap();
    fs::write(folder.path().join("campaign.sqlite-wal"), log).unwrap();
    let store = Store::create(folder.path(), &charter()).unwrap();
    store.reader().verify().unwrap();
    assert_eq!(store.load().unwrap().history.trials().len(), 0);
}

#[test]
fn tables_that_contradict_each_other_are_rejected() {
    let folder = Folder::in_memory();
    let whole = filled(&folder);
    for (change, part) in [
        ("DELETE FROM trial WHERE row = 17", "some trials are missing"),
        ("DELETE FROM trial WHERE row = 1", "some trials are missing"),
        ("UPDATE trial SET status = 'fine' WHERE row = 9", "trial row 9 is inconsistent"),
        ("UPDATE trial SET cost = NULL WHERE row = 1", "trial row 1 is inconsistent"),
        ("UPDATE trial SET cost = 9e999 WHERE row = 2", "trial row 2 is inconsistent"),
        ("UPDATE trial SET cap = -1 WHERE row = 3", "trial row 3 is inconsistent"),
        ("UPDATE trial SET constraints = '[' WHERE row = 4", "trial row 4 is inconsistent"),
        ("UPDATE trial SET why = '' WHERE row = 5", "trial row 5 is inconsistent"),
        ("UPDATE trial SET configuration = 200 WHERE row = 6", "trial 5 (row 6) does not match its checksum"),
        ("UPDATE trial SET seed = -1 WHERE row = 6", "out of range"),
        ("UPDATE trial SET spent = 'much' WHERE row = 6", "Invalid column type"),
        ("UPDATE trial SET cost = cost + 1e-9 WHERE row = 9", "trial 8 (row 9) does not match its checksum"),
        ("UPDATE trial SET cpu = 0 WHERE row = 9", "trial 8 (row 9) does not match its checksum"),
        ("DELETE FROM configuration WHERE id = 7", "configuration 7 is missing"),
        ("UPDATE configuration SET codes = zeroblob(8) WHERE id = 7", "has the wrong number of values"),
        (
            "UPDATE configuration SET codes = zeroblob(40) WHERE id = 7",
            "configuration 7 does not match its checksum",
        ),
        (
            "UPDATE configuration SET codes = (SELECT codes FROM configuration WHERE id = 5) WHERE id = 7",
            "configuration 7 does not match its checksum",
        ),
        (
            "INSERT INTO state VALUES (1, x'', 401, 0, 0, 2)",
            "the snapshot has 401 trials, but only 400 are stored",
        ),
        ("DELETE FROM campaign WHERE key = 'space'", "do not match their checksum"),
        ("UPDATE campaign SET value = '8' WHERE key = 'seed'", "do not match their checksum"),
        ("UPDATE instance SET name = 'j0.cnf' WHERE id = 0", "do not match their checksum"),
        ("DELETE FROM campaign WHERE key = 'checksum'", "do not match their checksum"),
    ] {
        fs::write(folder.database(), &whole).unwrap();
        let connection = rusqlite::Connection::open(folder.database()).unwrap();
        connection.execute_batch(&format!("PRAGMA foreign_keys = off; {change}")).unwrap();
        drop(connection);
        let error = Store::open(folder.path()).unwrap().load().unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{change}: {error:?}");
        assert!(error.to_string().contains(part), "{change}: {error}");
    }
}

/// SQLite itself would keep writing to the removed file.
#[test]
fn a_file_that_is_removed_or_replaced_while_it_is_written_is_an_error() {
    for replace in [false, true] {
        let folder = Folder::new();
        let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
        writer.submit(batch(&space(), 0)).unwrap();
        await_commit(&acknowledgements, 1);
        fs::rename(folder.database(), folder.path().join("elsewhere")).unwrap();
        if replace {
            fs::copy(folder.path().join("elsewhere"), folder.database()).unwrap();
        }
        writer.submit(batch(&space(), 1)).unwrap();
        match acknowledgements.recv().unwrap() {
            Acknowledgement::Failed(StoreError::Gone { path }) => assert_eq!(path, folder.database()),
            other => panic!("{other:?}"),
        }
    }
}

/// Returns everything that can be read from a store, as text.
fn contents(folder: &Folder) -> Result<String, StoreError> {
    let reader = Store::read(folder.path())?;
    let loaded = reader.load()?;
    let mut measured = Vec::new();
    reader.each_trial(|trial, configuration| {
        measured.push(format!("{trial:?} {:?}", configuration.codes()));
        Ok::<_, StoreError>(())
    })?;
    let validations = reader.validations()?;
    let Charter { name, scenario, folder, space, instances, seed } = loaded.charter;
    let space = write(&space, Format::Toml)?;
    let charter = (name, scenario, folder, space, instances, seed);
    Ok(format!("{charter:?}\n{measured:?}\n{:?}\n{validations:?}", loaded.incumbents))
}

/// A flipped bit is either detected or has no effect on what is read.
#[test]
fn no_flipped_bit_changes_a_number() {
    let folder = Folder::in_memory();
    let (mut writer, _acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    for n in 0..40 {
        let mut batch = batch(&space(), n);
        let spent = Elapsed { wall: f64::from(n), cpu: f64::from(n) };
        batch.incumbents.push(StoredIncumbent { after: 1, config: ConfigId(n), pairs: n, cost: 3.5, spent });
        writer.submit(batch).unwrap();
    }
    writer.finish("done").unwrap();
    let (whole, expected) = (fs::read(folder.database()).unwrap(), contents(&folder).unwrap());
    let mut refused = 0;
    // Because the step is odd, all bit positions within a byte are tested.
    for bit in (0..whole.len() * 8).step_by((whole.len() * 8 / 250) | 1) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(folder.database(), flipped).unwrap();
        match contents(&folder) {
            Ok(found) => assert_eq!(found, expected, "bit {bit} of {}", whole.len() * 8),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 50, "{refused}");
}
