//! The default configuration.

use super::{Configuration, Space};

impl Space {
    /// Returns the configuration with every active parameter at its default. It is always valid, because this
    /// is checked when the space is built.
    pub fn default_configuration(&self) -> Configuration {
        Configuration::new(self.clone(), self.data.default.as_slice())
    }
}
