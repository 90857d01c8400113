//! A checksum of words of eight bytes: `h = rotate((h ^ word) * K)`, with a `K` for each kind of word.
//!
//! Each step is one-to-one in the word, so that no change of a single word goes unseen; others do with a chance
//! of 2^-64. It is kept on disk: another one would need a new version of the store.

/// Odd, so that multiplying by it can be undone.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The checksum of what it has been given so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Takes in a word of a kind, which is a number below 8: another kind of the same word is another.
    #[inline]
    pub(crate) fn word(&mut self, kind: u64, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR ^ (kind << 1)).rotate_left(29);
    }

    /// Takes in bytes of a kind.
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
