//! The hyperbolic tangent of sixteen numbers at once.
//!
//! ```text
//! tanh x = e / (e + 2),   e = exp(2x) - 1 = 2^k p + (2^k - 1)
//! 2x = k ln 2 + r,        |r| <= ln 2 / 2,   p = exp(r) - 1 = sum of r^n / n!, n = 1..8
//! ```
//!
//! Near 0, k is 0 and e is p, so that small numbers keep their digits. There are no calls, branches or
//! tables, so that the loop over lanes can be vectorised. The bits are the same on every platform.

use crate::arithmetic::Arithmetic;
use crate::lanes::Lanes;

/// Absolute value from which the result is ±1, up to one unit in the last place.
const FLAT: f32 = 9.0;
/// ln 2 in two parts; the first has so few digits that small multiples of it are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Replaces each number by its hyperbolic tangent. NaN stays NaN.
#[inline(always)]
pub(super) fn tanh<A: Arithmetic>(lanes: &mut Lanes) {
    for lane in &mut lanes.0 {
        *lane = tanh_of::<A>(*lane);
    }
}

#[inline(always)]
fn tanh_of<A: Arithmetic>(x: f32) -> f32 {
    // Adding this leaves the nearest integer in the last bits of the sum.
    const ROUNDER: f32 = 12_582_912.0;
    let twice = 2.0 * clamped(x, FLAT);
    let shifted = A::fused(twice, std::f32::consts::LOG2_E, ROUNDER);
    let k = shifted - ROUNDER;
    let r = A::fused(k, -LN_2_LOW, A::fused(k, -LN_2_HIGH, twice));
    let mut series = 1.0 / 40_320.0;
    for factor in [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0] {
        series = A::fused(series, r, factor);
    }
    let p = A::fused(r * r, series, r);
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    let e = A::fused(power, p, power - 1.0);
    e / (e + 2.0)
}

/// Clamps a number to ±most. Unlike `clamp`, it does not check the bounds, because that check would keep
/// loops from being vectorised. NaN stays NaN.
#[inline(always)]
pub(super) fn clamped(x: f32, most: f32) -> f32 {
    let above = if x < -most { -most } else { x };
    if above > most { most } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::EmulatedFma;

    #[test]
    fn tanh_is_accurate_to_seven_digits() {
        let (mut worst, mut relative) = (0.0f64, 0.0f64);
        for i in -400_000..=400_000 {
            // The points are dense near 0 and reach far beyond `FLAT`.
            let t = f64::from(i) / 400_000.0;
            let x = (20.0 * t * t * t) as f32;
            let (found, right) = (f64::from(tanh_of::<EmulatedFma>(x)), libm::tanh(f64::from(x)));
            worst = worst.max((found - right).abs());
            if x != 0.0 {
                relative = relative.max(((found - right) / right).abs());
            }
        }
        println!("largest error {worst:.2e}, relative {relative:.2e}");
        assert!(worst < 1.5e-7 && relative < 3e-7, "{worst:e} {relative:e}");
    }

    #[test]
    fn infinities_give_one_and_nan_stays_nan() {
        let mut lanes = Lanes::ZERO;
        lanes.0[..5].copy_from_slice(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -0.0]);
        tanh::<EmulatedFma>(&mut lanes);
        let lanes = lanes.0;
        assert!((lanes[0] - 1.0).abs() < 1e-7 && (lanes[1] + 1.0).abs() < 1e-7 && lanes[2].is_nan());
        assert!(lanes[3].abs() <= 1.0 && lanes[4] == 0.0);
    }
}
