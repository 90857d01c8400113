//! Ranges of seeds on the command line.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};

/// Parses FIRST-LAST.
pub(crate) fn range(text: &str) -> Result<RangeInclusive<u64>> {
    let wrong = || format!("`{text}` is not a range FIRST-LAST, such as 1-5");
    let (first, last) = text.split_once('-').with_context(wrong)?;
    let range = first.parse().with_context(wrong)?..=last.parse().with_context(wrong)?;
    ensure!(!range.is_empty(), "`{text}` is empty: the first seed is above the last");
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends_and_errors_quote_the_text() {
        assert_eq!(range("3-5").unwrap().collect::<Vec<_>>(), [3, 4, 5]);
        for (text, expected) in
            [("5", "such as 1-5"), ("1-x", "such as 1-5"), ("5-3", "the first seed is above the last")]
        {
            let error = range(text).unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")) && error.contains(expected), "{error}");
        }
    }
}
