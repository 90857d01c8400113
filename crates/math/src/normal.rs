//! The standard normal distribution, accurate far into its tails.
//!
//! ```text
//! erfcx(x) = exp(x²) erfc(x)              scaled complementary error function; no underflow for x > 0
//! log Φ(z) = ln(erfcx(-z/√2) / 2) - z²/2  z < 0
//!            ln1p(-erfc(z/√2) / 2)        z >= 0
//! hazard(z) = φ(z) / (1 - Φ(z)) = √(2/π) / erfcx(z/√2)
//! r(z)      = Φ(z) / φ(z)       = √(π/2) erfcx(-z/√2)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | φ, Φ | density and cumulative distribution function |
//! | hazard | the inverse Mills ratio: the mean of the values above z |
//!
//! The rational approximations of erfcx on three intervals are those of W. J. Cody, Rational Chebyshev
//! Approximations for the Error Function, Mathematics of Computation 23, 1969. The direct formula, `ln` of
//! the distribution function, is infinite below -38 and has no correct digit above 8.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};

/// ln √(2π).
pub const LN_SQRT_2_PI: f64 = 0.918_938_533_204_672_8;
/// √(2/π).
const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// Returns Φ(z), the cumulative distribution function.
pub fn cdf(z: f64) -> f64 {
    libm::erfc(-z * FRAC_1_SQRT_2) / 2.0
}

/// Returns the logarithm of the density.
pub fn log_density(z: f64) -> f64 {
    -z * z / 2.0 - LN_SQRT_2_PI
}

/// Returns the logarithm of the distribution function; finite for every z whose square does not
/// overflow.
pub fn log_cdf(z: f64) -> f64 {
    if z >= 0.0 {
        return libm::log1p(-libm::erfc(z * FRAC_1_SQRT_2) / 2.0);
    }
    libm::log(erfcx(-z * FRAC_1_SQRT_2)) - LN_2 - z * z / 2.0
}

/// Returns the logarithm of the probability above z.
pub fn log_survival(z: f64) -> f64 {
    log_cdf(-z)
}

/// Returns φ(z) / (1 - Φ(z)).
pub fn hazard(z: f64) -> f64 {
    if z < 0.0 {
        return libm::exp(log_density(z)) / cdf(-z);
    }
    SQRT_2_OVER_PI / erfcx(z * FRAC_1_SQRT_2)
}

/// Returns Φ(z) / φ(z); infinite if the quotient overflows, from about z = 37.
pub fn cdf_over_density(z: f64) -> f64 {
    (PI / 2.0).sqrt() * erfcx(-z * FRAC_1_SQRT_2)
}

/// Returns the quantile z of a probability, given the logarithm of the probability.
///
/// The quantile is the root of log Φ(z) = l, found by Halley's method in the lower half of the distribution;
/// the upper half is its mirror image. The probabilities 0 and 1 give -∞ and +∞.
pub fn quantile_of_log(log_probability: f64) -> f64 {
    if log_probability.is_nan() || log_probability > 0.0 {
        return f64::NAN;
    }
    if log_probability > -LN_2 {
        // 1 - probability, without cancellation.
        return -lower_quantile(libm::log(-libm::expm1(log_probability)));
    }
    lower_quantile(log_probability)
}

/// Returns the quantile of a probability of at most one half.
fn lower_quantile(l: f64) -> f64 {
    if l == f64::NEG_INFINITY {
        return l;
    }
    // The starting value is linear near the middle. In the tail, it follows from Φ(z) ≈ φ(z)/|z|, with z² ≈
    // -2 l inserted for |z|.
    let mut z = if l > -3.0 {
        let probability = libm::exp(l);
        let t = (-2.0 * l).sqrt();
        if probability > 0.3 { (probability - 0.5) / 0.39 } else { -(t - 1.1 / t.max(1.0) + 0.05) }
    } else {
        let square = -2.0 * (l + LN_SQRT_2_PI);
        -(square - libm::log(square.max(1.0))).max(0.5).sqrt()
    };
    for _ in 0..20 {
        // The first derivative of log Φ is g = φ/Φ, and the second is -g (g + z).
        let slope = hazard(-z);
        let newton = (log_cdf(z) - l) / slope;
        let step = newton / (1.0 + newton * (slope + z) / 2.0).max(0.5);
        z = (z - step).min(0.0);
        if step.abs() <= 1e-15 * z.abs().max(1.0) {
            break;
        }
    }
    z
}

