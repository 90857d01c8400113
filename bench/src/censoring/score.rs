//! Quality of a model's predictions of exact costs that it has not seen.
//!
//! ```text
//! rmse = sqrt(mean (y - μ)²)
//! log likelihood = mean log φ((y - μ) / σ) - log σ
//! covered = share of |y - μ| <= 1.2816 σ          80 % interval
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y | log10 of a cost |
//! | μ, σ² | mean and variance of its prediction; σ² is the variance between trees plus that within leaves, because a cost is noisy |

use math::normal::log_density;
use surrogate::{Points, Prediction, Predictor};

/// Half the width of an 80 % interval, in standard deviations.
const HALF_WIDTH: f64 = 1.281_551_565_544_600_4;

/// Smallest standard deviation of a prediction. Without it, the standard deviation would be 0 where all costs
/// are one tick of a clock, because all trees agree there.
const MIN_DEVIATION: f64 = 1e-3;

/// Rows with all columns of a training set, and the logarithms of their costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    pub(super) rows: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// Quality of a model's predictions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Score {
    pub(super) rmse: f64,
    /// Mean over individual costs, in natural logarithms.
    pub(super) log_likelihood: f64,
    /// Share of costs within the 80 % intervals.
    pub(super) covered: f64,
}

impl Score {
    /// Scores a model on costs that are not in its training set.
    pub(super) fn of(model: &dyn Predictor, exact: &Exact) -> Self {
        let points = Points::new(&exact.rows, exact.rows.len() / exact.values.len());
        let mut found = vec![Prediction::default(); points.len()];
        model.predict_total(points, &mut found);
        Self::of_predictions(&found, &exact.values)
    }

    fn of_predictions(found: &[Prediction], values: &[f64]) -> Self {
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            let each =
                found.iter().zip(values).map(|(p, y)| of(y - p.mean, p.deviation().max(MIN_DEVIATION)));
            each.sum::<f64>() / values.len() as f64
        };
        Self {
            rmse: mean(&|off, _| off * off).sqrt(),
            log_likelihood: mean(&|off, deviation| log_density(off / deviation) - deviation.ln()),
            covered: mean(&|off, deviation| if off.abs() <= HALF_WIDTH * deviation { 1.0 } else { 0.0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_matches_a_calculation_by_hand() {
        let found = [Prediction { mean: 1.0, variance: 4.0 }, Prediction { mean: 0.0, variance: 1.0 }];
        let score = Score::of_predictions(&found, &[3.0, 2.0]);
        assert_eq!(score.rmse, 2.0);
        // Normal densities at one and at two standard deviations.
        let by_hand = (0.241_970_724_519_143_37_f64 / 2.0).ln() + 0.053_990_966_513_188_06_f64.ln();
        assert!((score.log_likelihood - by_hand / 2.0).abs() < 1e-12, "{score:?}");
        assert_eq!(score.covered, 0.5);
    }
}
