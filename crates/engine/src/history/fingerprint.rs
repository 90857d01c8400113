//! A hasher for fingerprints. Their bits are already as good as random, so they need no mixing.

use std::hash::{BuildHasherDefault, Hasher};

/// A builder of hashers that use the low half of a fingerprint as its hash.
pub(super) type AlreadyMixed = BuildHasherDefault<LowHalf>;

#[derive(Clone, Debug, Default)]
pub(super) struct LowHalf(u64);

impl Hasher for LowHalf {
    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only fingerprints are keys");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
