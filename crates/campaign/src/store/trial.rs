//! Single trials: from the columns of their rows to what the search was told, and back to all that
//! was measured.

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, Status, TrialId, TrialKey, Why};
use rusqlite::{OptionalExtension as _, Row};

use super::record::{Output, StoredTrial};
use super::values::{constraints_of_text, outputs_of_text};
use super::{StoreError, StoreReader};

/// The columns of what the search was told.
pub(super) const TOLD: &str =
    "id, configuration, instance, seed, status, cost, spent, cap, why, constraints, tie";

/// The columns of what was measured besides.
pub(super) const MEASURED: &str = "cpu, wall, memory, exit, reason, started, ended, slot, outputs";

impl StoreReader {
    /// A trial by its row, the first being 1, with all that was measured of it.
    pub fn trial(&self, row: u64) -> Result<Option<StoredTrial>, StoreError> {
        let sql = format!("SELECT {MEASURED}, {TOLD} FROM trial WHERE row = ?");
        let found = self.connection.query_row(&sql, [row.cast_signed()], stored);
        let Some(found) = self.ask(found.optional())? else { return Ok(None) };
        let stored = found.ok_or_else(|| self.damaged(format!("trial row {row} makes no sense")))?;
        Ok(Some(StoredTrial { output: self.output(row)?, ..stored }))
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

/// A trial from the columns of [`MEASURED`] and [`TOLD`], without what it wrote.
pub(super) fn stored(columns: &Row<'_>) -> rusqlite::Result<Option<StoredTrial>> {
    let Some(trial) = told(columns, 9)? else { return Ok(None) };
    Ok(Some(StoredTrial {
        trial,
        cpu: columns.get(0)?,
        wall: columns.get(1)?,
        memory: columns.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
        exit: columns.get(3)?,
        outputs: columns.get_ref(8)?.as_str_or_null()?.and_then(outputs_of_text).unwrap_or_default(),
        reason: columns.get(4)?,
        started: columns.get(5)?,
        ended: columns.get(6)?,
        slot: columns.get(7)?,
        output: None,
    }))
}

/// What the search was told, from the columns of [`TOLD`] that begin at `first`; `None` if they
/// contradict each other.
pub(super) fn told(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Trial>> {
    let pair = Pair { instance: InstanceId(row.get(first + 2)?), seed: Seed(row.get(first + 3)?) };
    let key = TrialKey { config: ConfigId(row.get(first + 1)?), pair };
    let status = row.get_ref(first + 4)?.as_bytes()?;
    let status = Status::ALL.into_iter().find(|known| known.name().as_bytes() == status);
    let cost: Option<f64> = row.get(first + 5)?;
    let spent: f64 = row.get(first + 6)?;
    let cap: Option<f64> = row.get(first + 7)?;
    let why = match row.get_ref(first + 8)?.as_bytes()? {
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
    let tie: Option<f64> = row.get(first + 10)?;
    if tie.is_some_and(|tie| !tie.is_finite()) {
        return Ok(None);
    }
    let mut observation = observation.with_spent(spent).with_tie(tie);
    if let Some(text) = row.get_ref(first + 9)?.as_str_or_null()? {
        let Some(constraints) = constraints_of_text(text) else { return Ok(None) };
        observation = observation.with_constraints(constraints);
    }
    let id = TrialId(row.get::<_, i64>(first)?.cast_unsigned());
    let cap = cap.map_or(Cap::NONE, Cap::at);
    Ok(Some(Trial { id, key, cap, why, observation }))
}
