//! The private working folder of a run, created for the run and removed afterwards. Removal does not follow
//! links.

use std::ffi::CStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, ResolveFlags, chmodat, fchmod, openat2, renameat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::process::{Pid, test_kill_process};

use crate::error::LaunchError;
use crate::finished::Unread;

/// Name prefix of every folder and control group that a run creates.
pub(crate) const RUN_PREFIX: &str = "captune-run-";

/// A private folder, locked while the caller uses it. The supervisor removes the folder. If the supervisor is
/// killed, the guardian removes the folder; if that fails, the caller does.
#[derive(Debug)]
pub struct Private {
    pub(crate) path: PathBuf,
    /// The folder's lock, which shows [`is_abandoned`] that the owner is alive. The file is never read.
    #[cfg_attr(not(test), expect(dead_code))]
    lock: File,
}

impl Private {
    /// Creates a folder that only this user can enter. Dropping the value removes the folder. If this
    /// process is killed, a later run removes it.
    pub fn new() -> Result<Self, LaunchError> {
        Self::make().map_err(|(path, source)| LaunchError::Folder { path, source })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder in TMPDIR that no other user can enter.
    pub(crate) fn make() -> Result<Self, (PathBuf, io::Error)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static SWEEP: Once = Once::new();
        let named = std::env::temp_dir();
        // Links in the path are resolved now, because removal does not follow them.
        let base = named.canonicalize().map_err(|error| (named, error))?;
        SWEEP.call_once(|| sweep(&base));
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("{RUN_PREFIX}{}-{count}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                // The folder was left by an earlier process with the same PID, or by one in another PID
                // namespace.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err((path, error)),
            }
            let lock = File::open(&path).and_then(|file| {
                rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                Ok(file)
            });
            return match lock {
                Ok(lock) => Ok(Self { path, lock }),
                Err(error) => {
                    fs::remove_dir(&path).ok();
                    Err((path, error))
                }
            };
        }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // A failure is harmless: the next sweep tries again.
        remove(&self.path).ok();
    }
}

/// Reads a regular file in `folder`. Fails if `path` leads out of the folder.
pub(crate) fn read(folder: &CStr, path: &CStr) -> Result<Vec<u8>, Unread> {
    let (file, _) = open(folder, path)?;
    let mut content = Vec::new();
    file.take(Unread::MAX_LENGTH + 1).read_to_end(&mut content).map_err(refused)?;
    if content.len() as u64 > Unread::MAX_LENGTH { Err(Unread::TooLong) } else { Ok(content) }
}

/// Returns the size of a regular file in `folder`, in bytes. Fails if `path` leads out of the folder.
pub(crate) fn size(folder: &CStr, path: &CStr) -> Result<u64, Unread> {
    open(folder, path).map(|(_, size)| size)
}

fn refused(error: io::Error) -> Unread {
    Unread::Refused(error.raw_os_error().unwrap_or(0))
}

/// Opens a regular file in `folder` and returns it with its size.
fn open(folder: &CStr, path: &CStr) -> Result<(File, u64), Unread> {
    let unread = |error: Errno| match error {
        Errno::NOENT | Errno::NOTDIR => Unread::Missing,
        Errno::XDEV | Errno::LOOP => Unread::Outside,
        other => Unread::Refused(other.raw_os_error()),
    };
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let top = openat2(CWD, folder, FOLDER, Mode::empty(), ResolveFlags::empty()).map_err(unread)?;
    // NONBLOCK: if the file is a pipe, opening it must not wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(openat2(top, path, flags, Mode::empty(), within).map_err(unread)?);
    let metadata = file.metadata().map_err(refused)?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(Unread::NotAFile) }
}

/// Removes a folder and its contents. Links are removed but not followed, and anything mounted inside is
/// left unchanged. Folders that the target made inaccessible are made accessible first. If one entry
/// cannot be removed, all others still are.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let top = match open_locked(CWD, path, ResolveFlags::NO_SYMLINKS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    // Folders nested deeper than the maximum depth are moved to the top level in one pass and removed in the
    // next.
    let mut moved = 0;
    loop {
        let before = moved;
        let emptied = empty(top.as_fd(), top.as_fd(), 0, &mut moved);
        if moved == before {
            emptied?;
            return fs::remove_dir(path);
        }
    }
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Path resolution that follows no link and enters no mount.
const WITHIN: ResolveFlags = ResolveFlags::NO_XDEV.union(ResolveFlags::NO_SYMLINKS);

/// Maximum depth of recursion, which limits the number of open folders.
const MAX_DEPTH: usize = 100;

fn empty(folder: BorrowedFd<'_>, top: BorrowedFd<'_>, depth: usize, moved: &mut usize) -> io::Result<()> {
    let mut emptied = Ok(());
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            emptied = emptied.and(remove_entry(folder, name, top, depth, moved));
        }
    }
    emptied
}

