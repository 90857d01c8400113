//! Reads the small tables.

use std::collections::BTreeMap;

use engine::history::Trial;
use engine::{ConfigId, Configuration, InstanceId, Pair, Seed, Space, TrialId, TrialKey, Why};
use execution::{Detail, Record};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension as _, Row};
use space::format::{Format, read};

use super::checksum::{CONFIGURATION, INCUMBENT, VALIDATION, check, is_intact, is_sealed};
use super::record::{
    Charter, Elapsed, Session, State, StoredConfiguration, StoredEvent, StoredIncumbent, StoredValidation,
};
use super::trial::{Parts, cap, observation};
use super::values::{append_codes, outputs_of_text};
use super::{StoreError, StoreReader};
use crate::fingerprint::Fingerprints;

impl StoreReader {
    /// Returns the definition of the campaign.
    pub fn charter(&self) -> Result<Charter, StoreError> {
        if !self.ask(is_sealed(&self.connection))? {
            return Err(self.damaged("the scenario, the space or the instances do not match their checksum"));
        }
        let instances = self.rows("SELECT name FROM instance ORDER BY id", |row| row.get(0))?;
        let seed = self.campaign("seed")?;
        let seed = seed.parse().map_err(|_| self.damaged(format!("the seed `{seed}` is not a number")))?;
        let scenario = self.campaign("scenario")?;
        let folder = self.campaign("folder")?.into();
        Ok(Charter { name: self.name()?, scenario, folder, space: self.space()?, instances, seed })
    }

    /// Returns the names of the instances held out for validation; `None` if there are none.
    pub fn test_instances(&self) -> Result<Option<Vec<String>>, StoreError> {
        let Some(text) = self.fact("test")? else { return Ok(None) };
        let names = serde_json::from_str(&text);
        names.map(Some).map_err(|error| self.damaged(format!("invalid list of held-out instances: {error}")))
    }

    /// Returns the fingerprints of the scenario's files from the last time the campaign was started; `None`
    /// if unknown.
    pub fn fingerprints(&self) -> Result<Option<Fingerprints>, StoreError> {
        let Some(text) = self.fact("files")? else { return Ok(None) };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| self.damaged(format!("invalid list of fingerprints: {error}")))
    }

    /// Returns the value stored for a key in the table `campaign`, if there is one.
    pub(super) fn fact(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM campaign WHERE key = ?";
        self.ask(self.connection.query_row(sql, [key], |row| row.get(0)).optional())
    }

    /// Returns the campaign's name.
    pub fn name(&self) -> Result<String, StoreError> {
        self.campaign("name")
    }

    /// Returns the time at which the campaign was created, in UTC, such as `2026-01-31T12:00:00.000Z`.
    pub fn created_at(&self) -> Result<String, StoreError> {
        self.campaign("created")
    }

    /// Returns the version of captune that created the campaign.
    pub fn created_by(&self) -> Result<String, StoreError> {
        self.campaign("version")
    }

    /// Returns the space of the campaign's configurations.
    pub fn space(&self) -> Result<Space, StoreError> {
        let text = self.campaign("space")?;
        read(&text, "the stored space", Format::Toml).map_err(|mistakes| self.damaged(mistakes.to_string()))
    }

    /// Returns all sessions, in order.
    pub fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        let sql = "SELECT id, began_at, ended_at, reason, host, pid, version FROM session ORDER BY id";
        self.rows(sql, |row| {
            Ok(Session {
                id: row.get(0)?,
                began_at: row.get(1)?,
                ended_at: row.get(2)?,
                reason: row.get(3)?,
                host: row.get(4)?,
                pid: row.get(5)?,
                version: row.get(6)?,
            })
        })
    }

    /// Returns all incumbents, in the order in which they took over.
    pub fn incumbents(&self) -> Result<Vec<StoredIncumbent>, StoreError> {
        let sql = format!("SELECT {INCUMBENT}, checksum FROM incumbent ORDER BY number");
        self.rows(&sql, |row| {
            check(row)?;
            Ok(StoredIncumbent {
                after: row.get::<_, i64>(0)?.cast_unsigned(),
                config: ConfigId(row.get(1)?),
                pairs: row.get(2)?,
                cost: row.get(3)?,
                spent: Elapsed { wall: row.get(4)?, cpu: row.get(5)? },
            })
        })
    }

    /// Returns all events, in order.
    pub fn events(&self) -> Result<Vec<StoredEvent>, StoreError> {
        let sql = "SELECT at, kind, text FROM event ORDER BY number";
        self.rows(sql, |row| Ok(StoredEvent { at: row.get(0)?, kind: row.get(1)?, text: row.get(2)? }))
    }

    /// Returns all validation trials, in order.
    pub fn validations(&self) -> Result<Vec<StoredValidation>, StoreError> {
        self.measured("validation", Why::Validation, FIRST_VALIDATION)
    }

    /// Returns all trials of ablations, in order.
    pub fn ablations(&self) -> Result<Vec<StoredValidation>, StoreError> {
        self.measured("ablation", Why::Ablation, FIRST_ABLATION)
    }

    /// Returns the trials that were measured after the search. Their numbers follow `first`.
    fn measured(&self, table: &str, why: Why, first: u64) -> Result<Vec<StoredValidation>, StoreError> {
        let hosts: BTreeMap<u32, String> =
            self.sessions()?.into_iter().map(|session| (session.id, session.host)).collect();
        let sql = format!("SELECT {VALIDATION}, checksum FROM {table} ORDER BY number");
        let mut number = 0_u64;
        self.rows(&sql, |row| {
            check(row)?;
            number += 1;
            let record = measured_record(row, why, first + number)?;
            let session: Option<u32> = row.get(18)?;
            let host = session.and_then(|session| hosts.get(&session).cloned());
            Ok(StoredValidation { instance: row.get(2)?, record, host, session })
        })
    }

    /// Returns the snapshot of the search, if one is stored, and the time that the campaign has used.
    pub fn state(&self) -> Result<(Option<State>, Elapsed), StoreError> {
        let sql = "SELECT snapshot, told, format, wall, cpu FROM state";
        let found = self.connection.query_row(sql, [], |row| {
            let (snapshot, told): (Option<Vec<u8>>, Option<i64>) = (row.get(0)?, row.get(1)?);
            let format = row.get(2)?;
            let state = snapshot.zip(told).map(|(snapshot, told)| State {
                snapshot,
                format,
                told: told.cast_unsigned(),
            });
            Ok((state, Elapsed { wall: row.get(3)?, cpu: row.get(4)? }))
        });
        Ok(self.ask(found.optional())?.unwrap_or_default())
    }

    /// Returns the configuration with this number.
    pub fn configuration(&self, id: ConfigId) -> Result<Option<StoredConfiguration>, StoreError> {
        self.configuration_in(id, &self.space()?)
    }

    /// Returns the configuration with this number. The caller provides the campaign's space, so that it is
    /// not read again.
    pub(super) fn configuration_in(
        &self,
        id: ConfigId,
        space: &Space,
    ) -> Result<Option<StoredConfiguration>, StoreError> {
        let sql = format!("SELECT {CONFIGURATION}, checksum FROM configuration WHERE id = ?");
        let mut statement = self.ask(self.connection.prepare_cached(&sql))?;
        let mut rows = self.ask(statement.query([id.0]))?;
        let Some(row) = self.ask(rows.next())? else { return Ok(None) };
        self.configuration_of(row, space).map(Some)
    }

    /// Reads a configuration from a row with the columns of [`CONFIGURATION`] and their checksum.
    pub(super) fn configuration_of(
        &self,
        row: &Row<'_>,
        space: &Space,
    ) -> Result<StoredConfiguration, StoreError> {
        let id = ConfigId(self.ask(row.get(0))?);
        if !self.ask(is_intact(row))? {
            return Err(self.damaged(format!("configuration {id} does not match its checksum")));
        }
        let (origin, blob): (String, Vec<u8>) = (self.ask(row.get(1))?, self.ask(row.get(3))?);
        let configuration = self.decode(id, space, &blob)?;
        Ok(StoredConfiguration { id, origin, configuration })
    }

    fn decode(&self, id: ConfigId, space: &Space, blob: &[u8]) -> Result<Configuration, StoreError> {
        let mut codes = Vec::new();
        if !append_codes(blob, space.parameters().len(), &mut codes) {
            return Err(self.damaged(format!("configuration {id} has the wrong number of values")));
        }
        space
            .configuration_of_codes(codes)
            .map_err(|error| self.damaged(format!("configuration {id} is not in the space: {error}")))
    }

    fn campaign(&self, key: &str) -> Result<String, StoreError> {
        let found =
            self.connection.query_row("SELECT value FROM campaign WHERE key = ?", [key], |row| row.get(0));
        self.ask(found.optional())?.ok_or_else(|| self.damaged(format!("its {key} is missing")))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        each: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let all = || self.connection.prepare(sql)?.query_map([], each)?.collect();
        self.ask(all())
    }

    pub(super) fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::damaged(&self.path, what)
    }
}

