//! Reads and writes the file of rows for a long measurement that consists of many parts. Parts whose rows are
//! already in the file are not measured again. Several threads append to the file.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};

/// Reads all rows of a file; returns an empty list if the file does not exist.
pub(crate) fn read<T>(path: &Path, head: &str, of_line: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
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

fn add(path: &Path, text: &str) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let mut file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Measures all parts on several threads, and appends the lines of each to a file as soon as they are known.
pub(crate) fn measure<T: Send>(
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
    fn all_parts_get_a_line_under_one_header() {
        let path = std::env::temp_dir().join(format!("captune-rows-{}", std::process::id()));
        let lines = |part: u32| Ok(format!("{part}\n"));
        measure((0..50).collect(), 8, (&path, "head"), lines).unwrap();
        measure((50..60).collect(), 1, (&path, "head"), lines).unwrap();
        let number = |line: &str| Ok(line.parse::<u32>()?);
        let mut found = read(&path, "head", number).unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..60).collect::<Vec<_>>());
        assert!(read(&path, "another", number).unwrap_err().to_string().contains("different columns"));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path, "head", number).unwrap().is_empty());
    }
}
