//! The first proposals: configurations given by the user, then a design that covers the space evenly.

use math::Rng;
use space::design::Design;
use space::{Configuration, SampleError, Space};
use surrogate::Interrupt;

use super::{Choice, Forecast, Proposer, Tempo};
use crate::history::History;
use crate::trial::ConfigId;

/// Proposes the first configurations of a campaign, then leaves the proposals to another proposer.
pub struct Initial {
    first: Vec<Configuration>,
    given: usize,
    default: Configuration,
    /// All configurations before this index are in the history.
    cursor: usize,
    then: Box<dyn Proposer>,
}

impl Initial {
    /// Creates a proposer that returns `given` first, then `count` points of a design, and then the proposals
    /// of `then`.
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
        let design = design.configurations(space, count, &mut Rng::new(seed, "design", 0))?;
        first.extend(design.iter().map(Configuration::rounded));
        let default = space.default_configuration();
        Ok(Self { first, given, default, cursor: 0, then })
    }
}

impl Proposer for Initial {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        while let Some(configuration) = self.first.get(self.cursor) {
            if history.find(configuration).is_none() {
                return Some(configuration.clone());
            }
            self.cursor += 1;
        }
        self.then.propose(history, incumbent)
    }

    fn origin(&self, config: ConfigId, history: &History) -> &'static str {
        // A configuration may be given twice, or be the default. Its first source counts.
        let configuration = history.configuration(config);
        match self.first.iter().position(|first| first == configuration) {
            _ if *configuration == self.default => "default",
            _ if config.0 == 0 => "baseline",
            Some(place) if place < self.given => "given",
            Some(_) => "design",
            None => self.then.origin(config, history),
        }
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        self.then.expected(history)
    }

    fn forecast(&self, config: ConfigId) -> Option<Forecast> {
        self.then.forecast(config)
    }

    fn choice(&self) -> Option<Choice> {
        self.then.choice()
    }

    fn set_tempo(&mut self, tempo: Tempo) {
        self.then.set_tempo(tempo);
    }

    fn watch_interrupt(&mut self, interrupt: &Interrupt) {
        self.then.watch_interrupt(interrupt);
    }
}
