//! Instances on a local disk: copied once, unpacked if they are compressed.
//!
//! A staged file is re-used as long as its source has the size and the moment of change that it was
//! staged with, which a list beside the files keeps. Compressed files are unpacked by the programs that
//! made them (`gzip`, `xz`, `bzip2`, `zstd`): these know every variant of their formats. Nothing is ever
//! removed here.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::scenario::{Instance, Scenario};

/// The list of what is staged: one JSON object in a line, the last one of a name counts.
const LIST: &str = "staged.jsonl";
/// Endings of compressed files and what unpacks them.
const UNPACKERS: [(&str, &str); 4] = [("gz", "gzip"), ("xz", "xz"), ("bz2", "bzip2"), ("zst", "zstd")];

/// An instance that cannot be staged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum StagingError {
    #[error("cannot {verb} {}", path.display())]
    File { verb: &'static str, path: PathBuf, source: io::Error },
    #[error("`{program}`, which unpacks {}, cannot be run: install it, or unpack the instances yourself", path.display())]
    NoProgram { program: &'static str, path: PathBuf, source: io::Error },
    #[error("{} cannot be unpacked: {said}", path.display())]
    Damaged { path: PathBuf, said: String },
}

/// A folder with copies of instances.
#[derive(Clone, Debug)]
pub struct Staging {
    folder: PathBuf,
}

/// What has been done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Staged {
    /// Files copied or unpacked now.
    pub files: usize,
    /// Bytes of these.
    pub bytes: u64,
    /// Files that were there already.
    pub kept: usize,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
struct Line {
    name: String,
    size: u64,
    modified: (i64, i64),
    staged: u64,
}

impl Staging {
    /// Where a scenario wants its instances; `None` if they are used where they are.
    pub fn of(scenario: &Scenario, campaign: &Path) -> Option<Self> {
        let instances = &scenario.instances;
        // All folds use the same copies.
        let holder = campaign.parent().filter(|_| instances.folds.is_some()).unwrap_or(campaign);
        let own = || holder.join("stage");
        let folder = instances.stage_folder.as_ref().map_or_else(own, |folder| scenario.folder.join(folder));
        // Targets run in folders of their own.
        instances.stage.then(|| Self { folder: std::path::absolute(&folder).unwrap_or(folder) })
    }

    /// A folder of its own for trying a scenario out.
    pub fn of_check(scenario: &Scenario, folder: &Path) -> Option<Self> {
        scenario.instances.stage.then(|| Self { folder: folder.to_owned() })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The instances as they are to be used when they have been staged.
    pub fn staged(&self, instances: &[Instance]) -> Vec<Instance> {
        let staged = |instance: &Instance| {
            let argument = self.place(instance).to_string_lossy().into_owned();
            Instance { argument, ..instance.clone() }
        };
        instances.iter().map(staged).collect()
    }

    /// Stages what is not there.
    pub fn stage(&self, instances: &[Instance]) -> Result<Staged, StagingError> {
        fs::create_dir_all(&self.folder).map_err(file("create", &self.folder))?;
        let known = self.known()?;
        let mut staged = Staged::default();
        for instance in instances {
            let source = Path::new(&instance.argument);
            let about = fs::metadata(source).map_err(file("read", source))?;
            let (size, modified) = (about.len(), (about.mtime(), about.mtime_nsec()));
            let unpacker = unpacker(source);
            let path = self.place(instance);
            let whole = |line: &&Line| {
                let there = fs::metadata(&path).is_ok_and(|about| about.len() == line.staged);
                there && (line.size, line.modified) == (size, modified)
            };
            if known.get(&instance.name).filter(whole).is_some() {
                staged.kept += 1;
            } else {
                let bytes = put(source, &path, unpacker)?;
                self.note(&Line { name: instance.name.clone(), size, modified, staged: bytes })?;
                (staged.files, staged.bytes) = (staged.files + 1, staged.bytes + bytes);
            }
        }
        Ok(staged)
    }

    /// Where an instance is put: as it is called, and unpacked ones in a folder called so, since
    /// `a.cnf` and `a.cnf.gz` may both be there.
    fn place(&self, instance: &Instance) -> PathBuf {
        let mut path = self.folder.clone();
        for part in Path::new(&instance.name).components() {
            match part {
                Component::Normal(part) => path.push(part),
                Component::ParentDir => path.push("up"),
                Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
            }
        }
        let source = Path::new(&instance.argument);
        if unpacker(source).is_some()
            && let Some(stem) = source.file_stem()
        {
            path.push(stem);
        }
        path
    }

    fn known(&self) -> Result<BTreeMap<String, Line>, StagingError> {
        let path = self.folder.join(LIST);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            other => other.map_err(file("read", &path))?,
        };
        // A line cut off by a power cut is of a file that is staged again.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        Ok(lines.map(|line| (line.name.clone(), line)).collect())
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

/// Copies or unpacks a file, which is there whole or not at all; gives its size.
fn put(source: &Path, path: &Path, unpacker: Option<&'static str>) -> Result<u64, StagingError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(file("create", folder))?;
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".new-{}", std::process::id()));
    let new = PathBuf::from(new);
    let written = match unpacker {
        None => fs::copy(source, &new).map_err(file("copy", source)).map(drop),
        Some(program) => unpack(program, source, &new),
    };
    if let Err(error) = written {
        // What is left of it is of no use to anyone.
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    let sync = || {
        let file = File::open(&new)?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        Ok(file.metadata()?.len())
    };
    sync().map_err(file("write", path))
}

fn unpack(program: &'static str, source: &Path, into: &Path) -> Result<(), StagingError> {
    let out = File::create(into).map_err(file("write", into))?;
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
    let said = String::from_utf8_lossy(&run.stderr).lines().next().unwrap_or("no reason is given").to_owned();
    Err(StagingError::Damaged { path: source.to_owned(), said })
}
