//! Files of spaces: read as bytes here, understood in the engine.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::Space;
use engine::space::format::{Format, read_bytes};

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
        let format = self.from.unwrap_or_else(|| guess(path, &bytes));
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

/// The format of a file: by its ending, and where that leaves a doubt by its content.
fn guess(path: &Path, bytes: &[u8]) -> Format {
    let text = String::from_utf8_lossy(bytes);
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("toml") => Format::Toml,
        Some("json") => Format::ConfigSpaceJson,
        Some("yaml" | "yml") => Format::ConfigSpaceYaml,
        Some("pcs") => pcs(&text),
        _ => by_content(&text),
    }
}

fn by_content(text: &str) -> Format {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_irace = |line: &str| {
        let words = words(line);
        let kind = words.iter().skip(2).find(|word| !word.ends_with('"'));
        words.get(1).is_some_and(|word| word.starts_with('"'))
            && kind.is_some_and(|kind| matches!(kind.split(',').next(), Some("c" | "o" | "i" | "r")))
    };
    let first = lines().next().unwrap_or_default();
    if first.starts_with('{') {
        Format::ConfigSpaceJson
    } else if lines().any(is_irace) {
        Format::Irace
    } else if lines().any(|line| line == "hyperparameters:") {
        Format::ConfigSpaceYaml
    } else if lines().any(is_pcs) {
        pcs(text)
    } else {
        Format::Toml
    }
}

/// Whether a line is a name followed by values, with no sign between them as TOML has.
fn is_pcs(line: &str) -> bool {
    let name = line.split([' ', '\t', '{', '[', '=']).next().unwrap_or_default();
    let rest = line[name.len()..].trim_start();
    let kind = rest.split([' ', '\t', '{', '[']).next().unwrap_or_default();
    !name.is_empty() && (rest.starts_with(['{', '[']) || PCS_KINDS.contains(&kind))
}

const PCS_KINDS: [&str; 4] = ["categorical", "ordinal", "integer", "real"];

/// The newer of the two formats names the kind after the parameter.
fn pcs(text: &str) -> Format {
    let names_kind =
        |line: &str| line.split_whitespace().nth(1).is_some_and(|word| PCS_KINDS.contains(&word));
    if text.lines().any(names_kind) { Format::PcsNew } else { Format::PcsOld }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_name_and_content() {
        let told = |name: &str, text: &str| guess(Path::new(name), text.as_bytes());
        assert_eq!(told("a.toml", ""), Format::Toml);
        assert_eq!(told("a.JSON", "{"), Format::ConfigSpaceJson);
        assert_eq!(told("a.yml", ""), Format::ConfigSpaceYaml);
        assert_eq!(told("a.pcs", "# c\nx {a, b} [a]\ny [1, 10] [5]il\n"), Format::PcsOld);
        assert_eq!(told("a.pcs", "x categorical {a, b} [a]\n"), Format::PcsNew);
        assert_eq!(told("-", "x categorical {a, b} [a]\n"), Format::PcsNew);
        assert_eq!(told("-", "x {a, b} [a]\n"), Format::PcsOld);
        assert_eq!(told("p.txt", "x{a,b}[a]\ny | x in {a}\n"), Format::PcsOld);
        assert_eq!(told("p.txt", "# x\nalpha \"--alpha \" r,log (0.1, 1)\n"), Format::Irace);
        assert_eq!(told("p.txt", "tour \"--tour=\" c (a, b) | x == 1\n"), Format::Irace);
        assert_eq!(told("-", "\n{\"name\": null}"), Format::ConfigSpaceJson);
        assert_eq!(told("-", "name: x\nhyperparameters:\n  - a\n"), Format::ConfigSpaceYaml);
        assert_eq!(told("-", "alpha = { float = [1, 2] }\n"), Format::Toml);
        assert_eq!(told("space", "[parameters]\na = { integer = [1, 2] }\n"), Format::Toml);
    }
}
