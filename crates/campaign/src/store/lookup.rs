//! Single trials, and those that failed.

use engine::{Cap, ConfigId, InstanceId, Pair, Reading, Seed, Status, TrialId, TrialKey};
use rusqlite::{OptionalExtension as _, Row};

use super::tables::{reading, word};
use super::{Output, StoreError, StoreReader};

/// One trial as it was stored.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptTrial {
    /// Its number in the order of asking.
    pub id: TrialId,
    /// What it executed.
    pub key: TrialKey,
    /// The instance's name.
    pub instance: String,
    /// Where it would have been stopped.
    pub cap: Cap,
    /// How it ended.
    pub status: Status,
    /// What is known of its cost.
    pub cost: Option<Reading>,
    /// CPU seconds.
    pub cpu: Option<f64>,
    /// Wall seconds.
    pub wall: Option<f64>,
    /// Largest memory in bytes.
    pub memory: Option<u64>,
    /// Exit code, or minus the number of the signal that ended it.
    pub exit: Option<i32>,
    /// Why it has its status, where that is not plain.
    pub reason: Option<String>,
    /// Campaign seconds at which it ended.
    pub ended: f64,
    /// The end of what it wrote, if it failed.
    pub output: Option<Output>,
}

/// Trials that failed in the same way.
#[derive(Clone, PartialEq, Debug)]
pub struct Failures {
    /// Why: their common signature.
    pub reason: String,
    /// How they ended.
    pub status: Status,
    /// How many.
    pub trials: u64,
    /// Of how many configurations.
    pub configurations: u64,
    /// The first configurations, in order.
    pub examples: Vec<ConfigId>,
    /// The first of them in the order of being told.
    pub first: TrialId,
    /// Campaign seconds at its end.
    pub first_at: f64,
    /// The newest.
    pub newest: KeptTrial,
}

const COLUMNS: &str = "trial.row, trial.id, configuration, instance, seed, instance.name, cap, status, cost, \
                       censored, cpu, wall, memory, exit, reason, ended";
/// Configurations that are named.
const EXAMPLES: usize = 5;

impl StoreReader {
    /// A trial by its number in the order of asking.
    pub fn trial(&self, id: TrialId) -> Result<Option<KeptTrial>, StoreError> {
        self.kept("trial.id = ?", id.0.cast_signed())
    }

    /// The largest number of a trial that has ended.
    pub fn last_trial(&self) -> Result<Option<TrialId>, StoreError> {
        let found =
            self.connection.query_row("SELECT max(id) FROM trial", [], |row| row.get::<_, Option<i64>>(0));
        Ok(self.ask(found)?.map(|id| TrialId(id.cast_unsigned())))
    }

    fn kept(&self, condition: &str, value: i64) -> Result<Option<KeptTrial>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM trial JOIN instance ON instance.id = trial.instance WHERE {condition}"
        );
        let found = self.connection.query_row(&sql, [value], |row| Ok((row.get::<_, i64>(0)?, trial(row)?)));
        let Some((row, mut trial)) = self.ask(found.optional())? else { return Ok(None) };
        trial.output = self.output(row.cast_unsigned())?;
        Ok(Some(trial))
    }

    /// The trials that failed, those that failed most often first.
    pub fn failures(&self) -> Result<Vec<Failures>, StoreError> {
        let snapshot = self.ask(self.connection.unchecked_transaction())?;
        let failed: Vec<String> = Status::ALL
            .iter()
            .filter(|status| status.is_failure() || **status == Status::Aborted)
            .map(|status| format!("'{}'", status.name()))
            .collect();
        let failed = failed.join(", ");
        let sql = format!(
            "SELECT coalesce(reason, status), status, count(*), count(DISTINCT configuration), min(row), max(row) \
             FROM trial WHERE status IN ({failed}) GROUP BY 1, 2 ORDER BY 3 DESC, 5"
        );
        let groups = self.rows(&sql, |row| {
            let (reason, status): (String, Status) = (row.get(0)?, word(row, 1, Status::of_name)?);
            let number = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
            Ok((reason, status, number(2)?, number(3)?, row.get::<_, i64>(4)?, row.get::<_, i64>(5)?))
        })?;
        let mut failures = Vec::new();
        for (reason, status, trials, configurations, first, newest) in groups {
            let missing = || self.damaged(format!("the trials that failed by `{reason}` are gone"));
            let first = self.kept("trial.row = ?", first)?.ok_or_else(missing)?;
            let newest = self.kept("trial.row = ?", newest)?.ok_or_else(missing)?;
            let examples = self.examples(&reason, status)?;
            let (first, first_at) = (first.id, first.ended);
            failures.push(Failures {
                reason,
                status,
                trials,
                configurations,
                examples,
                first,
                first_at,
                newest,
            });
        }
        self.ask(snapshot.finish())?;
        Ok(failures)
    }

    fn examples(&self, reason: &str, status: Status) -> Result<Vec<ConfigId>, StoreError> {
        let sql = "SELECT DISTINCT configuration FROM trial WHERE coalesce(reason, status) = ? AND status = ? \
                   ORDER BY configuration LIMIT ?";
        let all = || {
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement
                .query_map((reason, status.name(), EXAMPLES as i64), |row| row.get(0).map(ConfigId))?;
            rows.collect()
        };
        self.ask(all())
    }
}

fn trial(row: &Row<'_>) -> rusqlite::Result<KeptTrial> {
    let pair = Pair { instance: InstanceId(row.get(3)?), seed: Seed(row.get(4)?) };
    let cap: Option<f64> = row.get(6)?;
    Ok(KeptTrial {
        id: TrialId(row.get::<_, i64>(1)?.cast_unsigned()),
        key: TrialKey { config: ConfigId(row.get(2)?), pair },
        instance: row.get(5)?,
        cap: cap.filter(|&cap| cap > 0.0).map_or(Cap::NONE, Cap::at),
        status: word(row, 7, Status::of_name)?,
        cost: reading(row.get(8)?, row.get(9)?),
        cpu: row.get(10)?,
        wall: row.get(11)?,
        memory: row.get::<_, Option<i64>>(12)?.map(i64::cast_unsigned),
        exit: row.get(13)?,
        reason: row.get(14)?,
        ended: row.get(15)?,
        output: None,
    })
}
