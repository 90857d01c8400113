//! Several folds in words.

mod said;
pub(crate) mod status;

pub(crate) use said::{said, why_chosen};
