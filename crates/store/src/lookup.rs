//! Looks up trials by number, and failed trials by reason.

use engine::{ConfigId, Status, TrialId};
use execution::Record;
use rusqlite::OptionalExtension as _;

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
    /// Number of different configurations among them.
    pub configurations: u64,
    /// The first few of these configurations, in numerical order.
    pub examples: Vec<ConfigId>,
    /// The first of these trials.
    pub first: Record,
    /// The last of these trials.
    pub newest: Record,
}

/// Maximum number of configurations listed as examples.
const EXAMPLES: i64 = 5;

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
            "SELECT coalesce(reason, status), status, count(*), count(DISTINCT configuration), min(row), max(row)
             FROM trial WHERE status IN ({}) GROUP BY 1, 2 ORDER BY 3 DESC, 5",
            failed.join(", ")
        );
        let groups = self.rows(&sql, |row| {
            let (reason, status): (String, Status) = (row.get(0)?, word(row, 1, Status::of_name)?);
            let number = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
            Ok((reason, status, number(2)?, number(3)?, number(4)?, number(5)?))
        })?;
        let mut failures = Vec::new();
        for (reason, status, trials, configurations, first, newest) in groups {
            let kept =
                |row| self.trial(row)?.ok_or_else(|| self.damaged(format!("trial row {row} is missing")));
            let (first, newest) = (kept(first)?, kept(newest)?);
            let examples = self.examples(&reason, status)?;
            failures.push(Failures { reason, status, trials, configurations, examples, first, newest });
        }
        self.ask(snapshot.finish())?;
        Ok(failures)
    }

    fn examples(&self, reason: &str, status: Status) -> Result<Vec<ConfigId>, StoreError> {
        let sql = "SELECT DISTINCT configuration FROM trial WHERE coalesce(reason, status) = ? AND status = ?
                   ORDER BY configuration LIMIT ?";
        let all = || {
            let mut statement = self.connection.prepare(sql)?;
            let rows =
                statement.query_map((reason, status.name(), EXAMPLES), |row| row.get(0).map(ConfigId))?;
            rows.collect()
        };
        self.ask(all())
    }
}
