//! Coordinators and workers as processes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::campaign::stage::Stage;

/// A scenario with trials of a twentieth or a fifth of a second.
pub(super) const SCENARIO: &str = r#"name = "sleeping"
[target]
command = ["./counter", "{params}", "{instance}", "--seed={seed}"]
[objective]
minimise = "wall_time"
cutoff = "2s"
[instances]
list = ["a", "b"]
test = ["c", "d"]
[budget]
trials = 60
[space]
loops = { integer = [100, 20000], default = 2000, log = true }
mode = { choices = ["slow", "fast"], default = "slow" }
"#;

/// A target that sleeps, and writes a line when it has ended.
const SLEEPER: &str =
    "#!/bin/sh\ncase \"$*\" in *slow*) sleep 0.2 ;; *) sleep 0.05 ;; esac\necho \"$*\" >> LOG\n";

/// Returns the path of nats-server, or prints a note that the test is skipped.
pub(super) fn nats_server() -> Option<PathBuf> {
    let given = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let in_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("nats-server")).find(|path| path.is_file())
    };
    let found = given.or_else(in_path);
    if found.is_none() {
        assert!(std::env::var_os("EXPECT_NATS").is_none(), "nats-server is missing");
        println!("skipped: nats-server is neither named by NATS_SERVER nor in PATH");
    }
    found
}

/// Returns a stage with a sleeping target.
pub(super) fn sleepers(scenario: &str) -> Stage {
    let stage = Stage::new(scenario);
    let log = stage.folder.join("executions");
    stage.write("counter", &SLEEPER.replace("LOG", log.to_str().unwrap()));
    stage
}

/// A process that is killed at the end of the test.
pub(super) struct Process {
    pub(super) child: Child,
    log: PathBuf,
}

impl Process {
    pub(super) fn start(mut command: Command, log: &Path) -> Self {
        let file = File::options().create(true).append(true).open(log).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        Self { child: command.spawn().unwrap(), log: log.to_owned() }
    }

    /// Returns what the process has printed, with what processes before it printed to the same log.
    pub(super) fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub(super) fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    pub(super) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits for the end, and returns the exit code.
    pub(super) fn code(&mut self, patience: Duration) -> i32 {
        let began = Instant::now();
        while self.is_running() {
            assert!(began.elapsed() < patience, "it does not end: {}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until a condition holds.
pub(super) fn await_that(what: &str, patience: Duration, mut is_met: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_met() {
        assert!(began.elapsed() < patience, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the numbers of processes whose command line contains this text.
pub(super) fn processes(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let folder = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if pid != std::process::id() && (line.contains(text) || folder.to_string_lossy().contains(text)) {
            found.push(pid);
        }
    }
    found
}

/// Returns a number from the store of the campaign `count`.
pub(super) fn count(stage: &Stage, sql: &str) -> i64 {
    let path = stage.folder.join("count.campaign/campaign.sqlite");
    let Ok(connection) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY) else {
        return 0;
    };
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
}
