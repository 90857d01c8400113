//! The option `--generate NAME`, which every program here has.

use std::fmt::Display;
use std::str::FromStr;

/// Reads the name after `--generate`. Returns an error if more arguments follow.
pub(crate) fn read<T: FromStr<Err: Display>>(
    name: &str,
    more: Option<String>,
    usage: &str,
) -> Result<T, String> {
    match more {
        Some(more) => Err(format!("--generate takes no further arguments, but got `{more}`\n{usage}")),
        None => name.parse().map_err(|error| format!("--generate: {error}")),
    }
}
