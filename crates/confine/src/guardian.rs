//! The caller's connection to its guardian, the process from which supervisors are born.
//!
//! One copy of the executable is started with the first run and lives as long as we do. It forks a
//! supervisor for each run, so that a run costs a fork of a small process and not the start of a large
//! program, and it cleans up after one that is killed. A guardian that is killed itself takes its
//! runs with it; the next run starts another.

use std::collections::BTreeMap;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::supervise::{NAME, SUPERVISE};
use crate::tier::cgroup;
use crate::wire::{self, Birth};

/// The guardians in use, by executable; more than one only where a host names several.
static GUARDIANS: Mutex<BTreeMap<PathBuf, Guardian>> = Mutex::new(BTreeMap::new());

struct Guardian {
    socket: UnixStream,
    process: Child,
}

/// Has a supervisor born from `executable`, and returns our end of its control socket.
pub(crate) fn new_supervisor(executable: &Path, birth: &Birth) -> io::Result<OwnedFd> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut guardians = lock();
    let asked = |guardian: &Guardian| wire::send(&guardian.socket, birth, &[theirs.as_fd()]).is_ok();
    if !guardians.get(executable).is_some_and(asked) {
        // None yet, or one that was killed.
        let guardian = Guardian::start(executable)?;
        // If this one has died already, the closed socket will tell the caller so.
        asked(&guardian);
        guardians.insert(executable.to_owned(), guardian);
    }
    Ok(ours.into())
}

/// Ends the guardians of this process, after any run under way. The next run starts another.
///
/// A program that ends without it leaves them to end by themselves a moment later.
pub fn dismiss_guardians() {
    lock().clear();
}

fn lock() -> MutexGuard<'static, BTreeMap<PathBuf, Guardian>> {
    GUARDIANS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guardian {
    fn start(executable: &Path) -> io::Result<Self> {
        // What the guardian inherits, its runs do: our control group must be settled before. Whether
        // there is one is for the tier to say.
        cgroup::Parent::ours().ok();
        let (socket, theirs) = UnixStream::pair()?;
        let process = Command::new(executable)
            .arg0(NAME)
            .arg(SUPERVISE)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // Out of reach of the terminal's Ctrl-C, which is for us to act upon.
            .process_group(0)
            .spawn()?;
        Ok(Self { socket, process })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // Without our end of the socket it ends when its runs have, and must leave no zombie.
        self.socket.shutdown(Shutdown::Both).ok();
        self.process.wait().ok();
    }
}
