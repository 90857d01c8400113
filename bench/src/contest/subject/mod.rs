//! The targets of the scenarios: each answers a trial of a configuration on a pair.
//!
//! | file | target |
//! |---|---|
//! | `saps` | SAPS on generated formulas |
//! | `synthetic` | the formula with 76 parameters |
//! | `lcbench` | training of neural networks, answered by a surrogate |
//! | `smooth` | the smooth function of five parameters |
//! | `gcc` | gcc on generated programs; the cost is the size of the code |
//! | `solver` | solvers on generated files; the cost is a count that they print |
//! | `minisat` | minisat on the formulas in a folder; the cost is CPU time |
//!
//! `command` runs programs with the arguments of a configuration, and `files` writes the generated instances.

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

/// A target that answers trials. Training instances are numbered first, followed by test instances.
pub(crate) trait Subject: Send + Sync {
    /// Answers a trial. A cost above the cap need not be exact, but must be above the cap.
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer;
}

/// A target with its space and instances.
pub(crate) struct Benchmark {
    pub(crate) subject: Box<dyn Subject>,
    pub(crate) space: Space,
    /// Number of training instances.
    pub(crate) training: u32,
    /// Number of test instances; 0 if the training instances are also used for the test.
    pub(crate) test: u32,
    /// Whether costs are independent of the seed.
    pub(crate) deterministic: bool,
    pub(crate) checksum: u64,
}

/// Number of training instances on which the default's answers are part of the checksum.
const ANSWERS: u32 = 3;

impl Benchmark {
    /// Computes the checksum from the instances and from the default's answers on the first instances.
    fn with_answers(self, mut digest: Digest, cutoff: f64) -> Self {
        let default = self.space.default_configuration();
        for instance in 0..self.training.min(ANSWERS) {
            let answer =
                self.subject.answer(&default, Pair { instance: InstanceId(instance), seed: Seed(1) }, cutoff);
            digest.add(&answer.cost.to_le_bytes());
        }
        Self { checksum: digest.value(), ..self }
    }
}

/// Returns an answer with a cost above the cap.
fn beyond(cap: f64) -> Answer {
    Answer::finished(2.0 * cap)
}

/// Returns an answer whose cost is known only at the end of the trial. Every such trial takes the same time.
pub(crate) fn at_the_end(cost: f64) -> Answer {
    Answer { time: 1.0, ..Answer::finished(cost) }
}