/// Returns exp(x²) erfc(x); infinite below -26.6.
pub fn erfcx(x: f64) -> f64 {
    const NEAR: ([f64; 5], [f64; 4]) = (
        [
            0.185_777_706_184_603_15,
            3.161_123_743_870_565_5,
            113.864_154_151_050_16,
            377.485_237_685_302,
            3_209.377_589_138_469_4,
        ],
        [23.601_290_952_344_122, 244.024_637_934_444_17, 1_282.616_526_077_372_3, 2_844.236_833_439_171],
    );
    const MIDDLE: ([f64; 9], [f64; 8]) = (
        [
            2.153_115_354_744_038_3e-08,
            0.564_188_496_988_670_1,
            8.883_149_794_388_377,
            66.119_190_637_141_63,
            298.635_138_197_400_1,
            881.952_221_241_769,
            1_712.047_612_634_070_7,
            2_051.078_377_826_071_6,
            1_230.339_354_797_997_2,
        ],
        [
            15.744_926_110_709_835,
            117.693_950_891_312_5,
            537.181_101_862_009_9,
            1_621.389_574_566_690_3,
            3_290.799_235_733_459_7,
            4_362.619_090_143_247,
            3_439.367_674_143_721_6,
            1_230.339_354_803_749_5,
        ],
    );
    const FAR: ([f64; 6], [f64; 5]) = (
        [
            0.016_315_387_137_302_097,
            0.305_326_634_961_232_36,
            0.360_344_899_949_804_45,
            0.125_781_726_111_229_26,
            0.016_083_785_148_742_275,
            0.000_658_749_161_529_837_8,
        ],
        [
            2.568_520_192_289_822,
            1.872_952_849_923_467_3,
            0.527_905_102_951_428_5,
            0.060_518_341_312_441_32,
            0.002_335_204_976_268_691_8,
        ],
    );
    let size = x.abs();
    let scaled = if size <= 0.46875 {
        let square = x * x;
        let erf = x * ratio(&NEAR.0, &NEAR.1, square);
        return libm::exp(square) * (1.0 - erf);
    } else if size <= 4.0 {
        ratio(&MIDDLE.0, &MIDDLE.1, size)
    } else {
        const INVERSE_SQRT_PI: f64 = 0.564_189_583_547_756_3;
        let inverse = 1.0 / (size * size);
        (INVERSE_SQRT_PI - inverse * ratio(&FAR.0, &FAR.1, inverse)) / size
    };
    if x < 0.0 { 2.0 * libm::exp(x * x) - scaled } else { scaled }
}

/// Returns the quotient of two polynomials, highest power first; the denominator's leading coefficient, which
/// is 1, is left out.
fn ratio(numerator: &[f64], denominator: &[f64], x: f64) -> f64 {
    let above = numerator.iter().fold(0.0, |sum, c| sum * x + c);
    let below = denominator.iter().fold(1.0, |sum, c| sum * x + c);
    above / below
}

