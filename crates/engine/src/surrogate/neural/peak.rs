//! What a core could do at most, to measure training against.

use super::arithmetic::Arithmetic;
use super::dispatch::{Instructions, Task};
use super::lanes::{LANES, Lanes, add_products};

/// Arithmetic that needs nothing but registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drill {
    /// Multiplications and additions of single precision.
    pub operations: u64,
    /// What came of them, so that none can be left out.
    pub result: f32,
}

/// Multiplies and adds without memory, with the instructions that networks are trained with.
pub fn drill(rounds: u64) -> Drill {
    Instructions::best().run(Rounds(rounds))
}

/// The instructions that networks are trained with on this processor.
pub fn instructions() -> &'static str {
    match Instructions::best() {
        Instructions::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => "AVX2",
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => "AVX-512",
    }
}

struct Rounds(u64);

impl Task for Rounds {
    type Output = Drill;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> Drill {
        // As many sums as there are registers for: fewer would wait for themselves.
        if A::SUMS >= 12 { self.with::<A, 12>() } else { self.with::<A, 6>() }
    }
}

impl Rounds {
    #[inline(always)]
    fn with<A: Arithmetic, const N: usize>(self) -> Drill {
        let mut sums = [Lanes::ZERO; N];
        let factor = 1.0 / (self.0 + 1) as f32;
        for _ in 0..self.0 {
            add_products::<A, N>(&mut sums, &Lanes::ONE.0, |_| factor);
        }
        let result = sums.iter().flat_map(|sum| sum.0).sum();
        Drill { operations: self.0 * (2 * N * LANES) as u64, result }
    }
}
