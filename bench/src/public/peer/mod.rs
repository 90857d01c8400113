//! Other configurators, each behind an adapter: a program that asks for trials on its standard output and reads the
//! answers on its standard input, while trials are run here.
//!
//! | file | subject |
//! |---|---|
//! | `environment` | what a peer is installed in, and its version |
//! | `folder` | what an adapter is told at the start |
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
use crate::contest::course::Course;
use channel::Channel;
pub(super) use environment::{Environment, PEERS};
use folder::Folder;

/// What adapters call the constrained output, where there is one.
const OUTPUT: &str = "constrained";

/// One that is installed.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// The interpreter of its environment.
    pub(super) python: PathBuf,
    pub(super) adapter: PathBuf,
}

impl Configurator for Peer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, arena: &Arc<Arena>, budget: &Budget, seed: u64) -> Result<Course> {
        let trials = budget.trials.context("a peer's budget is a number of trials")?;
        let folder = Folder::new(arena, trials, seed)?;
        let log = folder.path().join("log.txt");
        let stderr = File::create(&log).with_context(|| format!("could not write {}", log.display()))?;
        let mut child = Command::new(&self.python)
            .arg(&self.adapter)
            .arg(self.name)
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .with_context(|| format!("could not start {}", self.python.display()))?;
        let course = converse(&mut child, arena, trials);
        // An adapter that was not understood waits for an answer: without its streams it ends.
        drop((child.stdin.take(), child.stdout.take()));
        let cpu = cpu_at_end(&child);
        let status = child.wait()?;
        let said = || {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let last: Vec<&str> = text.lines().rev().take(5).collect();
            format!(
                "{} ended with {status}: {}",
                self.name,
                last.into_iter().rev().collect::<Vec<_>>().join(" / ")
            )
        };
        let mut course = course.with_context(said)?;
        ensure!(status.success(), "{}", said());
        course.thinking = Some(cpu?);
        folder.remove()?;
        Ok(course)
    }
}

/// Answers all requests until the adapter closes its end.
fn converse(child: &mut Child, arena: &Arena, trials: u64) -> Result<Course> {
    let mut answers = child.stdin.take().context("the adapter has no standard input")?;
    let requests = child.stdout.take().context("the adapter has no standard output")?;
    let mut channel = Channel::new(arena, trials);
    for line in std::io::BufRead::lines(BufReader::new(requests)) {
        if let Some(answer) = channel.answer(&line.context("could not read a request")?) {
            // Who does not listen any more has reasons of its own, which its end will tell.
            let _ = writeln!(answers, "{answer}");
        }
    }
    channel.finish()
}

/// CPU seconds of a child and of its own children, when it has ended and before it is forgotten.
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

    /// A peer whose adapter is this shell script, on the smooth function.
    fn run(name: &str, script: &str) -> (Arc<Arena>, Result<Course>) {
        let folder = std::env::temp_dir().join(format!("captune-fake-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let adapter = folder.join("adapter");
        std::fs::write(&adapter, script).unwrap();
        let known = subject::smooth::new(2, 3);
        let checksum = known.checksum;
        let arena = Arc::new(Arena::new("smooth-5", known, Objective::uncapped(), 1, checksum).unwrap());
        let peer = Peer { name: "fake", python: PathBuf::from("/bin/sh"), adapter };
        let budget = Budget { trials: Some(3), ..Budget::default() };
        let course = peer.run(&arena, &budget, 7);
        std::fs::remove_dir_all(&folder).unwrap();
        (arena, course)
    }

    #[test]
    fn an_adapter_gets_what_it_asks_for_until_the_budget_is_spent() {
        // Goes on with b = 0.1, 0.2, ... until it is told that the budget is spent, and then burns some CPU time.
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
        let (arena, course) = run("good", script);
        let course = course.unwrap();
        assert_eq!((course.trials, course.capped, course.configurations), (3, 0, 3));
        let space = &arena.known.space;
        assert_eq!(course.after(0), &space.default_configuration());
        let value = |trials: u64| course.after(trials).get("b").unwrap().to_string();
        assert_eq!([1, 2, 3].map(value), ["0.1", "0.2", "0.3"]);
        assert!(course.thinking.unwrap() > 0.02, "{:?}", course.thinking);
    }

    #[test]
    fn an_adapter_that_fails_is_quoted() {
        let (_, course) = run("bad", "echo the reason >&2\nexit 3\n");
        let why = format!("{:#}", course.unwrap_err());
        assert!(why.contains("exit status: 3: the reason"), "{why}");
        let (_, course) = run("wrong", "printf 'walk\\n'; read -r answer; echo \"$answer\" >&2; exit 1\n");
        let why = format!("{:#}", course.unwrap_err());
        assert!(why.contains("the adapter made a mistake") && why.contains("error"), "{why}");
    }
}
