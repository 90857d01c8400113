//! Solvers on generated files. The cost is a count that the solver prints; it is the same on every machine.
//!
//! | file | solver | count |
//! |---|---|---|
//! | `cadical` | a SAT solver | conflicts |
//! | `minisat` | a SAT solver | conflicts |
//! | `cbc` | a solver for mixed-integer programs | iterations of linear programs |
//! | `z3` | an SMT solver | its own resource count |

mod cadical;
mod cbc;
mod minisat;
mod z3;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use confine::{Command, End, Limit};
use engine::{Configuration, Pair, Space, Status};
use execution::executor::Answer;
use space::format::{Format, read};

pub(crate) use cadical::CADICAL;
pub(crate) use cbc::CBC;
pub(crate) use minisat::MINISAT;
pub(crate) use z3::Z3;

use super::command::{is_installed, run, words};
use super::files::written;
use super::{Benchmark, Subject, beyond};

/// A solver: how it is run, and how its output is read.
pub(crate) struct Solver {
    pub(crate) program: &'static str,
    /// Parameters in captune's own format.
    space: &'static str,
    /// Changes to the text of the space, each as the old and the new text. These changes remove features that
    /// not every configurator supports.
    simplified: &'static [(&'static str, &'static str)],
    /// File extension of the instances.
    extension: &'static str,
    /// Function that returns all arguments: those of the configuration, the largest count if the solver
    /// accepts one, and the file.
    arguments: fn(words: Vec<String>, cap: f64, file: &Path) -> Vec<String>,
    /// Function that reads the outcome from the exit code and the output.
    read: fn(code: i32, stdout: &str) -> Outcome,
    /// CPU seconds after which a run is stopped and counts as above its cap. Runs that stay below the cutoff
    /// take far less time, so every machine stops the same runs.
    longest: u64,
}

/// The way in which a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Outcome {
    /// Solved, with this count.
    Solved(f64),
    /// Stopped at the largest count.
    Stopped,
    /// Failed in any other way.
    Failed,
}

impl Solver {
    fn space(&self) -> Result<Space> {
        let mut text = self.space.to_owned();
        for (from, to) in self.simplified {
            ensure!(text.contains(from), "the space of {} has no `{from}` to replace", self.program);
            text = text.replace(from, to);
        }
        read(&text, self.program, Format::Toml)
            .with_context(|| format!("could not read the space of {}", self.program))
    }
}

struct Runs {
    solver: &'static Solver,
    files: Vec<PathBuf>,
}

impl Runs {
    fn run(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Result<Answer> {
        let file = &self.files[pair.instance.index()];
        let arguments = (self.solver.arguments)(words(configuration), cap, file);
        let command = Command::new(self.solver.program).args(arguments);
        let finished = run(&command, self.solver.longest)?;
        let outcome = match finished.end() {
            End::Exited(code) => {
                (self.solver.read)(code, &String::from_utf8_lossy(&finished.stdout.joined()))
            }
            End::Stopped(Limit::Cpu | Limit::Wall) => Outcome::Stopped,
            _ => Outcome::Failed,
        };
        Ok(match outcome {
            // Costs must be positive, but a formula may be solved with a count of 0.
            Outcome::Solved(count) => Answer::finished(count.max(1.0)),
            Outcome::Stopped => beyond(cap),
            Outcome::Failed => Answer { status: Status::Crashed, ..Answer::finished(1.0) },
        })
    }
}

impl Subject for Runs {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        // If the solver cannot be started, no trial can be measured.
        let program = self.solver.program;
        self.run(configuration, pair, cap)
            .unwrap_or_else(|error| panic!("could not run {program}: {error:#}"))
    }
}

/// Returns a solver on these texts; the first `training` texts are for training. Returns `None` if the solver
/// is not installed.
pub(crate) fn on(
    solver: &'static Solver,
    texts: &[String],
    training: usize,
    cutoff: f64,
) -> Result<Option<Benchmark>> {
    if !is_installed(solver.program) {
        return Ok(None);
    }
    let files = written(texts, solver.extension)?;
    let benchmark = Benchmark {
        subject: Box::new(Runs { solver, files: files.paths }),
        space: solver.space()?,
        training: training as u32,
        test: (texts.len() - training) as u32,
        deterministic: true,
        checksum: 0,
    };
    // The answers are part of the checksum, because other versions of the solver may differ.
    Ok(Some(benchmark.with_answers(files.digest, cutoff)))
}

/// Returns the number after a name and a colon at the start of a line.
fn count_of(stdout: &str, name: &str) -> Option<f64> {
    let mut counts = stdout.lines().filter_map(|line| {
        // Comments of SAT solvers begin with `c`.
        let (before, after) = line.strip_prefix("c ").unwrap_or(line).split_once(':')?;
        (before.trim() == name).then_some(after)
    });
    counts.next_back()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use space::format::write;

    use super::*;

    #[test]
    fn every_configurator_can_read_the_spaces() {
        for solver in [CADICAL, MINISAT, CBC, Z3] {
            let space = solver.space().unwrap();
            assert!(write(&space, Format::ConfigSpaceJson).is_ok(), "{}", solver.program);
        }
    }

    #[test]
    fn a_replacement_without_a_match_is_an_error() {
        let solver = Solver { simplified: &[("no such text", "")], ..MINISAT };
        let why = solver.space().unwrap_err().to_string();
        assert!(why.contains("the space of minisat has no `no such text` to replace"), "{why}");
    }
}
