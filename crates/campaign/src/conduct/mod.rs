//! A campaign in its folder: begun, gone on with, or begun anew with the trials of an earlier one.
//!
//! | the scenario, against the stored one | what happens |
//! |---|---|
//! | the same, or changed where it does not matter | the campaign goes on |
//! | another space, a larger cutoff … | a new campaign that re-uses the trials; the old store is kept beside it |
//! | another objective, command … | refused: the stored trials measure something else; begun anew if all of them failed |

mod both_targets;
mod carry_over;
mod folds;
mod import;
mod open;
mod run;
mod validate;

pub use carry_over::NotReused;
pub use folds::{Folds, open_folds};
pub use import::{Imported, import};
pub use open::{
    ConductError, Opened, Opening, Order, objective, open, places, scenario_of_file, settings, workers,
};
pub use run::{Outcome, Valued, is_end};
pub use validate::{LaterVerdict, ToValidate, ValidationOrder, open_to_validate};
