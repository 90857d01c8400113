//! Files by paths, folders and patterns.
//!
//! They come in the order of their paths, each once, whichever pattern or link leads to it. A folder
//! stands for all files in it, at any depth; hidden ones are left out, as by a pattern.

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
    let mut sound = true;
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
                sound = false;
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
            sound = false;
            continue;
        };
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(identity.clone()) {
            entries.push(Entry { instance: Instance::new(name, argument), identity, span });
        }
    }
    sound.then_some(entries)
}

/// The files of a path or pattern, or what is wrong and what to do.
fn matches(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, (String, String)> {
    let literal = folder.join(pattern);
    // A path is data even if it looks like a pattern.
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
            "`*`, `?`, `[ab]` and `**` are known".to_owned(),
        )
    };
    let mut found = Vec::new();
    for path in glob::glob(&full).map_err(bad)? {
        let path = path.map_err(|error| {
            let hint = "make it readable, or choose another pattern".to_owned();
            (format!("`{pattern}` meets `{}`: {}", error.path().display(), error.error()), hint)
        })?;
        if path.is_file() {
            found.push(path.components().collect());
        }
    }
    if let Some(path) = not_utf8(&full) {
        return Err((
            format!("`{pattern}` meets `{}`, which is not UTF-8", path.display()),
            "rename it".to_owned(),
        ));
    }
    if found.is_empty() {
        let hint = match pattern.trim().parse::<f64>() {
            Ok(_) => format!("if a share is meant, write `{}%`", pattern.trim()),
            Err(_) => format!("paths count from the scenario's folder `{}`", folder.display()),
        };
        return Err((format!("no file matches `{pattern}`"), hint));
    }
    Ok(found)
}

/// A file whose path is not UTF-8 and that a pattern would match but for that: patterns pass over them in
/// silence. Characters that cannot be read count as one each.
fn not_utf8(pattern: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '['])).count();
    let is_deep = parts.contains(&"**");
    let pattern = glob::Pattern::new(pattern).ok()?;
    let mut open = vec![(PathBuf::from(format!("{}/", parts[..plain].join("/"))), plain)];
    while let Some((folder, depth)) = open.pop() {
        // What cannot be read has been told of where the pattern leads there.
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

/// All files in a folder.
fn within(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, (String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let unreadable = |error: std::io::Error| {
            (format!("`{pattern}` meets `{}`: {error}", folder.display()), "make it readable".to_owned())
        };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            let is_link = entry.file_type().map_err(unreadable)?.is_symlink();
            // A link to a folder may lead round in a circle.
            match path.is_dir() {
                true if is_link => {}
                true => open.push(path),
                false => found.push(path.components().collect()),
            }
        }
    }
    if found.is_empty() {
        return Err((format!("the folder `{pattern}` has no files"), "fill it, or name another".to_owned()));
    }
    Ok(found)
}
