//! `captune export`: writes the trials of a campaign for other programs.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use scenario::whole_file;
use space::format::{Format, write};
use view::Kept;
use view::export::{self, ExportError, Smac3Export, Written};

use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};
use crate::words::counted;

#[derive(Args, Debug)]
#[command(after_help = "\
csv and json (one object per line) contain all data of every trial, including
validation trials. configspace contains only the space. smac3 writes
runhistory.json and configspace.json to a folder, in the format of SMAC3 2.3
and later. docs/reference/export.md explains the columns. The campaign may be
running.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// Format: csv, json, smac3 or configspace
    #[arg(long, value_name = "FORM", value_enum, hide_possible_values = true, default_value = "csv")]
    to: Form,
    /// File to write, or folder for smac3 [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    Csv,
    Json,
    Smac3,
    Configspace,
}

/// Writes the trials.
pub(crate) fn export(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let file = arguments.output.as_deref();
    match arguments.to {
        Form::Csv => report_written(file, into(file, |out| export::csv(kept.reader(), out))?),
        Form::Json => report_written(file, into(file, |out| export::json_lines(kept.reader(), out))?),
        Form::Configspace => {
            let text = write(&kept.charter.space, Format::ConfigSpaceJson)?;
            into(file, |out| Ok(out.write_all(text.as_bytes())?))?;
        }
        Form::Smac3 => smac3(&kept, file)?,
    }
    Ok(ExitCode::Done)
}

fn report_written(file: Option<&Path>, written: Written) {
    if let Some(file) = file {
        let validations = match written.validations {
            0 => String::new(),
            some => format!(" and {some} from the validation"),
        };
        let trials = counted(written.trials, "trial");
        message::note(&format!("{trials}{validations} written to {}", file.display()));
    }
}

/// Calls `write` with a file, or with standard output if no path is given.
fn into<T: Default>(
    file: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, ExportError>,
) -> anyhow::Result<T> {
    let Some(path) = file else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = write(&mut out).and_then(|written| Ok(out.flush().map(|()| written)?));
        return checked(written, "cannot write to standard output");
    };
    checked(whole_file::write(path, write), &format!("cannot write {}", path.display()))
}

/// Checks the result of an export. A closed pipe is not an error. A store error is reported as such, not as a
/// failed write.
fn checked<T: Default>(written: Result<T, ExportError>, failed: &str) -> anyhow::Result<T> {
    match written {
        Err(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(T::default()),
        Err(ExportError::Write(error)) => Err(anyhow::Error::new(error).context(failed.to_owned())),
        Err(ExportError::Store(error)) => Err(error.into()),
        Ok(written) => Ok(written),
    }
}

fn smac3(kept: &Kept, folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(folder) = folder else {
        let message = "SMAC3 needs two files".to_owned();
        return Err(Hinted { message, hint: "name a folder with --output".to_owned() }.into());
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let objective = kept.settings()?.problem.objective;
    let are_times = kept.scenario()?.objective.minimise.is_time();
    let space = write(&kept.charter.space, Format::ConfigSpaceJson)?;
    into(Some(&folder.join("configspace.json")), |out| Ok(out.write_all(space.as_bytes())?))?;
    let runs = folder.join("runhistory.json");
    let Smac3Export { trials, capped, left_out } =
        into(Some(&runs), |out| export::smac3(kept.reader(), &objective, are_times, out))?;
    report_written(Some(folder), Written { trials, validations: 0 });
    if capped > 0 {
        message::note(&format!(
            "{} stopped early: SMAC3 has no lower bounds, so each is written as a timeout",
            counted(capped, "trial")
        ));
    }
    if left_out > 0 {
        message::note(&format!(
            "{} left out: aborted or lost trials give no information about their configurations",
            counted(left_out, "trial")
        ));
    }
    Ok(())
}
