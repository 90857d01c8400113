//! Runs this test program as a separate process, which writes to a store and prints which batches were
//! acknowledged.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;

use store::{Acknowledgement, Store};

use super::stage::{batch, charter};

/// Environment variable with the folder to write to. The variable is set only for the child.
const FOLDER: &str = "CAMPAIGN_TEST_FOLDER";
/// Maximum number of batches that are submitted but not yet acknowledged.
const AHEAD: u64 = 4;

/// Returns a command that writes batches to a folder as fast as it can, until it is killed or the store
/// fails. The command prints `acknowledged n` when batches 0 to n - 1 of the store are on disk.
pub(super) fn command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child::writes", "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

/// Parses a line of the child's output. Returns the number of batches on disk, if the line reports it.
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
    let (send, acknowledgements) = channel();
    let mut writer = store.write(move |acknowledgement| send.send(acknowledgement).unwrap()).unwrap();
    let mut committed = 0;
    let mut out = std::io::stdout();
    // Start with a line break, because the test harness has already written part of a line.
    writeln!(out, "\nacknowledged {first}").unwrap();
    loop {
        while writer.submitted() < committed + AHEAD {
            if writer.submit(batch(space, first + writer.submitted() as u32)).is_err() {
                break;
            }
        }
        match acknowledgements.recv().unwrap() {
            Acknowledgement::Committed { batches } => {
                committed = batches;
                writeln!(out, "acknowledged {}", u64::from(first) + batches).unwrap();
            }
            Acknowledgement::Failed(error) => {
                writeln!(out, "failed {error}").unwrap();
                assert!(writer.submit(batch(space, 0)).is_err() && acknowledgements.recv().is_err());
                return;
            }
        }
    }
}
