//! The JSON and YAML formats of the ConfigSpace package, as written by its versions 0.6, 0.7 and 1.x.
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
//! | `categorical`; with choices `true` and `false` and no weights | categorical; boolean |
//! | `ordinal` | ordinal |
//! | `constant`, `unparametrized` | constant |
//! | `normal_float`, `normal_int`, `beta_float`, `beta_int` | rejected: captune draws numbers uniformly |
//! | `meta` | note and switch if it contains nothing else, otherwise a note in JSON |
//! | `name` of the space, version numbers | nothing: captune's spaces have no name |
//!
//! A comparison with an inactive parent does not hold, as in ConfigSpace 0.x and in the values of 1.x.
//! (The vectors of 1.x treat NaN as unequal to everything. There, a child with the condition that its
//! parent is not equal to some value is active when the parent is inactive.)
//!
//! The writer uses the layout of 1.x. In clauses, it uses only types that 1.x evaluates correctly: `<=` is
//! written as an `OR` of two clauses, and `!=` on a parameter that can be inactive as the list of the other
//! choices. The format cannot express steps, fixed values, bounds that depend on other parameters, ranges
//! with a single number, or arithmetic, so the writer rejects them.

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
