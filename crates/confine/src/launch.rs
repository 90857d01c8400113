//! The caller's side of one run. The command and its limits are checked before a supervisor is started.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::command::{Command, Folder, Stdin};
use crate::environment;
use crate::error::{Failure, LaunchError, Step};
use crate::folder::Private;
use crate::limits::{Cores, Limits};
use crate::tier::Tier;
use crate::wire::{Job, Killed};

/// Checks a command and turns it into a job for the supervisor; `private` is the private folder, if any.
pub(crate) fn job(
    private: Option<&Path>,
    at_end: Killed,
    command: &Command,
    limits: &Limits,
    attached: &[Option<OwnedFd>; 3],
) -> Result<Box<Job>, LaunchError> {
    let mut environment = environment::compose(std::env::vars_os(), &command.pass_env, &command.set_env);
    let program = find_program(&command.program, &environment)?;
    let arguments = arguments(command)?;
    if let Some(private) = private
        && !command.set_env.contains_key(OsStr::new("TMPDIR"))
    {
        environment.insert("TMPDIR".into(), private.into());
    }
    let folder = match &command.folder {
        Folder::Private => folder_name(private.unwrap_or(Path::new(".")))?,
        Folder::Given(path) => folder_name(&usable_folder(path)?)?,
    };
    Ok(Box::new(Job {
        program: c_string(program.into_os_string()).map_err(|()| LaunchError::NulInArgument { index: 0 })?,
        arguments,
        environment: variables(environment)?,
        folder,
        limits: limits.clone(),
        cores: limits.cores.clone().or_else(|| Cores::allowed().ok()),
        keep: command.keep,
        read_files: file_names(&command.read_files)?,
        measured_files: file_names(&command.measured_files)?,
        attached: attached.each_ref().map(Option::is_some),
        at_end,
    }))
}

pub(crate) fn check_cores(limits: &Limits) -> Result<(), LaunchError> {
    let Some(wanted) = &limits.cores else { return Ok(()) };
    // If the affinity mask cannot be read, the kernel rejects wrong cores when the target starts.
    let Ok(allowed) = Cores::allowed() else { return Ok(()) };
    if wanted.iter().all(|core| allowed.iter().any(|a| a == core)) {
        Ok(())
    } else {
        Err(LaunchError::Cores { wanted: wanted.clone(), allowed })
    }
}

pub(crate) fn not_started(failure: Failure, tier: Tier, command: &Command) -> LaunchError {
    let source = io::Error::from_raw_os_error(failure.errno);
    match failure.step {
        step if step.is_tier_step() && !is_temporary(failure.errno) => {
            LaunchError::Tier { tier, why: format!("{step}: {source}") }
        }
        Step::Exec => {
            let why = match failure.errno {
                libc::ENOEXEC => {
                    "it is neither a program for this machine nor a script that begins with `#!`".into()
                }
                libc::ENOENT => "its interpreter does not exist".into(),
                libc::E2BIG => "its arguments and environment are longer than the kernel allows".into(),
                _ => source.to_string(),
            };
            LaunchError::NotExecutable { program: PathBuf::from(&command.program), why }
        }
        step => LaunchError::Start { step, source },
    }
}

/// Returns whether a failed system call may succeed the next time.
fn is_temporary(errno: i32) -> bool {
    matches!(errno, libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE | libc::EINTR)
}

/// Opens the files for the standard streams, so that mistakes are found before anything runs.
pub(crate) fn open_streams(command: &Command) -> Result<[Option<OwnedFd>; 3], LaunchError> {
    let opened = |stream, path: &Path, file: io::Result<File>| {
        file.map(|file| Some(OwnedFd::from(file))).map_err(|source| LaunchError::Stream {
            stream,
            path: path.to_owned(),
            source,
        })
    };
    let stdin = match &command.stdin {
        Stdin::Closed => None,
        Stdin::File(path) => opened("stdin", path, open_file(path))?,
        Stdin::Inherited => {
            opened("stdin", Path::new("-"), io::stdin().as_fd().try_clone_to_owned().map(File::from))?
        }
    };
    let output = |stream, path: &Option<PathBuf>| match path {
        None => Ok(None),
        Some(path) => opened(stream, path, create_regular(path)),
    };
    let (stdout, stderr) = (output("stdout", &command.stdout_file)?, output("stderr", &command.stderr_file)?);
    if let (Some(one), Some(other), Some(path)) = (&stdout, &stderr, &command.stderr_file)
        && is_same(one, other)
    {
        let source = io::Error::other("it is also the stdout file");
        return Err(LaunchError::Stream { stream: "stderr", path: path.clone(), source });
    }
    Ok([stdin, stdout, stderr])
}

fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

fn is_same(one: &OwnedFd, other: &OwnedFd) -> bool {
    let identity = |file| rustix::fs::fstat(file).ok().map(|data| (data.st_dev, data.st_ino));
    identity(one) == identity(other)
}

/// Creates or opens a file and rejects anything but a regular file. Writing to a pipe that nobody reads
/// would block the supervisor, which then could not enforce the limits.
fn create_regular(path: &Path) -> io::Result<File> {
    // If the file is a pipe, opening it must not wait for a reader.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).append(true).create(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    file.set_len(0)?;
    Ok(file)
}

pub(crate) fn make_private() -> Result<Private, LaunchError> {
    Private::new()
}

/// Returns the absolute path of a folder, after checking that it can be entered.
fn usable_folder(path: &Path) -> Result<PathBuf, LaunchError> {
    let usable = std::fs::metadata(path).and_then(|data| match data.is_dir() {
        true => Ok(rustix::fs::access(path, rustix::fs::Access::EXEC_OK)?),
        false => Err(io::ErrorKind::NotADirectory.into()),
    });
    let unusable = |source| LaunchError::Folder { path: path.to_owned(), source };
    usable.map_err(unusable)?;
    // The path must be absolute, because the guardian may have been started in another folder.
    std::path::absolute(path).map_err(unusable)
}

pub(crate) fn folder_name(path: &Path) -> Result<CString, LaunchError> {
    let unusable =
        |()| LaunchError::Folder { path: path.to_owned(), source: io::ErrorKind::InvalidInput.into() };
    c_string(path.as_os_str().to_owned()).map_err(unusable)
}

/// Returns the absolute path of a program. A name with a slash is relative to the current folder. A name
/// without a slash is looked up in the PATH of the target's `environment`.
pub fn find_program(
    program: &OsStr,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<PathBuf, LaunchError> {
    if program.is_empty() {
        return Err(LaunchError::NoProgram);
    }
    let not_found =
        |searched| LaunchError::ProgramNotFound { program: program.to_string_lossy().into(), searched };
    if program.as_bytes().contains(&b'/') {
        let path = std::path::absolute(program).map_err(|_| not_found(String::new()))?;
        return if path.exists() { executable(path) } else { Err(not_found(String::new())) };
    }
    let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    // Relative entries are resolved from the current folder, like program paths with a slash.
    let candidates = std::env::split_paths(&path)
        .filter_map(|folder| std::path::absolute(folder).ok())
        .map(|folder| folder.join(program));
    let mut unusable = None;
    for candidate in candidates.filter(|candidate| candidate.is_file()) {
        match executable(candidate) {
            Ok(path) => return Ok(path),
            Err(error) => unusable = Some(error),
        }
    }
    Err(unusable.unwrap_or_else(|| not_found(format!(" in PATH ({})", path.to_string_lossy()))))
}

fn executable(path: PathBuf) -> Result<PathBuf, LaunchError> {
    let why = if path.is_dir() {
        Some("it is a folder".to_owned())
    } else {
        rustix::fs::access(&path, rustix::fs::Access::EXEC_OK)
            .err()
            .map(|error| io::Error::from(error).to_string())
    };
    match why {
        None => Ok(path),
        Some(why) => Err(LaunchError::NotExecutable { program: path, why }),
    }
}

fn file_names(paths: &[PathBuf]) -> Result<Vec<CString>, LaunchError> {
    let name = |path: &PathBuf| {
        let unusable =
            |()| LaunchError::Folder { path: path.clone(), source: io::ErrorKind::InvalidInput.into() };
        c_string(path.clone().into_os_string()).map_err(unusable)
    };
    paths.iter().map(name).collect()
}

fn arguments(command: &Command) -> Result<Vec<CString>, LaunchError> {
    let all = std::iter::once(&command.program).chain(&command.arguments);
    all.enumerate()
        .map(|(index, argument)| {
            c_string(argument.clone()).map_err(|()| LaunchError::NulInArgument { index })
        })
        .collect()
}

fn variables(environment: BTreeMap<OsString, OsString>) -> Result<Vec<CString>, LaunchError> {
    let variable = |(name, value): (OsString, OsString)| {
        let bad = |why| LaunchError::BadVariable { name: name.to_string_lossy().into(), why };
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(bad("has a name that is empty or contains `=`"));
        }
        let mut text = name.clone();
        text.push("=");
        text.push(&value);
        c_string(text).map_err(|()| bad("contains a NUL byte"))
    };
    environment.into_iter().map(variable).collect()
}

fn c_string(text: OsString) -> Result<CString, ()> {
    CString::new(text.into_vec()).map_err(drop)
}
