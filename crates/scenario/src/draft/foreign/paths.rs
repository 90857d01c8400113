//! Where the files are that another scenario names.
//!
//! Others count paths from the folder they were started in, which nobody wrote down; and outputs are
//! moved. A path is looked for from the folder of the scenario upwards, and by its name alone there.

use std::path::{Component, Path, PathBuf};

use super::ForeignError;

/// Folders above the scenario's that are looked at.
const ABOVE: usize = 4;

/// Finds others' files, and says how our scenario calls them.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The folder of the other scenario.
    pub(super) from: PathBuf,
    /// The folder of ours.
    to: PathBuf,
}

impl Paths {
    /// For a scenario at `path`, and ours in `folder`.
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

    /// The file or folder that a path of the other scenario leads to, if it is there.
    pub(super) fn find(&self, path: &str) -> Option<PathBuf> {
        let bases = self.from.ancestors().take(ABOVE);
        let near = bases.map(|base| base.join(path)).find(|path| path.exists());
        let name = || Path::new(path).file_name().map(|name| self.from.join(name));
        near.or_else(|| name().filter(|path| path.exists())).map(|path| plain(&path))
    }

    /// The folder that the other scenario's paths count from: where this file of it is found.
    pub(super) fn base_of(&self, path: &str) -> Option<PathBuf> {
        let mut bases = self.from.ancestors().take(ABOVE);
        bases.find(|base| base.join(path).exists()).map(plain)
    }

    /// How our scenario calls a path: from its own folder if it is in there.
    pub fn shown(&self, path: &Path) -> String {
        let path = plain(path);
        match path.strip_prefix(&self.to) {
            Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
            Ok(inner) => inner.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }

    /// The same for a program, which without a slash would be looked up elsewhere.
    pub(super) fn program(&self, path: &Path) -> String {
        let shown = self.shown(path);
        if shown.contains('/') { shown } else { format!("./{shown}") }
    }
}

/// A path without `.` and, where they follow a name, `..`.
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
    fn paths_lose_what_they_do_not_need() {
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
