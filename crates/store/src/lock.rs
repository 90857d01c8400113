//! One writer at a time.
//!
//! The writer holds a lock on `campaign.lock` as long as it lives; the kernel lets go of it however
//! the writer ends. The file says who holds it, for the message to whoever comes second.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::StoreError;

const NAME: &str = "campaign.lock";

/// Whoever looks whether there is a writer holds the lock for a moment, together with others who look:
/// a writer asks again.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// The process that writes a store. In the moment between taking the lock and signing it, who that is
/// cannot be known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Holder {
    /// Its number.
    pub pid: Option<u32>,
    /// The machine it runs on.
    pub host: Option<String>,
}

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
        let file = file.map_err(StoreError::file("open", &path))?;
        let mut attempts = 0;
        while !try_lock(&file, FlockOperation::NonBlockingLockExclusive, &path)? {
            attempts += 1;
            if attempts == ATTEMPTS || is_written(&file, &path)? {
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

/// Closing the file would do, but for a moment a process that is being started shares it.
impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closed or not, there is nothing else to try.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Who writes a store, if anybody does.
pub(super) fn holder(folder: &Path) -> Result<Option<Holder>, StoreError> {
    let path = folder.join(NAME);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(StoreError::file("open", &path))?,
    };
    Ok(is_written(&file, &path)?.then(|| signature(file)))
}

/// Whether someone holds the lock for himself.
fn is_written(file: &File, path: &Path) -> Result<bool, StoreError> {
    let free = try_lock(file, FlockOperation::NonBlockingLockShared, path)?;
    if free {
        flock(file, FlockOperation::Unlock)
            .map_err(|error| StoreError::file("unlock", path)(error.into()))?;
    }
    Ok(!free)
}

/// Whether the lock was free.
fn try_lock(file: &File, operation: FlockOperation, path: &Path) -> Result<bool, StoreError> {
    match flock(file, operation) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(StoreError::NoLocks { path: path.to_owned(), source: error.into() }),
    }
}

fn signature(mut file: File) -> Holder {
    let mut text = String::new();
    // What cannot be read is left out of a message that is right without it.
    let _ = file.read_to_string(&mut text);
    match text.trim_end().split_once(' ') {
        Some((pid, host)) => Holder { pid: pid.parse().ok(), host: Some(host.to_owned()) },
        None => Holder::default(),
    }
}

/// This machine's name.
pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "an unnamed host".to_owned() } else { name.trim().to_owned() }
}
