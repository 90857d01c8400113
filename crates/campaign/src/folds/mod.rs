//! Cross-validated campaigns: each instance is tested once, by a campaign that was not tuned on it.
//!
//! The instances are divided into k folds. For each fold, a separate campaign tunes on the other folds and
//! validates on this one. The campaigns are in the subfolders `fold-1` to `fold-k`. Beside these, the
//! [`FoldPlan`] records which instance is in which fold.

mod plan;

pub use plan::{FoldPlan, FoldsError, fold_folder};
