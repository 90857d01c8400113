//! Saves a draft without overwriting other files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Draft;
use crate::whole_file;

/// Result of saving a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// The draft was written to a new file, or replaced an existing one.
    Written,
    /// The file already had the same text.
    Same,
}

/// The reason why a draft could not be saved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain them")]
pub enum SaveError {
    #[error("{} exists with different content", path.display())]
    Differs { path: PathBuf },
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Draft {
    /// Writes the scenario to `path` and its other files to the same folder. If one of them would overwrite a
    /// file with different content, nothing is written unless `replace` is set.
    pub fn save(&self, path: &Path, replace: bool) -> Result<Saved, SaveError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut texts: Vec<(PathBuf, &str)> =
            self.files.iter().map(|(name, text)| (folder.join(name), text.as_str())).collect();
        let own = self.to_toml();
        texts.push((path.to_owned(), &own));
        let mut saved = Saved::Same;
        let mut differing = Vec::new();
        for (path, text) in &texts {
            // A pipe or a device has no content to compare, and reading from it may never end.
            if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                differing.push((path, text));
                continue;
            }
            match fs::read(path) {
                Ok(there) if there == text.as_bytes() => {}
                Ok(_) if !replace => return Err(SaveError::Differs { path: path.clone() }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(SaveError::Read { path: path.clone(), source: error });
                }
                _ => differing.push((path, text)),
            }
        }
        for (path, text) in differing {
            let failed = |source| SaveError::Write { path: path.clone(), source };
            whole_file::write(path, |out| out.write_all(text.as_bytes())).map_err(failed)?;
            saved = Saved::Written;
        }
        Ok(saved)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// Reading the pipe to compare its content would block forever.
    #[test]
    fn a_pipe_receives_the_draft_and_is_not_read() {
        let folder = confine::PrivateFolder::new().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let mut pipe = fs::File::options().read(true).write(true).open(&path).unwrap();
        let draft = Draft::default();
        assert_eq!(draft.save(&path, false).unwrap(), Saved::Written);
        let mut read = vec![0; draft.to_toml().len()];
        pipe.read_exact(&mut read).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), draft.to_toml());
    }
}
