//! `captune init`: writes a first scenario from another configurator's files, from options, or from answers.

mod questions;

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use campaign::import::scenarios;
use clap::Args;
use confine::quantity::parse_duration;
use scenario::draft::inline::{self, Wishes};
use scenario::draft::{Draft, words};
use scenario::shell::quoted;

use crate::exit_code::ExitCode;
use crate::goal::{self, Goal, explained};
use crate::import::unreadable;
use crate::message::{self, Hinted};
use crate::words::harmless;
use questions::Questions;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  captune init                            # asks questions
  captune init --command 'minisat -rinc={1.1..4.0 = 2} {instance}' \\
    --instances 'cnf/*.cnf' --cutoff 30s --budget 1h
  captune init --from smac3-output/run_1  # SMAC 1 to 3: scenario.txt or folder
  captune init --from tuning/             # irace: scenario.txt, parameters.txt
  captune init --from study.db            # Optuna: an SQLite file

Settings of the other configurator that captune does not support are listed,
and written as comments at the top of the new scenario.")]
pub(crate) struct Arguments {
    /// Scenario file to write
    #[arg(value_name = "SCENARIO", default_value = goal::FILE)]
    path: PathBuf,
    /// Convert a folder or file from another configurator
    #[arg(long, value_name = "DIR|FILE", conflicts_with_all = ["command", "space", "instances"])]
    from: Option<PathBuf>,
    /// Command as one string, with ranges in place of values; or give the parameters with --space
    #[arg(long, value_name = "TEXT")]
    command: Option<String>,
    /// File with the parameters
    #[arg(long, value_name = "FILE")]
    space: Option<String>,
    #[command(flatten)]
    goal: Goal,
    /// Wall time for the whole campaign (90s, 2h)
    #[arg(long, value_name = "TIME")]
    budget: Option<String>,
    /// Replace an existing scenario with different content
    #[arg(long)]
    force: bool,
}

/// Writes a scenario and prints the next command.
pub(crate) fn init(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folder = arguments.path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match &arguments.from {
        Some(from) => convert(arguments, from, folder),
        None => {
            let (command, wishes) = arguments.wishes()?;
            let draft = inline::draft(&words(&command), &wishes, folder)?;
            write(&draft, arguments)?;
            next(&arguments.path, None);
            Ok(ExitCode::Done)
        }
    }
}

fn convert(arguments: &Arguments, from: &Path, folder: &Path) -> anyhow::Result<ExitCode> {
    let found = scenarios::read(from, folder).map_err(unreadable)?;
    write(&found.draft, arguments)?;
    let list = |title: &str, items: &[String]| {
        if !items.is_empty() {
            message::note(title);
            items.iter().for_each(|item| message::note(&format!("  {}", harmless(item))));
        }
    };
    list(&format!("not carried over from {}:", found.origin.name()), &found.draft.lost);
    list("to do before the scenario can run:", &found.draft.to_do);
    next(&arguments.path, found.runs.as_deref());
    Ok(ExitCode::Done)
}

fn write(draft: &Draft, arguments: &Arguments) -> anyhow::Result<()> {
    draft.save(&arguments.path, arguments.force).map_err(explained)?;
    let files: Vec<&str> = draft.files.iter().map(|(name, _)| name.as_str()).collect();
    let more = if files.is_empty() { String::new() } else { format!(", with {}", files.join(", ")) };
    message::note(&format!("wrote the scenario to {}{more}", quoted(&arguments.path.to_string_lossy())));
    Ok(())
}

/// Prints the next commands.
fn next(path: &Path, runs: Option<&Path>) {
    let path = quoted(&path.to_string_lossy());
    message::note(&format!("next: captune check {path}"));
    if let Some(runs) = runs {
        let here = std::env::current_dir().ok();
        let runs = here.and_then(|here| runs.strip_prefix(here).ok()).unwrap_or(runs);
        let runs = quoted(&runs.to_string_lossy());
        message::note(&format!("then: captune import {path} {runs}      # import its runs"));
    }
    message::note(&format!("then: captune run {path}"));
}

