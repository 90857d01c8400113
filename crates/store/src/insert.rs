//! Writes batches in an open transaction.

use std::path::Path;
use std::sync::LazyLock;

use engine::{ConfigId, Reading, Status};
use execution::Record;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql, params};

use super::StoreError;
use super::checksum::{CONFIGURATION, INCUMBENT, TRIAL, VALIDATION, execute};
use super::record::{
    Batch, Elapsed, State, StoredConfiguration, StoredEvent, StoredIncumbent, StoredValidation,
};
use super::values::{codes_blob, constraints_text, outputs_text, values_text};

/// The next free numbers in the store, and the session that new trials belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) configuration: u32,
    pub(super) row: u64,
    pub(super) session: u32,
}

impl Numbers {
    /// Returns the next free numbers after the stored ones.
    pub(super) fn next(connection: &Connection, session: u32) -> rusqlite::Result<Self> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Self {
            configuration: number("SELECT coalesce(max(id) + 1, 0) FROM configuration")? as u32,
            row: number("SELECT coalesce(max(row) + 1, 1) FROM trial")? as u64,
            session,
        })
    }
}

/// Writes one batch. The caller must commit, or roll back if this function fails.
pub(super) fn insert(
    connection: &Connection,
    path: &Path,
    batch: &Batch,
    numbers: &mut Numbers,
) -> Result<(), StoreError> {
    let into = Insert { connection, path };
    into.configurations(&batch.configurations, numbers)?;
    into.trials(&batch.trials, numbers)?;
    into.incumbents(&batch.incumbents)?;
    into.events(&batch.events)?;
    into.measured(&VALIDATIONS, "incumbent", &batch.validations, numbers)?;
    into.measured(&ABLATIONS, "candidate", &batch.ablations, numbers)?;
    into.crew(batch)?;
    into.state(batch.state.as_ref(), batch.spent)
}

// These statements are built once, because a batch is often a single trial.
static CONFIGURATIONS: LazyLock<String> = LazyLock::new(|| insertion("configuration", CONFIGURATION));
static TRIALS: LazyLock<String> = LazyLock::new(|| insertion("trial", TRIAL));
static INCUMBENTS: LazyLock<String> = LazyLock::new(|| insertion("incumbent", INCUMBENT));
static VALIDATIONS: LazyLock<String> = LazyLock::new(|| insertion("validation", VALIDATION));
static ABLATIONS: LazyLock<String> = LazyLock::new(|| insertion("ablation", VALIDATION));

/// Returns the statement that inserts a row with these columns and its checksum.
fn insertion(table: &str, columns: &str) -> String {
    let values = "?, ".repeat(columns.split(',').count());
    format!("INSERT INTO {table} ({columns}, checksum) VALUES ({values}?)")
}

pub(super) struct Insert<'a> {
    connection: &'a Connection,
    path: &'a Path,
}

