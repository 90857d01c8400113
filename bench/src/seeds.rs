//! Ranges of seeds on the command line.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};

/// Seeds given as FIRST-LAST.
pub(crate) fn range(text: &str) -> Result<RangeInclusive<u64>> {
    let (first, last) = text.split_once('-').with_context(|| format!("`{text}` is not FIRST-LAST"))?;
    let range = first.parse()?..=last.parse()?;
    ensure!(!range.is_empty(), "`{text}` has no seeds");
    Ok(range)
}
