//! What is measured of a model on exact costs that it has not seen.
//!
//! ```text
//! rmse = sqrt(mean (y - μ)²)
//! log likelihood = mean log φ((y - μ) / σ) - log σ
//! covered = share of |y - μ| <= 1.2816 σ          an interval of 80 %
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y | log10 of a cost |
//! | μ, σ² | mean and variance of its prediction, between trees and within leaves: an observation is noisy |

use math::normal::log_density;
use surrogate::{Points, Prediction, Predictor};

/// The half width of an interval of 80 %, in deviations.
const WIDTH: f64 = 1.281_551_565_544_600_4;

/// The least deviation that a cost is predicted with: where all costs are one tick of a clock, trees agree.
const LEAST: f64 = 1e-3;

/// Rows of all columns of a training set, with the logarithms of their costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    pub(super) rows: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// How well a model predicts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Score {
    pub(super) rmse: f64,
    /// The mean of single costs, in natural logarithms.
    pub(super) log_likelihood: f64,
    /// The share within intervals of 80 %.
    pub(super) covered: f64,
}

impl Score {
    /// Of a model on costs that are not of its training set.
    pub(super) fn of(model: &dyn Predictor, exact: &Exact) -> Self {
        let points = Points::new(&exact.rows, exact.rows.len() / exact.values.len());
        let mut found = vec![Prediction::default(); points.len()];
        model.predict_total(points, &mut found);
        Self::of_predictions(&found, &exact.values)
    }

    fn of_predictions(found: &[Prediction], values: &[f64]) -> Self {
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            let each = found.iter().zip(values).map(|(p, y)| of(y - p.mean, p.deviation().max(LEAST)));
            each.sum::<f64>() / values.len() as f64
        };
        Self {
            rmse: mean(&|off, _| off * off).sqrt(),
            log_likelihood: mean(&|off, deviation| log_density(off / deviation) - deviation.ln()),
            covered: mean(&|off, deviation| if off.abs() <= WIDTH * deviation { 1.0 } else { 0.0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_one_done_by_hand() {
        let found = [Prediction { mean: 1.0, variance: 4.0 }, Prediction { mean: 0.0, variance: 1.0 }];
        let score = Score::of_predictions(&found, &[3.0, 2.0]);
        assert_eq!(score.rmse, 2.0);
        // Densities of the normal law at one and at two deviations.
        let by_hand = (0.241_970_724_519_143_37_f64 / 2.0).ln() + 0.053_990_966_513_188_06_f64.ln();
        assert!((score.log_likelihood - by_hand / 2.0).abs() < 1e-12, "{score:?}");
        assert_eq!(score.covered, 0.5);
    }
}
