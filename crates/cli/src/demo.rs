//! `captune demo`: tunes a real solver in a minute, with nothing to install.
//!
//! The solver is SAPS. A hidden verb of this program runs it, as a separate process, on generated formulas.
//! Everything else is an ordinary campaign in a folder, whose scenario can be read and changed.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use confine::quantity::{parse_duration, show_duration};
use targets::{Quasigroup, dimacs};

use crate::exit_code::ExitCode;
use crate::message;
use crate::progress::Choice;
use crate::run;

/// The hidden verb that runs the solver.
pub(crate) const SOLVER: &str = "__saps";

/// Order of the quasigroups. On formulas of this size, the solver takes a few tenths of a second with its
/// default settings.
const ORDER: usize = 26;
const HOLES: usize = 243;
/// Seeds that generate the formulas for tuning and for validation.
const TRAINING: [u64; 5] = [1, 2, 3, 4, 6];
const UNSEEN: [u64; 8] = [9, 10, 11, 12, 13, 14, 15, 16];

/// Advice that is printed after the demo.
const YOUR_OWN: &str = "
Tune a program of your own: write ranges in place of values, in quotes.
  captune run --instances 'inputs/*' --test 25% --cutoff 30s --budget 1h -- \\
    solver '--restarts={10..1000 log = 100}' '--mode={a|b|c = a}' '{instance}'
Or let `captune init` ask for what it needs. The guide is docs/guides/your-first-scenario.md.";

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Time for tuning; the validation takes a few seconds more
    #[arg(long, value_name = "TIME", default_value = "40s", value_parser = parse_duration)]
    budget: Duration,
    /// Folder to create [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    progress: Choice,
}

#[derive(Args, Debug)]
pub(crate) struct SolverArguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Tunes the solver on generated formulas.
pub(crate) fn demo(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folder = match &arguments.dir {
        Some(folder) => folder.clone(),
        None => temporary(&std::env::temp_dir())?,
    };
    let scenario = prepare(&folder).with_context(|| format!("cannot prepare {}", folder.display()))?;
    message::note(&format!(
        "This demo tunes four parameters of a SAT solver on {} formulas for {}, then compares the best \
         settings with the defaults on {} formulas that it has not seen. Everything is in {}\n",
        TRAINING.len(),
        show_duration(arguments.budget),
        UNSEEN.len(),
        folder.display()
    ));
    let code = run::run(&run::Arguments::of_scenario(scenario, arguments.budget, arguments.progress))?;
    if code == ExitCode::Done {
        message::note(YOUR_OWN);
    }
    Ok(code)
}

/// Creates a folder that only this user can enter. Existing folders are not used, because in a shared place
/// they may belong to others.
fn temporary(place: &Path) -> anyhow::Result<PathBuf> {
    let names = (0..).map(|count: u32| place.join(format!("captune-demo-{}-{count}", std::process::id())));
    for folder in names {
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made.with_context(|| format!("cannot create {}", folder.display()))?;
                return Ok(folder);
            }
        }
    }
    anyhow::bail!("every name for a demo folder in {} is taken", place.display())
}

/// Writes the formulas, the space and the scenario. Returns the path of the scenario.
fn prepare(folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for (name, seeds) in [("train", &TRAINING[..]), ("unseen", &UNSEEN)] {
        for &seed in seeds {
            let formula = Quasigroup { order: ORDER, holes: HOLES, seed };
            let text = dimacs::write(&formula.formula(), &formula.to_string());
            fs::write(folder.join(format!("{name}-{seed}.cnf")), text)?;
        }
    }
    fs::write(folder.join("saps.toml"), targets::saps::SPACE)?;
    let scenario = folder.join("demo.toml");
    fs::write(&scenario, scenario_text()?)?;
    Ok(scenario)
}

fn scenario_text() -> anyhow::Result<String> {
    let program = std::env::current_exe()?;
    let program = program.to_str().context("the path of this program is not UTF-8")?;
    Ok(format!(
        r#"name = "demo"

[target]
command = [{program:?}, "{SOLVER}", "{{params}}", "-seed", "{{seed}}", "{{instance}}"]
params  = ["-{{name}}", "{{value}}"]
success = {{ exit = [10] }}

[objective]
minimise = "cpu_time"
cutoff   = "3s"

[instances]
files = "train-*.cnf"
test  = "unseen-*.cnf"

[budget]
wall = "40s"

[space]
from = "saps.toml"
"#
    ))
}

/// Runs the solver itself.
pub(crate) fn solver(arguments: SolverArguments) -> anyhow::Result<ExitCode> {
    match targets::saps::program(arguments.arguments.into_iter()) {
        Ok((code, text)) => {
            message::print(text.as_bytes())?;
            Ok(ExitCode::OfTarget(code))
        }
        Err(problem) => {
            message::say(&problem);
            Ok(ExitCode::Usage)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// Another user may have placed links in a shared folder to make captune overwrite this user's files.
    #[test]
    fn a_folder_that_is_there_already_is_not_used() {
        let place = confine::PrivateFolder::new().unwrap();
        let at = |count: u32| place.path().join(format!("captune-demo-{}-{count}", std::process::id()));
        let victim = place.path().join("victim");
        fs::create_dir(&victim).unwrap();
        symlink(&victim, at(0)).unwrap();
        fs::create_dir(at(1)).unwrap();
        let folder = temporary(place.path()).unwrap();
        assert_eq!(folder, at(2));
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(victim).unwrap().count(), 0);
    }
}
