//! Copies instances to a local disk, once, and unpacks compressed ones.
//!
//! A copy is stored under the full path of its source. So sources with the same name have separate copies,
//! even if several campaigns share a folder. A copy is used until it or its source changes; a list beside the
//! copies records their metadata for this check. Compressed files are unpacked with the programs that made
//! them (`gzip`, `xz`, `bzip2`, `zstd`), because these know every variant of their formats. Nothing is ever
//! removed from the folder.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use scenario::whole_file;
use scenario::{Instance, Scenario};

/// Name of the list of staged files, which has one JSON object per line. If a source has several lines, the
/// last one counts.
const LIST: &str = "staged.jsonl";
/// The folder that holds the copies.
const COPIES: &str = "files";
/// Time within which two changes may have the same time stamp, because time stamps are only as fine as the
/// kernel's clock ticks.
const UNSETTLED: Duration = Duration::from_millis(50);
/// Extensions of compressed files, and the programs that unpack them.
const UNPACKERS: [(&str, &str); 4] = [("gz", "gzip"), ("xz", "xz"), ("bz2", "bzip2"), ("zst", "zstd")];

/// Reason why an instance cannot be staged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum StagingError {
    #[error("cannot {verb} {}", path.display())]
    File { verb: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot stage {}: it is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("cannot run `{program}` to unpack {}: install it, or unpack the instances yourself", path.display())]
    NoProgram { program: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot unpack {}: {said}", path.display())]
    Damaged { path: PathBuf, said: String },
}

/// A folder with copies of instances.
#[derive(Clone, Debug)]
pub struct Staging {
    folder: PathBuf,
}

/// The result of staging.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Staged {
    /// Number of files that were copied or unpacked this time.
    pub files: usize,
    /// Total size of these files in bytes.
    pub bytes: u64,
    /// Number of files that were already staged.
    pub kept: usize,
}

/// Metadata that shows whether a file has changed. A program can reset the modification time, but not the
/// inode's change time.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Stamp {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        Self {
            size: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }

    /// Returns whether the file had been unchanged long enough at the time `at`. If so, any later change gets
    /// a different time stamp.
    fn was_settled(&self, at: Duration) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let since = |seconds| Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or(0));
        u64::try_from(seconds).is_ok_and(|seconds| since(seconds) + UNSETTLED < at)
    }
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Line {
    source: PathBuf,
    /// Stamp of the source at the time of staging.
    original: Stamp,
    copy: Stamp,
    /// Time of staging, since 1970.
    at: Duration,
}

impl Staging {
    /// Returns the staging folder of a scenario; `None` if its instances are used in place.
    pub fn of(scenario: &Scenario, campaign: &Path) -> Option<Self> {
        let instances = &scenario.instances;
        // All folds use the same copies.
        let holder = campaign.parent().filter(|_| instances.folds.is_some()).unwrap_or(campaign);
        let own = || holder.join("stage");
        let folder = instances.stage_folder.as_ref().map_or_else(own, |folder| scenario.folder.join(folder));
        // The path must be absolute, because each target runs in its own folder.
        instances.stage.then(|| Self { folder: std::path::absolute(&folder).unwrap_or(folder) })
    }

