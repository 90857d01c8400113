//! Finds instance files, given by paths, folders and patterns.
//!
//! Files are sorted by path. Each file appears once, even if several patterns or links lead to it. A folder
//! stands for all files in it, at any depth. Hidden files are skipped, both in folders and when matching
//! patterns.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use space::{Span, Spanned};

use super::super::report::Report;
use super::{Entry, Instance};

pub(super) fn files(
    report: &mut Report<'_>,
    patterns: &[Spanned<String>],
    folder: &Path,
) -> Option<Vec<Entry>> {
    let mut valid = true;
    let mut paths: BTreeMap<PathBuf, Span> = BTreeMap::new();
    for pattern in patterns {
        match matches(&pattern.value, folder) {
            Ok(found) => {
                for path in found {
                    paths.entry(path).or_insert(pattern.span);
                }
            }
            Err((message, hint)) => {
                report.mistake(pattern.span, message, hint);
                valid = false;
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for (path, span) in paths {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_str();
        let (Some(name), Some(argument)) = (name, path.to_str()) else {
            let message = format!("the path `{}` is not UTF-8", path.display());
            report.mistake(span, message, "rename it");
            valid = false;
            continue;
        };
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(identity.clone()) {
            entries.push(Entry { instance: Instance::new(name, argument), identity, span });
        }
    }
    valid.then_some(entries)
}

/// Returns the files that a path or pattern refers to. The error is a message and a hint.
fn matches(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, (String, String)> {
    let literal = folder.join(pattern);
    // If a path exists, it is taken literally, even if it looks like a pattern.
    if !pattern.is_empty() && literal.is_dir() {
        return within(&literal, pattern);
    }
    if !pattern.is_empty() && literal.exists() {
        return Ok(vec![literal.components().collect()]);
    }
    let start = glob::Pattern::escape(&folder.to_string_lossy());
    let full = if pattern.starts_with('/') { pattern.to_owned() } else { format!("{start}/{pattern}") };
    let bad = |error: glob::PatternError| {
        (
            format!("`{pattern}` is not a pattern: {}", error.msg),
            "patterns may use `*`, `?`, `[ab]` and `**`".to_owned(),
        )
    };
    let mut found = Vec::new();
    for path in glob::glob(&full).map_err(bad)? {
        let path = path.map_err(|error| {
            let hint = "make it readable, or use another pattern".to_owned();
            (format!("`{pattern}`: cannot read `{}`: {}", error.path().display(), error.error()), hint)
        })?;
        if path.is_file() {
            found.push(path.components().collect());
        }
    }
    if let Some(path) = not_utf8(&full) {
        return Err((
            format!("`{pattern}` matches `{}`, which is not UTF-8", path.display()),
            "rename it".to_owned(),
        ));
    }
    if found.is_empty() {
        let hint = match pattern.trim().parse::<f64>() {
            Ok(_) => format!("for a share, write `{}%`", pattern.trim()),
            Err(_) => format!("paths are relative to the scenario's folder `{}`", folder.display()),
        };
        return Err((format!("no file matches `{pattern}`"), hint));
    }
    Ok(found)
}

/// Returns a file that would match the pattern if its path were valid UTF-8, because `glob` skips such files
/// silently. Each undecodable sequence counts as one character.
fn not_utf8(pattern: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '['])).count();
    let is_deep = parts.contains(&"**");
    let pattern = glob::Pattern::new(pattern).ok()?;
    let mut open = vec![(PathBuf::from(format!("{}/", parts[..plain].join("/"))), plain)];
    while let Some((folder, depth)) = open.pop() {
        // Unreadable folders that match the pattern were already reported.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if (is_deep && !is_link) || (!is_deep && depth + 1 < parts.len()) {
                    open.push((path, depth + 1));
                }
            } else if path.to_str().is_none() && pattern.matches(&path.to_string_lossy()) {
                return Some(path);
            }
        }
    }
    None
}

/// Returns all files in a folder.
fn within(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, (String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let unreadable = |error: std::io::Error| {
            (
                format!("`{pattern}`: cannot read `{}`: {error}", folder.display()),
                "make it readable".to_owned(),
            )
        };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            let is_link = entry.file_type().map_err(unreadable)?.is_symlink();
            // Links to folders are not followed, because they could form a cycle.
            match path.is_dir() {
                true if is_link => {}
                true => open.push(path),
                false => found.push(path.components().collect()),
            }
        }
    }
    if found.is_empty() {
        return Err((
            format!("the folder `{pattern}` has no files"),
            "add files, or give another folder".to_owned(),
        ));
    }
    Ok(found)
}
