//! Sixteen lanes in one register, with explicit AVX-512 intrinsics.
//!
//! The compiler only partly vectorises plain loops over lanes: it loads lanes in pieces and transposes
//! squares through memory. The operations that networks use most are therefore written with intrinsics, whose
//! results have the same bits as those of the loops.

use std::arch::x86_64::{__m512, _mm512_fmadd_ps, _mm512_permutex2var_ps, _mm512_set1_ps, _mm512_setr_epi32};
use std::mem::transmute;

use crate::arithmetic::Arithmetic;
use crate::lanes::{LANES, Lanes, Square};

/// Arithmetic with AVX-512. Its methods are sound only if the processor is known to have AVX-512, so only
/// `dispatch` may use this type.
#[derive(Clone, Copy)]
pub(super) struct Avx512;

impl Arithmetic for Avx512 {
    const SUMS: usize = 10;

    #[inline(always)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn add_product(sum: Lanes, factor: f32, x: &[f32; LANES]) -> Lanes {
        // SAFETY: the processor has these instructions (see `Avx512`); sixteen `f32` fill a register.
        unsafe {
            let (sum, x) = (transmute::<Lanes, __m512>(sum), transmute::<[f32; LANES], __m512>(*x));
            transmute::<__m512, Lanes>(_mm512_fmadd_ps(_mm512_set1_ps(factor), x, sum))
        }
    }

    #[inline(always)]
    fn transposed(rows: &Square) -> Square {
        // SAFETY: sixteen `f32` fill a register.
        let mut rows = unsafe { transmute::<Square, [__m512; LANES]>(*rows) };
        // The same steps as in `lanes::transposed`.
        for _ in 0..4 {
            let mut next = rows;
            for row in 0..LANES / 2 {
                (next[2 * row], next[2 * row + 1]) = interleaved(rows[row], rows[row + LANES / 2]);
            }
            rows = next;
        }
        // SAFETY: as above.
        unsafe { transmute::<[__m512; LANES], Square>(rows) }
    }
}

/// Interleaves the numbers in two registers.
#[inline(always)]
fn interleaved(first: __m512, second: __m512) -> (__m512, __m512) {
    // SAFETY: the processor has these instructions (see `Avx512`).
    unsafe {
        let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        (_mm512_permutex2var_ps(first, low, second), _mm512_permutex2var_ps(first, high, second))
    }
}
