//! Where a campaign stands: everything that is known of it.

use campaign::budget::Spent;
use serde::Serialize;
use space::Values;

use crate::costs::sense;
use crate::error::ViewError;
use crate::figures::Figures;
use crate::kept::Kept;
use crate::records::Records;
use crate::state::{Session, State};
use crate::tally::Tally;
use crate::trajectory::{Incumbent, trajectory};
use crate::values::Valued;

/// A campaign as it stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Picture {
    /// What the campaign is called.
    pub name: String,
    /// Where it lives.
    pub folder: String,
    /// Whether it runs.
    #[serde(flatten)]
    pub state: State,
    /// What it has spent.
    pub spent: Spent,
    /// Its trials and configurations.
    #[serde(flatten)]
    pub tally: Tally,
    /// The best so far; `None` if every trial of it has failed.
    pub best: Option<Valued>,
    /// The number of the best, whether or not it has failed.
    #[serde(skip)]
    pub incumbent: u32,
    /// Every best so far.
    pub incumbents: Vec<Incumbent>,
    /// How often it was started.
    #[serde(rename = "sessions")]
    pub session_count: usize,
    /// Each time that it was started.
    #[serde(rename = "session_list")]
    pub sessions: Vec<Session>,
    /// The machines on which its trials were run.
    pub hosts: Vec<String>,
    /// What needs the scenario.
    #[serde(flatten)]
    pub figures: Figured,
}

/// What needs the scenario, or why there is none.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Figured {
    /// The scenario reads.
    Known(Box<Figures>),
    /// It does not.
    Unknown {
        /// Why it no longer reads.
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

    /// The figures, if the scenario reads.
    pub fn known(&self) -> Option<&Figures> {
        match self {
            Self::Known(figures) => Some(figures),
            Self::Unknown { .. } => None,
        }
    }
}

impl Picture {
    /// Where a campaign stands, also while it runs.
    pub fn of(kept: &Kept) -> Result<Self, ViewError> {
        Self::of_records(&Records::of(kept)?)
    }

    /// The same of what has been read already.
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
            hosts: records.hosts(),
            sessions,
            figures,
        })
    }
}
