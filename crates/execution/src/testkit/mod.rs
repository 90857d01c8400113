//! For tests: trials that were never run, and the suite that every executor must pass.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

pub mod executor;

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, TrialId, TrialKey, Why};

use crate::{Detail, Record};

/// A trial of number 0 that told this.
pub fn record(config: u32, instance: u32, seed: u32, observation: Observation) -> Record {
    let pair = Pair { instance: InstanceId(instance), seed: Seed(seed) };
    let trial = Trial {
        id: TrialId(0),
        key: TrialKey { config: ConfigId(config), pair },
        cap: Cap::NONE,
        why: Why::Incumbent,
        observation,
    };
    Record { trial, detail: Detail::default(), started: 0.0, ended: 1.0, slot: 0 }
}
