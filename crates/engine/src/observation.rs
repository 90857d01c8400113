//! The result of a trial: how it ended, and what it measured.

use serde::{Deserialize, Serialize};

use surrogate::Reading;

/// The way in which a trial ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Ended by itself, successfully: the cost is known.
    Finished,
    /// Stopped at a cap below the cutoff: the cost is at least the cap.
    Capped,
    /// Stopped at the cutoff, or by a limit that stays the same for all later trials.
    Timeout,
    /// Stopped for using too much memory: there is no cost.
    Memory,
    /// Failed: there is no cost.
    Crashed,
    /// Ended by itself with a wrong answer: there is no cost, and the configuration is barred.
    Wrong,
    /// Could not be started, or reported that no trial can succeed: the campaign stops.
    Aborted,
    /// The worker that ran it vanished. The trial provides no evidence about the configuration and is run
    /// again.
    Lost,
}

impl Status {
    /// Every status, in order of severity.
    pub const ALL: [Self; 8] = [
        Self::Finished,
        Self::Capped,
        Self::Timeout,
        Self::Memory,
        Self::Crashed,
        Self::Wrong,
        Self::Aborted,
        Self::Lost,
    ];

    /// Returns the name of the status used in the store and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Capped => "capped",
            Self::Timeout => "timeout",
            Self::Memory => "memory",
            Self::Crashed => "crashed",
            Self::Wrong => "wrong",
            Self::Aborted => "aborted",
            Self::Lost => "lost",
        }
    }

    /// Returns the status with this name, if there is one.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns whether the status means that the configuration failed on this pair, rather than
    /// being slow.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Memory | Self::Crashed | Self::Wrong)
    }

    /// Returns whether the status bars the configuration: a wrong answer is useless, however fast.
    pub fn bars(self) -> bool {
        self == Self::Wrong
    }

    /// Returns whether the trial provides no evidence about the configuration.
    pub fn is_uninformative(self) -> bool {
        matches!(self, Self::Aborted | Self::Lost)
    }
}

/// The result of one trial.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Observation {
    status: Status,
    cost: Option<Reading>,
    /// The part of the budget that the trial used, in the same unit as the cost if the cost grows with time.
    #[serde(with = "math::json_number")]
    spent: f64,
    #[serde(default)]
    constraints: Box<[Option<Reading>]>,
    /// The tie-breaker between two timeouts, if known; lower is better.
    #[serde(default)]
    tie: Option<f64>,
}

impl Observation {
    fn new(status: Status, cost: Option<Reading>, spent: f64) -> Self {
        assert!(cost.is_none_or(|cost| cost.lower_bound().is_finite()), "a cost must be finite");
        Self { status, cost, spent: spent.max(0.0), constraints: Box::default(), tie: None }
    }

    /// Returns the result of a trial that ended by itself with this cost.
    pub fn finished(cost: f64) -> Self {
        Self::new(Status::Finished, Some(Reading::Exact(cost)), cost)
    }

    /// Returns the result of a trial that was stopped below the cutoff when its cost had reached
    /// `at`.
    pub fn capped(at: f64) -> Self {
        Self::new(Status::Capped, Some(Reading::AtLeast(at)), at)
    }

    /// Returns the result of a trial that was stopped at the cutoff, or by a limit on another
    /// quantity, when its cost had reached `at`.
    pub fn timeout(at: f64) -> Self {
        Self::new(Status::Timeout, Some(Reading::AtLeast(at)), at)
    }

    /// Returns the result of a trial that ended without a cost after using `spent`.
    pub fn failed(status: Status, spent: f64) -> Self {
        assert!(status.is_failure() || status.is_uninformative(), "{status:?} is not a failure");
        Self::new(status, None, spent)
    }

    /// Sets the part of the budget that the trial used, if it differs from the cost.
    #[must_use]
    pub fn with_spent(mut self, spent: f64) -> Self {
        self.spent = spent.max(0.0);
        self
    }

    /// Sets the constrained outputs, one for each constraint. `None` means that the output was not measured,
    /// for example because the trial was stopped.
    #[must_use]
    pub fn with_constraints(mut self, constraints: impl Into<Box<[Option<Reading>]>>) -> Self {
        self.constraints = constraints.into();
        self
    }

    /// Replaces the constrained outputs.
    pub(crate) fn set_constraints(&mut self, constraints: Vec<Option<Reading>>) {
        self.constraints = constraints.into();
    }

    /// Sets the tie-breaker between two timeouts; lower is better.
    #[must_use]
    pub fn with_tie(mut self, tie: Option<f64>) -> Self {
        assert!(tie.is_none_or(f64::is_finite), "a tie-breaker must be finite");
        self.tie = tie;
        self
    }

    /// Returns how the trial ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the cost, exact or as a lower bound; `None` if the trial failed.
    pub fn cost(&self) -> Option<Reading> {
        self.cost
    }

    /// Returns the part of the budget that the trial used.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// Returns the tie-breaker between two timeouts, if known.
    pub fn tie(&self) -> Option<f64> {
        self.tie
    }

    /// Returns whether the trial finished without reporting a finite number for every constrained
    /// output.
    pub fn is_unmeasured(&self) -> bool {
        self.status == Status::Finished && self.constraints.iter().any(Option::is_none)
    }

    /// Returns the constrained outputs, one for each constraint.
    pub fn constraints(&self) -> &[Option<Reading>] {
        &self.constraints
    }
}
