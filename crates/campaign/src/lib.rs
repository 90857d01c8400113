//! One optimisation from start to stop: what to tune, running trials, keeping them, and going on
//! after an interruption.

pub mod budget;
pub mod campaign;
mod checksum;
pub mod compare;
pub mod conduct;
pub mod configuration_file;
pub mod deadline;
pub mod draft;
pub mod event;
pub mod executor;
pub mod export;
pub mod fingerprint;
pub mod folds;
pub mod import;
mod ledger;
mod losses;
pub mod measure;
mod pace;
mod panics;
pub mod progress;
pub mod queue;
mod requests;
pub mod resume;
mod savings;
pub mod scenario;
pub mod settings;
pub mod staging;
pub mod store;
pub mod target;
mod thinking;
pub mod validation;
mod warnings;
pub mod whole_file;

pub use campaign::{Campaign, CampaignError, Sink};
pub use ledger::{Ledger, LedgerError, Mark};
pub use settings::{ByModel, Search, Settings};
