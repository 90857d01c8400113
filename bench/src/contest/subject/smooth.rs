//! The smooth function of five parameters.

use engine::{Configuration, Pair};
use execution::executor::Answer;
use targets::smooth;

use super::{Benchmark, Subject, at_the_end};
use crate::contest::digest::Digest;

struct Smooth;

impl Subject for Smooth {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        at_the_end(smooth::cost(configuration, pair.instance.0))
    }
}

/// Returns the function with these numbers of instances.
pub(crate) fn new(training: u32, test: u32) -> Benchmark {
    let space = smooth::space();
    let mut digest = Digest::default();
    let default = space.default_configuration();
    for instance in 0..training + test {
        digest.add(&smooth::cost(&default, instance).to_le_bytes());
    }
    Benchmark {
        subject: Box::new(Smooth),
        space,
        training,
        test,
        deterministic: true,
        checksum: digest.value(),
    }
}
