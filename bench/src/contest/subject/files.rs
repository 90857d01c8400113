//! Writes generated instances to files, for programs that read files. The folder's name is derived from the
//! content, so that each file is written only once.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::contest::digest::Digest;

/// Instances on disk.
pub(super) struct Files {
    /// Paths of the files, in the order of the texts.
    pub(super) paths: Vec<PathBuf>,
    /// Checksum of all texts.
    pub(super) digest: Digest,
}

/// Writes each text to a file with this extension.
pub(super) fn written(texts: &[String], extension: &str) -> Result<Files> {
    let mut digest = Digest::default();
    texts.iter().for_each(|text| digest.add(text.as_bytes()));
    let folder = std::env::temp_dir().join(format!("captune-bench/{:016x}", digest.value()));
    let failed = || format!("could not write instances to {}", folder.display());
    std::fs::create_dir_all(&folder).with_context(failed)?;
    let mut paths = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let path = folder.join(format!("{number}.{extension}"));
        if std::fs::read(&path).map_or(true, |found| found != text.as_bytes()) {
            // The file is renamed when it is complete, because another process may read it.
            let unfinished = folder.join(format!("{number}.{}", std::process::id()));
            std::fs::write(&unfinished, text).with_context(failed)?;
            std::fs::rename(&unfinished, &path).with_context(failed)?;
        }
        paths.push(path);
    }
    Ok(Files { paths, digest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_written_again() {
        let texts = ["first".to_owned(), format!("second {}", std::process::id())];
        let files = written(&texts, "txt").unwrap();
        let read =
            |files: &Files| files.paths.iter().map(|it| std::fs::read_to_string(it).unwrap()).collect();
        let found: Vec<String> = read(&files);
        assert_eq!(found, texts);
        std::fs::write(&files.paths[1], "sec").unwrap();
        let again = written(&texts, "txt").unwrap();
        let found: Vec<String> = read(&again);
        assert_eq!((found.as_slice(), &again.paths, again.digest), (&texts[..], &files.paths, files.digest));
        std::fs::remove_dir_all(files.paths[0].parent().unwrap()).unwrap();
    }
}
