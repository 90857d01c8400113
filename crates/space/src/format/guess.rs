//! Detects the format of a file from its name and its lines.

use super::Format;
use super::pcs::KINDS;
use super::scan::lines;

impl Format {
    /// Detects the format of a file from its extension, and for `.pcs`, `.txt` and others from its
    /// lines. `None` if nothing indicates a format.
    pub fn guess(file_name: &str, text: &str) -> Option<Self> {
        let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::ConfigSpaceJson),
            "yaml" | "yml" => Some(Self::ConfigSpaceYaml),
            "pcs" => Some(by_lines(text).unwrap_or(Self::PcsOld)),
            _ => by_content(text),
        }
    }
}

/// Detects ConfigSpace files: a brace at the start indicates JSON, and ConfigSpace's first key indicates
/// YAML.
fn by_content(text: &str) -> Option<Format> {
    if text.trim_start().starts_with('{') {
        Some(Format::ConfigSpaceJson)
    } else if text.lines().any(|line| line.trim_end() == "hyperparameters:") {
        Some(Format::ConfigSpaceYaml)
    } else {
        by_lines(text)
    }
}

/// Detects line-based formats: a quoted switch indicates irace, a kind indicates new PCS, and brackets
/// directly after the name indicate old PCS, unless a later line has a kind.
fn by_lines(text: &str) -> Option<Format> {
    let mut old = None;
    for line in lines(text) {
        let (name, rest) = line.content.until(|c| c.is_whitespace() || matches!(c, '{' | '[' | '|'));
        let (word, values) = rest.trim().until(|c| c.is_whitespace() || matches!(c, '{' | '['));
        let opens = values.trim().text.starts_with(['{', '[']);
        if name.is_empty() {
            continue;
        }
        if rest.trim().enclosed('"', '"').is_some_and(|(_, rest)| rest.text.contains('(')) {
            return Some(Format::Irace);
        }
        if opens && KINDS.contains(&word.text) {
            return Some(Format::PcsNew);
        }
        if opens && word.is_empty() {
            old = Some(Format::PcsOld);
        }
    }
    old
}
