//! Test helpers: sample records, a scripted target, and the suite that every executor must pass.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

pub mod executor;
pub mod scripted;

use engine::history::Trial;
use engine::{Cap, ConfigId, InstanceId, Observation, Pair, Seed, TrialId, TrialKey, Why};

use crate::{Detail, Record};

/// Returns the record of trial 0 with this observation.
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
