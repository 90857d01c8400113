//! One optimisation from start to stop: running and storing its trials, resuming it after an interruption,
//! and validating its result.

pub mod ablation;
mod bookmark;
pub mod budget;
pub mod campaign;
pub mod conduct;
pub mod deadline;
mod desk;
pub mod event;
pub mod folds;
pub mod import;
mod ledger;
mod losses;
pub mod measure;
mod pace;
pub mod progress;
pub mod queue;
mod requests;
pub mod resume;
mod savings;
pub mod settings;
pub mod staging;
mod thinking;
pub mod validation;
mod warnings;

pub use bookmark::{BookmarkError, Mark};
pub use campaign::{Campaign, CampaignError, Sink};
pub use desk::Desk;
pub use ledger::{Ledger, LedgerError};
pub use settings::{ByModel, Search, Settings};
