//! One execution of the target: what is asked for, and why.

use std::fmt;

use serde::{Deserialize, Serialize};

use space::Configuration;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl $name {
            /// As a place in a table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// A configuration's number in its campaign, in the order of appearance; the default is 0.
    ConfigId(u32)
);
number!(
    /// An instance's number in its campaign.
    InstanceId(u32)
);
number!(
    /// A trial's number in its campaign, in the order of asking.
    TrialId(u64)
);
number!(
    /// The random seed handed to the target: below 2^31, since many programs read a signed word.
    Seed(u32)
);

/// What a configuration is tried on. There are many of them in a snapshot: stored as two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "(InstanceId, Seed)", into = "(InstanceId, Seed)")]
pub struct Pair {
    /// The input.
    pub instance: InstanceId,
    /// The random seed.
    pub seed: Seed,
}

impl From<(InstanceId, Seed)> for Pair {
    fn from((instance, seed): (InstanceId, Seed)) -> Self {
        Self { instance, seed }
    }
}

impl From<Pair> for (InstanceId, Seed) {
    fn from(Pair { instance, seed }: Pair) -> Self {
        (instance, seed)
    }
}

/// What a trial is an execution of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TrialKey {
    /// Which settings.
    pub config: ConfigId,
    /// On what.
    pub pair: Pair,
}

/// The largest cost a trial may reach before it is stopped; infinite where costs do not grow.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
pub struct Cap(#[serde(with = "math::json_number")] f64);

impl Cap {
    /// No cap at all.
    pub const NONE: Self = Self(f64::INFINITY);

    /// A cap at a positive cost.
    pub fn at(cost: f64) -> Self {
        assert!(cost > 0.0, "a cap is positive, not {cost}");
        Self(cost)
    }

    /// The cost at which the trial is stopped.
    pub fn cost(self) -> f64 {
        self.0
    }
}

/// Why a trial is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The incumbent gains a pair.
    Incumbent,
    /// A challenger meets the incumbent on one of its pairs.
    Challenge,
    /// After the search: the default and the best are measured on pairs that had no part in choosing.
    Validation,
}

impl Why {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Incumbent, Self::Challenge, Self::Validation];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Incumbent => "incumbent",
            Self::Challenge => "challenge",
            Self::Validation => "validation",
        }
    }
}

/// A trial to run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrialRequest {
    /// Its number.
    pub id: TrialId,
    /// What it executes.
    pub key: TrialKey,
    /// The settings.
    pub configuration: Configuration,
    /// Where to stop it.
    pub cap: Cap,
    /// The reason.
    pub why: Why,
}
