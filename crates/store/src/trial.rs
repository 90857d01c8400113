//! Reads single trials from the columns of their rows, either in the search's form or as complete records.

use std::collections::BTreeMap;

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, Status, TrialId, TrialKey, Why};
use execution::{Detail, Record};
use rusqlite::{OptionalExtension as _, Row};

use super::checksum::{TRIAL, is_intact};
use super::values::{constraints_of_text, outputs_of_text};
use super::{StoreError, StoreReader};

impl StoreReader {
    /// Returns the complete record of the trial in this row. Rows start at 1.
    pub fn trial(&self, row: u64) -> Result<Option<Record>, StoreError> {
        let sql = format!("SELECT {TRIAL}, checksum FROM trial WHERE row = ?");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([row.cast_signed()]))?;
        let Some(columns) = self.ask(rows.next())? else { return Ok(None) };
        let mut record = self.intact(columns, row, record)?;
        self.add_output(row, &mut record.detail)?;
        Ok(Some(record))
    }

    /// Reads a row with the columns of [`TRIAL`] and their checksum. Returns an error if the row is
    /// inconsistent or was changed after it was written.
    pub(super) fn intact<T>(
        &self,
        columns: &Row<'_>,
        row: u64,
        read: fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<T, StoreError> {
        let found = self.ask(read(columns))?;
        let found = found.ok_or_else(|| self.damaged(format!("trial row {row} is inconsistent")))?;
        if self.ask(is_intact(columns))? {
            return Ok(found);
        }
        let id: i64 = self.ask(columns.get(ID))?;
        Err(self.damaged(format!("trial {id} (row {row}) does not match its checksum")))
    }

    /// Adds the stored output of a failed trial.
    fn add_output(&self, row: u64, detail: &mut Detail) -> Result<(), StoreError> {
        let sql = "SELECT stdout, stderr FROM output WHERE trial = ?";
        let found = self.connection.query_row(sql, [row.cast_signed()], |columns| {
            detail.stdout_tail = columns.get_ref(0)?.as_bytes()?.to_vec();
            detail.stderr_tail = columns.get_ref(1)?.as_bytes()?.to_vec();
            Ok(())
        });
        self.ask(found.optional()).map(|_| ())
    }
}

/// Index of the trial's number among the columns of [`TRIAL`].
const ID: usize = 1;

/// Reads a trial from a row with the columns of [`TRIAL`], without its output.
pub(super) fn record(columns: &Row<'_>) -> rusqlite::Result<Option<Record>> {
    let Some(trial) = search_trial(columns)? else { return Ok(None) };
    let Some(outputs) = columns.get_ref(21)?.as_str_or_null()?.map_or(Some(BTreeMap::new()), outputs_of_text)
    else {
        return Ok(None);
    };
    let detail = Detail {
        cpu: columns.get(12)?,
        wall: columns.get(13)?,
        memory: columns.get::<_, Option<i64>>(14)?.map(i64::cast_unsigned),
        exit: columns.get(15)?,
        reason: columns.get(16)?,
        outputs,
        ..Detail::default()
    };
    let (started, ended, slot) = (columns.get(17)?, columns.get(18)?, columns.get(19)?);
    Ok(Some(Record { trial, detail, started, ended, slot }))
}

/// Reads a trial in the search's form from a row with the columns of [`TRIAL`]; returns `None` if the columns
/// contradict each other.
pub(super) fn search_trial(row: &Row<'_>) -> rusqlite::Result<Option<Trial>> {
    let pair = Pair { instance: InstanceId(row.get(3)?), seed: Seed(row.get(4)?) };
    let key = TrialKey { config: ConfigId(row.get(2)?), pair };
    let why = match row.get_ref(10)?.as_bytes()? {
        b"incumbent" => Why::Incumbent,
        b"challenge" => Why::Challenge,
        b"baseline" => Why::Baseline,
        _ => return Ok(None),
    };
    let parts = Parts { status: 5, cost: 6, spent: 8, constraints: 11, tie: 22 };
    let Some(observation) = observation(row, &parts)? else { return Ok(None) };
    let Some(cap) = cap(row, 9)? else { return Ok(None) };
    let id = TrialId(row.get::<_, i64>(ID)?.cast_unsigned());
    Ok(Some(Trial { id, key, cap, why, observation }))
}

/// Reads a cap from its column; returns `None` if the cap is invalid.
pub(super) fn cap(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Cap>> {
    let cap: Option<f64> = row.get(column)?;
    Ok(match cap {
        None => Some(Cap::NONE),
        Some(cap) => (cap > 0.0).then(|| Cap::at(cap)),
    })
}

/// Indices of the columns that make up an observation.
pub(super) struct Parts {
    pub(super) status: usize,
    pub(super) cost: usize,
    pub(super) spent: usize,
    pub(super) constraints: usize,
    pub(super) tie: usize,
}

/// Reads an observation; returns `None` if its parts contradict each other.
pub(super) fn observation(row: &Row<'_>, parts: &Parts) -> rusqlite::Result<Option<Observation>> {
    let status = row.get_ref(parts.status)?.as_bytes()?;
    let status = Status::ALL.into_iter().find(|known| known.name().as_bytes() == status);
    let cost: Option<f64> = row.get(parts.cost)?;
    let spent: f64 = row.get(parts.spent)?;
    if cost.is_some_and(|cost| !cost.is_finite()) {
        return Ok(None);
    }
    // The status determines whether the cost is censored. The column `censored` is only for people who query
    // the table.
    let observation = match (status, cost) {
        (Some(Status::Finished), Some(cost)) => Observation::finished(cost),
        (Some(Status::Capped), Some(at)) => Observation::capped(at),
        (Some(Status::Timeout), Some(at)) => Observation::timeout(at),
        (Some(status), None) if status.is_failure() || status.is_uninformative() => {
            Observation::failed(status, spent)
        }
        _ => return Ok(None),
    };
    let tie: Option<f64> = row.get(parts.tie)?;
    if tie.is_some_and(|tie| !tie.is_finite()) {
        return Ok(None);
    }
    let mut observation = observation.with_spent(spent).with_tie(tie);
    if let Some(text) = row.get_ref(parts.constraints)?.as_str_or_null()? {
        let Some(constraints) = constraints_of_text(text) else { return Ok(None) };
        observation = observation.with_constraints(constraints);
    }
    Ok(Some(observation))
}
