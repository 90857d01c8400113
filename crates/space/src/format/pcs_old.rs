//! The PCS format of ParamILS and SMAC up to 2.08.
//!
//! ```text
//! sp-resolution {0, 1, 2} [1]            # the default is in brackets
//! sp-max-res-runs [1, 32] [4]il          # whole numbers, logarithmic
//! sp-res-cutoff [0.1, 1.6] [0.4]l
//!
//! Conditionals:
//! sp-max-res-runs | sp-resolution in {1, 2}
//!
//! Forbidden:
//! {sp-resolution=2, sp-other=0}
//! ```
//!
//! The rules follow SMAC's manual (section on the PCS format) and its reader:
//! - if a child has several conditions, on separate lines or joined by `&&`, all must hold;
//! - conditions and forbidden clauses only mention categorical parameters (this reader also accepts numbers,
//!   but the writer does not);
//! - every parameter has a default.
//!
//! The writer puts each part of a condition on its own line, since old versions of SMAC silently ignore
//! what follows `&&`. For how other kinds are written, see `docs/design/0003-space-formats.md`.

use std::collections::BTreeSet;

use super::super::expression::Formula;
use super::super::{Diagnostics, Kind, ParameterId, Space};
use super::pcs::{self, Version};
use super::pcs_write::{classic, parameter, value_list};
use super::unsupported::Unsupported;
use super::{CannotExpress, Format};

pub(super) fn read(text: &str, file_name: &str) -> Result<Space, Diagnostics> {
    pcs::read(text, file_name, Version::Old)
}

pub(super) fn write(space: &Space) -> Result<String, CannotExpress> {
    let mut unsupported = Unsupported::new(space, Format::PcsOld);
    let mut out = String::new();
    for id in space.ids() {
        if space.parameter(id).kind() == Kind::Ordinal {
            unsupported.add("the order of ordinal values", space.parameter(id).name());
        }
        out += &parameter(space.parameter(id), Version::Old, &mut unsupported);
    }
    let mut conditions = String::new();
    for id in space.ids() {
        let Some(condition) = space.condition(id) else { continue };
        match condition_lines(space, id, condition) {
            Some(lines) => conditions += &lines,
            None => unsupported.condition(id, condition),
        }
    }
    if !conditions.is_empty() {
        out += &format!("\nConditionals:\n{conditions}");
    }
    let mut forbidden = String::new();
    for clause in space.forbidden() {
        match classic(space, clause, Version::Old) {
            Some(line) => forbidden += &line,
            None => unsupported.forbidden(clause),
        }
    }
    if !forbidden.is_empty() {
        out += &format!("\nForbidden:\n{forbidden}");
    }
    unsupported.finish(out)
}

/// Writes one line per part; `None` if a part is not a membership test, or if a parent occurs twice,
/// which SMAC rejects.
fn condition_lines(space: &Space, child: ParameterId, condition: &Formula) -> Option<String> {
    let parts = match condition {
        Formula::All(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut parents = BTreeSet::new();
    let line = |part: &Formula| match part {
        Formula::Member { parameter, choices, negated: false, .. } if parents.insert(*parameter) => {
            let (child, parent) = (space.parameter(child), space.parameter(*parameter));
            let values = value_list(parent, choices);
            Some(format!("{} | {} in {{{values}}}\n", child.name(), parent.name()))
        }
        _ => None,
    };
    (!parts.is_empty()).then(|| parts.iter().map(line).collect()).flatten()
}
