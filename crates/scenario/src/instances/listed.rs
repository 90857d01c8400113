//! The key `instances.from`: a file that names one instance per line.
//!
//! If one of the lines is the path of a file, all of them must be. Otherwise the instances are words, which
//! contain no slash.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use space::{Diagnostic, Diagnostics, Span};

use super::super::report::{Found, Report};
use super::{Entry, Instance};

/// Reads the instances. Also returns whether they are files.
pub(super) fn read(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    folder: &Path,
    referred: &mut Vec<Diagnostics>,
) -> Option<(Vec<Entry>, bool)> {
    let name = report.text(found)?;
    let hint = || format!("paths are relative to the scenario's folder `{}`", folder.display());
    let text = match std::fs::read_to_string(folder.join(&name)) {
        Ok(text) => text,
        Err(error) => {
            report.mistake(
                found.span(),
                format!("`{}`: `{name}` cannot be read: {error}", found.key),
                hint(),
            );
            return None;
        }
    };
    let lines = lines(&text);
    if lines.is_empty() {
        report.mistake(found.span(), format!("`{name}` names no instances"), "write one instance per line");
        return None;
    }
    let are_files = lines.iter().any(|(line, _)| folder.join(line).is_file());
    let (mut mistakes, mut seen) = (Vec::new(), BTreeSet::new());
    let mut entries: BTreeMap<PathBuf, Entry> = BTreeMap::new();
    for (line, span) in lines {
        let path: PathBuf = folder.join(line).components().collect();
        let (key, instance, identity) = if are_files {
            if !path.is_file() {
                mistakes.push(
                    Diagnostic::new(span, format!("`{line}` is not a file, but other lines are"))
                        .hint(hint()),
                );
                continue;
            }
            let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            let argument = path.to_string_lossy().into_owned();
            (path, Instance::new(name, argument), identity)
        } else {
            if line.contains('/') {
                mistakes.push(Diagnostic::new(span, format!("there is no file `{line}`")).hint(hint()));
                continue;
            }
            (PathBuf::from(line), Instance::new(line, line), PathBuf::from(line))
        };
        if seen.insert(identity.clone()) {
            // The instance is named in another file, so the place of the key stands for it in this file.
            entries.insert(key, Entry { instance, identity, span: found.span() });
        }
    }
    if mistakes.is_empty() {
        return Some((entries.into_values().collect(), are_files));
    }
    report
        .mistakes
        .push(Diagnostic::new(found.span(), format!("the list `{name}` has mistakes, shown below")));
    referred.push(Diagnostics::new(name, text, mistakes));
    None
}

/// Returns the lines that are neither empty nor comments, with their places.
fn lines(text: &str) -> Vec<(&str, Span)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start + line.len() - line.trim_start().len();
        start += line.len();
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            lines.push((line, Span::new(begin, begin + line.len())));
        }
    }
    lines
}
