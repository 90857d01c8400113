//! A number that tells contents apart: FNV-1a of 64 bits.

use std::fmt::Debug;

/// The number of what was taken in so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// What rows of one scenario have in common: a number of everything that the list says of it.
pub(crate) fn definition(scenario: &impl Debug) -> String {
    let mut digest = Digest::default();
    digest.take(format!("{scenario:?}").as_bytes());
    format!("{:016x}", digest.value())
}
