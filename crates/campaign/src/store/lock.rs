//! One writer at a time.
//!
//! The writer holds a lock on `campaign.lock` as long as it lives; the kernel lets go of it however
//! the writer ends. The file says who holds it, for the message to whoever comes second.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::StoreError;

const NAME: &str = "campaign.lock";

/// Held by the writer of a store.
#[derive(Debug)]
pub(super) struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock, or says who has it.
    pub(super) fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(NAME);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(StoreError::file("open", &path))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let (pid, host) = holder(&mut file);
                return Err(StoreError::InUse { folder: folder.to_owned(), pid, host });
            }
            Err(error) => return Err(StoreError::NoLocks { path, source: error.into() }),
        }
        let mut lock = Self { file };
        lock.sign().map_err(StoreError::file("write", &path))?;
        Ok(lock)
    }

    fn sign(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        writeln!(self.file, "{} {}", std::process::id(), host_name())
    }
}

/// Closing the file would do, but for a moment a process that is being started shares it.
impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closed or not, there is nothing else to try.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Who holds the lock; nothing if they have just taken it and not signed yet.
fn holder(file: &mut File) -> (Option<u32>, Option<String>) {
    let mut text = String::new();
    // What cannot be read is left out of a message that is right without it.
    let _ = file.read_to_string(&mut text);
    match text.trim_end().split_once(' ') {
        Some((pid, host)) => (pid.parse().ok(), Some(host.to_owned())),
        None => (None, None),
    }
}

/// Whether someone writes to a store now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody does.
    Nobody,
    /// A process of this machine.
    Here {
        /// Its number.
        pid: u32,
    },
    /// A process of another machine was the last to begin; whether it lives cannot be seen from here.
    Elsewhere {
        /// Its number there.
        pid: u32,
        /// The machine.
        host: String,
    },
}

/// Who holds the lock, without touching it: to try it would be in the way of one who wants it.
pub(super) fn holder_of(folder: &Path) -> Holder {
    let Ok(mut file) = File::open(folder.join(NAME)) else { return Holder::Nobody };
    match holder(&mut file) {
        (Some(pid), Some(host)) if host != host_name() => Holder::Elsewhere { pid, host },
        (Some(pid), _) if holds(pid, &file) => Holder::Here { pid },
        _ => Holder::Nobody,
    }
}

/// Whether a process of this machine has a lock on a file.
fn holds(pid: u32, file: &File) -> bool {
    let alive = Path::new("/proc").join(pid.to_string()).exists();
    let (Ok(locks), Ok(status)) = (fs::read_to_string("/proc/locks"), file.metadata()) else { return alive };
    // `1: FLOCK  ADVISORY  WRITE 708 08:01:13131 0 EOF`: the process, and the file's device and number.
    let is_this = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let inode = words.get(5).and_then(|place| place.rsplit(':').next());
        words.get(1) == Some(&"FLOCK")
            && words.get(4) == Some(&pid.to_string().as_str())
            && inode == Some(&status.ino().to_string())
    };
    alive && locks.lines().any(is_this)
}

/// This machine's name.
pub(super) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "an unnamed host".to_owned() } else { name.trim().to_owned() }
}
