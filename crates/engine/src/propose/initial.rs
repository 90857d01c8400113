//! First proposals: configurations given by the user, then a design that covers the space evenly.

use super::Proposer;
use crate::design::Design;
use crate::history::History;
use crate::rng::Rng;
use crate::space::{Configuration, SampleError, Space};
use crate::trial::ConfigId;

/// Some first configurations, then another proposer.
pub struct Initial {
    first: Vec<Configuration>,
    given: usize,
    then: Box<dyn Proposer>,
}

impl Initial {
    /// `given`, then `count` points of a design, then what `then` proposes.
    pub fn new(
        given: Vec<Configuration>,
        space: &Space,
        design: Design,
        count: usize,
        seed: u64,
        then: Box<dyn Proposer>,
    ) -> Result<Self, SampleError> {
        let mut first = given;
        let given = first.len();
        first.extend(design.configurations(space, count, &mut Rng::new(seed, "design", 0))?);
        Ok(Self { first, given, then })
    }
}

impl Proposer for Initial {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        let new = self.first.iter().find(|configuration| history.find(configuration).is_none());
        new.cloned().or_else(|| self.then.propose(history, incumbent))
    }

    fn origin(&self, number: usize) -> &'static str {
        // Number 0 is the default.
        match number {
            0 => "default",
            n if n <= self.given => "given",
            n if n <= self.first.len() => "design",
            n => self.then.origin(n),
        }
    }
}
