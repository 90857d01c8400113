//! Other configurators, each run through an adapter: a program that requests trials on its standard output
//! and reads the answers on its standard input. The trials run in this process.
//!
//! | file | subject |
//! |---|---|
//! | `environment` | where a peer is installed, and its version |
//! | `folder` | the input of an adapter |
//! | `channel` | requests and answers |

mod channel;
mod environment;
mod folder;

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use campaign::budget::Budget;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::clock;
use crate::contest::arena::Arena;
use crate::contest::configurator::Configurator;
use crate::contest::trajectory::Trajectory;
use channel::Channel;
pub(crate) use environment::{BOTORCH, Environment, PEERS};
use folder::Folder;

/// Name of the constrained output for adapters.
const OUTPUT: &str = "constrained";

/// An installed peer.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// Interpreter of its environment.
    pub(crate) python: PathBuf,
    pub(crate) adapter: PathBuf,
}

impl Configurator for Peer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Trajectory> {
        let trials = budget.trials.context("the budget of a peer must be a number of trials")?;
        let folder = Folder::new(arena, trials, seed)?;
        let log = folder.path().join("log.txt");
        let stderr = File::create(&log).with_context(|| format!("could not write {}", log.display()))?;
        let mut child = Command::new(&self.python)
            .arg(&self.adapter)
            .arg(self.name)
            .arg(folder.path())
            // Otherwise, SMAC3's decisions depend on Python's random hashes.
            .env("PYTHONHASHSEED", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .with_context(|| format!("could not start {}", self.python.display()))?;
        let trajectory = converse(&mut child, arena, trials);
        // Closing the streams ends an adapter that is still waiting for an answer.
        drop((child.stdin.take(), child.stdout.take()));
        let cpu = cpu_at_end(&child);
        let status = child.wait()?;
        let failure = || {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let last: Vec<&str> = text.lines().rev().take(5).collect();
            format!(
                "{} ended with {status}: {}",
                self.name,
                last.into_iter().rev().collect::<Vec<_>>().join(" / ")
            )
        };
        let mut trajectory = trajectory.with_context(failure)?;
        ensure!(status.success(), "{}", failure());
        trajectory.own_cpu = Some(cpu?);
        folder.remove()?;
        Ok(trajectory)
    }
}

/// Answers all requests until the adapter closes its output.
fn converse(child: &mut Child, arena: &Arena, trials: u64) -> Result<Trajectory> {
    let mut answers = child.stdin.take().context("the adapter has no standard input")?;
    let requests = child.stdout.take().context("the adapter has no standard output")?;
    let mut channel = Channel::new(arena, trials);
    for line in std::io::BufRead::lines(BufReader::new(requests)) {
        if let Some(answer) = channel.answer(&line.context("could not read a request")?) {
            // A failed write is ignored: if the adapter no longer reads, its exit status shows why.
            let _ = writeln!(answers, "{answer}");
        }
    }
    channel.finish()
}

/// Returns the CPU seconds of a child and its children, after it has ended and before it is reaped.
fn cpu_at_end(child: &Child) -> Result<f64> {
    let pid = Pid::from_child(child);
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    clock::cpu_of(&child.id().to_string())
}

#[cfg(test)]
mod tests {
    use engine::Objective;

    use super::*;
    use crate::contest::subject;

    /// Runs a peer on the smooth function, with this shell script as its adapter.
    fn run(name: &str, script: &str) -> (Arc<Arena>, Result<Trajectory>) {
        let folder = std::env::temp_dir().join(format!("captune-fake-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let adapter = folder.join("adapter");
        std::fs::write(&adapter, script).unwrap();
        let benchmark = subject::smooth::new(2, 3);
        let checksum = benchmark.checksum;
        let arena = Arc::new(Arena::new("smooth-5", benchmark, Objective::uncapped(), 1, checksum).unwrap());
        let peer = Peer { name: "fake", python: PathBuf::from("/bin/sh"), adapter };
        let budget = Budget { trials: Some(3), ..Budget::default() };
        let trajectory = peer.run(&arena, &budget, 7);
        std::fs::remove_dir_all(&folder).unwrap();
        (arena, trajectory)
    }

    #[test]
    fn an_adapter_gets_answers_until_the_budget_is_spent() {
        // Tries b = 0.1, 0.2, ... until the answer is that the budget is spent, and then uses some CPU time.
        let script = r#"
            test "$1" = fake && test -d "$2/work" && grep -q '"trials":3' "$2/scenario.json" || exit 3
            grep -q '"name": "b"' "$2/space.json" || exit 4
            echo text for the log >&2
            value=1
            while :; do
                settings="a=1.5	b=0.$value	c=10	d=1	e=50"
                printf 'run\t1\t%s\t-\t%s\n' "$value" "$settings"
                read -r answer || exit 5
                case $answer in finished*) ;; over) break ;; *) exit 6 ;; esac
                printf 'incumbent\t%s\n' "$settings"
                value=$((value + 1))
            done
            i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done
        "#;
        let (arena, trajectory) = run("good", script);
        let trajectory = trajectory.unwrap();
        assert_eq!((trajectory.trials, trajectory.capped, trajectory.configurations), (3, 0, 3));
        let space = &arena.benchmark.space;
        assert_eq!(trajectory.after(0), &space.default_configuration());
        let value = |trials: u64| trajectory.after(trials).get("b").unwrap().to_string();
        assert_eq!([1, 2, 3].map(value), ["0.1", "0.2", "0.3"]);
        assert!(trajectory.own_cpu.unwrap() > 0.02, "{:?}", trajectory.own_cpu);
    }

    #[test]
    fn the_error_quotes_the_log_of_a_failed_adapter() {
        let (_, trajectory) = run("bad", "echo the reason >&2\nexit 3\n");
        let why = format!("{:#}", trajectory.unwrap_err());
        assert!(why.contains("exit status: 3: the reason"), "{why}");
        let (_, trajectory) =
            run("wrong", "printf 'walk\\n'; read -r answer; echo \"$answer\" >&2; exit 1\n");
        let why = format!("{:#}", trajectory.unwrap_err());
        assert!(why.contains("the adapter sent an invalid request") && why.contains("error"), "{why}");
    }
}
