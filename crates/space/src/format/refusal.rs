//! What a writer's format has no words for, gathered so that all of it is named at once.

use super::super::expression::{Formula, Wording};
use super::super::{ParameterId, Space};
use super::{CannotExpress, Format};

/// Things that cannot be expressed, each with those it was found at.
pub(super) struct Refusals<'s> {
    space: &'s Space,
    format: Format,
    things: Vec<(&'static str, Vec<String>)>,
}

impl<'s> Refusals<'s> {
    pub(super) fn new(space: &'s Space, format: Format) -> Self {
        Self { space, format, things: Vec::new() }
    }

    /// Notes a thing found at someone.
    pub(super) fn add(&mut self, thing: &'static str, whom: &str) {
        let whom = format!("`{whom}`");
        match self.things.iter_mut().find(|(known, _)| *known == thing) {
            Some((_, list)) => list.push(whom),
            None => self.things.push((thing, vec![whom])),
        }
    }

    /// Notes a condition.
    pub(super) fn condition(&mut self, child: ParameterId, condition: &Formula) {
        let text = Wording::captune(self.space).formula(condition);
        self.add("conditions", &format!("{} | {text}", self.space.parameter(child).name()));
    }

    /// Notes a forbidden clause.
    pub(super) fn forbidden(&mut self, clause: &Formula) {
        self.add("forbidden clauses", &Wording::captune(self.space).formula(clause));
    }

    /// The text, if nothing was noted.
    pub(super) fn finish(self, text: String) -> Result<String, CannotExpress> {
        if self.things.is_empty() {
            return Ok(text);
        }
        let what = self.things.into_iter().map(|(thing, whom)| format!("{thing} ({})", whom.join(", ")));
        Err(CannotExpress { format: self.format, what: what.collect() })
    }
}
