//! Which parameters matter, computed from trials that have already been run.
//!
//! | module | question | needs |
//! |---|---|---|
//! | [`fanova()`] | how much of the predicted cost's variance over the whole space is due to a parameter, or to a pair | a forest |
//! | [`Marginals`] | what the model predicts for values of one or two parameters, averaged over all others | a forest |
//! | [`local`] | how much the predicted cost changes around one configuration | a model |
//! | [`ped_anova()`] | in which parameters the best configurations differ from all that were tried | a ranking |
//!
//! All functions are pure: no files, no clock. The ablation, which answers the same question with new trials,
//! is in `engine::ablation`.

mod completed;
mod fanova;
pub mod local;
mod marginal;
mod ped_anova;
mod ranking;

pub use completed::{completed, completed_row};
pub use fanova::{Fanova, PairShare, Share, fanova};
pub use marginal::{Level, Marginals};
pub use ped_anova::{Bins, ped_anova};
pub use ranking::relative_costs;
