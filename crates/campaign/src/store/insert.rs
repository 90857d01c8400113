//! Writing batches into an open transaction.

use std::path::Path;

use engine::{Reading, Status};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql, params};

use super::StoreError;
use super::checksum::{CONFIGURATION, INCUMBENT, TRIAL, VALIDATION, execute};
use super::record::{
    Batch, Spent, State, StoredConfiguration, StoredEvent, StoredIncumbent, StoredTrial, StoredValidation,
};
use super::values::{codes_blob, constraints_text, outputs_text, values_text};

/// The next numbers to give, and which session trials belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) configuration: u32,
    pub(super) row: u64,
    pub(super) session: u32,
}

impl Numbers {
    /// Those that follow what is stored.
    pub(super) fn next(connection: &Connection, session: u32) -> rusqlite::Result<Self> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok(Self {
            configuration: number("SELECT coalesce(max(id) + 1, 0) FROM configuration")? as u32,
            row: number("SELECT coalesce(max(row) + 1, 1) FROM trial")? as u64,
            session,
        })
    }
}

/// Writes one batch; the caller commits, or undoes everything if this fails.
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
    into.validations(&batch.validations)?;
    into.state(batch.state.as_ref(), batch.spent)
}

/// The statement that writes a row of these columns with its checksum.
fn insertion(table: &str, columns: &str) -> String {
    let values = "?, ".repeat(columns.split(',').count());
    format!("INSERT INTO {table} ({columns}, checksum) VALUES ({values}?)")
}

struct Insert<'a> {
    connection: &'a Connection,
    path: &'a Path,
}

impl<'a> Insert<'a> {
    fn statement(&self, sql: &str) -> Result<CachedStatement<'a>, StoreError> {
        self.connection.prepare_cached(sql).map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path, error)
    }

    fn configurations(&self, all: &[StoredConfiguration], numbers: &mut Numbers) -> Result<(), StoreError> {
        let mut statement = self.statement(&insertion("configuration", CONFIGURATION))?;
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

    fn trials(&self, all: &[StoredTrial], numbers: &mut Numbers) -> Result<(), StoreError> {
        let mut statement = self.statement(&insertion("trial", TRIAL))?;
        for stored in all {
            let trial = &stored.trial;
            let told = &trial.observation;
            let cap = trial.cap.cost();
            let row = params![
                numbers.row.cast_signed(),
                trial.id.0.cast_signed(),
                trial.key.config.0,
                trial.key.pair.instance.0,
                trial.key.pair.seed.0,
                told.status().name(),
                told.cost().map(Reading::lower_bound),
                told.cost().map(Reading::is_censored),
                told.spent(),
                cap.is_finite().then_some(cap),
                trial.why.name(),
                constraints_text(told.constraints()),
                stored.cpu,
                stored.wall,
                stored.memory.map(u64::cast_signed),
                stored.exit,
                stored.reason,
                stored.started,
                stored.ended,
                stored.slot,
                numbers.session,
                outputs_text(&stored.outputs),
                told.tie(),
            ];
            execute(&mut statement, row).map_err(|error| match error.sqlite_error() {
                Some(cause) if cause.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
                    StoreError::TrialTwice { id: trial.id.0 }
                }
                _ => self.error(error),
            })?;
            if let Some(output) = &stored.output {
                let sql = "INSERT INTO output VALUES (?, ?, ?)";
                let row = params![numbers.row.cast_signed(), Tail(&output.stdout), Tail(&output.stderr)];
                self.statement(sql)?.execute(row).map_err(|error| self.error(error))?;
            }
            numbers.row += 1;
        }
        self.tally(all)
    }

    fn tally(&self, all: &[StoredTrial]) -> Result<(), StoreError> {
        for status in Status::ALL {
            let (mut trials, mut cpu, mut wall) = (0, 0.0, 0.0);
            for stored in all.iter().filter(|stored| stored.trial.observation.status() == status) {
                trials += 1;
                cpu += stored.cpu.unwrap_or(0.0);
                wall += stored.wall.unwrap_or(0.0);
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
        let mut statement = self.statement(&insertion("incumbent", INCUMBENT))?;
        for one in all {
            let Spent { wall, cpu } = one.spent;
            let row = params![one.after.cast_signed(), one.config.0, one.pairs, one.cost, wall, cpu];
            execute(&mut statement, row).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn events(&self, all: &[StoredEvent]) -> Result<(), StoreError> {
        let mut statement = self.statement("INSERT INTO event VALUES (NULL, ?, ?, ?)")?;
        for one in all {
            statement.execute(params![one.at, one.kind, one.text]).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn validations(&self, all: &[StoredValidation]) -> Result<(), StoreError> {
        let mut statement = self.statement(&insertion("validation", VALIDATION))?;
        for one in all {
            let row = params![
                one.role.name(),
                one.config.0,
                one.instance,
                one.seed.0,
                Status::name(one.status),
                one.cost.map(Reading::lower_bound),
                one.cost.map(Reading::is_censored),
                one.cpu,
                one.wall,
                constraints_text(&one.constraints),
            ];
            execute(&mut statement, row).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    fn state(&self, state: Option<&State>, spent: Option<Spent>) -> Result<(), StoreError> {
        if let Some(State { snapshot, told }) = state {
            let sql = "INSERT INTO state VALUES (1, ?1, ?2, 0, 0)
                       ON CONFLICT DO UPDATE SET snapshot = ?1, told = ?2";
            let row = params![snapshot, told.cast_signed()];
            self.statement(sql)?.execute(row).map_err(|error| self.error(error))?;
        }
        if let Some(Spent { wall, cpu }) = spent {
            let sql = "INSERT INTO state VALUES (1, NULL, NULL, ?1, ?2)
                       ON CONFLICT DO UPDATE SET wall = ?1, cpu = ?2";
            self.statement(sql)?.execute([wall, cpu]).map_err(|error| self.error(error))?;
        }
        Ok(())
    }
}

/// Bytes that are text where they can be: people read them.
struct Tail<'a>(&'a [u8]);

impl ToSql for Tail<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = std::str::from_utf8(self.0).is_ok() && !self.0.contains(&0);
        let value = if text { ValueRef::Text(self.0) } else { ValueRef::Blob(self.0) };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
