//! Files of spaces: read as bytes here, understood in the engine.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::Space;
use space::format::{Format, read_bytes};

use crate::message::Hinted;

/// Larger files are not spaces.
const LARGEST: u64 = 256 << 20;

/// A file and how to read it.
#[derive(Args, Debug)]
pub(super) struct FileArguments {
    /// The space; `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    from: FromArgument,
}

#[derive(Args, Debug)]
pub(super) struct FromArgument {
    /// The file's format; told by its name and content if not given
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    from: Option<Format>,
}

impl FileArguments {
    pub(super) fn read(&self) -> anyhow::Result<Space> {
        self.from.read(&self.path)
    }
}

impl FromArgument {
    /// Reads a file; the error is either about reaching it or the list of its mistakes.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<Space> {
        let bytes = bytes(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let guess = || Format::guess(&path.to_string_lossy(), &text).unwrap_or(Format::Toml);
        let format = self.from.unwrap_or_else(guess);
        Ok(read_bytes(&bytes, &shown(path), format)?)
    }
}

/// The formats by name, for arguments.
pub(super) fn format_parser() -> impl TypedValueParser<Value = Format> {
    let of = |name: &str| Format::ALL.into_iter().find(|format| format.name() == name);
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(move |name| of(&name).ok_or("unknown name"))
}

/// How a file is called in messages.
pub(super) fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The content of a file or of standard input.
pub(super) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", shown(path));
    let mut content = Vec::new();
    let size = if is_standard_input(path) {
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut content)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut content))
    };
    if size.with_context(cannot)? as u64 > LARGEST {
        let hint = "a space is a text of at most 256 MiB; is it the right file?".to_owned();
        return Err(Hinted { message: format!("{} is too large for a space", shown(path)), hint }.into());
    }
    Ok(content)
}
