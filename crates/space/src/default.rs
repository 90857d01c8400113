//! The default configuration.

use super::{Configuration, Space};

impl Space {
    /// Every active parameter at its default; valid, since building the space has made sure of it.
    pub fn default_configuration(&self) -> Configuration {
        Configuration::new(self.clone(), self.data.default.as_slice())
    }
}
