//! Finds the files that another configurator's scenario refers to.
//!
//! Other configurators resolve paths from the folder in which they were started. That folder is not recorded,
//! and output folders get moved. So captune looks a path up from the scenario's folder and from the folders
//! above it. If that fails, it looks for the file name alone in the scenario's folder.

use std::path::{Component, Path, PathBuf};

use super::ForeignError;

/// Number of folders to search: the scenario's own folder and those above it.
const LEVELS: usize = 4;

/// A finder of the other configurator's files, which makes their paths relative to captune's scenario.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The folder of the other configurator's scenario.
    pub(super) from: PathBuf,
    /// The folder of captune's scenario.
    to: PathBuf,
}

impl Paths {
    /// Creates a finder for the other configurator's scenario at `path` and captune's scenario in `folder`.
    pub fn new(path: &Path, folder: &Path) -> Result<Self, ForeignError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| ForeignError::Read { path, source }
        };
        let path = std::path::absolute(path).map_err(failed(path))?;
        let to = std::path::absolute(folder).map_err(failed(folder))?;
        let from = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("/")).to_owned() };
        Ok(Self { from: plain(&from), to: plain(&to) })
    }

    /// Returns the file or folder that a path in the other scenario refers to, if it exists.
    pub(super) fn find(&self, path: &str) -> Option<PathBuf> {
        let bases = self.from.ancestors().take(LEVELS);
        let near = bases.map(|base| base.join(path)).find(|path| path.exists());
        let name = || Path::new(path).file_name().map(|name| self.from.join(name));
        near.or_else(|| name().filter(|path| path.exists())).map(|path| plain(&path))
    }

    /// Returns the folder that paths in the other scenario are relative to: the one from which this path
    /// exists.
    pub(super) fn base_of(&self, path: &str) -> Option<PathBuf> {
        let mut bases = self.from.ancestors().take(LEVELS);
        bases.find(|base| base.join(path).exists()).map(plain)
    }

    /// Returns the path in the form used in captune's scenario: relative if it is inside the scenario's
    /// folder.
    pub fn shown(&self, path: &Path) -> String {
        let path = plain(path);
        match path.strip_prefix(&self.to) {
            Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
            Ok(inner) => inner.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    /// Returns the path of a program. The path always contains a slash; otherwise, the program would be
    /// looked up in PATH.
    pub(super) fn program(&self, path: &Path) -> String {
        let shown = self.shown(path);
        if shown.contains('/') { shown } else { format!("./{shown}") }
    }
}

/// Returns a path without `.` components and without `name/..` pairs.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_simplified() {
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
        let paths = Paths { from: "/a/b".into(), to: "/a".into() };
        assert_eq!(paths.shown(Path::new("/a/b/./x")), "b/x");
        assert_eq!(paths.shown(Path::new("/c/x")), "/c/x");
        assert_eq!(
            (paths.shown(Path::new("/a")), paths.program(Path::new("/a/run"))),
            (".".into(), "./run".into())
        );
    }
}
