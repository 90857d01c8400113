//! Files of rows, one for each piece of a long measurement: what a file has is not measured again, and several threads
//! add to it.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};

/// All rows of a file; empty if the file does not exist.
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
        Some(_) => bail!("{} has other columns: remove it, or name another file", path.display()),
    }
}

fn add(path: &Path, text: &str) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let mut file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// Measures some pieces, so many at one time, and adds the lines of each to a file as soon as they are there.
pub(crate) fn measure<T: Send>(
    pieces: VecDeque<T>,
    threads: usize,
    (path, head): (&Path, &str),
    lines: impl Fn(T) -> Result<String> + Sync,
) -> Result<()> {
    // The head first, before several look whether it is there.
    if std::fs::metadata(path).map_or(true, |found| found.len() == 0) {
        add(path, &format!("{head}\n"))?;
    }
    let pieces = Mutex::new(pieces);
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || -> Result<()> {
        while let Some(piece) = next() {
            // In one write, so that lines stay whole.
            add(path, &lines(piece)?)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("the worker has said why"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_get_a_line_under_one_head() {
        let path = std::env::temp_dir().join(format!("captune-rows-{}", std::process::id()));
        let lines = |piece: u32| Ok(format!("{piece}\n"));
        measure((0..50).collect(), 8, (&path, "head"), lines).unwrap();
        measure((50..60).collect(), 1, (&path, "head"), lines).unwrap();
        let number = |line: &str| Ok(line.parse::<u32>()?);
        let mut found = read(&path, "head", number).unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..60).collect::<Vec<_>>());
        assert!(read(&path, "another", number).unwrap_err().to_string().contains("other columns"));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path, "head", number).unwrap().is_empty());
    }
}