fn remove_entry(
    folder: BorrowedFd<'_>,
    name: &CStr,
    top: BorrowedFd<'_>,
    depth: usize,
    moved: &mut usize,
) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        other => return Ok(other?),
    }
    let below = open_locked(folder, name, WITHIN)?;
    if depth == MAX_DEPTH {
        *moved += 1;
        return Ok(renameat(folder, name, top, format!("moved-{}-{moved}", std::process::id()))?);
    }
    empty(below.as_fd(), top, depth + 1, moved)?;
    match unlinkat(folder, name, AtFlags::REMOVEDIR) {
        // Folders that were moved to the top are removed in the next pass.
        Err(Errno::NOTEMPTY) if *moved > 0 => Ok(()),
        other => Ok(other?),
    }
}

/// Opens a folder, whatever its mode, and makes it writable so that its files can be removed.
fn open_locked(folder: BorrowedFd<'_>, name: impl Arg + Copy, resolve: ResolveFlags) -> io::Result<OwnedFd> {
    let open = |flags| openat2(folder, name, flags, Mode::empty(), resolve);
    let opened = match open(FOLDER) {
        Err(Errno::ACCESS) => {
            // Opening with O_PATH needs no read permission. The call checks that the folder is neither a link
            // nor a mount. All processes of the target are gone, so none can replace the folder afterwards.
            open(FOLDER.union(OFlags::PATH))?;
            chmodat(folder, name, Mode::RWXU, AtFlags::empty())?;
            open(FOLDER)?
        }
        other => other?,
    };
    fchmod(&opened, Mode::RWXU)?;
    Ok(opened)
}

/// Returns whether a folder belongs to this user and its owner is gone. The owner is gone if no process holds
/// the folder's lock and one of two conditions holds: the process that made the folder is dead, or the folder
/// is so old that a living owner would have locked it by now.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    // `FOLDER` rejects anything but a folder: opening a pipe that someone put there would block forever.
    let Ok(file) = openat2(CWD, path, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) else { return false };
    let file = File::from(file);
    let old_enough = file.metadata().is_ok_and(|data| {
        let ours = data.uid() == rustix::process::getuid().as_raw();
        let age = data.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        let old = age.is_some_and(|age| age > Duration::from_secs(60));
        ours && data.is_dir() && (old || maker(path).is_some_and(is_dead))
    });
    old_enough && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Returns the process that made a folder, according to the folder's name.
fn maker(path: &Path) -> Option<Pid> {
    let (pid, _count) = path.file_name()?.to_str()?.strip_prefix(RUN_PREFIX)?.split_once('-')?;
    Pid::from_raw(pid.parse().ok()?)
}

fn is_dead(process: Pid) -> bool {
    test_kill_process(process) == Err(Errno::SRCH)
}

/// Removes folders whose owner was killed together with its guardian.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_run = entry.file_name().to_str().is_some_and(|name| name.starts_with(RUN_PREFIX));
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_run && is_folder && is_abandoned(&entry.path()) {
            // A failure is harmless: the next sweep tries again.
            remove(&entry.path()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{FileType, mknodat};

    use super::*;

    fn make() -> Private {
        Private::make().unwrap_or_else(|(path, error)| panic!("{}: {error}", path.display()))
    }

    #[test]
    fn removal_does_not_follow_links() {
        let (outside, private) = (make(), make());
        fs::write(outside.path.join("precious"), "kept").unwrap();
        std::os::unix::fs::symlink(&outside.path, private.path.join("link")).unwrap();
        fs::create_dir_all(private.path.join("a/b")).unwrap();
        fs::write(private.path.join("a/b/file"), "").unwrap();
        fs::set_permissions(private.path.join("a"), fs::Permissions::from_mode(0o0)).unwrap();
        remove(&private.path).unwrap();
        assert!(!private.path.exists());
        assert!(outside.path.join("precious").exists());
    }

    #[test]
    fn deeply_nested_folders_are_removed() {
        let private = make();
        let mut path = private.path.clone();
        for _ in 0..4 * MAX_DEPTH {
            path.push("d");
        }
        fs::create_dir_all(&path).unwrap();
        remove(&private.path).unwrap();
        assert!(!private.path.exists());
    }

    #[test]
    fn a_new_folder_is_abandoned_if_its_maker_is_dead() {
        let private = make();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let number = |pid: u32| private.path.join(format!("{RUN_PREFIX}{pid}-0"));
        let (dead, living) = (number(child.id()), number(std::process::id()));
        for path in [&dead, &living] {
            fs::create_dir(path).unwrap();
        }
        assert!(is_abandoned(&dead) && !is_abandoned(&living));
    }

    #[test]
    fn a_pipe_with_such_a_name_does_not_block() {
        let private = make();
        let pipe = private.path.join(RUN_PREFIX);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(is_abandoned(&pipe)));
        assert_eq!(receiver.recv_timeout(Duration::from_secs(30)), Ok(false));
    }

    #[test]
    fn a_folder_in_use_is_not_abandoned() {
        let private = make();
        private.lock.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        assert!(!is_abandoned(&private.path));
        rustix::fs::flock(&private.lock, FlockOperation::Unlock).unwrap();
        assert!(is_abandoned(&private.path));
    }
}
