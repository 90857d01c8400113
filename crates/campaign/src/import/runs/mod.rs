//! Runs that another program, or an earlier campaign, has recorded.
//!
//! [`read`] recognises the format of a file or folder and reads it. [`take_in`](take_in()) turns the runs
//! that fit a scenario into trials. The cost of a run that was stopped remains a lower bound: a penalised
//! cost such as PAR10 is converted back.

mod earlier;
mod misfit;
mod optuna;
mod outcome;
mod runhistory;
mod table;
mod take_in;

pub use misfit::{Misfit, Misfits};
pub use table::{EXPORTED, VALIDATION};
pub use take_in::{Former, KNOWN, Left, Outputs, TakenIn, take_in};

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Reading;
use scenario::Sense;
use scenario::draft::foreign::text_of;
use space::Literal;

use store::Charter;
use store::fingerprint::Fingerprints;

use super::ImportError;

/// Names and values of the parameters that were set.
pub type Values = Arc<[(String, Literal)]>;

/// A run as the source recorded it.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Its place in the source, such as `line 3`.
    pub place: String,
    /// Its configuration.
    pub values: Values,
    /// Other outputs that the run reported, by name, and `cpu_time`, `wall_time` and `memory` if captune measured them.
    /// For constraints, only these three count if the run was stopped or failed, as lower bounds.
    pub outputs: Vec<(String, f64)>,
    /// The readings for the constraints of the campaign that recorded the run; empty for other sources.
    pub readings: Vec<Option<Reading>>,
    /// The name of the instance; empty if the target has only one instance.
    pub instance: String,
    /// The random seed.
    pub seed: i64,
    /// The way in which it ended.
    pub ending: Ending,
    /// Its cap, if recorded.
    pub cap: Option<f64>,
    /// Its duration in seconds, if recorded.
    pub time: Option<f64>,
}

/// The way in which a run ended, in terms that all sources share.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// The run finished by itself with this cost. The cost has the source's sign.
    Finished(f64),
    /// The run was stopped when its cost had reached this value.
    StoppedAt(f64),
    /// The run was stopped after this many seconds. The cost need not be this time.
    OutOfTime(f64),
    /// The run used too much memory.
    Memory,
    /// The run failed.
    Crashed,
    /// The run has no usable result, for this reason.
    Nothing(String),
}

/// All runs in a source, in the source's order.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The name of the source, for the store and for messages.
    pub source: String,
    /// The runs.
    pub list: Vec<Run>,
    /// The charter of the captune campaign that recorded the runs; `None` for other sources.
    pub charter: Option<Charter>,
    /// The fingerprints of the files that this campaign used, if it stored them.
    pub files: Option<Fingerprints>,
    /// Whether captune recorded the runs: in a campaign, or in a file that it has exported.
    pub is_own: bool,
    /// Whether the source minimises or maximises; `None` if its costs have the same sign as the scenario's.
    pub sense: Option<Sense>,
    /// Parts of the source that are not used, to be reported to the user.
    pub unused: Vec<String>,
}

impl Runs {
    /// Removes these parameters and outputs, as if they had not been recorded. If one of these names does not
    /// occur in any run, returns that name as the error.
    pub fn without(mut self, names: &[String]) -> Result<Self, String> {
        let runs = &self.list;
        let has = |name: &String| {
            runs.iter().any(|run| {
                run.values.iter().any(|(own, _)| own == name)
                    || run.outputs.iter().any(|(own, _)| own == name)
            })
        };
        if let Some(unknown) = names.iter().find(|name| !has(name)) {
            return Err(unknown.clone());
        }
        // Runs of the same configuration continue to share their values.
        let mut kept: HashMap<*const (String, Literal), Values> = HashMap::new();
        for run in &mut self.list {
            let values = kept.entry(run.values.as_ptr()).or_insert_with(|| {
                run.values.iter().filter(|(name, _)| !names.contains(name)).cloned().collect()
            });
            run.values = Arc::clone(values);
            run.outputs.retain(|(name, _)| !names.contains(name));
        }
        Ok(self)
    }
}

/// Reads the runs at a path: a campaign's folder or one of its databases, a `runhistory.json` or the folder that
/// contains one, an Optuna study in SQLite, or a CSV table.
pub fn read(path: &Path) -> Result<Runs, ImportError> {
    let source = path.file_name().map_or_else(|| path.into(), PathBuf::from).display().to_string();
    let database = path.join("campaign.sqlite");
    if database.is_file() {
        return earlier::read(&database, source);
    }
    let history = path.join("runhistory.json");
    let (file, is_history) = match path.is_dir() {
        true if history.is_file() => (history.as_path(), true),
        true => return Err(ImportError::NoRuns { path: path.to_owned() }),
        false => (path, path.extension().is_some_and(|extension| extension == "json")),
    };
    let shape = |what| ImportError::Shape { path: file.to_owned(), what };
    if store::is_store(file) {
        return earlier::read(file, source);
    }
    if is_sqlite(file) {
        let study = optuna::read(file).map_err(shape)?;
        let optuna::Read { list, sense, unused } = study;
        return Ok(Runs {
            source,
            list,
            charter: None,
            files: None,
            is_own: false,
            sense: Some(sense),
            unused,
        });
    }
    let text = text_of(file)?;
    if is_history {
        let (list, is_own) = runhistory::read(&text).map_err(shape)?;
        let sense = Some(Sense::Minimise);
        return Ok(Runs { source, list, charter: None, files: None, is_own, sense, unused: Vec::new() });
    }
    let table::Read { list, is_own, unused } =
        table::read(&text, &file.display().to_string()).map_err(ImportError::Table)?;
    Ok(Runs { source, list, charter: None, files: None, is_own, sense: None, unused })
}

/// Returns whether a file starts with SQLite's header.
fn is_sqlite(file: &Path) -> bool {
    let mut start = [0; 16];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && &start == b"SQLite format 3\0"
}