    /// Returns a separate staging folder for checking a scenario.
    pub fn of_check(scenario: &Scenario, folder: &Path) -> Option<Self> {
        scenario.instances.stage.then(|| Self { folder: folder.to_owned() })
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the instances with the paths of their copies.
    pub fn staged(&self, instances: &[Instance]) -> Vec<Instance> {
        let staged = |instance: &Instance| {
            let argument = self.place(&full(instance)).to_string_lossy().into_owned();
            Instance { argument, ..instance.clone() }
        };
        instances.iter().map(staged).collect()
    }

    /// Stages the instances that are missing or have changed.
    pub fn stage(&self, instances: &[Instance]) -> Result<Staged, StagingError> {
        fs::create_dir_all(&self.folder).map_err(file("create", &self.folder))?;
        let known = self.known()?;
        let mut staged = Staged::default();
        for instance in instances {
            let source = full(instance);
            let about = fs::metadata(&source).map_err(file("read", &source))?;
            if !about.is_file() {
                return Err(StagingError::NotAFile { path: source });
            }
            let (original, path) = (Stamp::of(&about), self.place(&source));
            let is_whole = |line: &Line| {
                let copy = fs::metadata(&path).is_ok_and(|about| Stamp::of(&about) == line.copy);
                copy && line.original == original && original.was_settled(line.at)
            };
            if known.get(&source).is_some_and(is_whole) {
                staged.kept += 1;
            } else {
                let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let copy = Stamp::of(&put(&source, &path)?);
                (staged.files, staged.bytes) = (staged.files + 1, staged.bytes + copy.size);
                self.note(&Line { source, original, copy, at })?;
            }
        }
        Ok(staged)
    }

    /// Returns the path of the copy of a source. An unpacked copy is in a folder named after the source,
    /// because `a.cnf` and `a.cnf.gz` may both exist.
    fn place(&self, source: &Path) -> PathBuf {
        let parts = source.components().filter(|part| matches!(part, Component::Normal(_)));
        let mut path = self.folder.join(COPIES);
        path.extend(parts);
        if unpacker(source).is_some()
            && let Some(stem) = source.file_stem()
        {
            path.push(stem);
        }
        path
    }

    fn known(&self) -> Result<BTreeMap<PathBuf, Line>, StagingError> {
        let path = self.folder.join(LIST);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            other => other.map_err(file("read", &path))?,
        };
        // Skips a line that was cut off by a power failure. Its file will be staged again.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        Ok(lines.map(|line| (line.source.clone(), line)).collect())
    }

    fn note(&self, line: &Line) -> Result<(), StagingError> {
        let path = self.folder.join(LIST);
        let append = || -> io::Result<()> {
            let text = format!("{}\n", serde_json::to_string(line)?);
            let mut list = OpenOptions::new().create(true).append(true).open(&path)?;
            list.write_all(text.as_bytes())?;
            list.sync_all()
        };
        append().map_err(file("write", &path))
    }
}

fn file(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StagingError {
    let path = path.to_owned();
    move |source| StagingError::File { verb, path, source }
}

fn unpacker(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    UNPACKERS.iter().find(|(known, _)| *known == ending).map(|(_, program)| *program)
}

/// Returns the full path of an instance with links resolved. The path of a missing file is returned
/// unchanged, for the error message.
fn full(instance: &Instance) -> PathBuf {
    let path = Path::new(&instance.argument);
    let readable = |path: &PathBuf| path.to_str().is_some();
    let resolved = path.canonicalize().ok().filter(readable);
    resolved.or_else(|| std::path::absolute(path).ok()).unwrap_or_else(|| path.to_owned())
}

/// Copies or unpacks a file atomically and returns the metadata of the copy.
fn put(source: &Path, path: &Path) -> Result<Metadata, StagingError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(file("create", folder))?;
    let (copy, new) = whole_file::create_beside(path).map_err(file("write", path))?;
    let written = match unpacker(source) {
        None => copy_into(source, &copy).map_err(file("copy", source)),
        Some(program) => unpack(program, source, &copy),
    };
    let in_place = || {
        copy.sync_all()?;
        fs::rename(&new, path)?;
        copy.metadata()
    };
    let put = written.and_then(|()| in_place().map_err(file("write", path)));
    if put.is_err() {
        // A partial copy is useless.
        let _ = fs::remove_file(&new);
    }
    put
}

fn copy_into(source: &Path, mut copy: &File) -> io::Result<()> {
    let mut source = File::open(source)?;
    io::copy(&mut source, &mut copy)?;
    copy.set_permissions(source.metadata()?.permissions())
}

fn unpack(program: &'static str, source: &Path, into: &File) -> Result<(), StagingError> {
    let out = into.try_clone().map_err(file("write", source))?;
    let run = Command::new(program)
        .args(["-dc", "--"])
        .arg(source)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| StagingError::NoProgram { program, path: source.to_owned(), source: error })?;
    if run.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&run.stderr).lines().next().unwrap_or("no reason given").to_owned();
    Err(StagingError::Damaged { path: source.to_owned(), said })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_just_changed_is_not_settled() {
        let stamp = Stamp { size: 0, modified: (0, 0), changed: (100, 900_000_000) };
        assert!(!stamp.was_settled(Duration::from_millis(100_940)));
        assert!(stamp.was_settled(Duration::from_millis(100_960)));
        // The clock of another machine may be ahead, so the time of the change may be in the future.
        assert!(!stamp.was_settled(Duration::from_secs(99)));
    }
}