impl<'a> Insert<'a> {
    pub(super) fn statement(&self, sql: &str) -> Result<CachedStatement<'a>, StoreError> {
        self.connection.prepare_cached(sql).map_err(|error| self.error(error))
    }

    pub(super) fn error(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path, error)
    }

    fn configurations(&self, all: &[StoredConfiguration], numbers: &mut Numbers) -> Result<(), StoreError> {
        if all.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement(&CONFIGURATIONS)?;
        let mut blob = Vec::new();
        for stored in all {
            if stored.id.0 != numbers.configuration {
                return Err(StoreError::OutOfTurn { given: stored.id.0, due: numbers.configuration });
            }
            codes_blob(stored.configuration.codes(), &mut blob);
            let values = values_text(&stored.configuration);
            let row = params![stored.id.0, stored.origin, values, blob];
            execute(&mut statement, row).map_err(|error| self.error(error))?;
            numbers.configuration += 1;
        }
        Ok(())
    }

    fn trials(&self, all: &[Record], numbers: &mut Numbers) -> Result<(), StoreError> {
        if all.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement(&TRIALS)?;
        for Record { trial, detail, started, ended, slot } in all {
            let observation = &trial.observation;
            let cap = trial.cap.cost();
            let row = params![
                numbers.row.cast_signed(),
                trial.id.0.cast_signed(),
                trial.key.config.0,
                trial.key.pair.instance.0,
                trial.key.pair.seed.0,
                observation.status().name(),
                observation.cost().map(Reading::lower_bound),
                observation.cost().map(Reading::is_censored),
                observation.spent(),
                cap.is_finite().then_some(cap),
                trial.why.name(),
                constraints_text(observation.constraints()),
                detail.cpu,
                detail.wall,
                detail.memory.map(u64::cast_signed),
                detail.exit,
                detail.reason,
                started,
                ended,
                slot,
                numbers.session,
                outputs_text(&detail.outputs),
                observation.tie(),
            ];
            execute(&mut statement, row).map_err(|error| match error.sqlite_error() {
                Some(cause) if cause.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
                    StoreError::TrialTwice { id: trial.id.0 }
                }
                _ => self.error(error),
            })?;
            if observation.status().is_failure() {
                let sql = "INSERT INTO output VALUES (?, ?, ?)";
                let (stdout, stderr) = (Tail(&detail.stdout_tail), Tail(&detail.stderr_tail));
                let row = params![numbers.row.cast_signed(), stdout, stderr];
                self.statement(sql)?.execute(row).map_err(|error| self.error(error))?;
            }
            numbers.row += 1;
            self.release(trial.id)?;
        }
        self.tally(all)
    }

    fn tally(&self, all: &[Record]) -> Result<(), StoreError> {
        for status in Status::ALL {
            let (mut trials, mut cpu, mut wall) = (0, 0.0, 0.0);
            for record in all.iter().filter(|record| record.status() == status) {
                trials += 1;
                cpu += record.detail.cpu.unwrap_or(0.0);
                wall += record.detail.wall.unwrap_or(0.0);
            }
            if trials > 0 {
                let sql = "INSERT INTO tally VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE
                           SET trials = trials + ?2, cpu = cpu + ?3, wall = wall + ?4";
                let row = params![status.name(), trials, cpu, wall];
                self.statement(sql)?.execute(row).map_err(|error| self.error(error))?;
            }
        }
        Ok(())
    }

    fn incumbents(&self, all: &[StoredIncumbent]) -> Result<(), StoreError> {
        if all.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement(&INCUMBENTS)?;
        for one in all {
            let Elapsed { wall, cpu } = one.spent;
            let row = params![one.after.cast_signed(), one.config.0, one.pairs, one.cost, wall, cpu];
            execute(&mut statement, row).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn events(&self, all: &[StoredEvent]) -> Result<(), StoreError> {
        if all.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement("INSERT INTO event VALUES (NULL, ?, ?, ?)")?;
        for one in all {
            statement.execute(params![one.at, one.kind, one.text]).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// Writes trials that were measured after the search. `role` is the role of configurations other than the
    /// baseline.
    fn measured(
        &self,
        sql: &str,
        role: &str,
        all: &[StoredValidation],
        numbers: &Numbers,
    ) -> Result<(), StoreError> {
        if all.is_empty() {
            return Ok(());
        }
        let mut statement = self.statement(sql)?;
        for StoredValidation { instance, record, .. } in all {
            let Record { trial, detail, started, ended, slot } = record;
            let (observation, cap) = (&trial.observation, trial.cap.cost());
            let row = params![
                if trial.key.config == ConfigId(0) { "default" } else { role },
                trial.key.config.0,
                instance,
                trial.key.pair.seed.0,
                observation.status().name(),
                observation.cost().map(Reading::lower_bound),
                observation.cost().map(Reading::is_censored),
                observation.spent(),
                cap.is_finite().then_some(cap),
                constraints_text(observation.constraints()),
                detail.cpu,
                detail.wall,
                detail.memory.map(u64::cast_signed),
                detail.exit,
                detail.reason,
                started,
                ended,
                slot,
                numbers.session,
                outputs_text(&detail.outputs),
                observation.tie(),
            ];
            execute(&mut statement, row).map_err(|error| self.error(error))?;
            self.release(trial.id)?;
        }
        Ok(())
    }

    fn state(&self, state: Option<&State>, spent: Option<Elapsed>) -> Result<(), StoreError> {
        if let Some(State { snapshot, format, told }) = state {
            let sql =
                "INSERT INTO state (one, snapshot, format, told, wall, cpu) VALUES (1, ?1, ?2, ?3, 0, 0)
                       ON CONFLICT DO UPDATE SET snapshot = ?1, format = ?2, told = ?3";
            let row = params![snapshot, format, told.cast_signed()];
            self.statement(sql)?.execute(row).map_err(|error| self.error(error))?;
        }
        if let Some(Elapsed { wall, cpu }) = spent {
            let sql = "INSERT INTO state (one, wall, cpu) VALUES (1, ?1, ?2)
                       ON CONFLICT DO UPDATE SET wall = ?1, cpu = ?2";
            self.statement(sql)?.execute([wall, cpu]).map_err(|error| self.error(error))?;
        }
        Ok(())
    }
}

/// Bytes that are stored as text if possible, so that people can read them.
struct Tail<'a>(&'a [u8]);

impl ToSql for Tail<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = std::str::from_utf8(self.0).is_ok() && !self.0.contains(&0);
        let value = if text { ValueRef::Text(self.0) } else { ValueRef::Blob(self.0) };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