impl Arguments {
    /// Returns the command and the options. Asks the user for anything that is missing.
    fn wishes(&self) -> anyhow::Result<(String, Wishes)> {
        let mut questions = Questions::new(std::io::stdin().lock(), std::io::stdin().is_terminal());
        let any = self.command.is_some() || self.space.is_some() || !self.goal.instances.is_empty();
        let mut wishes = Wishes { space: self.space.clone(), ..self.goal.wishes()? };
        let mut budget = self.budget.clone();
        let command = match &self.command {
            Some(command) => command.clone(),
            None => {
                let asked = questions.ask(
                    "Command, with ranges in place of values, such as\n  \
                     minisat -rinc={1.1..4.0 = 2} -ccmin-mode={0|1|2 = 2} {instance}",
                    "",
                )?;
                if asked.is_empty() {
                    let hint = "pass it with --command, or convert another configurator's files with --from"
                        .to_owned();
                    return Err(Hinted { message: "no command given".to_owned(), hint }.into());
                }
                asked
            }
        };
        if !any {
            if command.contains("{instance}") {
                let asked = questions.ask("Inputs: paths and patterns", "*")?;
                wishes.instances = words(&asked);
                let asked = questions
                    .ask("Inputs held out for the validation: paths and patterns, or a share", "25%")?;
                wishes.test = words(&asked);
            }
            if self.goal.minimise.is_none() && self.goal.maximise.is_none() {
                ask_objective(&mut questions, &mut wishes)?;
            }
            let is_time = wishes.minimise.as_deref().is_none_or(|what| what.ends_with("_time"));
            if wishes.cutoff.is_none() && is_time && wishes.maximise.is_none() {
                wishes.cutoff = Some(questions.ask("Cutoff: stop a trial after", "30s")?);
            }
            if budget.is_none() {
                budget = Some(questions.ask("Wall time for the whole campaign", "1h")?);
            }
            if wishes.success_exit.is_empty() {
                let asked = questions.ask("Exit codes that mean success", "0")?;
                wishes.success_exit = codes(&asked)?;
            }
        }
        wishes.wall = match budget {
            Some(text) => Some(parse_duration(&text)?.as_secs_f64()),
            None => None,
        };
        Ok((command, wishes))
    }
}

/// Asks which quantity to optimise. If the target prints it, also asks for the pattern that finds it.
fn ask_objective(questions: &mut Questions<impl BufRead>, wishes: &mut Wishes) -> anyhow::Result<()> {
    let asked = questions.ask(
        "What to minimise: cpu_time, wall_time, memory, or the name of a number that the command prints\n\
         (`max NAME` maximises it)",
        "cpu_time",
    )?;
    let (what, maximise) = match asked.strip_prefix("max ") {
        Some(name) => (name.trim().to_owned(), true),
        None => (asked, false),
    };
    let is_measured = ["cpu_time", "wall_time", "memory"].contains(&what.as_str());
    if !is_measured && !wishes.outputs.iter().any(|(name, _)| *name == what) {
        let question = format!("Regular expression for `{what}`, with one group around the number");
        let pattern = questions.ask(&question, &format!("{what} = ([0-9.]+)"))?;
        wishes.outputs.push((what.clone(), pattern));
    }
    match maximise {
        true => wishes.maximise = Some(what),
        false => wishes.minimise = Some(what),
    }
    Ok(())
}

/// Parses exit codes separated by commas or spaces. Returns an empty list for a single 0, which is the
/// default.
fn codes(text: &str) -> anyhow::Result<Vec<u8>> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let codes: Result<Vec<u8>, _> = words.map(str::parse).collect();
    let hint = "exit codes are integers up to 255, such as 10,20".to_owned();
    let codes =
        codes.map_err(|_| Hinted { message: format!("`{text}` is not a list of exit codes"), hint })?;
    Ok(if codes == [0] { Vec::new() } else { codes })
}
