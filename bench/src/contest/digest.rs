//! Checksums: 64-bit FNV-1a.

use std::fmt::Debug;

/// Checksum of all bytes so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// Returns the digest of a scenario's entry in the list. All rows of the scenario have this digest. The
/// digest is computed from the `Debug` text, so it depends on the names of types and fields.
pub(crate) fn definition(scenario: &impl Debug) -> String {
    let mut digest = Digest::default();
    digest.add(format!("{scenario:?}").as_bytes());
    format!("{:016x}", digest.value())
}
