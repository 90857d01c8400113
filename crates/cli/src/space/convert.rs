//! `captune space convert`: writes a space in another format, or lists what prevents it.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use scenario::whole_file;
use space::format::{CannotExpress, Format, write};

use super::file::{FileArguments, format_parser, shown};
use crate::exit_code::ExitCode;
use crate::message::{self, Hinted};

#[derive(Args, Debug)]
#[command(after_help = "\
The conversion is lossless: if the other format cannot express something,
captune lists it and writes nothing.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: FileArguments,
    /// Format to write
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Format,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Reads a space and writes it in another format, if that format can express all of it.
pub(crate) fn convert(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let space = arguments.file.read()?;
    let text = write(&space, arguments.to).map_err(refusal)?;
    match &arguments.output {
        None => message::print(text.as_bytes())?,
        Some(path) => whole_file::write(path, |out| out.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", shown(path)))?,
    }
    Ok(ExitCode::Done)
}

fn refusal(error: CannotExpress) -> Hinted {
    let list: Vec<String> = error.what.iter().map(|what| format!("\n  - {what}")).collect();
    Hinted {
        message: format!("the format {} cannot express{}", error.format, list.concat()),
        hint: "change these in the file, or convert to toml, which can express everything".to_owned(),
    }
}
