//! The results of several folds in words.

mod joint;
pub(crate) mod status;

pub(crate) use joint::{ending, why_chosen};
