//! Workers on other machines, and the trials that they have taken.

use engine::TrialId;
use execution::executor::{Lease, RemoteWorker};
use rusqlite::params;

use super::insert::Insert;
use super::record::{Batch, StoredWorker, WorkerChange};
use super::{StoreError, StoreReader};

impl Insert<'_> {
    /// Writes the changes of workers and leases.
    pub(super) fn crew(&self, batch: &Batch) -> Result<(), StoreError> {
        for change in &batch.workers {
            match change {
                WorkerChange::Joined(worker, at) => self.joined(worker, *at)?,
                WorkerChange::Left(name, at) => {
                    let sql = "UPDATE worker SET \"left\" = ?2 WHERE name = ?1 AND \"left\" IS NULL";
                    self.execute(sql, params![name, at])?;
                }
            }
        }
        for Lease { id, trial, worker, slot, since, until } in &batch.leases {
            let sql = "INSERT OR REPLACE INTO lease (trial, id, worker, slot, since, \"until\")
                       VALUES (?, ?, ?, ?, ?, ?)";
            self.execute(sql, params![trial.0.cast_signed(), id.cast_signed(), worker, slot, since, until])?;
        }
        if let Some((trials, until)) = &batch.renewed {
            for trial in trials {
                let sql = "UPDATE lease SET \"until\" = ?2 WHERE trial = ?1";
                self.execute(sql, params![trial.0.cast_signed(), until])?;
            }
        }
        batch.released.iter().try_for_each(|&trial| self.release(trial))
    }

    /// Ends the lease of a trial, if there is one.
    pub(super) fn release(&self, trial: TrialId) -> Result<(), StoreError> {
        self.execute("DELETE FROM lease WHERE trial = ?", params![trial.0.cast_signed()])
    }

    fn joined(&self, worker: &RemoteWorker, at: f64) -> Result<(), StoreError> {
        let RemoteWorker { name, host, first_slot, slots, speed } = worker;
        // A worker that a killed session did not see leaving was connected until its last trial, at least.
        let sql = "INSERT INTO worker VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, 0)
                   ON CONFLICT (first_slot) DO UPDATE SET
                   before = before + max(0, coalesce(\"left\", ?6) - joined), joined = ?6, \"left\" = NULL";
        self.execute(sql, params![first_slot, slots, name, host, speed, at])
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), StoreError> {
        self.statement(sql)?.execute(values).map(drop).map_err(|error| self.error(error))
    }
}

impl StoreReader {
    /// Returns the workers on other machines, in the order in which they first joined.
    pub fn workers(&self) -> Result<Vec<StoredWorker>, StoreError> {
        let sql = "SELECT first_slot, slots, name, host, speed, joined, \"left\", before, count(trial.row),
                       coalesce(sum(status = 'lost'), 0), coalesce(sum(trial.ended - trial.started), 0)
                   FROM worker LEFT JOIN trial ON slot >= first_slot AND slot < first_slot + slots
                   GROUP BY first_slot ORDER BY first_slot";
        self.rows(sql, |row| {
            let worker = RemoteWorker {
                first_slot: row.get(0)?,
                slots: row.get(1)?,
                name: row.get(2)?,
                host: row.get(3)?,
                speed: row.get(4)?,
            };
            let (joined, left, before) = (row.get(5)?, row.get(6)?, row.get(7)?);
            let (trials, lost) =
                (row.get::<_, i64>(8)?.cast_unsigned(), row.get::<_, i64>(9)?.cast_unsigned());
            Ok(StoredWorker { worker, joined, left, before, trials, lost, busy: row.get(10)? })
        })
    }

    /// Returns the trials that workers on other machines have taken and not yet reported.
    pub fn leases(&self) -> Result<Vec<Lease>, StoreError> {
        let sql = "SELECT id, trial, worker, slot, since, \"until\" FROM lease ORDER BY trial";
        self.rows(sql, |row| {
            Ok(Lease {
                id: row.get::<_, i64>(0)?.cast_unsigned(),
                trial: TrialId(row.get::<_, i64>(1)?.cast_unsigned()),
                worker: row.get(2)?,
                slot: row.get(3)?,
                since: row.get(4)?,
                until: row.get(5)?,
            })
        })
    }
}
