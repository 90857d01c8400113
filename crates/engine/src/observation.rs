//! How a trial ended and what it told.

use serde::{Deserialize, Serialize};

use surrogate::Reading;

/// How a trial ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// By itself, successfully: the cost is known.
    Finished,
    /// Stopped at a cap below the cutoff: the cost is at least the cap.
    Capped,
    /// Stopped at the cutoff, or by a limit that no later trial will raise.
    Timeout,
    /// Stopped for using too much memory: there is no cost.
    Memory,
    /// It failed: there is no cost.
    Crashed,
    /// It ended by itself with a wrong answer: there is no cost, and the configuration is out for good.
    Wrong,
    /// It could not be run at all, or said that no trial can succeed: the campaign stops.
    Aborted,
    /// Whoever ran it vanished; it says nothing of the configuration and is run again.
    Lost,
}

impl Status {
    /// Every status, in the order of severity.
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

    /// The word for it, in the store and on the screen.
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

    /// The status of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether the configuration failed on this pair, rather than being slow there.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Memory | Self::Crashed | Self::Wrong)
    }

    /// Whether it bars the configuration: fast or not, nobody can use it.
    pub fn bars(self) -> bool {
        self == Self::Wrong
    }

    /// Whether it says nothing of the configuration.
    pub fn says_nothing(self) -> bool {
        matches!(self, Self::Aborted | Self::Lost)
    }
}

/// What one trial told.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Observation {
    status: Status,
    cost: Option<Reading>,
    /// What the trial used, in the unit of the cost if the cost grows with time.
    #[serde(with = "math::json_number")]
    spent: f64,
    #[serde(default)]
    constraints: Box<[Option<Reading>]>,
    /// What decides between two timeouts, if it is known: less is better.
    #[serde(default)]
    tie: Option<f64>,
}

impl Observation {
    fn new(status: Status, cost: Option<Reading>, spent: f64) -> Self {
        assert!(cost.is_none_or(|cost| cost.lower_bound().is_finite()), "costs are finite numbers");
        Self { status, cost, spent: spent.max(0.0), constraints: Box::default(), tie: None }
    }

    /// Ended by itself at this cost.
    pub fn finished(cost: f64) -> Self {
        Self::new(Status::Finished, Some(Reading::Exact(cost)), cost)
    }

    /// Stopped below the cutoff when the cost had reached `at`.
    pub fn capped(at: f64) -> Self {
        Self::new(Status::Capped, Some(Reading::AtLeast(at)), at)
    }

    /// Stopped at the cutoff or by a limit on another quantity, when the cost had reached `at`.
    pub fn timeout(at: f64) -> Self {
        Self::new(Status::Timeout, Some(Reading::AtLeast(at)), at)
    }

    /// Ended without a cost after using `spent`.
    pub fn failed(status: Status, spent: f64) -> Self {
        assert!(status.is_failure() || status.says_nothing(), "{status:?} is no failure");
        Self::new(status, None, spent)
    }

    /// With what it used, where that is not the cost.
    #[must_use]
    pub fn with_spent(mut self, spent: f64) -> Self {
        self.spent = spent.max(0.0);
        self
    }

    /// With the outputs that constraints bound, one for each; `None` where a stopped trial left one
    /// unmeasured.
    #[must_use]
    pub fn with_constraints(mut self, constraints: impl Into<Box<[Option<Reading>]>>) -> Self {
        self.constraints = constraints.into();
        self
    }

    /// With what decides between two timeouts: less is better.
    #[must_use]
    pub fn with_tie(mut self, tie: Option<f64>) -> Self {
        assert!(tie.is_none_or(f64::is_finite), "what breaks a tie is a finite number");
        self.tie = tie;
        self
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What is known of the cost; nothing if it failed.
    pub fn cost(&self) -> Option<Reading> {
        self.cost
    }

    /// What it used.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// What decides between two timeouts, if it is known.
    pub fn tie(&self) -> Option<f64> {
        self.tie
    }

    /// Whether it finished without telling every constrained output as a finite number.
    pub fn is_unmeasured(&self) -> bool {
        self.status == Status::Finished && self.constraints.iter().any(Option::is_none)
    }

    /// The outputs that constraints bound.
    pub fn constraints(&self) -> &[Option<Reading>] {
        &self.constraints
    }
}
