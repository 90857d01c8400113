//! What a scenario runs: one answer for a configuration and a pair, whatever the target.
//!
//! | file | target |
//! |---|---|
//! | `saps` | SAPS on generated formulas |
//! | `synthetic` | the formula of 76 parameters |
//! | `lcbench` | training of networks, answered by a surrogate |
//! | `smooth` | the smooth function of five parameters |
//! | `gcc` | the size of the code that gcc makes of generated programs |
//! | `solver` | solvers on generated files, by a count that they print |
//! | `minisat` | minisat on a folder of formulas, by CPU time |
//!
//! `command` writes the words of a configuration and `files` the generated instances.

pub(crate) mod command;
mod files;
pub(crate) mod gcc;
pub(crate) mod lcbench;
pub(crate) mod minisat;
pub(crate) mod saps;
pub(crate) mod smooth;
pub(crate) mod solver;
pub(crate) mod synthetic;

use engine::{Configuration, InstanceId, Pair, Seed, Space};
use execution::executor::Answer;

use super::digest::Digest;

/// Answers trials; instances are those of the training, then those of the test.
pub(crate) trait Subject: Send + Sync {
    /// What a trial is; its cost only has to be right up to the cap, and beyond it if it is there.
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer;
}

/// A subject with what is to be known of it.
pub(crate) struct Known {
    pub(crate) subject: Box<dyn Subject>,
    pub(crate) space: Space,
    pub(crate) training: u32,
    pub(crate) test: u32,
    /// Whether one seed tells all.
    pub(crate) deterministic: bool,
    pub(crate) checksum: u64,
}

/// Training instances on which the default's answers are part of the checksum.
const ANSWERS: u32 = 3;

impl Known {
    /// With a checksum of the instances and of what the default answers on the first ones.
    fn with_answers(self, mut digest: Digest, cutoff: f64) -> Self {
        let default = self.space.default_configuration();
        for instance in 0..self.training.min(ANSWERS) {
            let answer =
                self.subject.answer(&default, Pair { instance: InstanceId(instance), seed: Seed(1) }, cutoff);
            digest.take(&answer.cost.to_le_bytes());
        }
        Self { checksum: digest.value(), ..self }
    }
}

/// A cost beyond a cap.
fn beyond(cap: f64) -> Answer {
    Answer::finished(2.0 * cap)
}

/// A cost that is known only when the trial is over, which always takes the same time.
fn after(cost: f64) -> Answer {
    Answer { time: 1.0, ..Answer::finished(cost) }
}
