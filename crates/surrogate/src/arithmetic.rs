//! The same arithmetic on all processors: fused multiply-add, with a single rounding.
//!
//! ```text
//! fused(a, b, c) = round(a b + c)
//! ```
//!
//! Every processor from the last ten years has an instruction for this, so sums in a fixed order have the
//! same bits on all of them. Processors without the instruction emulate it. The product of two singles is
//! exact in a double. If the last bit of the sum is set whenever the sum is inexact (rounding to odd), the
//! sum rounds to the correct single.
//!
//! S. Boldo, G. Melquiond, Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding
//! to Odd, IEEE Transactions on Computers 57, 2008.

use super::lanes::{LANES, Lanes, Square, transposed};

/// The arithmetic of an instruction set: adding products, transposing squares, and the number of sums that
/// fit into the registers.
pub(super) trait Arithmetic: Copy {
    /// Number of sums of sixteen lanes that are computed side by side.
    const SUMS: usize;

    /// Returns `a * b + c`, rounded once.
    fn fused(a: f32, b: f32, c: f32) -> f32;

    /// Returns `sum + factor * x`, lane by lane.
    #[inline(always)]
    fn add_product(mut sum: Lanes, factor: f32, x: &[f32; LANES]) -> Lanes {
        for (sum, &x) in sum.0.iter_mut().zip(x) {
            *sum = Self::fused(factor, x, *sum);
        }
        sum
    }

    /// Returns the transpose: rows become columns.
    #[inline(always)]
    fn transposed(rows: &Square) -> Square {
        transposed(rows)
    }
}

/// The processor's own instruction, on a processor whose registers hold `SUMS` sums.
#[derive(Clone, Copy)]
pub(super) struct HardwareFma<const SUMS: usize>;

impl<const SUMS: usize> Arithmetic for HardwareFma<SUMS> {
    const SUMS: usize = SUMS;

    #[inline(always)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// Emulation in software: the same bits, many times slower.
#[derive(Clone, Copy)]
pub(super) struct EmulatedFma;

impl Arithmetic for EmulatedFma {
    const SUMS: usize = 1;

    // The function is slow and long, so inlining it would only add code.
    #[inline(never)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = product + c;
        let second = sum - product;
        let lost = (product - (sum - second)) + (c - second);
        let bits = sum.to_bits();
        // Comparisons with NaN are false, so NaN stays NaN.
        let inexact = lost.abs() > 0.0;
        let away = (lost > 0.0) == (sum > 0.0);
        let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        f64::from_bits(if inexact & (bits & 1 == 0) { odd } else { bits }) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    #[test]
    fn emulation_and_hardware_give_the_same_bits() {
        let mut rng = Rng::new(1, "fused", 0);
        let (mut twice_rounded, mut most) = (0, 0);
        for i in 0..1_000_000 {
            // With few digits, sums are often exactly halfway between two singles. Exponents are close
            // together or far apart.
            let mut draw = |spread: usize| {
                let digits = (rng.bits() & 0xff_ffff) >> [0, 8, 16][i % 3] << [0, 8, 16][i % 3];
                let exponent = rng.below(2 * spread + 1) as i32 - spread as i32;
                let sign = if rng.below(2) == 0 { -1.0 } else { 1.0 };
                (sign * digits as f64 * libm::exp2(f64::from(exponent - 24))) as f32
            };
            let (a, b, c) = (draw(2), draw(2), draw([3, 30, 60][i / 3 % 3]));
            let (a, b) = if i % 7 == 0 { (a * 1e-20, b * 1e-20) } else { (a, b) };
            let (found, right) = (EmulatedFma::fused(a, b, c), HardwareFma::<1>::fused(a, b, c));
            assert_eq!(found.to_bits(), right.to_bits(), "{a:e} {b:e} {c:e}: {found:e} {right:e}");
            most += 1;
            twice_rounded += u32::from(((f64::from(a) * f64::from(b) + f64::from(c)) as f32) != right);
        }
        println!("{twice_rounded} of {most} would be wrong if rounded twice");
        assert!(twice_rounded > 0);
    }

    #[test]
    fn overflow_becomes_infinite_and_nan_stays_nan() {
        let huge = f32::MAX;
        assert_eq!(EmulatedFma::fused(huge, huge, 0.0), f32::INFINITY);
        assert_eq!(EmulatedFma::fused(-huge, huge, 1.0), f32::NEG_INFINITY);
        assert_eq!(EmulatedFma::fused(1.0, f32::NEG_INFINITY, 1.0), f32::NEG_INFINITY);
        assert_eq!(EmulatedFma::fused(1.0, f32::INFINITY, 1.0), f32::INFINITY);
        assert!(EmulatedFma::fused(f32::NAN, 1.0, 1.0).is_nan());
        assert!(EmulatedFma::fused(1.0, f32::INFINITY, f32::NEG_INFINITY).is_nan());
    }
}
