//! Iterates over all trials and all configurations.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use engine::{ConfigId, Configuration, Space};
use execution::Record;

use super::checksum::{CONFIGURATION, TRIAL};
use super::record::{StoredConfiguration, StoredValidation};
use super::trial::record;
use super::{StoreError, StoreReader};

impl StoreReader {
    /// Runs several reads on one consistent snapshot of the database, even if another process writes at the
    /// same time.
    pub fn at_one_moment<T, E: From<StoreError>>(&self, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let snapshot = self.ask(self.connection.unchecked_transaction())?;
        let result = read()?;
        self.ask(snapshot.finish())?;
        Ok(result)
    }

    /// Calls `take` with every trial, in the order in which the search received the trials. The output of
    /// failed trials is not included.
    pub fn each_record(&self, mut take: impl FnMut(&Record)) -> Result<(), StoreError> {
        let sql = format!("SELECT {TRIAL}, checksum FROM trial ORDER BY row");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([]))?;
        let mut number = 0_u64;
        while let Some(row) = self.ask(rows.next())? {
            number += 1;
            take(&self.intact(row, number, record)?);
        }
        Ok(())
    }

    /// Returns the outputs of every trial, by name, in the order in which the search received the trials.
    pub fn outputs(&self) -> Result<Vec<BTreeMap<String, f64>>, StoreError> {
        let mut all = Vec::new();
        self.each_record(|record| all.push(record.detail.outputs.clone()))?;
        Ok(all)
    }

    /// Returns the origin of every configuration, in numerical order.
    pub fn origins(&self) -> Result<Vec<String>, StoreError> {
        self.rows("SELECT origin FROM configuration ORDER BY id", |row| row.get(0))
    }

    /// Calls `take` with every trial and its configuration, in the order in which the search received the
    /// trials. The output of failed trials is not included.
    pub fn each_trial<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(&Record, &Configuration) -> Result<(), E>,
    ) -> Result<(), E> {
        let space = self.space()?;
        let sql = format!("SELECT {TRIAL}, checksum FROM trial ORDER BY row");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([]))?;
        // Consecutive trials often have the same configuration.
        let mut last: Option<(ConfigId, Configuration)> = None;
        let mut number = 0_u64;
        while let Some(row) = self.ask(rows.next())? {
            number += 1;
            let record = self.intact(row, number, record)?;
            let config = record.trial.key.config;
            let configuration = match last.take().filter(|(id, _)| *id == config) {
                Some((_, configuration)) => configuration,
                None => {
                    let missing = || self.damaged(format!("configuration {config} is missing"));
                    self.configuration_in(config, &space)?.ok_or_else(missing)?.configuration
                }
            };
            take(&record, &configuration)?;
            last = Some((config, configuration));
        }
        Ok(())
    }

    /// Calls `take` with every validation trial and its configuration, in the order in which the trials
    /// ended.
    pub fn each_validation<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(&StoredValidation, &Configuration) -> Result<(), E>,
    ) -> Result<(), E> {
        // Validation trials belong to only a few configurations, such as the baseline.
        let mut known: BTreeMap<ConfigId, Configuration> = BTreeMap::new();
        for one in self.validations()? {
            let config = one.record.trial.key.config;
            if let Entry::Vacant(free) = known.entry(config) {
                let missing = || self.damaged(format!("configuration {config} is missing"));
                free.insert(self.configuration(config)?.ok_or_else(missing)?.configuration);
            }
            take(&one, &known[&config])?;
        }
        Ok(())
    }

    /// Calls `take` with every configuration, in numerical order.
    pub fn each_configuration<E: From<StoreError>>(
        &self,
        space: &Space,
        mut take: impl FnMut(&StoredConfiguration) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT {CONFIGURATION}, checksum FROM configuration ORDER BY id");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([]))?;
        while let Some(row) = self.ask(rows.next())? {
            take(&self.configuration_of(row, space)?)?;
        }
        Ok(())
    }

    /// Returns the names of all outputs that trials have reported.
    pub fn output_names(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT key FROM trial, json_each(trial.outputs)
                   WHERE trial.outputs IS NOT NULL ORDER BY key";
        self.rows(sql, |row| row.get(0))
    }
}
