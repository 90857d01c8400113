//! Campaigns as plain data: every figure that a person or a program is shown.
//!
//! | from | to |
//! |---|---|
//! | the folder of a campaign ([`Kept`]) | where it stands ([`Picture`]) |
//! | a running campaign | [`Progress`], every [`event()`], and what a pass of the default takes ([`Pass`]) |
//! | one that has just been run | its [`Ending`] |
//! | a validation at a later time | what came of it ([`Later`]) |
//! | several folds ([`KeptFolds`]) | where they stand together ([`Joint`]) |
//! | several campaigns | side by side ([`mod@compare`]) |
//! | a trial, or those that failed | what the store has of it ([`Kept::trial`], [`Kept::failures`]) |
//! | all trials | CSV, JSON Lines, SMAC3 ([`export`]) |
//!
//! Costs have the user's sign from here on, as [`Costs`] turns them. All of it can be serialised;
//! docs/reference/campaign-json.md says what the keys mean.

mod bounds;
pub mod compare;
mod costs;
mod ending;
mod error;
mod event;
pub mod export;
mod figures;
mod folds;
mod kept;
mod later;
mod pass;
mod picture;
mod progress;
mod records;
mod standing;
mod state;
mod tally;
mod trajectory;
mod values;
mod verdict;

pub use bounds::{Bound, Held, are_kept};
pub use costs::{Costs, Unit};
pub use ending::{CutShort, Ending, Found, Unproven};
pub use error::ViewError;
pub use event::event;
pub use figures::Figures;
pub use folds::{Chosen, Joint, KeptFolds, Validated};
pub use kept::{Kept, folder_of};
pub use later::Later;
pub use pass::{Means, Pass, PassCost};
pub use picture::{Figured, Picture};
pub use progress::{Progress, Racing};
pub use records::Records;
pub use standing::{Standing, Training};
pub use state::{Session, State};
pub use tally::{ByStatus, Tally};
pub use trajectory::Incumbent;
pub use values::{Change, Valued, changes, value};
pub use verdict::{Both, Solved, UnseenTimeouts, Verdict};
