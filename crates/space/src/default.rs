//! The default configuration.

use super::{Configuration, Space};

impl Space {
    /// Returns the configuration with every active parameter at its default. This configuration is always
    /// valid, because it is checked when the space is built.
    pub fn default_configuration(&self) -> Configuration {
        Configuration::new(self.clone(), self.data.default.as_slice())
    }
}
