//! Solvers on generated files. The cost is a count that the solver prints: the same on every machine.
//!
//! | file | solver | count |
//! |---|---|---|
//! | `cadical` | a SAT solver | conflicts |
//! | `minisat` | a SAT solver | conflicts |
//! | `cbc` | a solver of mixed-integer programs | iterations of linear programs |
//! | `z3` | an SMT solver | resources, as it counts them |

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
use super::{Known, Subject, beyond};

/// How a solver is run, and how its words are read.
pub(crate) struct Solver {
    pub(crate) program: &'static str,
    /// Its parameters, in captune's own format.
    space: &'static str,
    /// What is written otherwise there, because not every configurator could be told: the text, and what replaces it.
    simplified: &'static [(&'static str, &'static str)],
    /// How the names of its files end.
    extension: &'static str,
    /// All words of a command: those of the configuration, the largest count if the solver can be told, and the file.
    arguments: fn(words: Vec<String>, cap: f64, file: &Path) -> Vec<String>,
    /// What it said, with its exit code.
    read: fn(code: i32, stdout: &str) -> Said,
    /// CPU seconds after which a run is stopped though its count is small: then it counts as beyond its cap. Far above
    /// what counts up to the cutoff take, so that no machine stops a run that another one lets finish.
    longest: u64,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Said {
    /// Solved, with this count.
    Solved(f64),
    /// It stopped at the largest count.
    Stopped,
    /// Anything else.
    Failed,
}

impl Solver {
    fn space(&self) -> Result<Space> {
        let mut text = self.space.to_owned();
        for (from, to) in self.simplified {
            ensure!(text.contains(from), "the space of {} has no `{from}` to simplify", self.program);
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
        let said = match finished.end() {
            End::Exited(code) => {
                (self.solver.read)(code, &String::from_utf8_lossy(&finished.stdout.joined()))
            }
            End::Stopped(Limit::Cpu | Limit::Wall) => Said::Stopped,
            _ => Said::Failed,
        };
        Ok(match said {
            // Costs are positive, and a formula may be solved without any count.
            Said::Solved(count) => Answer::finished(count.max(1.0)),
            Said::Stopped => beyond(cap),
            Said::Failed => Answer { status: Status::Crashed, ..Answer::finished(1.0) },
        })
    }
}

impl Subject for Runs {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        // A machine that cannot start a program can measure nothing.
        let program = self.solver.program;
        self.run(configuration, pair, cap)
            .unwrap_or_else(|error| panic!("could not run {program}: {error:#}"))
    }
}

/// A solver on these texts, of which the first `training` serve the training; `None` if it is not installed.
pub(crate) fn on(
    solver: &'static Solver,
    texts: &[String],
    training: usize,
    cutoff: f64,
) -> Result<Option<Known>> {
    if !is_installed(solver.program) {
        return Ok(None);
    }
    let files = written(texts, solver.extension)?;
    let known = Known {
        subject: Box::new(Runs { solver, files: files.paths }),
        space: solver.space()?,
        training: training as u32,
        test: (texts.len() - training) as u32,
        deterministic: true,
        checksum: 0,
    };
    // Another version of the solver may answer otherwise.
    Ok(Some(known.with_answers(files.digest, cutoff)))
}

/// The number after a name and a colon, in a line of its own.
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
    fn every_configurator_can_be_told_the_spaces() {
        for solver in [CADICAL, MINISAT, CBC, Z3] {
            let space = solver.space().unwrap();
            assert!(write(&space, Format::ConfigSpaceJson).is_ok(), "{}", solver.program);
        }
    }

    #[test]
    fn a_simplification_that_fits_nothing_is_told() {
        let solver = Solver { simplified: &[("no such text", "")], ..MINISAT };
        let why = solver.space().unwrap_err().to_string();
        assert!(why.contains("the space of minisat has no `no such text` to simplify"), "{why}");
    }
}
