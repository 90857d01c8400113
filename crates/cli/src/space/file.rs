//! Reading space files.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::Space;
use space::format::{Format, read_bytes};

use crate::message::Hinted;

/// Size limit in bytes. A larger file cannot be a space.
const LARGEST: u64 = 256 << 20;

/// A file and its format.
#[derive(Args, Debug)]
pub(super) struct FileArguments {
    /// Space file or scenario; `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    from: FromArgument,
}

#[derive(Args, Debug)]
pub(super) struct FromArgument {
    /// Format of the file [default: recognised from name and content]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    from: Option<Format>,
}

impl FileArguments {
    pub(super) fn read(&self) -> anyhow::Result<Space> {
        self.from.read(&self.path)
    }
}

impl FromArgument {
    /// Reads a space from its own file or from a scenario. The error is either an I/O error or the list of errors in
    /// the file.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<Space> {
        let bytes = bytes(path)?;
        let text = String::from_utf8_lossy(&bytes);
        if self.from.is_none() && scenario::is_scenario(&text) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            return Ok(scenario::read(&text, folder, &shown(path))?.space);
        }
        let guess = || Format::guess(&path.to_string_lossy(), &text).unwrap_or(Format::Toml);
        let format = self.from.unwrap_or_else(guess);
        Ok(read_bytes(&bytes, &shown(path), format)?)
    }
}

/// Parses the name of a format.
pub(super) fn format_parser() -> impl TypedValueParser<Value = Format> {
    let of = |name: &str| Format::ALL.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(move |name| of(&name).ok_or("unknown name"))
}

/// Returns the name of a file for messages.
pub(super) fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file or standard input.
pub(super) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", shown(path));
    let mut content = Vec::new();
    let size = if is_standard_input(path) {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut content)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut content))
    };
    if size.with_context(cannot)? as u64 > LARGEST {
        let hint =
            "a space file may be at most 256 MiB in size; check that this is the right file".to_owned();
        return Err(Hinted { message: format!("{} is too large for a space", shown(path)), hint }.into());
    }
    Ok(content)
}
