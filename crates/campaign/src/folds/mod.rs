//! Cross-validated campaigns: each instance is tested once, by a campaign that never saw it.
//!
//! The instances are divided into k folds. For each fold, a separate campaign in `fold-1` .. `fold-k` of the
//! folder tunes on the other folds and validates on this one. The [`FoldPlan`] beside them records which
//! instance is in which fold.

mod plan;

pub use plan::{FoldPlan, FoldsError, fold_folder};
