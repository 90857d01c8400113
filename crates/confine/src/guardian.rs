//! The caller's connection to its guardian, the process from which supervisors are born.
//!
//! One copy of the executable is started with the first run and lives as long as we do. It forks a
//! supervisor for each run, so that a run costs a fork of a small process and not the start of a large
//! program, and it cleans up after one that is killed. A guardian that is killed itself takes its
//! runs with it; the next run starts another.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::supervise::SUPERVISE;
use crate::tier::cgroup;
use crate::wire::{self, Birth};

/// The guardian in use.
static CURRENT: Mutex<Option<Guardian>> = Mutex::new(None);

struct Guardian {
    executable: PathBuf,
    socket: UnixStream,
    process: Child,
}

/// Has a supervisor born from `executable`, and returns our end of its control socket.
pub(crate) fn new_supervisor(executable: &Path, birth: &Birth) -> io::Result<OwnedFd> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(guardian) = current.as_ref().filter(|guardian| guardian.executable == executable)
        && wire::send(&guardian.socket, birth, &[theirs.as_fd()]).is_ok()
    {
        return Ok(ours.into());
    }
    // None yet, one of another executable, or one that was killed.
    let guardian = Guardian::start(executable)?;
    // If it has died already, the closed socket will tell the caller so.
    wire::send(&guardian.socket, birth, &[theirs.as_fd()]).ok();
    *current = Some(guardian);
    Ok(ours.into())
}

impl Guardian {
    fn start(executable: &Path) -> io::Result<Self> {
        // What the guardian inherits, its runs do: our control group must be settled before. Whether
        // there is one is for the tier to say.
        cgroup::Parent::ours().ok();
        let (socket, theirs) = UnixStream::pair()?;
        let process = Command::new(executable)
            .arg0("captune")
            .arg(SUPERVISE)
            .env_clear()
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            // Out of reach of the terminal's Ctrl-C, which is for us to act upon.
            .process_group(0)
            .spawn()?;
        Ok(Self { executable: executable.to_owned(), socket, process })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // Without our end of the socket it ends when its runs have, and must leave no zombie.
        self.socket.shutdown(std::net::Shutdown::Both).ok();
        self.process.wait().ok();
    }
}
