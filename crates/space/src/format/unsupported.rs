//! Collects the features that a format cannot express, so that a writer can report all of them at once.

use super::super::expression::{Formula, Notation};
use super::super::{ParameterId, Space};
use super::{CannotExpress, Format};

/// Features that the format cannot express, each with the places that use it.
pub(super) struct Unsupported<'s> {
    space: &'s Space,
    format: Format,
    features: Vec<(&'static str, Vec<String>)>,
}

impl<'s> Unsupported<'s> {
    pub(super) fn new(space: &'s Space, format: Format) -> Self {
        Self { space, format, features: Vec::new() }
    }

    /// Records a feature and the parameter or clause that uses it.
    pub(super) fn add(&mut self, feature: &'static str, user: &str) {
        let user = format!("`{user}`");
        match self.features.iter_mut().find(|(known, _)| *known == feature) {
            Some((_, users)) => users.push(user),
            None => self.features.push((feature, vec![user])),
        }
    }

    /// Records a condition that the format cannot express.
    pub(super) fn condition(&mut self, child: ParameterId, condition: &Formula) {
        let text = Notation::captune(self.space).formula(condition);
        self.add("conditions", &format!("{} | {text}", self.space.parameter(child).name()));
    }

    /// Records a forbidden clause that the format cannot express.
    pub(super) fn forbidden(&mut self, clause: &Formula) {
        self.add("forbidden clauses", &Notation::captune(self.space).formula(clause));
    }

    /// Returns the text if nothing was recorded, else an error with all recorded features.
    pub(super) fn finish(self, text: String) -> Result<String, CannotExpress> {
        if self.features.is_empty() {
            return Ok(text);
        }
        let what =
            self.features.into_iter().map(|(feature, users)| format!("{feature} ({})", users.join(", ")));
        Err(CannotExpress { format: self.format, what: what.collect() })
    }
}
