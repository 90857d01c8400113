//! What a worker runs, and on which part of its machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use engine::{InstanceId, Pair, Space, TrialKey, TrialRequest};
use execution::{Slot, Target};

use crate::message::Grant;

/// The trials that a worker can run: a target, its parameters and its instances, from the worker's own scenario.
#[derive(Clone)]
pub struct Job {
    /// The target.
    pub target: Arc<dyn Target>,
    /// The parameters.
    pub space: Space,
    /// Number of each instance in the list of the target, by name.
    pub instances: BTreeMap<String, u32>,
    /// The slots, each with its cores.
    pub slots: Vec<Slot>,
    /// Host name of this machine.
    pub host: String,
    /// Speed of this machine.
    pub speed: f64,
    /// Digest of the scenario.
    pub scenario: String,
    /// The time at which the worker must have ended.
    pub end: Option<Instant>,
}

impl Job {
    /// Returns the trial to run, or the reason why it is not possible.
    pub(super) fn request(&self, grant: &Grant) -> Result<TrialRequest, String> {
        let Grant { trial, config, values, instance, seed, cap, why, .. } = grant;
        let codes: Vec<f64> = values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        let configuration = self.space.configuration_of_codes(codes).map_err(|error| error.to_string())?;
        let number = self.instances.get(instance);
        let number = number.ok_or_else(|| format!("instance `{instance}` not found on {}", self.host))?;
        let pair = Pair { instance: InstanceId(*number), seed: *seed };
        let key = TrialKey { config: *config, pair };
        Ok(TrialRequest { id: *trial, key, configuration, cap: *cap, why: *why })
    }

    /// Returns the seconds that a trial may take.
    pub(super) fn left(&self) -> Option<f64> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64())
    }
}
