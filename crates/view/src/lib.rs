//! Campaigns as plain data: every number that captune shows to a person or a program.
//!
//! | from | to |
//! |---|---|
//! | the folder of a campaign ([`Kept`]) | its current state ([`Picture`]) |
//! | a running campaign | [`Progress`], every [`event()`], and the cost of one pass over the instances ([`Pass`]) |
//! | a campaign that has just been run | its [`Ending`] |
//! | a separate validation | its result ([`Later`]) |
//! | several folds ([`KeptFolds`]) | their joint state ([`Joint`]) |
//! | all trials | what mattered, according to a model ([`Importance`]) |
//! | the trials of an ablation | what mattered, as measured ([`Ablation`]) |
//! | several campaigns | a comparison ([`mod@compare`]) |
//! | a trial, or the failed trials | their stored records ([`Kept::trial`], [`Kept::failures`]) |
//! | a campaign in full | the pages of a report ([`pages`]) |
//! | all trials | CSV, JSON Lines, SMAC3 ([`export`]) |
//!
//! [`Costs`] converts costs to the user's sign; all costs in this crate's types have that sign. The results
//! can be serialised to JSON; docs/reference/campaign-json.md explains the keys.

mod ablation;
mod bounds;
mod common_setting;
pub mod compare;
mod costs;
mod crew;
mod ending;
mod error;
mod event;
pub mod export;
mod failures;
mod figures;
mod folds;
mod ground;
mod importance;
mod kept;
mod later;
mod model;
pub mod pages;
mod pass;
mod picture;
mod progress;
mod records;
mod standing;
mod state;
mod tally;
mod trajectory;
mod unit;
mod values;
mod verdict;

pub use ablation::{Ablation, AblationStep, Checked, Minimal};
pub use bounds::{Bound, Held, are_kept};
pub use campaign::conduct::folder_of;
pub use common_setting::CommonSetting;
pub use costs::Costs;
pub use crew::CrewMember;
pub use ending::{CutShort, Ending, Found, Unproven};
pub use error::ViewError;
pub use event::event;
pub use failures::Failing;
pub use figures::Figures;
pub use folds::{Chosen, Joint, KeptFolds, Validated};
pub use importance::{Effect, Importance, PairImportance, ParameterImportance, sampling_shares};
pub use kept::Kept;
pub use later::Later;
pub use pass::{Means, Pass, PassCost};
pub use picture::{Figured, Picture};
pub use progress::{Progress, Racing};
pub use records::Records;
pub use standing::{Standing, Training};
pub use state::{Session, State};
pub use tally::{ByStatus, Tally};
pub use trajectory::Incumbent;
pub use unit::Unit;
pub use values::{Change, Valued, changes, value};
pub use verdict::{Both, Solved, UnseenTimeouts, Verdict};
