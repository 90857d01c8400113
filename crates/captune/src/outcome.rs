//! The result of a trial, as the caller reports it.

use engine::problem::Side;
use engine::{Observation, Reading, Status, TrialId};

use crate::bound::Bound;

/// The result of a trial. A number converts to the result of a trial that finished with this cost.
///
/// ```
/// use captune::Outcome;
///
/// let finished = Outcome::finished(1.25).with_output("accuracy", 0.97);
/// let stopped = Outcome::stopped(3.0);
/// assert_eq!(Outcome::from(1.0), Outcome::finished(1.0));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    end: End,
    spent: Option<f64>,
    tie: Option<f64>,
    outputs: Vec<(String, Reading)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    Finished(f64),
    Stopped(f64),
    Failed(Status),
}

impl Outcome {
    fn new(end: End) -> Self {
        Self { end, spent: None, tie: None, outputs: Vec::new() }
    }

    /// Returns the result of a trial that ended by itself with this cost.
    pub fn finished(cost: f64) -> Self {
        Self::new(End::Finished(cost))
    }

    /// Returns the result of a trial that was stopped when its cost had reached this value. The cost is at
    /// least this value.
    pub fn stopped(at: f64) -> Self {
        Self::new(End::Stopped(at))
    }

    /// Returns the result of a trial that failed, for example because the target crashed.
    pub fn crashed() -> Self {
        Self::new(End::Failed(Status::Crashed))
    }

    /// Returns the result of a trial that was stopped because it used too much memory.
    pub fn out_of_memory() -> Self {
        Self::new(End::Failed(Status::Memory))
    }

    /// Returns the result of a trial that ended with a wrong answer. Its configuration can never win.
    pub fn wrong() -> Self {
        Self::new(End::Failed(Status::Wrong))
    }

    /// Returns the result of a trial that was lost through no fault of its configuration. It is run again.
    pub fn lost() -> Self {
        Self::new(End::Failed(Status::Lost))
    }

    /// Adds an output. Outputs without a [`Bound`] are rejected when the result is reported.
    #[must_use]
    pub fn with_output(self, name: impl Into<String>, value: f64) -> Self {
        self.with_reading(name, Reading::Exact(value))
    }

    /// Adds an output of which only a lower bound is known, for example because the trial was stopped.
    #[must_use]
    pub fn with_output_at_least(self, name: impl Into<String>, value: f64) -> Self {
        self.with_reading(name, Reading::AtLeast(value))
    }

    fn with_reading(mut self, name: impl Into<String>, reading: Reading) -> Self {
        self.outputs.push((name.into(), reading));
        self
    }

    /// Sets the part of the budget that the trial used, if it differs from the cost.
    #[must_use]
    pub fn with_spent(self, spent: f64) -> Self {
        Self { spent: Some(spent), ..self }
    }

    /// Sets the tie-breaker between two trials that reached the cutoff; lower is better.
    #[must_use]
    pub fn with_tie(self, tie: f64) -> Self {
        Self { tie: Some(tie), ..self }
    }
}

impl From<f64> for Outcome {
    fn from(cost: f64) -> Self {
        Self::finished(cost)
    }
}

/// Reason why a result cannot be recorded. The trial is then still running.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TellError {
    /// The trial was never requested, or has already ended.
    #[error("trial {0} is not running")]
    NotRunning(TrialId),
    /// A number is infinite or NaN.
    #[error(
        "`{what}` is {value}, but must be finite; report a failure instead, such as `Outcome::crashed()`"
    )]
    NotFinite {
        /// `cost`, `spent`, `tie`, or the name of an output.
        what: String,
        /// The number.
        value: f64,
    },
    /// A cost with a cutoff grows from zero, so it cannot be negative.
    #[error("the cost is {0}, but a cost with a cutoff cannot be negative")]
    Negative(f64),
    /// A lower bound on the cost was reported, but no cutoff is set.
    #[error(
        "a trial can be stopped at a cost only if there is a cutoff; set `cutoff`, or withdraw the trial"
    )]
    NoCutoff,
    /// An output has no bound.
    #[error("the output `{name}` has no bound{}", hint(name, known))]
    UnknownOutput {
        /// Its name.
        name: String,
        /// The names of the outputs that have bounds.
        known: Vec<String>,
    },
    /// An output was reported twice.
    #[error("the output `{0}` is reported twice")]
    Twice(String),
}

fn hint(name: &str, known: &[String]) -> String {
    let near = space::suggestion(name, known.iter().map(String::as_str));
    near.map_or_else(|| "; add it with `constraint`".to_owned(), |near| format!("; {near}"))
}

/// The rules for turning outcomes into observations.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) cutoff: Option<f64>,
    /// The sign of the cost: `AtLeast` if the cost is maximised.
    pub(crate) sense: Side,
    pub(crate) bounds: Vec<(String, Bound)>,
    /// Whether costs without a cutoff may be lower bounds.
    pub(crate) takes_any_bound: bool,
}

impl Rules {
    /// Converts an outcome to the engine's form.
    pub(crate) fn observation(&self, outcome: &Outcome) -> Result<Observation, TellError> {
        let observation = match outcome.end {
            End::Finished(cost) => self.finished(finite("cost", cost)?)?,
            End::Stopped(at) => self.stopped(finite("cost", at)?)?,
            End::Failed(status) => Observation::failed(status, 0.0),
        };
        let tie = outcome.tie.map(|tie| finite("tie", tie)).transpose()?;
        let observation = observation.with_tie(tie).with_constraints(self.outputs(outcome)?);
        match outcome.spent {
            Some(spent) => Ok(observation.with_spent(finite("spent", spent)?)),
            None => Ok(observation),
        }
    }

    fn finished(&self, cost: f64) -> Result<Observation, TellError> {
        match self.cutoff {
            Some(_) if cost < 0.0 => Err(TellError::Negative(cost)),
            Some(cutoff) if cost > cutoff => Ok(Observation::timeout(cutoff)),
            _ => Ok(Observation::finished(self.sense.signed(cost))),
        }
    }

    fn stopped(&self, at: f64) -> Result<Observation, TellError> {
        match self.cutoff {
            Some(_) if at < 0.0 => Err(TellError::Negative(at)),
            Some(cutoff) if at >= cutoff => Ok(Observation::timeout(cutoff)),
            Some(_) => Ok(Observation::capped(at)),
            None if self.takes_any_bound && self.sense == Side::AtMost => Ok(Observation::capped(at)),
            None => Err(TellError::NoCutoff),
        }
    }

    /// Returns the constrained outputs in the order of the bounds.
    fn outputs(&self, outcome: &Outcome) -> Result<Vec<Option<Reading>>, TellError> {
        for (place, (name, reading)) in outcome.outputs.iter().enumerate() {
            finite(name, reading.lower_bound())?;
            if !self.bounds.iter().any(|(known, _)| known == name) {
                let known = self.bounds.iter().map(|(known, _)| known.clone()).collect();
                return Err(TellError::UnknownOutput { name: name.clone(), known });
            }
            if outcome.outputs[..place].iter().any(|(earlier, _)| earlier == name) {
                return Err(TellError::Twice(name.clone()));
            }
        }
        let reading = |(name, bound): &(String, Bound)| {
            let (_, reading) = outcome.outputs.iter().find(|(reported, _)| reported == name)?;
            bound.side().reading(*reading)
        };
        Ok(self.bounds.iter().map(reading).collect())
    }
}

fn finite(what: &str, value: f64) -> Result<f64, TellError> {
    if value.is_finite() { Ok(value) } else { Err(TellError::NotFinite { what: what.to_owned(), value }) }
}
