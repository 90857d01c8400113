//! Exponential and logarithm with bit-identical results on every platform. Both functions contain no calls,
//! branches or tables, so loops over them can be vectorised.
//!
//! | function | reduction | series | error |
//! |---|---|---|---|
//! | [`exp`] | x = k ln 2 + r, \|r\| <= ln 2 / 2 | e^r = sum of r^n / n!, n <= 13 | 1 ulp |
//! | [`ln`] | x = 2^k m, m in [1/sqrt 2, sqrt 2) | ln m = 2 artanh s, s = (m - 1) / (m + 1), up to s^19 | 1 ulp |
//!
//! Both are valid only for arguments [of ordinary size](is_ordinary_exponent). Code that cannot guarantee
//! this uses `libm`.

/// ln 2 in two parts; the first has so few digits that small integer multiples of it are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Returns whether [`exp`] is valid for x, and [`ln`] for the exponential of x.
pub fn is_ordinary_exponent(x: f64) -> bool {
    x.abs() < 700.0
}

/// Returns e to the power x.
// Callers compile their loops for specific instruction sets, so this must always be inlined into them.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Adding this constant leaves the nearest integer in the last bits of the sum.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let (r2, r4) = (r * r, r * r * (r * r));
    // The terms of the series are paired, so that the pairs can be summed in parallel.
    let low = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
    let middle = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40_320.0 + r * (1.0 / 362_880.0));
    let high = (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0))
        + r2 * (1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0));
    let fraction = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)));
    fraction * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// Returns the natural logarithm of x.
#[inline]
pub fn ln(x: f64) -> f64 {
    const EXPONENT: u64 = 0xfff << 52;
    // Writing an integer below 2^52 into the last bits of 2^52 gives their sum.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    // The offset is relative to 1/sqrt 2, shifted by 1024 exponents so that the subtraction never borrows.
    let offset = x.to_bits().wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits()).wrapping_add(1024 << 52);
    let k = f64::from_bits((offset >> 52) | WHOLE.to_bits()) - (WHOLE + 1024.0);
    let m = f64::from_bits(x.to_bits().wrapping_sub((offset & EXPONENT).wrapping_sub(1024 << 52)));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let (z, z2) = (s * s, s * s * (s * s));
    let low = (2.0 / 3.0 + z * (2.0 / 5.0)) + z2 * (2.0 / 7.0 + z * (2.0 / 9.0));
    let high = (2.0 / 11.0 + z * (2.0 / 13.0)) + z2 * (2.0 / 15.0 + z * (2.0 / 17.0));
    let rest = z * (low + z2 * z2 * (high + z2 * z2 * (2.0 / 19.0)));
    // 2 s + s rest, expressed through f, which is exact.
    k * LN_2_HIGH + (f - (s * (f - rest) - k * LN_2_LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn both_are_accurate_to_one_ulp() {
        let mut rng = Rng::new(1, "elementary", 0);
        for i in 0..400_000 {
            let x = (2.0 * rng.unit() - 1.0) * [700.0, 30.0, 1.0, 1e-3][i % 4];
            let power = exp(x);
            assert!(ulps(power, libm::exp(x)) <= 1, "exp {x:?}");
            assert!(ulps(ln(power), libm::log(power)) <= 1, "ln {power:?}");
        }
        assert_eq!((exp(0.0), ln(1.0), ln(2.0)), (1.0, 0.0, std::f64::consts::LN_2));
    }

    #[test]
    fn bits_match_the_recorded_ones() {
        let bits =
            [exp(-699.5), exp(0.1), exp(33.3), ln(1e-300), ln(0.7), ln(1.5), ln(1e300)].map(f64::to_bits);
        insta::assert_snapshot!(format!("{bits:x?}"), @"[dc89c2e339b392, 3ff1aec7b35a00d4, 42f078401f5a3ec8, c085963447f87fb5, bfd6d3c324e13f50, 3fd9f323ecbf984c, 4085963447f87fb5]");
    }
}
