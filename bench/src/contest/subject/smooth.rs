//! The smooth function of five parameters.

use engine::{Configuration, Pair};
use execution::executor::Answer;
use targets::smooth;

use super::{Known, Subject, after};
use crate::contest::digest::Digest;

struct Smooth;

impl Subject for Smooth {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        after(smooth::cost(configuration, pair.instance.0))
    }
}

/// With so many instances.
pub(crate) fn new(training: u32, test: u32) -> Known {
    let space = smooth::space();
    let mut digest = Digest::default();
    let default = space.default_configuration();
    for instance in 0..training + test {
        digest.take(&smooth::cost(&default, instance).to_le_bytes());
    }
    Known { subject: Box::new(Smooth), space, training, test, deterministic: true, checksum: digest.value() }
}
