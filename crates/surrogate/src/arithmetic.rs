//! One arithmetic for all processors: products are added with a single rounding.
//!
//! ```text
//! fused(a, b, c) = round(a b + c)
//! ```
//!
//! That is what the instructions of every processor of the last ten years do, so that sums in a fixed
//! order have the same bits on all of them. Where the instruction is missing the rounding is done by hand:
//! the product of two singles is exact in a double, and a sum whose last bit is set whenever something was
//! cut off rounds to the right single.
//!
//! S. Boldo, G. Melquiond, Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding
//! to Odd, IEEE Transactions on Computers 57, 2008.

use super::lanes::{LANES, Lanes, Square, turned};

/// How products are added and squares are turned, and how many sums the registers hold.
pub(super) trait Arithmetic: Copy {
    /// Sums of sixteen lanes that are run side by side.
    const SUMS: usize;

    /// a b + c, rounded once.
    fn fused(a: f32, b: f32, c: f32) -> f32;

    /// sum + factor x, lane by lane.
    #[inline(always)]
    fn add_product(mut sum: Lanes, factor: f32, x: &[f32; LANES]) -> Lanes {
        for (sum, &x) in sum.0.iter_mut().zip(x) {
            *sum = Self::fused(factor, x, *sum);
        }
        sum
    }

    /// Rows become columns.
    #[inline(always)]
    fn turned(rows: &Square) -> Square {
        turned(rows)
    }
}

/// By the instruction for it, with registers for so many sums.
#[derive(Clone, Copy)]
pub(super) struct Instruction<const SUMS: usize>;

impl<const SUMS: usize> Arithmetic for Instruction<SUMS> {
    const SUMS: usize = SUMS;

    #[inline(always)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// By hand: the same bits, many times slower.
#[derive(Clone, Copy)]
pub(super) struct ByHand;

impl Arithmetic for ByHand {
    const SUMS: usize = 1;

    // Slow anyway, and long: once is enough.
    #[inline(never)]
    fn fused(a: f32, b: f32, c: f32) -> f32 {
        let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = product + c;
        let second = sum - product;
        let cut_off = (product - (sum - second)) + (c - second);
        let bits = sum.to_bits();
        // What is not a number compares with nothing and is left alone.
        let inexact = cut_off.abs() > 0.0;
        let away = (cut_off > 0.0) == (sum > 0.0);
        let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
        f64::from_bits(if inexact & (bits & 1 == 0) { odd } else { bits }) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    #[test]
    fn by_hand_is_as_by_instruction() {
        let mut rng = Rng::new(1, "fused", 0);
        let (mut twice_rounded, mut most) = (0, 0);
        for i in 0..1_000_000 {
            // Short numbers meet the middle between two singles often; exponents near and far.
            let mut draw = |spread: usize| {
                let digits = (rng.bits() & 0xff_ffff) >> [0, 8, 16][i % 3] << [0, 8, 16][i % 3];
                let exponent = rng.below(2 * spread + 1) as i32 - spread as i32;
                let sign = if rng.below(2) == 0 { -1.0 } else { 1.0 };
                (sign * digits as f64 * libm::exp2(f64::from(exponent - 24))) as f32
            };
            let (a, b, c) = (draw(2), draw(2), draw([3, 30, 60][i / 3 % 3]));
            let (a, b) = if i % 7 == 0 { (a * 1e-20, b * 1e-20) } else { (a, b) };
            let (found, right) = (ByHand::fused(a, b, c), Instruction::<1>::fused(a, b, c));
            assert_eq!(found.to_bits(), right.to_bits(), "{a:e} {b:e} {c:e}: {found:e} {right:e}");
            most += 1;
            twice_rounded += u32::from(((f64::from(a) * f64::from(b) + f64::from(c)) as f32) != right);
        }
        println!("{twice_rounded} of {most} would be wrong if rounded twice");
        assert!(twice_rounded > 0);
    }

    #[test]
    fn what_is_no_number_or_too_large_stays_so() {
        let huge = f32::MAX;
        assert_eq!(ByHand::fused(huge, huge, 0.0), f32::INFINITY);
        assert_eq!(ByHand::fused(-huge, huge, 1.0), f32::NEG_INFINITY);
        assert_eq!(ByHand::fused(1.0, f32::NEG_INFINITY, 1.0), f32::NEG_INFINITY);
        assert_eq!(ByHand::fused(1.0, f32::INFINITY, 1.0), f32::INFINITY);
        assert!(ByHand::fused(f32::NAN, 1.0, 1.0).is_nan());
        assert!(ByHand::fused(1.0, f32::INFINITY, f32::NEG_INFINITY).is_nan());
    }
}
