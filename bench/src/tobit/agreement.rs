//! Agreement of predictions with true values: root mean squared error, and rank correlation (C. Spearman,
//! 1904).

/// Returns the root mean squared error.
pub(super) fn rmse(found: &[f64], truth: &[f64]) -> f64 {
    let squares = found.iter().zip(truth).map(|(found, truth)| (found - truth).powi(2));
    (squares.sum::<f64>() / truth.len() as f64).sqrt()
}

/// Returns the root mean squared error over true values below a limit.
pub(super) fn rmse_below(found: &[f64], truth: &[f64], limit: f64) -> f64 {
    let below = found.iter().zip(truth).filter(|(_, truth)| **truth < limit);
    let (found, truth): (Vec<f64>, Vec<f64>) = below.unzip();
    rmse(&found, &truth)
}

/// Returns the rank correlation; ties share the mean rank.
pub(super) fn rank_correlation(found: &[f64], truth: &[f64]) -> f64 {
    let (found, truth) = (ranks(found), ranks(truth));
    let middle = (truth.len() as f64 - 1.0) / 2.0;
    let sum = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - middle) * (other - middle)).sum()
    };
    sum(&found, &truth) / (sum(&found, &found) * sum(&truth, &truth)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|&&it| it < value).count() as f64;
    let same = |value: f64| values.iter().filter(|&&it| it == value).count() as f64;
    values.iter().map(|&value| below(value) + (same(value) - 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_depends_on_order_and_rmse_on_distance() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(rank_correlation(&[1.0, 10.0, 100.0], &[1.0, 2.0, 3.0]), 1.0);
        assert_eq!(rank_correlation(&[3.0, 2.0, 1.0], &[1.0, 2.0, 3.0]), -1.0);
        // Two values are tied in one list and ranked in the other: 1.5 / sqrt(1.5 * 2).
        let tied = rank_correlation(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]);
        assert!((tied - 0.75f64.sqrt()).abs() < 1e-12, "{tied}");
        assert_eq!(rmse(&[1.0, 5.0], &[1.0, 3.0]), 2f64.sqrt());
        assert_eq!(rmse_below(&[1.0, 5.0, 0.0], &[3.0, 3.0, 9.0], 9.0), 2.0);
    }
}
