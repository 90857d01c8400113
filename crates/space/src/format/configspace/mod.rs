//! The JSON and YAML of the ConfigSpace package, as written by its versions 0.6, 0.7 and 1.x.
//!
//! ```json
//! { "hyperparameters": [ { "type": "uniform_float", "name": "alpha", "lower": 1.0, "upper": 1.4,
//!                          "default_value": 1.3, "log": false, "meta": null } ],
//!   "conditions":      [ { "type": "EQ", "child": "alpha", "parent": "mode", "value": "sat" } ],
//!   "forbiddens":      [ { "type": "EQUALS", "name": "mode", "value": "none" } ] }
//! ```
//!
//! | in the file | becomes |
//! |---|---|
//! | `uniform_float`, `uniform_int`; `q` (0.7 only) | float, integer; the step |
//! | `categorical`; of `true` and `false` without weights | categorical; boolean |
//! | `ordinal` | ordinal |
//! | `constant`, `unparametrized` | constant |
//! | `normal_float`, `normal_int`, `beta_float`, `beta_int` | refused: captune draws numbers uniformly |
//! | `meta` | note and switch if it holds nothing else, otherwise a note in JSON |
//! | `name` of the space, version numbers | nothing: captune's spaces have no name |
//!
//! A comparison with an inactive parent does not hold, as in ConfigSpace 0.x and in the values of
//! 1.x. (The vectors of 1.x take NaN for unequal to everything, so there a child that needs its
//! inactive parent to be unlike something is active.)
//!
//! What is written is the layout of 1.x, and in clauses only words whose evaluation there is sound:
//! `<=` is written as an `OR` of two, and `!=` of a parameter that may be inactive as the list of
//! the other choices. Steps, fixed values, bounds that depend on others, ranges of a single number
//! and arithmetic have no word in it and are refused.

mod clause;
mod express;
mod json;
mod node;
mod read;
mod write;
mod yaml;

use super::super::{Diagnostics, Space};
use super::{CannotExpress, Format};

pub(super) fn read(text: &str, file_name: &str, format: Format) -> Result<Space, Diagnostics> {
    let parse = if format == Format::ConfigSpaceYaml { yaml::parse } else { json::parse };
    read::read(text, file_name, parse)
}

pub(super) fn write(space: &Space, format: Format) -> Result<String, CannotExpress> {
    let document = express::document(space).map_err(|what| CannotExpress { format, what })?;
    Ok(if format == Format::ConfigSpaceYaml { write::yaml(&document) } else { write::json(&document) })
}
