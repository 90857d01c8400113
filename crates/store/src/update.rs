//! Updates the definition of a campaign that can continue although its scenario has changed.

use rusqlite::Connection;

use super::checksum::seal;
use super::record::Charter;
use super::{Store, StoreError};
use crate::fingerprint::Fingerprints;

impl Store {
    /// Stores the names of the instances held out for validation, in addition to names stored earlier.
    pub fn keep_test_instances(&mut self, names: &[String]) -> Result<(), StoreError> {
        let mut all = self.reader.test_instances()?.unwrap_or_default();
        let new: Vec<String> = names.iter().filter(|name| !all.contains(name)).cloned().collect();
        all.extend(new);
        let text = serde_json::Value::from(all).to_string();
        self.keep("test", &text)
    }

    /// Stores the fingerprints of the scenario's files.
    pub fn keep_fingerprints(&mut self, files: &Fingerprints) -> Result<(), StoreError> {
        let text = serde_json::json!(files).to_string();
        self.keep("files", &text)
    }

    /// Stores a value for a key in the table `campaign`.
    fn keep(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        if self.reader.fact(key)?.as_deref() == Some(value) {
            return Ok(());
        }
        let store = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            let sql = "INSERT INTO campaign VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
            transaction.execute(sql, [key, value])?;
            seal(&transaction)?;
            transaction.commit()
        };
        store(&mut self.reader.connection).map_err(|error| StoreError::sqlite(&self.reader.path, error))
    }

    /// Replaces the campaign's name, scenario and folder, and adds new instances. Known instances keep their
    /// numbers, so they must come first in the charter. The space and the seed do not change.
    pub fn update_charter(&mut self, charter: &Charter) -> Result<(), StoreError> {
        let path = self.reader.path.clone();
        let known = self.reader.charter()?.instances;
        assert!(charter.instances.starts_with(&known), "instances keep their numbers");
        let change = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            let folder = charter.folder.to_string_lossy();
            for (key, value) in
                [("name", &*charter.name), ("scenario", &charter.scenario), ("folder", &folder)]
            {
                transaction.execute("UPDATE campaign SET value = ? WHERE key = ?", (value, key))?;
            }
            for (id, name) in charter.instances.iter().enumerate().skip(known.len()) {
                transaction.execute("INSERT INTO instance VALUES (?, ?)", (id as i64, name))?;
            }
            seal(&transaction)?;
            transaction.commit()
        };
        change(&mut self.reader.connection).map_err(|error| StoreError::sqlite(&path, error))
    }
}
