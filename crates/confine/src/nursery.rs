//! The caller's connection to the process from which guardians are born.
//!
//! One copy of the executable is started with the first run and lives as long as we do. It forks a
//! guardian for each run, so that a run costs a fork of a small process and not the start of a large
//! program. It does nothing else: every run has a control socket of its own, and a nursery that dies
//! takes nothing with it; the next run starts another.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::supervise::SUPERVISE;
use crate::tier::cgroup;
use crate::wire;

/// The nursery in use.
static CURRENT: Mutex<Option<Nursery>> = Mutex::new(None);

struct Nursery {
    executable: PathBuf,
    socket: UnixStream,
    process: Child,
}

/// Has a guardian born from `executable`, and returns our end of its control socket.
pub(crate) fn new_guardian(executable: &Path) -> io::Result<OwnedFd> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(nursery) = current.as_ref().filter(|nursery| nursery.executable == executable)
        && wire::send(&nursery.socket, &(), &[theirs.as_fd()]).is_ok()
    {
        return Ok(ours.into());
    }
    // None yet, one of another executable, or one that was killed.
    let nursery = Nursery::start(executable)?;
    wire::send(&nursery.socket, &(), &[theirs.as_fd()])?;
    *current = Some(nursery);
    Ok(ours.into())
}

impl Nursery {
    fn start(executable: &Path) -> io::Result<Self> {
        // What the nursery inherits, its runs do: our control group must be settled before. Whether
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

impl Drop for Nursery {
    fn drop(&mut self) {
        // Without our end of the socket it ends by itself, and then leaves no zombie.
        self.socket.shutdown(std::net::Shutdown::Both).ok();
        self.process.wait().ok();
    }
}
