//! Reads and writes the file of rows for a long measurement that consists of many parts. Parts whose rows are
//! already in the file are not measured again. Several threads append to the file.
//!
//! Rows of different versions of captune cannot be compared. So each row ends with the version of captune that it was
//! measured with: a commit, or a date if it was measured before 2026-11-20. All rows of a file have the same version.
//! The functions for *plain* files leave this to the caller, whose rows may come from other programs.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};

use crate::version::CAPTUNE;

/// Reads all rows of a plain file; returns an empty list if the file does not exist.
pub(crate) fn read_plain<T>(path: &Path, head: &str, of_line: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let mut lines = text.lines();
    match lines.next() {
        None => Ok(Vec::new()),
        Some(found) if found == head => lines.map(of_line).collect(),
        Some(_) => bail!("{} has different columns; remove it, or choose another file", path.display()),
    }
}

/// Reads all rows of a file, without their version; returns an empty list if the file does not exist.
pub(crate) fn read<T>(path: &Path, head: &str, of_line: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    let split = |line: &str| {
        let (row, version) = line.rsplit_once(',').with_context(|| format!("`{line}` has no version"))?;
        Ok((of_line(row)?, version.to_owned()))
    };
    let rows: Vec<(T, String)> = read_plain(path, &versioned(head), split)?;
    if let Some([(_, one), (_, other)]) = rows.array_windows().find(|[(_, one), (_, other)]| one != other) {
        bail!(
            "{} has rows from captune {one} and {other}; all rows of a table must be from one version",
            path.display()
        );
    }
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

fn versioned(head: &str) -> String {
    format!("{head},version")
}

fn add(path: &Path, text: &str) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let mut file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Measures all parts on several threads, and appends the lines of each, with the version, to a file as soon as they are
/// known.
pub(crate) fn measure<T: Send>(
    parts: VecDeque<T>,
    threads: usize,
    (path, head): (&Path, &str),
    lines: impl Fn(T) -> Result<String> + Sync,
) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let head = versioned(head);
    let version = |line: &str| Ok(line.rsplit(',').next().unwrap_or_default().to_owned());
    let known = read_plain(path, &head, version)?;
    if let Some(other) = known.iter().find(|version| *version != CAPTUNE) {
        bail!(
            "{} has rows from captune {other}, and this is {CAPTUNE}; choose another file with --rows",
            path.display()
        );
    }
    let versioned = |part: T| Ok(lines(part)?.lines().map(|line| format!("{line},{CAPTUNE}\n")).collect());
    measure_plain(parts, threads, (path, &head), versioned)
}

/// Measures all parts on several threads, and appends the lines of each to a plain file as soon as they are known.
pub(crate) fn measure_plain<T: Send>(
    parts: VecDeque<T>,
    threads: usize,
    (path, head): (&Path, &str),
    lines: impl Fn(T) -> Result<String> + Sync,
) -> Result<()> {
    // The header is written before the threads start.
    if std::fs::metadata(path).map_or(true, |found| found.len() == 0) {
        add(path, &format!("{head}\n"))?;
    }
    let parts = Mutex::new(parts);
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || -> Result<()> {
        while let Some(part) = next() {
            // One write per part, so that lines are never mixed.
            add(path, &lines(part)?)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("the worker's panic is already printed"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_get_a_line_under_one_header_and_one_version() {
        let path = std::env::temp_dir().join(format!("captune-rows-{}", std::process::id()));
        let lines = |part: u32| Ok(format!("{part}\n"));
        measure((0..50).collect(), 8, (&path, "head"), lines).unwrap();
        measure((50..60).collect(), 1, (&path, "head"), lines).unwrap();
        let number = |line: &str| Ok(line.parse::<u32>()?);
        let mut found = read(&path, "head", number).unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..60).collect::<Vec<_>>());
        assert!(read(&path, "another", number).unwrap_err().to_string().contains("different columns"));

        add(&path, "60,2026-11-19\n").unwrap();
        let message = |result: Result<()>| result.unwrap_err().to_string();
        let mixed = message(read(&path, "head", number).map(drop));
        assert!(mixed.contains(&format!("rows from captune {CAPTUNE} and 2026-11-19")), "{mixed}");
        let refused = message(measure((61..62).collect(), 1, (&path, "head"), lines));
        assert!(refused.contains("rows from captune 2026-11-19, and this is"), "{refused}");
        measure(VecDeque::new(), 1, (&path, "head"), lines).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path, "head", number).unwrap().is_empty());
    }
}
