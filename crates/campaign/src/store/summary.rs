//! The state of a campaign at a glance, without loading its trials.

use engine::Status;

use super::record::{Session, Spent, StoredConfiguration, StoredIncumbent};
use super::{StoreError, StoreReader};

/// A campaign at a glance.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What it is called.
    pub name: String,
    /// How many configurations have appeared.
    pub configurations: u64,
    /// How many trials have ended.
    pub trials: u64,
    /// How many of them in each way, in the order of [`Status::ALL`].
    pub counts: [u64; Status::ALL.len()],
    /// CPU seconds of the trials, as far as measured.
    pub trial_cpu: f64,
    /// Wall seconds of the trials, as far as measured, one after the other.
    pub trial_wall: f64,
    /// What the campaign has spent.
    pub spent: Spent,
    /// In the order of succession.
    pub incumbents: Vec<StoredIncumbent>,
    /// The incumbent, once there is one.
    pub best: Option<Leader>,
    /// In order; the last runs still, or was killed, if it has no end.
    pub sessions: Vec<Session>,
    /// How many warnings there were.
    pub warnings: u64,
}

/// The incumbent and its configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Leader {
    /// When it took over, and with what cost.
    pub incumbent: StoredIncumbent,
    /// Its configuration and who proposed it.
    pub configuration: StoredConfiguration,
}

impl Summary {
    /// How many trials ended in a way.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }
}

impl StoreReader {
    /// The campaign at a glance, as it was at one moment.
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
            configurations: count("SELECT count(*) FROM configuration")?.cast_unsigned(),
            trials: 0,
            counts: [0; Status::ALL.len()],
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

    fn add_trials(&self, summary: &mut Summary) -> Result<(), StoreError> {
        let columns: String =
            Status::ALL.map(|status| format!(", sum(status = '{}')", status.name())).concat();
        let sql = format!("SELECT count(*), total(cpu), total(wall){columns} FROM trial");
        let read = self.connection.query_row(&sql, [], |row| {
            summary.trials = row.get::<_, i64>(0)?.cast_unsigned();
            summary.trial_cpu = row.get(1)?;
            summary.trial_wall = row.get(2)?;
            for (index, count) in summary.counts.iter_mut().enumerate() {
                *count = row.get::<_, Option<i64>>(3 + index)?.unwrap_or(0).cast_unsigned();
            }
            Ok(())
        });
        self.ask(read)
    }
}
