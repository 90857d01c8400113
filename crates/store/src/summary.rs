//! An overview of a campaign, without loading its trials.

use engine::Status;

use super::record::{Elapsed, Session, StoredConfiguration, StoredIncumbent};
use super::tables::word;
use super::{StoreError, StoreReader};

/// An overview of a campaign.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Name of the campaign.
    pub name: String,
    /// Number of configurations.
    pub configurations: u64,
    /// Number of trials that have ended.
    pub trials: u64,
    /// Number of trials with each status, in the order of [`Status::ALL`].
    pub counts: [u64; Status::ALL.len()],
    /// Number of lost trials, excluding trials that were cancelled on purpose.
    pub lost: u64,
    /// Total CPU seconds of the trials, where measured.
    pub trial_cpu: f64,
    /// Total wall-clock seconds of the trials, where measured.
    pub trial_wall: f64,
    /// The time that the campaign has used.
    pub spent: Elapsed,
    /// All incumbents, in the order in which they took over.
    pub incumbents: Vec<StoredIncumbent>,
    /// The incumbent; `None` if there is none yet.
    pub best: Option<Leader>,
    /// All sessions in order. If the last one has no end time, it is still running or was killed.
    pub sessions: Vec<Session>,
    /// Number of warnings.
    pub warnings: u64,
}

/// The incumbent and its configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Leader {
    /// The moment at which the incumbent took over, and its cost.
    pub incumbent: StoredIncumbent,
    /// The configuration and its origin.
    pub configuration: StoredConfiguration,
}

impl Summary {
    /// Returns the number of trials with this status.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }
}

impl StoreReader {
    /// Returns an overview of the campaign at one moment.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        let snapshot = self.ask(self.connection.unchecked_transaction())?;
        let incumbents = self.incumbents()?;
        let best = match incumbents.last() {
            None => None,
            Some(&incumbent) => {
                let configuration = self.configuration(incumbent.config)?;
                let missing = || self.damaged(format!("configuration {} is missing", incumbent.config));
                Some(Leader { incumbent, configuration: configuration.ok_or_else(missing)? })
            }
        };
        let count = |sql: &str| self.ask(self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)));
        let mut summary = Summary {
            name: self.name()?,
            configurations: count("SELECT coalesce(max(id) + 1, 0) FROM configuration")?.cast_unsigned(),
            trials: 0,
            counts: [0; Status::ALL.len()],
            lost: self.lost()?,
            trial_cpu: 0.0,
            trial_wall: 0.0,
            spent: self.state()?.1,
            incumbents,
            best,
            sessions: self.sessions()?,
            warnings: count("SELECT count(*) FROM event WHERE kind = 'warning'")?.cast_unsigned(),
        };
        self.add_trials(&mut summary)?;
        self.ask(snapshot.finish())?;
        Ok(summary)
    }

    /// Returns the number of lost trials. Trials cancelled on purpose have the same status but no reason, so
    /// they do not count.
    pub(super) fn lost(&self) -> Result<u64, StoreError> {
        // If the tally shows no trial with this status, the trials are not searched.
        let sql = "SELECT count(*) FROM trial WHERE status = ?1 AND reason IS NOT NULL
                   AND EXISTS (SELECT 1 FROM tally WHERE status = ?1)";
        let count = self.connection.query_row(sql, [Status::Lost.name()], |row| row.get::<_, i64>(0));
        Ok(self.ask(count)?.cast_unsigned())
    }

    /// Returns the number of validation trials.
    pub fn validation_count(&self) -> Result<u64, StoreError> {
        let count =
            self.connection.query_row("SELECT count(*) FROM validation", [], |row| row.get::<_, i64>(0));
        Ok(self.ask(count)?.cast_unsigned())
    }

    fn add_trials(&self, summary: &mut Summary) -> Result<(), StoreError> {
        let tally = self.rows("SELECT status, trials, cpu, wall FROM tally", |row| {
            let trials: i64 = row.get(1)?;
            let status = word(row, 0, Status::of_name)?;
            Ok((status, trials.cast_unsigned(), row.get::<_, f64>(2)?, row.get::<_, f64>(3)?))
        })?;
        for (status, trials, cpu, wall) in tally {
            summary.counts[status as usize] = trials;
            summary.trials += trials;
            summary.trial_cpu += cpu;
            summary.trial_wall += wall;
        }
        Ok(())
    }
}
