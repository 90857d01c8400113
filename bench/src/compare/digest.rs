//! A number that tells contents apart: FNV-1a of 64 bits.

/// The number of what was taken in so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(super) fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}
