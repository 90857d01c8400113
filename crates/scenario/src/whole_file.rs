//! Writing a file that is there whole, or as it was before.
//!
//! | at the path is | what is written |
//! |---|---|
//! | nothing, or a regular file | fills a new file, which then takes the place |
//! | a link | goes where the link leads; the link stays |
//! | a pipe, a device | goes into it, as it comes |
//! | `/dev/stdout`, `/dev/fd/3` | goes into what is open there, after what has been written to it |

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// As many links in a row as the kernel follows.
const LINKS: usize = 40;

/// Writes what `fill` does to a path.
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

/// Where a path leads.
enum Place {
    /// To something that takes what is written as it comes.
    Stream(PathBuf),
    /// To a regular file, or to where there is none yet.
    File(PathBuf, Option<Metadata>),
}

fn resolve(path: &Path) -> io::Result<Place> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => {
                let folder = folder_of(&path).canonicalize()?;
                // Links to what a process has open, which may have no name, or be shared with others.
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
        // Whoever may not write to a file may not replace it either.
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
        // Without it a power cut may bring back the file of before, which is whole, too.
        Ok(_) => drop(File::open(folder_of(path)).and_then(|folder| folder.sync_all())),
        // What is left is of no use to anyone.
        Err(_) => drop(fs::remove_file(&new)),
    }
    done
}

/// A new file in the folder of another one.
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

fn folder_of(path: &Path) -> &Path {
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
    fn a_link_stays_and_what_it_leads_to_is_written() {
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
    fn a_pipe_stays_one_and_gets_the_text() {
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

    /// What `>>` of a shell has opened is not replaced by what is written to `/dev/stdout`.
    #[test]
    fn what_is_open_is_written_to_and_not_replaced() {
        let folder = folder();
        let path = folder.path().join("log");
        fs::write(&path, "before\n").unwrap();
        let open = File::options().append(true).open(&path).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        put(Path::new(&format!("/proc/self/fd/{number}")), "after\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before\nafter\n");
    }

    #[test]
    fn a_file_keeps_its_mode_and_its_text_if_writing_fails() {
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
