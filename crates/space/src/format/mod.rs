//! File formats for spaces, each with a reader and a writer for the same [`Space`].
//!
//! A reader keeps everything that its format can express, or reports the line it cannot keep. A writer
//! rejects what its format cannot express instead of dropping it.

mod configspace;
mod guess;
mod irace;
mod irace_write;
mod pcs;
mod pcs_condition;
mod pcs_new;
mod pcs_old;
mod pcs_write;
mod scan;
pub(crate) mod toml;
mod unsupported;

pub use toml::{key as toml_key, quote as toml_text};

use std::fmt;

use super::{Diagnostic, Diagnostics, Space, Span};

/// A file format for spaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// captune's own format.
    Toml,
    /// The format of ParamILS and SMAC v2: `name {a, b} [a]`.
    PcsOld,
    /// The successor of [`PcsOld`](Self::PcsOld), with kinds: `name categorical {a, b} [a]`.
    PcsNew,
    /// The ConfigSpace package's JSON.
    ConfigSpaceJson,
    /// The ConfigSpace package's YAML.
    ConfigSpaceYaml,
    /// irace's parameter file.
    Irace,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Toml, Self::PcsOld, Self::PcsNew, Self::ConfigSpaceJson, Self::ConfigSpaceYaml, Self::Irace];

    /// Returns the name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toml => "toml",
            Self::PcsOld => "pcs-old",
            Self::PcsNew => "pcs-new",
            Self::ConfigSpaceJson => "configspace-json",
            Self::ConfigSpaceYaml => "configspace-yaml",
            Self::Irace => "irace",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The parts of a space that a format cannot express.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the format {format} cannot express {}", what.join("; "))]
pub struct CannotExpress {
    /// The format.
    pub format: Format,
    /// A description of every such part.
    pub what: Vec<String>,
}

/// Reads a space from text.
pub fn read(text: &str, file_name: &str, format: Format) -> Result<Space, Diagnostics> {
    // Some editors start a file with a byte order mark, which is not part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Toml => toml::read(text, file_name),
        Format::PcsOld => pcs_old::read(text, file_name),
        Format::PcsNew => pcs_new::read(text, file_name),
        Format::Irace => irace::read(text, file_name),
        Format::ConfigSpaceJson | Format::ConfigSpaceYaml => configspace::read(text, file_name, format),
    }
}

/// Reads a space in captune's own format from one table of a larger TOML file, such as `[space]`.
/// Positions of mistakes refer to the whole file.
pub fn read_section(text: &str, file_name: &str, section: &str) -> Result<Space, Diagnostics> {
    toml::read_section(text, file_name, section)
}

/// Reads a space from the bytes of a file, which must be UTF-8.
pub fn read_bytes(bytes: &[u8], file_name: &str, format: Format) -> Result<Space, Diagnostics> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return read(text, file_name, format),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let hint = if wide { "it looks like UTF-16; save it as UTF-8" } else { "save the file as UTF-8" };
    let message = format!("the byte 0x{:02x} is not valid UTF-8", bytes[at]);
    let mistake = Diagnostic::new(Span::new(at, at + 1), message).hint(hint);
    Err(Diagnostics::new(file_name, String::from_utf8_lossy(bytes), vec![mistake]))
}

/// Writes a space as text.
pub fn write(space: &Space, format: Format) -> Result<String, CannotExpress> {
    match format {
        Format::Toml => Ok(toml::write(space)),
        Format::PcsOld => pcs_old::write(space),
        Format::PcsNew => pcs_new::write(space),
        Format::Irace => irace_write::write(space),
        Format::ConfigSpaceJson | Format::ConfigSpaceYaml => configspace::write(space, format),
    }
}
