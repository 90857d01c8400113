//! One execution of the target: what to run, and why.

use std::fmt;

use serde::{Deserialize, Serialize};

use space::Configuration;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl $name {
            /// Returns the number as an index into a table.
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
    /// A configuration's number in its campaign. Configurations are numbered in order of first appearance;
    /// the baseline is 0.
    ConfigId(u32)
);
number!(
    /// An instance's number in its campaign.
    InstanceId(u32)
);
number!(
    /// A trial's number in its campaign. Trials are numbered in the order in which they were requested.
    TrialId(u64)
);
number!(
    /// The random seed passed to the target: below 2^31, since many programs parse a signed 32-bit integer.
    Seed(u32)
);

/// An instance and a seed with which a configuration is tried. A snapshot contains many pairs, so each is
/// stored as two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "(InstanceId, Seed)", into = "(InstanceId, Seed)")]
pub struct Pair {
    /// The instance.
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

/// The configuration and the pair of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TrialKey {
    /// The configuration.
    pub config: ConfigId,
    /// The pair on which the configuration is tried.
    pub pair: Pair,
}

/// The largest cost that a trial may reach before it is stopped. The cap is infinite if costs do not grow
/// while a trial runs.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
pub struct Cap(#[serde(with = "math::json_number")] f64);

impl Cap {
    /// No cap.
    pub const NONE: Self = Self(f64::INFINITY);

    /// Returns a cap at this cost, which must be positive.
    pub fn at(cost: f64) -> Self {
        assert!(cost > 0.0, "a cap must be positive, not {cost}");
        Self(cost)
    }

    /// Returns the cost at which the trial is stopped.
    pub fn cost(self) -> f64 {
        self.0
    }
}

/// The reason for requesting a trial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The incumbent is measured on another pair.
    Incumbent,
    /// A challenger is measured on one of the incumbent's pairs.
    Challenge,
    /// The baseline is measured on the incumbent's next pair, because a constraint is relative to it.
    Baseline,
    /// After the search, the baseline and the incumbent are measured on pairs that were not used to
    /// choose the incumbent.
    Validation,
    /// After the search, changes from the baseline to the incumbent are measured one by one.
    Ablation,
}

impl Why {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::Incumbent, Self::Challenge, Self::Baseline, Self::Validation, Self::Ablation];

    /// Returns the name of the reason used in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Incumbent => "incumbent",
            Self::Challenge => "challenge",
            Self::Baseline => "baseline",
            Self::Validation => "validation",
            Self::Ablation => "ablation",
        }
    }
}

/// A trial to run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrialRequest {
    /// Its number.
    pub id: TrialId,
    /// The configuration and the pair, by number.
    pub key: TrialKey,
    /// The configuration to run.
    pub configuration: Configuration,
    /// The cost at which to stop it.
    pub cap: Cap,
    /// The reason for requesting it.
    pub why: Why,
}

impl TrialRequest {
    /// Returns the instance to run on.
    pub fn instance(&self) -> InstanceId {
        self.key.pair.instance
    }

    /// Returns the random seed to run with.
    pub fn seed(&self) -> Seed {
        self.key.pair.seed
    }
}
