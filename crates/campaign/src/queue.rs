//! The queue of configurations that the user wants tried, in the campaign's folder.
//!
//! Each request is a separate file in `queue`, created atomically by renaming. The campaign removes a file
//! only after the request is in the store, so that no request is lost. The store also contains the names of
//! these files, so that no request counts twice.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use engine::{Configuration, Space};
use serde_json::{Map, Value};
use space::Literal;

use scenario::configuration_file;

/// Reason why a queue cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} {}", path.display())]
pub struct QueueError {
    verb: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// The queue of a campaign.
#[derive(Clone, Debug)]
pub struct Queue {
    folder: PathBuf,
}

impl Queue {
    /// Returns the queue in a campaign's folder. The queue's own folder need not exist yet.
    pub fn of_campaign(folder: &Path) -> Self {
        Self { folder: folder.join("queue") }
    }

    /// Adds a configuration and returns the name of its file.
    pub fn put(&self, configuration: &Configuration) -> Result<String, QueueError> {
        let fail = |verb, path: &Path| {
            let path = path.to_owned();
            move |source| QueueError { verb, path, source }
        };
        fs::create_dir_all(&self.folder).map_err(fail("create", &self.folder))?;
        let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        // The names sort by the time of the request. The process ID distinguishes requests from different
        // processes.
        let name = format!("{moment:030}-{}.json", std::process::id());
        let (path, new) = (self.folder.join(&name), self.folder.join(format!("{name}.new")));
        let write = || {
            let mut file = File::create_new(&new)?;
            file.write_all(text(configuration).as_bytes())?;
            file.sync_all()
        };
        write().and_then(|()| fs::rename(&new, &path)).map_err(|error| {
            // A partial file is useless.
            let _ = fs::remove_file(&new);
            fail("write", &path)(error)
        })?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(fail("write", &self.folder))?;
        Ok(name)
    }

    /// Returns the names of the waiting files, oldest first.
    pub fn waiting(&self) -> Result<Vec<String>, QueueError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(self.failed("read", ""))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(self.failed("read", ""))?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".json") {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Reads the configuration in a file. The inner error is the reason why it is not a configuration of the
    /// space.
    pub fn read(&self, name: &str, space: &Space) -> Result<Result<Configuration, String>, QueueError> {
        let text = fs::read_to_string(self.folder.join(name)).map_err(self.failed("read", name))?;
        Ok(configuration_file::read(&text, name, space).map_err(|mistakes| {
            let all: Vec<&str> = mistakes.list().iter().map(|mistake| mistake.message.as_str()).collect();
            all.join("; ")
        }))
    }

    /// Removes the file of a request that has been stored.
    pub fn remove(&self, name: &str) -> Result<(), QueueError> {
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed("remove", name)(error)),
            _ => Ok(()),
        }
    }

    /// Renames the file of an invalid request and returns its new path.
    pub fn set_aside(&self, name: &str) -> Result<PathBuf, QueueError> {
        let aside = self.folder.join(format!("{name}.refused"));
        fs::rename(self.folder.join(name), &aside).map_err(self.failed("rename", name))?;
        Ok(aside)
    }

    fn failed(&self, verb: &'static str, name: &str) -> impl FnOnce(io::Error) -> QueueError {
        let path = self.folder.join(name);
        move |source| QueueError { verb, path, source }
    }
}

fn text(configuration: &Configuration) -> String {
    let value = |literal: Literal| match literal {
        Literal::Text(text) => Value::from(text),
        Literal::Integer(number) => Value::from(number),
        Literal::Float(number) => Value::from(number),
        Literal::Boolean(truth) => Value::from(truth),
    };
    let members: Map<String, Value> =
        configuration.iter().map(|(name, literal)| (name.to_owned(), value(literal))).collect();
    Value::Object(members).to_string()
}
