//! The caller's connection to its guardian, the process that forks supervisors.
//!
//! The guardian runs the same executable as the caller. The first run starts the guardian, which then lives
//! as long as the caller. The guardian forks a supervisor for each run, so that a run needs only a fork of a
//! small process, not the start of a large program. It also cleans up after supervisors that are killed. If
//! the guardian itself is killed, its runs end too, and the next run starts a new guardian.

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
use crate::wire::{self, RunSpec};

/// The guardians in use, keyed by executable. There is more than one only if the caller names several
/// executables.
static GUARDIANS: Mutex<BTreeMap<PathBuf, Guardian>> = Mutex::new(BTreeMap::new());

struct Guardian {
    socket: UnixStream,
    process: Child,
}

/// Asks the guardian that runs `executable` for a supervisor, and returns our end of the supervisor's control
/// socket.
pub(crate) fn new_supervisor(executable: &Path, spec: &RunSpec) -> io::Result<OwnedFd> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut guardians = lock();
    let asked = |guardian: &Guardian| wire::send(&guardian.socket, spec, &[theirs.as_fd()]).is_ok();
    if !guardians.get(executable).is_some_and(asked) {
        // There is no guardian yet, or it was killed.
        let guardian = Guardian::start(executable)?;
        // The result is ignored: if the new guardian is already dead as well, the caller sees a closed
        // socket.
        asked(&guardian);
        guardians.insert(executable.to_owned(), guardian);
    }
    Ok(ours.into())
}

/// Ends the guardians of this process once their runs have finished. The next run starts a new one.
///
/// If a program exits without calling this, its guardians end by themselves shortly afterwards.
pub fn dismiss_guardians() {
    lock().clear();
}

fn lock() -> MutexGuard<'static, BTreeMap<PathBuf, Guardian>> {
    GUARDIANS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guardian {
    fn start(executable: &Path) -> io::Result<Self> {
        // The guardian and its runs inherit our control group, so the group must be set up first. Errors are
        // ignored here, because the cgroup tier reports them.
        cgroup::Parent::ours().ok();
        let (socket, theirs) = UnixStream::pair()?;
        let process = Command::new(executable)
            .arg0(NAME)
            .arg(SUPERVISE)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // In its own process group, the guardian does not receive the terminal's Ctrl-C, which the
            // caller handles.
            .process_group(0)
            .spawn()?;
        Ok(Self { socket, process })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // Once our end of the socket is closed, the guardian exits as soon as its runs have ended. Waiting
        // for it avoids a zombie.
        self.socket.shutdown(Shutdown::Both).ok();
        self.process.wait().ok();
    }
}
