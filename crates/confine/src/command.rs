//! The command to run: an argument vector with its environment, folder and streams. No shell is involved.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::tier::Tier;

/// One command and how to run it.
///
/// The target inherits the umask, resource limits and priority that the caller had when it started its first
/// run.
#[derive(Debug, Clone)]
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) pass_env: Vec<String>,
    pub(crate) set_env: BTreeMap<OsString, OsString>,
    pub(crate) folder: Folder,
    pub(crate) stdin: Stdin,
    pub(crate) stdout_file: Option<PathBuf>,
    pub(crate) stderr_file: Option<PathBuf>,
    pub(crate) keep: Keep,
    pub(crate) read_files: Vec<PathBuf>,
    pub(crate) measured_files: Vec<PathBuf>,
    pub(crate) tier: Option<Tier>,
    pub(crate) guardian: Option<PathBuf>,
}

/// The folder in which the target runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folder {
    /// A new folder that only this user can enter. The folder is also the target's TMPDIR, and is removed
    /// after the run.
    Private,
    /// An existing folder.
    Given(PathBuf),
}

/// The standard input of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// Empty: the target reads end of file at once.
    Closed,
    /// The contents of a file.
    File(PathBuf),
    /// The caller's standard input.
    Inherited,
}

/// Number of bytes of each output stream to keep in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Keep {
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

impl Command {
    /// Creates a command that runs in a private folder, with empty standard input. Of the caller's
    /// environment variables, it receives only those in [`crate::environment::ALWAYS_PASSED`].
    ///
    /// A program name without a slash is looked up in the target's PATH. A relative path is resolved from the
    /// caller's current folder, wherever the target runs.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            pass_env: Vec::new(),
            set_env: BTreeMap::new(),
            folder: Folder::Private,
            stdin: Stdin::Closed,
            stdout_file: None,
            stderr_file: None,
            keep: Keep { head: 64 << 10, tail: 1 << 20 },
            read_files: Vec::new(),
            measured_files: Vec::new(),
            tier: None,
            guardian: None,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Passes on those of the caller's environment variables whose names match `pattern`, where `*` matches
    /// any text.
    pub fn pass_env(mut self, pattern: impl Into<String>) -> Self {
        self.pass_env.push(pattern.into());
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set_env.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Sets the folder in which the target runs.
    pub fn folder(mut self, folder: Folder) -> Self {
        self.folder = folder;
        self
    }

    /// Sets the standard input of the target.
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Also writes the whole standard output to a file.
    pub fn stdout_file(mut self, path: impl AsRef<Path>) -> Self {
        self.stdout_file = Some(path.as_ref().to_owned());
        self
    }

    /// Also writes the whole standard error to a file.
    pub fn stderr_file(mut self, path: impl AsRef<Path>) -> Self {
        self.stderr_file = Some(path.as_ref().to_owned());
        self
    }

    /// Keeps at most the first `head` and the last `tail` bytes of each output stream.
    pub fn keep_output(mut self, head: usize, tail: usize) -> Self {
        self.keep = Keep { head, tail };
        self
    }

    /// Requests the contents of a file that the target writes. The file is read after the run, before the
    /// folder is removed. Call this once for each file; [`crate::Finished::files`] has the contents in the
    /// order of the calls. The path is relative to the target's folder and must not lead out of it, whether
    /// by `..` or through a link.
    pub fn read_file(mut self, path: impl AsRef<Path>) -> Self {
        self.read_files.push(path.as_ref().to_owned());
        self
    }

    /// Requests the size of a file that the target writes, however large it is. The rules for the path are
    /// those of [`Command::read_file`]; [`crate::Finished::sizes`] has the sizes in the order of the calls.
    pub fn measure_file(mut self, path: impl AsRef<Path>) -> Self {
        self.measured_files.push(path.as_ref().to_owned());
        self
    }

    /// Sets the tier to use. By default, the best tier that works is used.
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Sets the executable to start as the guardian. Programs that do not call [`crate::supervise_if_asked`]
    /// themselves (an interpreter, a test) need this setting. The default is the running executable.
    pub fn guardian(mut self, executable: impl AsRef<Path>) -> Self {
        self.guardian = Some(executable.as_ref().to_owned());
        self
    }
}
