//! This test program as a process of its own that writes a store and says what was acknowledged.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;

use store::{Acknowledgement, Store};

use super::stage::{batch, charter};

/// The folder to write to, for the child; absent in the parent.
const FOLDER: &str = "CAMPAIGN_TEST_FOLDER";
/// How many batches may be on their way.
const AHEAD: u64 = 4;

/// The command that writes batches into a folder as fast as it can until it is killed or the store
/// fails. It prints `acknowledged n` when batches 0 to n - 1 of the store are on disk.
pub(super) fn command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child::writes", "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

/// What a line of the child's says: how many batches it knows to be on disk.
pub(super) fn acknowledged(line: &str) -> Option<u32> {
    line.strip_prefix("acknowledged ")?.parse().ok()
}

#[test]
fn writes() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let store = match Store::open(folder) {
        Err(store::StoreError::Missing { .. }) => Store::create(folder, &charter()).unwrap(),
        store => store.unwrap(),
    };
    let loaded = store.load().unwrap();
    let space = &loaded.charter.space;
    let first = loaded.history.configurations().len() as u32;
    let (send, words) = channel();
    let mut writer = store.write(move |word| send.send(word).unwrap()).unwrap();
    let mut committed = 0;
    let mut out = std::io::stdout();
    // Begins a new line: the frame of the tests has written half of one.
    writeln!(out, "\nacknowledged {first}").unwrap();
    loop {
        while writer.submitted() < committed + AHEAD {
            if writer.submit(batch(space, first + writer.submitted() as u32)).is_err() {
                break;
            }
        }
        match words.recv().unwrap() {
            Acknowledgement::Committed { batches } => {
                committed = batches;
                writeln!(out, "acknowledged {}", u64::from(first) + batches).unwrap();
            }
            Acknowledgement::Failed(error) => {
                writeln!(out, "failed {error}").unwrap();
                assert!(writer.submit(batch(space, 0)).is_err() && words.recv().is_err());
                return;
            }
        }
    }
}
