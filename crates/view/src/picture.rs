//! The current state of a campaign: everything that is known about it.

use campaign::budget::Spent;
use serde::Serialize;
use space::Values;

use crate::costs::sense;
use crate::crew::CrewMember;
use crate::error::ViewError;
use crate::figures::Figures;
use crate::kept::Kept;
use crate::records::Records;
use crate::state::{Session, State};
use crate::tally::Tally;
use crate::trajectory::{Incumbent, trajectory};
use crate::values::Valued;

/// The current state of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Picture {
    /// The name of the campaign.
    pub name: String,
    /// The path of its folder.
    pub folder: String,
    /// Its state: new, running, stopped or killed.
    #[serde(flatten)]
    pub state: State,
    /// The time and trials that it has spent.
    pub spent: Spent,
    /// Numbers of its trials and configurations.
    #[serde(flatten)]
    pub tally: Tally,
    /// The best configuration so far; `None` if all of its trials have failed.
    pub best: Option<Valued>,
    /// The number of the best configuration, even if all of its trials have failed.
    #[serde(skip)]
    pub incumbent: u32,
    /// All incumbents so far.
    pub incumbents: Vec<Incumbent>,
    /// Number of sessions.
    #[serde(rename = "sessions")]
    pub session_count: usize,
    /// All sessions.
    #[serde(rename = "session_list")]
    pub sessions: Vec<Session>,
    /// The machines that ran its trials.
    pub hosts: Vec<String>,
    /// The workers of its fleet; empty if it has none.
    pub workers: Vec<CrewMember>,
    /// The results that require the scenario.
    #[serde(flatten)]
    pub figures: Figured,
}

/// The results, or the reason why the scenario cannot be read.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Figured {
    /// The scenario can be read.
    Known(Box<Figures>),
    /// The scenario cannot be read.
    Unknown {
        /// The first line of the error.
        problem: String,
    },
}

impl Figured {
    fn of(records: &Records<'_>) -> Result<Self, ViewError> {
        match records.kept.scenario() {
            Ok(_) => Ok(Self::Known(Box::new(Figures::of(records)?))),
            Err(error) => {
                let problem = error.to_string().lines().next().unwrap_or_default().to_owned();
                Ok(Self::Unknown { problem })
            }
        }
    }

    /// Returns the results, if the scenario can be read.
    pub fn known(&self) -> Option<&Figures> {
        match self {
            Self::Known(figures) => Some(figures),
            Self::Unknown { .. } => None,
        }
    }
}

impl Picture {
    /// Reads the current state of a campaign, even while it is running.
    pub fn of(kept: &Kept) -> Result<Self, ViewError> {
        Self::of_records(&Records::of(kept)?)
    }

    /// Creates the state from records that have already been read.
    pub fn of_records(records: &Records<'_>) -> Result<Self, ViewError> {
        let figures = Figured::of(records)?;
        let (sessions, incumbent) = (records.sessions(), records.best().0);
        let best = (!records.is_failing())
            .then(|| Valued { configuration: incumbent, values: Values::from(records.best_configuration()) });
        Ok(Self {
            name: records.kept.charter.name.clone(),
            folder: records.kept.folder.to_string_lossy().into_owned(),
            state: State::of(records.kept.holder()?, sessions.last()),
            spent: records.spent(),
            tally: records.tally(),
            best,
            incumbent,
            incumbents: trajectory(records, sense(&records.kept.charter)),
            session_count: sessions.len(),
            hosts: records.hosts()?,
            workers: records.workers()?,
            sessions,
            figures,
        })
    }
}
