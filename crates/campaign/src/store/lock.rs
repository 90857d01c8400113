//! One writer at a time.
//!
//! The writer holds a lock on `campaign.lock` as long as it lives; the kernel lets go of it however
//! the writer ends. The file says who holds it, for the message to whoever comes second.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
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

/// This machine's name.
pub(super) fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "an unnamed host".to_owned() } else { name.trim().to_owned() }
}
