//! A checksum over words of eight bytes: `h = rotate((h ^ word) * K)`, where `K` depends on the kind of word.
//!
//! Each step is a bijection of the word, so the checksum detects every change to a single word. The checksum
//! misses other changes with probability 2^-64. Checksums are stored on disk, so a different formula would
//! require a new store version.

/// The factor in the formula, which is odd so that the multiplication is invertible.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Checksum of the words added so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Adds a word. `kind` is a number below 8. The same word with a different kind gives a different
    /// checksum.
    #[inline]
    pub(crate) fn word(&mut self, kind: u64, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR ^ (kind << 1)).rotate_left(29);
    }

    /// Adds bytes of the given kind.
    pub(crate) fn bytes(&mut self, kind: u64, bytes: &[u8]) {
        self.word(kind, bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| self.word(kind, u64::from_le_bytes(word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(kind, u64::from_le_bytes(last));
    }

    pub(crate) fn end(&self) -> u64 {
        self.0
    }
}
