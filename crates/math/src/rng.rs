//! Deterministic random streams.
//!
//! A stream is keyed by (seed, purpose, counter), so that an additional draw in one stream never shifts
//! the draws of another. The generator is xoshiro256++. The distributions on top of its 64 random bits are
//! implemented here, because those of general-purpose libraries may change between versions.
//!
//! | function | distribution | draws used |
//! |---|---|---|
//! | [`Rng::unit`] | uniform on [0, 1), multiples of 2^-53 | 1 |
//! | [`Rng::below`] | uniform on 0..n, exact (multiply and reject) | 1, rarely more |
//! | [`Rng::normal`] | standard normal, polar method, one of each pair kept | 2 per attempt |
//! | [`Rng::shuffle`] | every permutation equally likely (Fisher-Yates) | n - 1 |

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// A stream of random numbers whose values are recorded in tests and never change.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Creates the stream for one purpose; `counter` distinguishes repeated uses of the same purpose.
    pub fn new(seed: u64, purpose: &str, counter: u64) -> Self {
        let mut state = mix(seed ^ 0x6361_7074_756e_6531);
        for byte in purpose.bytes() {
            state = mix(state ^ u64::from(byte));
        }
        // Mixing in the length separates ("ab", 0) from ("a", ..), whatever bytes the counter has.
        state = mix(state ^ (purpose.len() as u64) << 32);
        state = mix(state ^ counter);
        let mut bytes = [0; 32];
        for part in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            part.copy_from_slice(&mix(state).to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws from the uniform distribution on [0, 1).
    pub fn unit(&mut self) -> f64 {
        // Converting a signed integer takes one instruction, an unsigned one takes several.
        (self.bits() >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws an integer uniformly from `0..n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "cannot draw from an empty range");
        let n = n as u64;
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            // The low half shows whether this draw fell into the incomplete last slice.
            if wide as u64 >= n.wrapping_neg() % n {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Draws from the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        loop {
            let x = 2.0 * self.unit() - 1.0;
            let y = 2.0 * self.unit() - 1.0;
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * libm::sqrt(-2.0 * libm::log(s) / s);
            }
        }
    }

    /// Shuffles the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}

/// Maps a 64-bit integer to another by a bijection in which every output bit depends on every input bit.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_in_every_part_of_the_key() {
        let first = |seed, purpose, counter| Rng::new(seed, purpose, counter).bits();
        let all = [first(1, "a", 0), first(2, "a", 0), first(1, "b", 0), first(1, "a", 1), first(1, "aa", 0)];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
        assert_eq!(first(7, "sample", 3), first(7, "sample", 3));
    }

    #[test]
    fn values_match_the_recorded_ones() {
        let mut rng = Rng::new(42, "recorded", 0);
        let mut order: Vec<u8> = (0..8).collect();
        let text = format!(
            "bits {:016x}\nunit {:?}\nbelow {} {} {}\nnormal {:?} {:?}",
            rng.bits(),
            rng.unit(),
            rng.below(10),
            rng.below(1000),
            rng.below(3),
            rng.normal(),
            rng.normal()
        );
        rng.shuffle(&mut order);
        insta::assert_snapshot!(format!("{text}\nshuffle {order:?}"), @r"
        bits 4b5f137d88bdcc43
        unit 0.5866798422272849
        below 4 642 2
        normal -0.9255986137067014 1.7343104305401427
        shuffle [2, 3, 5, 1, 4, 6, 7, 0]
        ");
    }

    #[test]
    fn moments_match_the_distributions() {
        let mut rng = Rng::new(1, "moments", 0);
        let n = 100_000;
        let (mut sum, mut square, mut unit) = (0.0, 0.0, 0.0);
        let mut counts = [0; 7];
        for _ in 0..n {
            let z = rng.normal();
            sum += z;
            square += z * z;
            unit += rng.unit();
            counts[rng.below(7)] += 1;
        }
        let n = f64::from(n);
        assert!((sum / n).abs() < 0.015 && (square / n - 1.0).abs() < 0.02 && (unit / n - 0.5).abs() < 0.005);
        assert!(counts.iter().all(|&c| (f64::from(c) - n / 7.0).abs() < 500.0));
    }
}
