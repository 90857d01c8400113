//! Writes a file atomically: afterwards, it has either the complete new content or the old content.
//!
//! | the path is | the text |
//! |---|---|
//! | unused, or a regular file | fills a new file, which then replaces the old one |
//! | a link | goes to the target of the link; the link stays |
//! | a pipe, a device | is written to it directly |
//! | `/dev/stdout`, `/dev/fd/3` | is appended to the open file |

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Maximum number of links in a row that the kernel follows.
const LINKS: usize = 40;

/// Writes the output of `fill` to a path.
pub fn write<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    match resolve(path)? {
        Place::Stream(path) => {
            let mut out = BufWriter::new(File::options().append(true).open(path)?);
            let done = fill(&mut out)?;
            out.flush()?;
            Ok(done)
        }
        Place::File(path, there) => replace(&path, there.as_ref(), fill),
    }
}

/// The kind of file that a path refers to.
enum Place {
    /// A pipe, a device or an open file, to which the text is written directly.
    Stream(PathBuf),
    /// A regular file that exists, or one to be created.
    File(PathBuf, Option<Metadata>),
}

fn resolve(path: &Path) -> io::Result<Place> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => {
                let folder = folder_of(&path).canonicalize()?;
                // This is a link to an open file of a process. The file may have no name, or other processes
                // may use it too.
                if folder.starts_with("/proc") {
                    return Ok(Place::Stream(path));
                }
                path = folder.join(fs::read_link(&path)?);
            }
            Ok(data) if data.is_file() => return Ok(Place::File(path, Some(data))),
            Ok(_) => return Ok(Place::Stream(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::File(path, None)),
            Err(error) => return Err(error),
        }
    }
    Err(Errno::LOOP.into())
}

fn replace<T, E: From<io::Error>>(
    path: &Path,
    there: Option<&Metadata>,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if there.is_some() {
        // Replacing a file should require permission to write to it.
        File::options().append(true).open(path)?;
    }
    let (file, new) = create_beside(path)?;
    let fill_and_move = || {
        if let Some(there) = there {
            file.set_permissions(there.permissions())?;
        }
        let mut out = BufWriter::new(file);
        let done = fill(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&new, path)?;
        Ok(done)
    };
    let done = fill_and_move();
    match &done {
        // If this fails, a power cut may restore the old file, but that file is complete as well.
        Ok(_) => drop(File::open(folder_of(path)).and_then(|folder| folder.sync_all())),
        // The partial file is useless.
        Err(_) => drop(fs::remove_file(&new)),
    }
    done
}

/// Creates a new file in the same folder as `path`.
pub fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let names = (0..).map(|count: u32| format!(".captune-{}-{count}.new", std::process::id()));
    for new in names.map(|name| folder_of(path).join(name)) {
        match File::create_new(&new) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (file, new)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns the folder that contains a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn folder() -> confine::PrivateFolder {
        confine::PrivateFolder::new().unwrap()
    }

    fn put(path: &Path, text: &str) -> io::Result<()> {
        write(path, |out| out.write_all(text.as_bytes()))
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_link_stays_and_its_target_is_written() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).unwrap();
        fs::write(at("far/real"), "old").unwrap();
        symlink("real", at("far/second")).unwrap();
        symlink("far/second", at("first")).unwrap();
        symlink("far/new", at("dangling")).unwrap();
        put(&at("first"), "1").unwrap();
        put(&at("dangling"), "2").unwrap();
        for link in ["first", "far/second", "dangling"] {
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(fs::read_to_string(at("far/real")).unwrap(), "1");
        assert_eq!(fs::read_to_string(at("far/new")).unwrap(), "2");
        symlink("loop", at("loop")).unwrap();
        assert_eq!(put(&at("loop"), "3").unwrap_err().raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        assert_eq!(names(folder.path()), ["dangling", "far", "first", "loop"]);
        assert_eq!(names(&at("far")), ["new", "real", "second"]);
    }

    #[test]
    fn a_pipe_stays_a_pipe_and_receives_the_text() {
        let folder = folder();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let mut pipe = File::options().read(true).write(true).open(&path).unwrap();
        put(&path, "text").unwrap();
        assert!(!fs::symlink_metadata(&path).unwrap().is_file(), "the pipe was replaced");
        let mut text = [0; 4];
        pipe.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"text");
    }

    /// Writing to `/dev/stdout` must not replace a file that a shell has opened with `>>`.
    #[test]
    fn an_open_file_is_appended_to_and_not_replaced() {
        let folder = folder();
        let path = folder.path().join("log");
        fs::write(&path, "before\n").unwrap();
        let open = File::options().append(true).open(&path).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        put(Path::new(&format!("/proc/self/fd/{number}")), "after\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before\nafter\n");
    }

    #[test]
    fn a_file_keeps_its_mode_and_keeps_its_text_if_writing_fails() {
        let folder = folder();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"half")?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        put(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(names(folder.path()), ["file"]);
    }
}