/// Reads a value that a column stores by its name.
pub(super) fn word<T>(row: &Row<'_>, column: usize, of_name: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let name = row.get_ref(column)?.as_str()?;
    of_name(name).ok_or_else(|| {
        let what = format!("unknown name `{name}`");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
    })
}

/// The number of the first validation trial, far above the numbers of the search's trials.
pub const FIRST_VALIDATION: u64 = 1 << 48;
/// The number of the first trial of an ablation.
pub const FIRST_ABLATION: u64 = 1 << 49;

/// Reads a trial that was measured after the search, from a row with the columns of [`VALIDATION`]. The instance's number is unknown,
/// because only its name is stored.
fn measured_record(row: &Row<'_>, why: Why, number: u64) -> rusqlite::Result<Record> {
    let invalid = |column: usize, what: &str| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.to_owned().into())
    };
    let parts = Parts { status: 4, cost: 5, spent: 7, constraints: 9, tie: 20 };
    let observation =
        observation(row, &parts)?.ok_or_else(|| invalid(4, "a trial after the search is inconsistent"))?;
    let outputs = row.get_ref(19)?.as_str_or_null()?.map_or(Some(BTreeMap::new()), outputs_of_text);
    let pair = Pair { instance: InstanceId(0), seed: Seed(row.get(3)?) };
    let trial = Trial {
        id: TrialId(number),
        key: TrialKey { config: ConfigId(row.get(1)?), pair },
        cap: cap(row, 8)?.ok_or_else(|| invalid(8, "a cap must be positive"))?,
        why,
        observation,
    };
    let detail = Detail {
        cpu: row.get(10)?,
        wall: row.get(11)?,
        memory: row.get::<_, Option<i64>>(12)?.map(i64::cast_unsigned),
        exit: row.get(13)?,
        reason: row.get(14)?,
        outputs: outputs.ok_or_else(|| invalid(19, "outputs must be a JSON object"))?,
        ..Detail::default()
    };
    Ok(Record { trial, detail, started: row.get(15)?, ended: row.get(16)?, slot: row.get(17)? })
}
