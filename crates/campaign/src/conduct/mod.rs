//! Starts or resumes a campaign in its folder, or replaces it with a new campaign that re-uses its trials.
//!
//! | the scenario, compared with the stored one | what happens |
//! |---|---|
//! | the same, or changed where it does not matter | the campaign is resumed |
//! | a different space, a larger cutoff … | a new campaign re-uses the trials; the old store is kept beside it |
//! | a different objective, command … | an error, because the stored trials measure something else; a new campaign if all of them failed |

mod ablate;
mod both_targets;
mod carry_over;
mod folds;
mod import;
mod open;
mod run;
mod validate;

pub use ablate::{AblationOrder, ToAblate, open_to_ablate};
pub use carry_over::NotReused;
pub use folds::{Folds, open_folds};
pub use import::{Imported, import};
pub use open::{
    ConductError, Opened, Opening, Order, folder_of, free_slots, objective, open, scenario_of_file, settings,
    worker_slots, workers,
};
pub use run::{Outcome, Valued, Workplace, is_end, target};
pub use validate::{LaterVerdict, ToValidate, ValidationOrder, open_to_validate};
