//! Looks up trials by number, and failed trials by reason.

use engine::{ConfigId, Status, TrialId};
use execution::Record;
use rusqlite::{OptionalExtension as _, Row};

use super::tables::word;
use super::{StoreError, StoreReader};

/// Trials that failed for the same reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Failures {
    /// Their common reason.
    pub reason: String,
    /// Their common status.
    pub status: Status,
    /// Number of trials.
    pub trials: u64,
    /// The configurations of these trials, in numerical order.
    pub configurations: Vec<ConfigId>,
    /// The names of the instances of these trials, in the order of the campaign's instances.
    pub instances: Vec<String>,
    /// The first of these trials.
    pub first: Record,
    /// The last of these trials.
    pub newest: Record,
}

impl StoreReader {
    /// Returns a trial by its number. Trials are numbered in the order in which the search requested them.
    pub fn trial_of_id(&self, id: TrialId) -> Result<Option<Record>, StoreError> {
        let found =
            self.connection.query_row("SELECT row FROM trial WHERE id = ?", [id.0.cast_signed()], |row| {
                row.get::<_, i64>(0).map(i64::cast_unsigned)
            });
        match self.ask(found.optional())? {
            Some(row) => self.trial(row),
            None => Ok(None),
        }
    }

    /// Returns the highest trial number among the trials that have ended.
    pub fn last_trial(&self) -> Result<Option<TrialId>, StoreError> {
        let found =
            self.connection.query_row("SELECT max(id) FROM trial", [], |row| row.get::<_, Option<i64>>(0));
        Ok(self.ask(found)?.map(|id| TrialId(id.cast_unsigned())))
    }

    /// Returns the failed trials grouped by reason, with the most frequent reason first.
    pub fn failures(&self) -> Result<Vec<Failures>, StoreError> {
        let snapshot = self.ask(self.connection.unchecked_transaction())?;
        let failed =
            Status::ALL.into_iter().filter(|status| status.is_failure() || *status == Status::Aborted);
        let failed: Vec<String> = failed.map(|status| format!("'{}'", status.name())).collect();
        let sql = format!(
            "SELECT coalesce(reason, status), status, count(*), min(row), max(row)
             FROM trial WHERE status IN ({}) GROUP BY 1, 2 ORDER BY 3 DESC, 4",
            failed.join(", ")
        );
        let groups = self.rows(&sql, |row| {
            let (reason, status): (String, Status) = (row.get(0)?, word(row, 1, Status::of_name)?);
            let number = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
            Ok((reason, status, number(2)?, number(3)?, number(4)?))
        })?;
        let mut failures = Vec::new();
        for (reason, status, trials, first, newest) in groups {
            let kept =
                |row| self.trial(row)?.ok_or_else(|| self.damaged(format!("trial row {row} is missing")));
            let (first, newest) = (kept(first)?, kept(newest)?);
            let configurations =
                self.of_group("configuration", "id", &reason, status, |row| row.get(0).map(ConfigId))?;
            let instances = self.of_group("instance", "name", &reason, status, |row| row.get(0))?;
            failures.push(Failures { reason, status, trials, configurations, instances, first, newest });
        }
        self.ask(snapshot.finish())?;
        Ok(failures)
    }

    /// Returns a column of the configurations or instances of the trials with this reason and status.
    fn of_group<T>(
        &self,
        table: &str,
        column: &str,
        reason: &str,
        status: Status,
        value: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let sql = format!(
            "SELECT {column} FROM {table} WHERE id IN
             (SELECT {table} FROM trial WHERE coalesce(reason, status) = ? AND status = ?) ORDER BY id"
        );
        let all = || {
            let mut statement = self.connection.prepare(&sql)?;
            statement.query_map((reason, status.name()), |row| value(row))?.collect()
        };
        self.ask(all())
    }
}
