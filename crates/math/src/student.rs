//! Quantiles of Student's t, and the tails of bootstrap intervals that correspond to them.
//!
//! ```text
//! t(v) = z + g1/v + g2/v^2 + g3/v^3 + g4/v^4          Cornish-Fisher expansion, v >= 7
//! t(v, p): (1 + A(v, t)) / 2 = p                      any confidence p, by bisection if v <= 30
//! A(v, t) = sin a (1 + cos^2 a / 2 + 3 cos^4 a / 8 + ..., to cos^(v-2) a)                        v even
//!           2/pi (a + sin a (cos a + 2 cos^3 a / 3 + 8 cos^5 a / 15 + ..., to cos^(v-2) a))      v odd
//! tail(n) = Phi(-sqrt(n / (n - 1)) t(n - 1))          Hesterberg's expanded tail
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | z | the normal quantile: 1.96 for 97.5 % |
//! | A(v, t) | the probability between -t and t, with a = arctan(t / sqrt v) |
//! | v | degrees of freedom |
//! | t(v) | the 97.5 % quantile |
//! | n | number of units resampled |
//! | tail(n) | the share of the resamples of n units to cut off at either end for a 95 % interval |
//!
//! The bootstrap of n units understates their spread in two ways: its variance divides by n instead of n - 1,
//! and it treats the variance as known. Taking quantiles further out corrects both.
//! (T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015.)

use super::normal;

/// Returns the 97.5 % quantile of Student's t with `freedom` degrees of freedom, correct to 4 digits.
///
/// # Panics
/// If there are no degrees of freedom.
pub fn quantile(freedom: usize) -> f64 {
    // The expansion is inaccurate for few degrees of freedom.
    const FIRST: [f64; 6] = [12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912];
    assert!(freedom > 0, "at least one degree of freedom is needed");
    if let Some(&known) = FIRST.get(freedom - 1) {
        return known;
    }
    expansion(1.959_963_985, freedom)
}

/// Returns the quantile of Student's t for a confidence above 0.5 and below 1.
///
/// # Panics
/// If there are no degrees of freedom, or the confidence is out of range.
pub fn quantile_of(freedom: usize, confidence: f64) -> f64 {
    assert!(freedom > 0, "at least one degree of freedom is needed");
    assert!(confidence > 0.5 && confidence < 1.0, "a confidence must be above 0.5 and below 1");
    if confidence == 0.975 {
        return quantile(freedom);
    }
    if freedom > MOST_TERMS {
        return expansion(normal::quantile_of_log(libm::log(confidence)), freedom);
    }
    let probability = 2.0 * confidence - 1.0;
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if probability_within(freedom, middle) < probability { low = middle } else { high = middle }
    }
    libm::tan((low + high) / 2.0) * (freedom as f64).sqrt()
}

/// Largest number of degrees of freedom for which the exact sum is used instead of the expansion.
const MOST_TERMS: usize = 30;

/// Returns the probability between -t and t, given the angle of t.
fn probability_within(freedom: usize, angle: f64) -> f64 {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let is_odd = freedom % 2 == 1;
    let (mut term, first) = if is_odd { (cosine, 3) } else { (1.0, 2) };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    for divisor in (first..freedom.saturating_sub(1)).step_by(2) {
        term *= cosine * cosine * (divisor - 1) as f64 / divisor as f64;
        sum += term;
    }
    if is_odd { (angle + sine * sum) * std::f64::consts::FRAC_2_PI } else { sine * sum }
}

fn expansion(z: f64, freedom: usize) -> f64 {
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

/// Returns the share of the resamples of `units` units that lies beyond each end of a 95 % interval.
pub fn expanded_tail(units: usize) -> f64 {
    let n = units as f64;
    let far = (n / (n - 1.0)).sqrt() * quantile(units - 1);
    normal::cdf(-far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_match_the_tables() {
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
    fn quantiles_of_other_confidences_match_the_tables() {
        let tables = [
            (1, 0.9, 3.0777),
            (2, 0.9, 1.8856),
            (3, 0.9, 1.6377),
            (3, 0.99, 4.5407),
            (4, 0.95, 2.1318),
            (7, 0.995, 3.4995),
            (10, 0.8, 0.8791),
            (30, 0.95, 1.6973),
            (60, 0.99, 2.3901),
        ];
        for (freedom, confidence, known) in tables {
            let found = quantile_of(freedom, confidence);
            assert!((found - known).abs() < 1e-4, "{freedom}, {confidence}: {found}");
        }
        for freedom in [1, 2, 3, 6, 7, 20, 30, 31, 500] {
            let near = quantile_of(freedom, 0.975 + 1e-12);
            assert!((near - quantile(freedom)).abs() < 2e-4, "{freedom}: {near}");
        }
    }

    #[test]
    fn tails_shrink_with_fewer_units_and_approach_the_nominal_ones_with_many() {
        assert!((expanded_tail(10) - 0.008_55).abs() < 1e-4, "{}", expanded_tail(10));
        assert!((expanded_tail(100_000) - 0.025).abs() < 1e-4);
        assert!((2..200).all(|n| expanded_tail(n) < expanded_tail(n + 1)));
    }
}
