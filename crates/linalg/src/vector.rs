//! Vectors: as many numbers as a register holds.
//!
//! Two sets of instructions are used explicitly, since compilers do not generate them from plain loops: with
//! loops over lanes, a product takes seven times as long. The results have the same bits as those of the
//! loops.
//!
//! `unsafe` occurs here and in `instructions`: a vector type that uses explicit instructions is valid only if
//! the processor has them, so only `instructions` chooses the type.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "instructions that not every processor has")
)]

/// Several numbers that are processed at once.
pub(crate) trait Vector: Copy {
    /// Number of lanes, each of which holds one number.
    const LANES: usize;

    /// Returns a vector of zeros.
    fn zero() -> Self;

    /// Returns a vector with the same number in all lanes.
    fn splat(number: f64) -> Self;

    /// Loads the first numbers of a slice.
    fn load(from: &[f64]) -> Self;

    /// Writes the numbers to the start of a slice.
    fn store(self, to: &mut [f64]);

    /// Returns `self · factor + summand`, rounded once.
    fn times_plus(self, factor: Self, summand: Self) -> Self;

    /// Returns the differences, lane by lane.
    fn minus(self, other: Self) -> Self;

    /// Returns the quotients, lane by lane.
    fn over(self, other: Self) -> Self;

    /// Subtracts the numbers from the slice, which may have fewer entries than the vector has lanes.
    #[inline(always)]
    fn subtract_some(self, from: &mut [f64]) {
        let mut own = [0.0; 8];
        self.store(&mut own);
        from.iter_mut().zip(&own).for_each(|(from, own)| *from -= own);
    }
}

/// Four numbers, processed with instructions that every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f64; 4]);

impl Plain {
    #[inline(always)]
    fn each(number: impl Fn(usize) -> f64) -> Self {
        Self(std::array::from_fn(number))
    }
}

impl Vector for Plain {
    const LANES: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; 4])
    }

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number; 4])
    }

    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        Self::each(|at| from[at])
    }

    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[..4].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, summand: Self) -> Self {
        Self::each(|at| self.0[at].mul_add(factor.0[at], summand.0[at]))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self::each(|at| self.0[at] - other.0[at])
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        Self::each(|at| self.0[at] / other.0[at])
    }
}

/// Defines a vector by the names of its instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($name:ident, $lanes:literal, $register:ident, $zero:ident, $splat:ident, $load:ident, $store:ident, $fused:ident, $minus:ident, $over:ident) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name(std::arch::x86_64::$register);

        // SAFETY of all blocks: `instructions` chooses this type only if the processor has these
        // instructions; loads and stores check the length of their slice first.
        impl Vector for $name {
            const LANES: usize = $lanes;

            #[inline(always)]
            fn zero() -> Self {
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$zero()) }
            }

            #[inline(always)]
            fn splat(number: f64) -> Self {
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$splat(number)) }
            }

            #[inline(always)]
            fn load(from: &[f64]) -> Self {
                let from = &from[..$lanes];
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$load(from.as_ptr())) }
            }

            #[inline(always)]
            fn store(self, to: &mut [f64]) {
                let to = &mut to[..$lanes];
                // SAFETY: see above.
                unsafe { std::arch::x86_64::$store(to.as_mut_ptr(), self.0) }
            }

            #[inline(always)]
            fn times_plus(self, factor: Self, summand: Self) -> Self {
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$fused(self.0, factor.0, summand.0)) }
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$minus(self.0, other.0)) }
            }

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                // SAFETY: see above.
                unsafe { Self(std::arch::x86_64::$over(self.0, other.0)) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector!(
    Avx2,
    4,
    __m256d,
    _mm256_setzero_pd,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_fmadd_pd,
    _mm256_sub_pd,
    _mm256_div_pd
);
#[cfg(target_arch = "x86_64")]
vector!(
    Avx512,
    8,
    __m512d,
    _mm512_setzero_pd,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_fmadd_pd,
    _mm512_sub_pd,
    _mm512_div_pd
);
