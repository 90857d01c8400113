//! Leave-one-out residuals: how far each reading is from the value predicted from all other readings.
//!
//! ```text
//! z_i = (t_i - μ₋_i) / √(v₋_i + V_i) = α_i / √A_i          A_i = (K + V)⁻¹_ii, α = (K + V)⁻¹ (t - m)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ₋, v₋ | prediction for this point from all others, at the same m and hyperparameters |
//! | t, V | the reading, and the variance of its noise |
//!
//! C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.2.

use super::fitted::Gaussian;

impl Gaussian {
    /// Returns z for each reading in the training set, in order; `None` if the trial was stopped or the
    /// reading was left out. Readings of the same configuration and instance are one point and share its z.
    /// Readings learned since the fit have no residuals, but are used in the predictions.
    pub fn residuals(&self) -> Vec<Option<f64>> {
        let n = self.table.len();
        let inverse = self.factor.inverse();
        let of = |at: usize| self.alpha[at] / inverse[at * n + at].sqrt();
        self.exact_places.iter().map(|place| place.map(of)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GaussianSettings, GaussianTrainer};
    use super::*;
    use crate::Reading::{AtLeast, Exact};
    use crate::{Column, InstanceTable, Scale, TrainingSet};
    use linalg::Factor;

    /// Computes the residual of a point by fitting all other points.
    fn left_out(fitted: &Gaussian, out: usize) -> f64 {
        let others: Vec<usize> = (0..fitted.table.len()).filter(|&at| at != out).collect();
        let of = |a: usize, b: usize| {
            fitted.hyperparameters.kernel.covariance(fitted.hyperparameters.kernel.square(
                0,
                &fitted.table.point(a),
                &fitted.table.point(b),
            ))
        };
        let pairs = others.iter().flat_map(|&a| others.iter().map(move |&b| (a, b)));
        let matrix: Vec<f64> = pairs.map(|(a, b)| of(a, b)).collect();
        let noise: Vec<f64> = others.iter().map(|&at| fitted.sites[at].variance).collect();
        let own: Vec<f64> = others.iter().map(|&at| of(at, out)).collect();
        let mut weights = own.clone();
        Factor::new(&matrix, &noise).unwrap().solve(&mut weights);
        let known = |at: usize| fitted.sites[at].target - fitted.mean;
        let mean: f64 = others.iter().zip(&weights).map(|(&at, weight)| weight * known(at)).sum();
        let explained: f64 = own.iter().zip(&weights).map(|(k, weight)| k * weight).sum();
        (known(out) - mean) / (of(out, out) - explained + fitted.sites[out].variance).sqrt()
    }

    #[test]
    fn residuals_match_leaving_points_out_one_by_one() {
        let alike = InstanceTable::alike();
        let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
        for i in 0..12 {
            let x = f64::from(i) / 11.0;
            let value = libm::sin(5.0 * x) + 0.3 * libm::sin(100.0 * x);
            let number = data.push_configuration(&[x]);
            data.push(number, 0, if i == 4 { AtLeast(value) } else { Exact(value) });
            if i == 7 {
                data.push(number, 0, Exact(value + 0.2));
            }
        }
        let fitted = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&data).unwrap();
        let residuals = fitted.residuals();
        assert_eq!(residuals.len(), data.len());
        assert_eq!(residuals[4], None, "stopped");
        assert_eq!(residuals[7], residuals[8], "one point");
        // The repeated reading shares the point of an earlier one.
        for (at, residual) in residuals.iter().enumerate().filter(|(at, _)| *at != 4 && *at != 8) {
            let known = left_out(&fitted, if at > 8 { at - 1 } else { at });
            let found = residual.unwrap();
            assert!((found - known).abs() < 1e-6 * known.abs().max(1.0), "{at}: {found} {known}");
        }
    }
}