/// Returns ln(1 - e^-x) for x > 0, without cancellation at either end.
pub fn log_one_minus_exp(x: f64) -> f64 {
    if x > LN_2 { libm::log1p(-libm::exp(-x)) } else { libm::log(-libm::expm1(-x)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z, log Φ(z), hazard(z), erfcx(z): computed with 60 digits and rounded to the nearest double.
    const KNOWN: [(f64, f64, f64, f64); 30] = [
        (-40.0, -804.608_442_013_753_8, 0.0, f64::INFINITY),
        (-38.5, -745.695_270_290_411, 5.4e-323, f64::INFINITY),
        (-30.0, -454.321_243_956_343_2, 1.473_646_134_878_547_6e-196, f64::INFINITY),
        (-20.25, -208.960_767_287_649_25, 3.605_533_815_727_584_7e-90, 2.448_561_300_090_112_7e+178),
        (-12.0, -75.410_673_001_568_8, 2.146_383_735_663_060_5e-32, 6.909_321_313_435_092e+62),
        (-8.0, -35.013_437_159_914_55, 5.052_271_083_536_895e-15, 1.247_029_816_162_323_3e+28),
        (-6.5, -23.938_149_495_161_838, 2.669_556_614_870_061e-10, 4.466_546_463_040_817e+18),
        (-5.0, -15.064_998_393_988_725, 1.486_719_940_904_905_6e-06, 144_009_798_674.661_04),
        (-3.75, -9.333_443_073_489_201, 0.000_352_626_860_677_155_34, 2_560_331.047_938_846),
        (-2.5, -5.081_648_277_278_69, 0.017_637_825_486_916_735, 1_035.814_842_972_623),
        (-1.0, -1.841_021_645_009_263_6, 0.287_599_970_939_178_4, 5.008_980_080_762_283),
        (-0.6, -1.293_703_811_614_028, 0.459_147_136_614_286_74, 2.298_854_111_734_093_5),
        (-0.3, -0.962_102_818_168_850_7, 0.617_220_853_612_734_5, 1.453_749_232_842_765_5),
        (-0.001, -0.693_945_383_466_965_2, 0.797_248_050_056_433_1, 1.001_129_379_919_848_6),
        (0.0, -LN_2, 0.797_884_560_802_865_4, 1.0),
        (0.001, -0.692_349_614_272_688_3, 0.798_521_289_562_911_4, 0.998_872_620_081_151_4),
        (0.25, -0.512_984_075_409_430_5, 0.963_553_979_416_403_9, 0.770_346_547_730_996_8),
        (0.7, -0.277_023_942_277_131_3, 1.290_499_339_458_166_5, 0.525_930_337_349_441),
        (1.0, -0.172_753_779_023_449_88, 1.525_135_276_160_981, 0.427_583_576_155_807),
        (2.0, -0.023_012_909_328_963_49, 2.373_215_532_822_841, 0.255_395_676_310_505_75),
        (3.3, -0.000_483_541_029_506_72, 3.563_266_266_677_637, 0.164_007_297_572_932_64),
        (5.2, -9.964_426_813_382_464e-08, 5.380_174_607_329_99, 0.106_593_897_415_364_32),
        (6.0, -9.865_876_455_243_758e-10, 6.158_482_604_544_599, 0.092_776_567_800_538_35),
        (8.0, -6.220_960_574_271_786e-16, 8.121_368_112_236_112, 0.069_985_166_200_880_92),
        (10.0, -7.619_853_024_160_525e-24, 10.098_093_233_962_512, 0.056_140_992_743_822_59),
        (15.5, -1.734_460_791_793_870_2e-54, 15.563_989_900_265_256, 0.036_324_043_059_485_43),
        (22.0, -1.439_892_435_145_079e-107, 22.045_268_628_037_7, 0.025_618_570_005_879_453),
        (30.0, -4.906_713_927_148_187e-198, 30.033_259_667_433_676, 0.018_795_888_861_416_75),
        (37.5, -4.605_353_009_581_955e-308, 37.526_628_874_883_656, 0.015_039_711_904_042_885),
        (40.0, -0.0, 40.024_968_847_207_26, 0.014_100_335_983_377_814),
    ];

    fn assert_near(found: f64, known: f64, tolerance: f64, what: &str) {
        // Subnormal numbers have fewer digits.
        let near = found == known || (found - known).abs() <= tolerance * known.abs() || known.abs() < 1e-307;
        assert!(near && found.is_nan() == known.is_nan(), "{what}: {found:e}, not {known:e}");
    }

    #[test]
    fn values_are_correct_from_minus_forty_to_forty() {
        for (z, log, mills, scaled) in KNOWN {
            assert_near(log_cdf(z), log, 2e-12, &format!("log Φ({z})"));
            assert_near(log_survival(-z), log, 2e-12, &format!("log survival of {}", -z));
            assert_near(hazard(z), mills, 1e-12, &format!("hazard({z})"));
            assert_near(erfcx(z), scaled, 1e-12, &format!("erfcx({z})"));
            assert_near(cdf(z), libm::exp(log), 1e-12, &format!("Φ({z})"));
        }
    }

    #[test]
    fn quantiles_are_correct_and_invert_the_distribution() {
        let known = [
            (-1e-300, 37.047_096_299_361_2),
            (-1e-20, 9.262_340_089_798_408),
            (-1e-8, 5.612_001_245_039_789),
            (-0.001, 3.090_380_786_917_045),
            (-0.1, 1.309_617_799_458_493_2),
            (-0.5, 0.270_288_020_738_735_85),
            (-0.7, -0.008_559_478_582_480_338),
            (-1.0, -0.337_474_963_764_202_46),
            (-1.5, -0.761_664_412_639_273_5),
            (-2.9, -1.597_984_439_711_636),
            (-3.1, -1.694_878_853_601_008),
            (-5.0, -2.470_938_637_261_588_4),
            (-20.0, -5.879_209_356_485_336),
            (-100.0, -13.888_476_033_003_886),
            (-804.6, -39.999_789_080_760_67),
            (-1e6, -1_414.207_782_991_017_3),
        ];
        for (log_probability, z) in known {
            let what = format!("quantile of e^{log_probability}");
            assert_near(quantile_of_log(log_probability), z, 1e-12, &what);
        }
        for i in -4000..=400 {
            let z = f64::from(i) / 100.0;
            assert!((quantile_of_log(log_cdf(z)) - z).abs() < 1e-10 * z.abs().max(1.0), "{z}");
        }
    }

    #[test]
    fn the_ends_are_defined() {
        assert_eq!(quantile_of_log(0.0), f64::INFINITY);
        assert_eq!(quantile_of_log(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert!(quantile_of_log(0.1).is_nan());
        assert_eq!((log_cdf(50.0), hazard(-50.0)), (0.0, 0.0));
        assert!(log_cdf(-1e6).is_finite() && hazard(1e6).is_finite());
        assert!((log_one_minus_exp(1e-20) - libm::log(1e-20)).abs() < 1e-12);
        assert_eq!(log_one_minus_exp(800.0), 0.0);
    }
}
