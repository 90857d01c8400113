//! A test folder with a target and a scenario, in which captune is run.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::{CAPTUNE, stdout};

/// A target that counts to a number that depends on its parameters. It fails in one mode.
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

/// A target that sleeps for 0.3 s in its slow mode, so that the load of the machine does not matter. In other
/// modes it takes almost no time.
pub(crate) const SLEEPER: &str = "#!/bin/sh\ncase \"$*\" in *slow*) sleep 0.3 ;; esac\n";

/// A scenario for the counter. Its best configurations are four to eighty times faster than the default.
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
    /// Creates a stage with the counter and a scenario called `count.toml`.
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

    /// Creates a stage whose scenario uses the files `in/a` and `in/b` for training and `unseen` for validation.
    pub(crate) fn with_files() -> Self {
        let scenario = SCENARIO
            .replace("list = [\"a\", \"b\"]\n", "files = \"in/*\"\n")
            .replace("test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n", "test = \"unseen\"\n");
        let stage = Self::new(&scenario);
        for (file, content) in [("in/a", "1"), ("in/b", "2"), ("unseen", "3")] {
            stage.write(file, content);
        }
        stage
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns a captune command that runs in the stage's folder. `line` contains its arguments.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(CAPTUNE);
        command.args(line.split_whitespace()).current_dir(&self.folder).env("NO_COLOR", "1");
        // Remove these variables, because the tests themselves may run in a Slurm job.
        for variable in ["SLURM_JOB_ID", "SLURM_JOB_END_TIME", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"] {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn captune(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Returns what a command prints. Fails if the command does not succeed.
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

    /// Replaces the path of the stage's folder in a text with `FOLDER`.
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

    /// Returns the next event, or `None` when captune has ended.
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

    /// Waits until captune has ended. Returns its output and the remaining events.
    pub(crate) fn end(mut self) -> (Output, Vec<Value>) {
        let events = std::iter::from_fn(|| self.event()).collect();
        (self.child.wait_with_output().unwrap(), events)
    }
}

/// Returns the numbers of all trials in a store.
pub(crate) fn stored_trials(folder: &Path) -> Vec<u64> {
    let reader = store::Store::read(folder).unwrap();
    let mut ids: Vec<u64> = reader.load().unwrap().history.trials().iter().map(|trial| trial.id.0).collect();
    ids.sort_unstable();
    ids
}
