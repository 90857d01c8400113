//! Single trials: from the columns of their rows to what the search was told, and back to all that
//! was measured.

use std::collections::BTreeMap;

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, Status, TrialId, TrialKey, Why};
use rusqlite::{OptionalExtension as _, Row};

use super::checksum::{TRIAL, is_sound};
use super::record::{Output, StoredTrial};
use super::values::{constraints_of_text, outputs_of_text};
use super::{StoreError, StoreReader};

impl StoreReader {
    /// A trial by its row, the first being 1, with all that was measured of it.
    pub fn trial(&self, row: u64) -> Result<Option<StoredTrial>, StoreError> {
        let sql = format!("SELECT {TRIAL}, checksum FROM trial WHERE row = ?");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([row.cast_signed()]))?;
        let Some(columns) = self.ask(rows.next())? else { return Ok(None) };
        let stored = self.whole(columns, row, stored)?;
        Ok(Some(StoredTrial { output: self.output(row)?, ..stored }))
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

    fn output(&self, row: u64) -> Result<Option<Output>, StoreError> {
        let sql = "SELECT stdout, stderr FROM output WHERE trial = ?";
        let found = self.connection.query_row(sql, [row.cast_signed()], |columns| {
            let bytes =
                |column: usize| Ok::<_, rusqlite::Error>(columns.get_ref(column)?.as_bytes()?.to_vec());
            Ok(Output { stdout: bytes(0)?, stderr: bytes(1)? })
        });
        self.ask(found.optional())
    }
}

/// The place of the trial's number among the columns of [`TRIAL`].
const ID: usize = 1;

/// A trial from the columns of [`TRIAL`], without what it wrote.
pub(super) fn stored(columns: &Row<'_>) -> rusqlite::Result<Option<StoredTrial>> {
    let Some(trial) = told(columns)? else { return Ok(None) };
    let Some(outputs) = columns.get_ref(21)?.as_str_or_null()?.map_or(Some(BTreeMap::new()), outputs_of_text)
    else {
        return Ok(None);
    };
    Ok(Some(StoredTrial {
        trial,
        cpu: columns.get(12)?,
        wall: columns.get(13)?,
        memory: columns.get::<_, Option<i64>>(14)?.map(i64::cast_unsigned),
        exit: columns.get(15)?,
        reason: columns.get(16)?,
        started: columns.get(17)?,
        ended: columns.get(18)?,
        slot: columns.get(19)?,
        outputs,
        output: None,
    }))
}

/// What the search was told, from the columns of [`TRIAL`]; `None` if they contradict each other.
pub(super) fn told(row: &Row<'_>) -> rusqlite::Result<Option<Trial>> {
    let pair = Pair { instance: InstanceId(row.get(3)?), seed: Seed(row.get(4)?) };
    let key = TrialKey { config: ConfigId(row.get(2)?), pair };
    let status = row.get_ref(5)?.as_bytes()?;
    let status = Status::ALL.into_iter().find(|known| known.name().as_bytes() == status);
    let cost: Option<f64> = row.get(6)?;
    let spent: f64 = row.get(8)?;
    let cap: Option<f64> = row.get(9)?;
    let why = match row.get_ref(10)?.as_bytes()? {
        b"incumbent" => Why::Incumbent,
        b"challenge" => Why::Challenge,
        _ => return Ok(None),
    };
    if cap.is_some_and(|cap| cap <= 0.0) || cost.is_some_and(|cost| !cost.is_finite()) {
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
    let tie: Option<f64> = row.get(22)?;
    if tie.is_some_and(|tie| !tie.is_finite()) {
        return Ok(None);
    }
    let mut observation = observation.with_spent(spent).with_tie(tie);
    if let Some(text) = row.get_ref(11)?.as_str_or_null()? {
        let Some(constraints) = constraints_of_text(text) else { return Ok(None) };
        observation = observation.with_constraints(constraints);
    }
    let id = TrialId(row.get::<_, i64>(ID)?.cast_unsigned());
    let cap = cap.map_or(Cap::NONE, Cap::at);
    Ok(Some(Trial { id, key, cap, why, observation }))
}
