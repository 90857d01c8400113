//! Single trials: from the columns of their rows to what the search was told, and back to all that
//! was measured.

use std::collections::BTreeMap;

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, Status, TrialId, TrialKey, Why};
use execution::{Detail, Record};
use rusqlite::{OptionalExtension as _, Row};

use super::checksum::{TRIAL, is_sound};
use super::values::{constraints_of_text, outputs_of_text};
use super::{StoreError, StoreReader};

impl StoreReader {
    /// A trial by its row, the first being 1, with all that was measured of it.
    pub fn trial(&self, row: u64) -> Result<Option<Record>, StoreError> {
        let sql = format!("SELECT {TRIAL}, checksum FROM trial WHERE row = ?");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([row.cast_signed()]))?;
        let Some(columns) = self.ask(rows.next())? else { return Ok(None) };
        let mut record = self.whole(columns, row, record)?;
        self.add_output(row, &mut record.detail)?;
        Ok(Some(record))
    }

    /// What a row of [`TRIAL`] and its checksum holds, which must make sense and be as it was written.
    pub(super) fn whole<T>(
        &self,
        columns: &Row<'_>,
        row: u64,
        read: fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<T, StoreError> {
        let found = self.ask(read(columns))?;
        let found = found.ok_or_else(|| self.damaged(format!("trial row {row} makes no sense")))?;
        if self.ask(is_sound(columns))? {
            return Ok(found);
        }
        let id: i64 = self.ask(columns.get(ID))?;
        Err(self.damaged(format!("trial {id} (row {row}) differs from its checksum")))
    }

    /// Adds the ends of what a failed trial wrote.
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

/// The place of the trial's number among the columns of [`TRIAL`].
const ID: usize = 1;

/// A trial from the columns of [`TRIAL`], without what it wrote.
pub(super) fn record(columns: &Row<'_>) -> rusqlite::Result<Option<Record>> {
    let Some(trial) = told(columns)? else { return Ok(None) };
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

/// What the search was told, from the columns of [`TRIAL`]; `None` if they contradict each other.
pub(super) fn told(row: &Row<'_>) -> rusqlite::Result<Option<Trial>> {
    let pair = Pair { instance: InstanceId(row.get(3)?), seed: Seed(row.get(4)?) };
    let key = TrialKey { config: ConfigId(row.get(2)?), pair };
    let why = match row.get_ref(10)?.as_bytes()? {
        b"incumbent" => Why::Incumbent,
        b"challenge" => Why::Challenge,
        _ => return Ok(None),
    };
    let parts = Parts { status: 5, cost: 6, spent: 8, constraints: 11, tie: 22 };
    let Some(observation) = observation(row, &parts)? else { return Ok(None) };
    let Some(cap) = cap(row, 9)? else { return Ok(None) };
    let id = TrialId(row.get::<_, i64>(ID)?.cast_unsigned());
    Ok(Some(Trial { id, key, cap, why, observation }))
}

/// A cap by its column; `None` if it is none.
pub(super) fn cap(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Cap>> {
    let cap: Option<f64> = row.get(column)?;
    Ok(match cap {
        None => Some(Cap::NONE),
        Some(cap) => (cap > 0.0).then(|| Cap::at(cap)),
    })
}

/// Where the parts of an observation are among the columns of a row.
pub(super) struct Parts {
    pub(super) status: usize,
    pub(super) cost: usize,
    pub(super) spent: usize,
    pub(super) constraints: usize,
    pub(super) tie: usize,
}

/// What a trial told; `None` if its parts contradict each other.
pub(super) fn observation(row: &Row<'_>, parts: &Parts) -> rusqlite::Result<Option<Observation>> {
    let status = row.get_ref(parts.status)?.as_bytes()?;
    let status = Status::ALL.into_iter().find(|known| known.name().as_bytes() == status);
    let cost: Option<f64> = row.get(parts.cost)?;
    let spent: f64 = row.get(parts.spent)?;
    if cost.is_some_and(|cost| !cost.is_finite()) {
        return Ok(None);
    }
    // Whether the cost is censored follows from the status; the column is for people.
    let observation = match (status, cost) {
        (Some(Status::Finished), Some(cost)) => Observation::finished(cost),
        (Some(Status::Capped), Some(at)) => Observation::capped(at),
        (Some(Status::Timeout), Some(at)) => Observation::timeout(at),
        (Some(status), None) if status.is_failure() || status.says_nothing() => {
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
