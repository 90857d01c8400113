//! Ensures that only one process writes at a time.
//!
//! The writer holds a lock on `campaign.lock` as long as it runs. The kernel releases the lock however the
//! writer ends. The file contains the holder's process ID and host name, which a second writer shows in its
//! error message.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::StoreError;

const NAME: &str = "campaign.lock";

/// Number of attempts to take the lock. A process that checks for a writer holds a shared lock for a moment,
/// so a new writer may have to try again.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// The process that writes to a store. The fields are unknown for a moment, after the process has taken the
/// lock and before it has written the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Holder {
    /// The process ID.
    pub pid: Option<u32>,
    /// The host name of its machine.
    pub host: Option<String>,
}

/// The lock that the writer of a store holds.
#[derive(Debug)]
pub(super) struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock. If another process holds it, returns an error that names the holder.
    pub(super) fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(NAME);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(StoreError::file("open", &path))?;
        let mut attempts = 0;
        while !try_lock(&file, FlockOperation::NonBlockingLockExclusive, &path)? {
            attempts += 1;
            if attempts == ATTEMPTS || has_writer(&file, &path)? {
                let Holder { pid, host } = signature(file);
                return Err(StoreError::InUse { folder: folder.to_owned(), pid, host });
            }
            std::thread::sleep(PAUSE);
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

/// Unlocks the file. Closing it is not enough, because a child process that is being started shares the open
/// file for a moment.
impl Drop for WriterLock {
    fn drop(&mut self) {
        // If this fails, there is nothing else to try.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Returns the writer of a store, if there is one.
pub(super) fn holder(folder: &Path) -> Result<Option<Holder>, StoreError> {
    let path = folder.join(NAME);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(StoreError::file("open", &path))?,
    };
    Ok(has_writer(&file, &path)?.then(|| signature(file)))
}

/// Returns whether another process holds the exclusive lock.
fn has_writer(file: &File, path: &Path) -> Result<bool, StoreError> {
    let free = try_lock(file, FlockOperation::NonBlockingLockShared, path)?;
    if free {
        flock(file, FlockOperation::Unlock)
            .map_err(|error| StoreError::file("unlock", path)(error.into()))?;
    }
    Ok(!free)
}

/// Tries to take the lock. Returns false if another process holds it.
fn try_lock(file: &File, operation: FlockOperation, path: &Path) -> Result<bool, StoreError> {
    match flock(file, operation) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(StoreError::NoLocks { path: path.to_owned(), source: error.into() }),
    }
}

fn signature(mut file: File) -> Holder {
    let mut text = String::new();
    // If this fails, the message does not name the holder.
    let _ = file.read_to_string(&mut text);
    match text.trim_end().split_once(' ') {
        Some((pid, host)) => Holder { pid: pid.parse().ok(), host: Some(host.to_owned()) },
        None => Holder::default(),
    }
}

/// Returns the host name of this machine.
pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "an unnamed host".to_owned() } else { name.trim().to_owned() }
}
