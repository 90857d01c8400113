//! A folder with a target and a scenario, and captune run in it.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::{CAPTUNE, stdout};

/// Counts to a number that depends on its parameters; one mode fails.
const COUNTER: &str = r#"#!/bin/sh
for word in "$@"; do
  case $word in
    --loops=*) loops=${word#*=} ;;
    --mode=*) mode=${word#*=} ;;
  esac
done
case $mode in
  slow) loops=$((loops * 4)) ;;
  broken) echo "cannot count in $mode mode" >&2; exit 7 ;;
esac
i=0
while [ $i -lt $loops ]; do i=$((i + 1)); done
echo counted
"#;

/// Takes 0.3 s in its slow mode, whatever the load of the machine, and almost no time otherwise.
pub(crate) const SLEEPER: &str = "#!/bin/sh\ncase \"$*\" in *slow*) sleep 0.3 ;; esac\n";

/// A scenario of the counter, whose best configurations are four to eighty times faster than the default.
pub(crate) const SCENARIO: &str = r#"name = "counting"
[target]
command = ["./counter", "{params}", "{instance}", "--seed={seed}"]
[objective]
minimise = "cpu_time"
cutoff = "2s"
[instances]
list = ["a", "b"]
test = ["c", "d", "e", "f", "g", "h"]
[budget]
trials = 40
[space]
loops = { integer = [100, 20000], default = 2000, log = true }
mode = { choices = ["slow", "fast"], default = "slow" }
"#;

pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
}

impl Stage {
    /// A stage with the counter and a scenario called `count.toml`.
    pub(crate) fn new(scenario: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("captune-stage-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let stage = Self { folder };
        stage.write("count.toml", scenario);
        let program = stage.write("counter", COUNTER);
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        stage
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns a captune command with the arguments in a line, in the stage's folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(CAPTUNE);
        command.args(line.split_whitespace()).current_dir(&self.folder).env("NO_COLOR", "1");
        // The tests themselves may run in a job.
        for variable in ["SLURM_JOB_ID", "SLURM_JOB_END_TIME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"] {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn captune(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Returns what a command prints; the command must succeed.
    pub(crate) fn said(&self, line: &str) -> String {
        let output = self.captune(line);
        assert!(output.status.success(), "{line}: {}", crate::stderr(&output));
        stdout(&output)
    }

    pub(crate) fn status(&self, name: &str) -> Value {
        serde_json::from_str(&self.said(&format!("status {name} --json"))).unwrap()
    }

    /// Starts a campaign whose events can be read.
    pub(crate) fn start(&self, line: &str) -> Running {
        Running::of(self.command(&format!("{line} --progress json")))
    }

    /// Replaces the stage's folder in a text by `FOLDER`.
    pub(crate) fn hidden(&self, text: &str) -> String {
        text.replace(self.folder.to_str().unwrap(), "FOLDER")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// A running captune process.
pub(crate) struct Running {
    pub(crate) child: Child,
    events: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a command that writes events.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let events = BufReader::new(child.stdout.take().unwrap());
        Self { child, events }
    }

    /// Returns the next event; `None` when captune has ended.
    pub(crate) fn event(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.events.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Waits until `count` trials have ended, and returns their numbers.
    pub(crate) fn await_trials(&mut self, count: usize) -> Vec<u64> {
        let mut told = Vec::new();
        while told.len() < count {
            let event = self.event().expect("the campaign continues");
            if event["event"] == "trial_ended" {
                told.push(event["trial"].as_u64().unwrap());
            }
        }
        told
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end, and returns the rest of the events.
    pub(crate) fn end(mut self) -> (Output, Vec<Value>) {
        let events = std::iter::from_fn(|| self.event()).collect();
        (self.child.wait_with_output().unwrap(), events)
    }
}

/// Returns the numbers of all trials of a store.
pub(crate) fn stored_trials(folder: &Path) -> Vec<u64> {
    let reader = store::Store::read(folder).unwrap();
    let mut ids: Vec<u64> = reader.load().unwrap().history.trials().iter().map(|trial| trial.id.0).collect();
    ids.sort_unstable();
    ids
}
