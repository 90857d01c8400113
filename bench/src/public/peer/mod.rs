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
