//! Tests `kill -9` at random moments: no acknowledged record is missing, and none is duplicated or
//! incomplete.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use engine::{Rng, TrialId};
use store::Store;

use super::child::{acknowledged, command};
use super::stage::{Folder, configuration, trial};

const STORES: u64 = 10;
const KILLS: u64 = 20;

#[test]
fn no_acknowledged_batch_is_lost() {
    let (mut acknowledged, mut stored) = (0, 0);
    for number in 0..STORES {
        let folder = Folder::new();
        let (mut known, mut present) = (0, 0);
        for kill in 0..KILLS {
            let mut rng = Rng::new(number, "kill", kill);
            known = known.max(write_until_killed(folder.path(), &mut rng));
            present = check(folder.path(), known);
        }
        acknowledged += known;
        stored += present;
    }
    println!("{} kills, {acknowledged} batches acknowledged, {stored} stored", STORES * KILLS);
    assert!(acknowledged > 0);
}

/// Lets the child write for a random time and kills it. Returns the number of batches that the child knew to
/// be on disk.
fn write_until_killed(folder: &Path, rng: &mut Rng) -> u32 {
    let mut child = command(folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut output = String::new();
    // A quarter of the children are killed while they open or create the store.
    let lines_to_read = if rng.below(4) == 0 { 0 } else { 1 + rng.below(8) };
    while output.lines().filter_map(acknowledged).count() < lines_to_read {
        assert!(lines.read_line(&mut output).unwrap() > 0, "the child ended by itself: {output}");
    }
    let most = if lines_to_read == 0 { 20_000_000 } else { 3_000_000 };
    let moment = Instant::now() + Duration::from_nanos(rng.below(most) as u64);
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    lines.read_to_string(&mut output).unwrap();
    let whole = output.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(acknowledged).next_back().unwrap_or(0)
}

/// Returns the number of stored batches. Checks that all acknowledged batches are stored completely and only
/// once.
fn check(folder: &Path, known: u32) -> u32 {
    let store = match Store::open(folder) {
        Err(store::StoreError::Missing { .. }) if known == 0 => return 0,
        store => store.unwrap(),
    };
    store.reader().verify().unwrap();
    let loaded = store.load().unwrap();
    let batches = loaded.history.configurations().len() as u32;
    assert!(batches >= known, "{known} acknowledged, {batches} stored");
    assert_eq!(loaded.history.trials().len() as u32, 2 * batches);
    for (n, stored) in loaded.history.configurations().iter().enumerate() {
        assert_eq!(*stored, configuration(&loaded.charter.space, n as u32).configuration);
    }
    for (row, stored) in loaded.history.trials().iter().enumerate() {
        assert_eq!(stored.id, TrialId(row as u64));
        assert_eq!(*stored, trial(row as u64, row as u32 / 2).trial);
    }
    batches
}
