//! The formula with 76 parameters; the cost is simulated seconds.

use engine::{Configuration, Pair, Status};
use execution::executor::Answer;
use targets::synthetic::Synthetic;

use super::{Benchmark, Subject};
use crate::contest::digest::Digest;

struct Numbered {
    target: Synthetic,
    training: u32,
}

impl Numbered {
    /// Returns the number of an instance: even for training, odd for the test.
    fn number(&self, instance: u32) -> u32 {
        if instance < self.training { 2 * instance } else { 2 * (instance - self.training) + 1 }
    }
}

impl Subject for Numbered {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        let instance = self.number(pair.instance.0);
        let answer = self.target.answer(configuration, instance, u64::from(pair.seed.0));
        let status = if answer.crashed { Status::Crashed } else { Status::Finished };
        Answer { status, ..Answer::finished(answer.cost) }
    }
}

/// Returns the formula with these numbers of instances.
pub(crate) fn new(training: u32, test: u32) -> Benchmark {
    let target = Synthetic::default();
    let space = target.space().clone();
    let mut digest = Digest::default();
    let default = space.default_configuration();
    for instance in 0..2 * (training + test) {
        digest.add(&target.answer(&default, instance, 1).cost.to_le_bytes());
    }
    Benchmark {
        subject: Box::new(Numbered { target, training }),
        space,
        training,
        test,
        deterministic: false,
        checksum: digest.value(),
    }
}
