//! A hasher for pairs. Pairs consist of small numbers chosen by captune itself, so the hash need not resist
//! crafted keys.

use std::hash::{BuildHasherDefault, Hasher};

use math::mix;

/// A builder of hashers for keys that consist of a few integers.
pub(super) type Mixing = BuildHasherDefault<MixingHasher>;

/// A hasher that mixes integers into 64 bits.
#[derive(Clone, Copy, Default)]
pub(super) struct MixingHasher(u64);

impl Hasher for MixingHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut whole = [0; 8];
            whole[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(whole));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    #[test]
    fn keys_that_differ_in_one_bit_differ_in_about_half_of_the_hash_bits() {
        let hash = |key: (u32, u32)| Mixing::default().hash_one(key);
        for bit in 0..32 {
            let (a, b) = (hash((5, 1 << bit)), hash((5, 0)));
            assert!((16..=48).contains(&(a ^ b).count_ones()), "{bit}");
            assert!((16..=48).contains(&(hash((1 << bit, 5)) ^ hash((0, 5))).count_ones()), "{bit}");
        }
    }
}
