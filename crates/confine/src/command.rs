//! What to run: an argument vector, its environment, its folder, its streams. Never a shell.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::tier::Tier;

/// One command, as the caller wants it run.
///
/// Its target inherits umask, resource limits and priority of the caller as they were at the
/// caller's first run.
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
    pub(crate) tier: Option<Tier>,
    pub(crate) guardian: Option<PathBuf>,
}

/// Where the target runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folder {
    /// A fresh folder only we can enter, also its TMPDIR, removed afterwards.
    Private,
    /// A folder that exists.
    Given(PathBuf),
}

/// What the target reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stdin {
    /// End of file at once.
    Closed,
    /// The content of a file.
    File(PathBuf),
    /// Our own standard input.
    Inherited,
}

/// How many bytes of each output stream stay in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Keep {
    pub(crate) head: usize,
    pub(crate) tail: usize,
}

impl Command {
    /// A command that runs in a private folder, reads nothing and passes no more of our environment
    /// than [`crate::environment::ALWAYS_PASSED`].
    ///
    /// A program without a slash is looked up in the target's own PATH; a relative path is taken
    /// from our current folder, wherever the target runs.
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

    /// Passes the variables of our environment whose names fit `pattern`, in which `*` stands for
    /// anything.
    pub fn pass_env(mut self, pattern: impl Into<String>) -> Self {
        self.pass_env.push(pattern.into());
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set_env.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Chooses where the target runs.
    pub fn folder(mut self, folder: Folder) -> Self {
        self.folder = folder;
        self
    }

    /// Chooses what the target reads.
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Writes the whole standard output into a file, beside what is kept in memory.
    pub fn stdout_file(mut self, path: impl AsRef<Path>) -> Self {
        self.stdout_file = Some(path.as_ref().to_owned());
        self
    }

    /// Writes the whole standard error into a file, beside what is kept in memory.
    pub fn stderr_file(mut self, path: impl AsRef<Path>) -> Self {
        self.stderr_file = Some(path.as_ref().to_owned());
        self
    }

    /// Keeps at most this many bytes of the beginning and of the end of each output stream.
    pub fn keep_output(mut self, head: usize, tail: usize) -> Self {
        self.keep = Keep { head, tail };
        self
    }

    /// Reads a file that the target has written when the run is over, before its folder is removed:
    /// [`crate::Finished::files`] has them in the order asked for. The path counts from the target's
    /// folder and cannot leave it, neither by `..` nor through a link.
    pub fn read_file(mut self, path: impl AsRef<Path>) -> Self {
        self.read_files.push(path.as_ref().to_owned());
        self
    }

    /// Forces a tier instead of the best one that works.
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Names the executable to start as guardian, for hosts (an interpreter, a test) that do not call
    /// [`crate::supervise_if_asked`] themselves. The default is the running executable.
    pub fn guardian(mut self, executable: impl AsRef<Path>) -> Self {
        self.guardian = Some(executable.as_ref().to_owned());
        self
    }
}
