//! Quantiles of Student's t, and what they become in a resampled distribution.
//!
//! ```text
//! t(v) = z + g1/v + g2/v^2 + g3/v^3 + g4/v^4          Cornish and Fisher's expansion, v >= 7
//! tail(n) = Phi(-sqrt(n / (n - 1)) t(n - 1))          Hesterberg's expanded tail
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | z | 1.96, the normal quantile of 97.5 % |
//! | v | degrees of freedom |
//! | t(v) | the quantile of 97.5 % |
//! | n | number of units resampled |
//! | tail(n) | what to leave out at either end of n units' resamples for 95 % |
//!
//! Resampling n units understates their spread twice: its variance divides by n where n - 1 is due,
//! and it takes the variance for known. Both are mended by reading the resamples further out.
//! (T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015.)

use super::normal;

/// The quantile of 97.5 % of Student's t with `freedom` degrees of freedom, at least one; right to 4 digits.
pub(crate) fn quantile(freedom: usize) -> f64 {
    // The expansion is poor here.
    const FIRST: [f64; 6] = [12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912];
    assert!(freedom > 0, "one value has no spread");
    if let Some(&known) = FIRST.get(freedom - 1) {
        return known;
    }
    let z: f64 = 1.959_963_985;
    let (z3, z5, z7, z9) = (z.powi(3), z.powi(5), z.powi(7), z.powi(9));
    let terms = [
        (z3 + z) / 4.0,
        (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0,
        (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0,
        (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / 92_160.0,
    ];
    let v = freedom as f64;
    z + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / v)
}

/// The share of resamples of `units` units beyond either end of a 95 % interval.
pub(super) fn expanded_tail(units: usize) -> f64 {
    let n = units as f64;
    let far = (n / (n - 1.0)).sqrt() * quantile(units - 1);
    normal::cdf(-far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let tables = [
            (1, 12.7062),
            (2, 4.3027),
            (4, 2.7764),
            (5, 2.5706),
            (6, 2.4469),
            (7, 2.3646),
            (9, 2.2622),
            (30, 2.0423),
        ];
        for (freedom, known) in tables {
            assert!((quantile(freedom) - known).abs() < 1e-4, "{freedom}: {}", quantile(freedom));
        }
        assert!((quantile(1_000_000) - 1.95997).abs() < 1e-5);
    }

    #[test]
    fn tails_widen_for_few_units_and_tend_to_the_nominal_ones() {
        assert!((expanded_tail(10) - 0.008_55).abs() < 1e-4, "{}", expanded_tail(10));
        assert!((expanded_tail(100_000) - 0.025).abs() < 1e-4);
        assert!((2..200).all(|n| expanded_tail(n) < expanded_tail(n + 1)));
    }
}
