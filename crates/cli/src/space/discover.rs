//! `captune space discover`: proposes a space from a program's help text or option list.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use confine::{Command, Control, Limits, Stop};
use space::discover::{self, DiscoverError, Proposal, Source};

use super::file;
use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};

/// CPU time limit for the command. Printing a help text takes far less.
const CPU: Duration = Duration::from_secs(10);
/// Output limit in bytes. The longest known text, SCIP's, is half a megabyte long.
const OUTPUT: usize = 16 << 20;

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Program that wrote the text [default: recognised from the text]
    #[arg(long, value_name = "PROGRAM", value_parser = source_parser())]
    kind: Option<Source>,
    /// Files with the text, read as one text; `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "command", conflicts_with = "command")]
    files: Vec<PathBuf>,
    /// Command that prints the text, limited to 10 s of CPU time and 16 MiB of output
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const AFTER: &str = "\
Prints a space in TOML as a first draft for you to review. Guesses have a note
that starts with `review`; omitted options are listed at the top.

Examples:
  captune space discover -- minisat --help
  captune space discover -- cadical --help
  captune space discover -- gcc -O2 -Q --help=optimizers --help=params
  captune space discover -- java -XX:+PrintFlagsFinal -version
  captune space discover highs.options          # written by HiGHS
  captune space discover scip.set               # SCIP> set save scip.set
  psql --csv -c 'select * from pg_settings' | captune space discover -";

fn source_parser() -> impl TypedValueParser<Value = Source> {
    let of = |name: &str| Source::ALL.into_iter().find(|source| source.name() == name);
    PossibleValuesParser::new(Source::ALL.map(Source::name))
        .try_map(move |name| of(&name).ok_or("unknown name"))
}

/// Prints the proposal to standard output, and a summary as a message.
pub(crate) fn discover(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let text = if arguments.command.is_empty() { read(&arguments.files)? } else { run(&arguments.command)? };
    let proposal = discover::discover(&text, arguments.kind).map_err(explain)?;
    message::print(proposal.to_toml().as_bytes())?;
    message::say(&summary(&proposal));
    Ok(ExitCode::Done)
}

fn summary(proposal: &Proposal) -> String {
    let left: usize = proposal.left_out.iter().map(|(_, names)| names.len()).sum();
    format!(
        "{}: {} from {} of {}, {} to review, {left} left out",
        proposal.source,
        message::count(proposal.space.parameters().len(), "parameter"),
        proposal.options - left,
        message::count(proposal.options, "option"),
        proposal.to_review
    )
}

fn read(files: &[PathBuf]) -> anyhow::Result<String> {
    let mut text = String::new();
    for path in files {
        text += &String::from_utf8_lossy(&file::bytes(path)?);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}

/// Runs a command and returns its output. Its exit code is ignored, because some programs fail when asked
/// for help.
fn run(words: &[OsString]) -> anyhow::Result<String> {
    let (program, arguments) = words.split_first().context("there is no command")?;
    let command = Command::new(program).args(arguments).keep_output(OUTPUT, 0);
    let limits = Limits { cpu: Some(CPU), output: Some(OUTPUT as u64), ..Limits::default() };
    let finished = confine::run(&command, &limits, &Control::new())?;
    if let Some(Stop::Limit(limit)) = finished.stopped {
        let message = format!("{} reached its {limit} limit", program.display());
        let hint = "save its output to a file and pass the file instead".to_owned();
        return Err(Hinted { message, hint }.into());
    }
    let mut text = String::from_utf8_lossy(&finished.stdout.joined()).into_owned();
    text.push('\n');
    text += &String::from_utf8_lossy(&finished.stderr.joined());
    Ok(text)
}

fn explain(error: DiscoverError) -> Hinted {
    let hint = match error {
        DiscoverError::Nothing(source) | DiscoverError::NothingToTune(source, _) => {
            format!("pass the output of: {}", source.command())
        }
        DiscoverError::Invalid(_) => "this is a bug in captune; please report it with the text".to_owned(),
        DiscoverError::Unrecognised => {
            let known = Source::ALL.map(|source| format!("\n  {:<10}{}", source.name(), source.command()));
            format!("if the text is from one of these, name the program with --kind:{}", known.concat())
        }
    };
    Hinted { message: error.to_string(), hint }
}
