//! Helpers for all tests: the misbehaving program, the tiers to run it in, and checks for living processes.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use confine::{Command, Control, Finished, LaunchError, Limits, Tier};
use rustix::fs::FlockOperation;

pub(crate) const MISBEHAVE: &str = env!("CARGO_BIN_EXE_misbehave");

/// Longer than any test takes, even on a busy machine. Only a failing test waits this long.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the command `misbehave WHAT...`, given as one string.
pub(crate) fn misbehave(what: &str) -> Command {
    Command::new(MISBEHAVE).args(what.split(' ')).guardian(MISBEHAVE)
}

/// Runs a command until it ends, without giving orders. A launch error fails the test.
pub(crate) fn run(command: &Command, limits: &Limits) -> Finished {
    confine::run(command, limits, &Control::new()).unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

pub(crate) fn no_limits() -> Limits {
    Limits::default()
}

pub(crate) fn wall(milliseconds: u64) -> Limits {
    Limits { wall: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
}

pub(crate) fn cpu(milliseconds: u64) -> Limits {
    Limits { cpu: Some(Duration::from_millis(milliseconds)), ..Limits::default() }
}

/// Returns the given tiers that work on this machine, and prints the others as skipped. Fails if a tier in
/// `$EXPECT_TIERS` does not work; scripts/test sets this variable to the tiers that are possible on this
/// machine.
pub(crate) fn working(tiers: &[Tier]) -> Vec<Tier> {
    let works =
        |tier: Tier| match confine::run(&misbehave("exit 0").tier(tier), &no_limits(), &Control::new()) {
            Ok(_) => true,
            Err(error @ LaunchError::Tier { .. }) => {
                let expected = std::env::var("EXPECT_TIERS").unwrap_or("subreaper group".into());
                assert!(!expected.split(' ').any(|name| name == tier.name()), "{error}");
                println!("skipped: {error}");
                false
            }
            Err(error) => panic!("{error}"),
        };
    tiers.iter().copied().filter(|&tier| works(tier)).collect()
}

/// Returns every tier that works here.
pub(crate) fn every_tier() -> Vec<Tier> {
    working(&Tier::ALL)
}

/// Returns every working tier from which no process can escape.
pub(crate) fn tight_tiers() -> Vec<Tier> {
    working(&[Tier::Cgroup, Tier::Namespace, Tier::Subreaper])
}

/// A folder for one test, with a file that living processes lock and a pipe that signals "ready".
pub(crate) struct Stage {
    folder: PathBuf,
}

impl Stage {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("confine-test-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir(folder.join("tmp")).unwrap();
        File::create(folder.join("alive")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o666);
        rustix::fs::mknodat(rustix::fs::CWD, folder.join("ready"), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        std::fs::set_permissions(folder.join("ready"), PermissionsExt::from_mode(0o666)).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the command with variables that name the lock file and the pipe of this stage.
    pub(crate) fn direct(&self, command: Command) -> Command {
        command.env("ALIVE", self.path("alive")).env("READY", self.path("ready"))
    }

    /// Runs the misbehaving program as a separate process, with its TMPDIR in this stage.
    pub(crate) fn alone(&self, words: &[&str]) -> String {
        self.alone_in("tmp", words)
    }

    /// Like [`Self::alone`], with another path to that TMPDIR.
    pub(crate) fn alone_in(&self, temporary: &str, words: &[&str]) -> String {
        let output = std::process::Command::new(MISBEHAVE)
            .args(words)
            .env("TMPDIR", self.path(temporary))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Like [`Self::alone`], but gives up root privileges if the test has them.
    pub(crate) fn alone_unprivileged(&self, words: &[&str]) -> String {
        // Other users cannot start a program in a folder that they may not enter.
        let copy = self.path("misbehave");
        std::fs::copy(MISBEHAVE, &copy).unwrap();
        std::fs::set_permissions(self.path("tmp"), PermissionsExt::from_mode(0o777)).unwrap();
        let mut command = std::process::Command::new(&copy);
        if rustix::process::getuid().is_root() {
            command.uid(65534);
        }
        let output = command.args(words).env("TMPDIR", self.path("tmp")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the number of files and folders that these separate processes have left in TMPDIR.
    pub(crate) fn left_in_tmp(&self) -> usize {
        std::fs::read_dir(self.path("tmp")).unwrap().count()
    }

    /// Waits until a process signals that it is ready.
    pub(crate) fn await_ready(&self) {
        let path = self.path("ready");
        within_timeout("no process was ready", move || drop(File::open(path).unwrap()));
    }

    /// Waits until every process of this stage is dead. Returns false if one is still alive after five
    /// seconds.
    pub(crate) fn all_dead(&self) -> bool {
        let path = self.path("alive");
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let file = File::open(path).unwrap();
            rustix::fs::flock(&file, FlockOperation::LockExclusive).unwrap();
            sender.send(()).ok();
        });
        receiver.recv_timeout(Duration::from_secs(5)).is_ok()
    }

    /// Returns whether every process of this stage is dead now.
    pub(crate) fn all_dead_now(&self) -> bool {
        let file = File::open(self.path("alive")).unwrap();
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// Runs `work`, which must end within [`TIMEOUT`].
pub(crate) fn within_timeout(message: &str, work: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        work();
        sender.send(()).ok();
    });
    assert!(receiver.recv_timeout(TIMEOUT).is_ok(), "{message}");
}

/// Measures up to ten times and returns the first measurement below `limit`, or the last one if none is below
/// it. Other load on the machine makes only some measurements too large; a bug makes all of them too large.
pub(crate) fn undisturbed(limit: Duration, mut measure: impl FnMut() -> Duration) -> Duration {
    let mut measured = measure();
    for _ in 1..10 {
        if measured < limit {
            break;
        }
        measured = measure();
    }
    measured
}

/// Returns the children of a process.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for thread in std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).unwrap().flatten()
    {
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.extend(list.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
    }
    children
}
