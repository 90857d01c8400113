//! The gradient of predictions with respect to the numeric columns of a configuration.
//!
//! ```text
//! ∂k(x, x_i)/∂x_c = -2 w_c (x_c - x_ic) (-∂k/∂ρ)
//! ∂μ/∂x_c = Σ_π p_π Σ_i α_i ∂k/∂x_c
//! ∂σ²/∂x_c = -2 Σ_i β_i Σ_π p_π ∂k/∂x_c,   β = (K + V)⁻¹ Σ_π p_π k_π
//! ```
//!
//! The shares p of instances are treated as constant. The gradient is exact if all shares are equal, or if
//! there is only one instance.

use super::coordinates::Compared;
use super::fitted::{Gaussian, square_sum};
use super::marginal::Buffers;
use crate::{Gradient, Points, Prediction};

impl Gaussian {
    /// Predicts configurations over all instances, with gradients that are 0 in categorical columns. With
    /// many points, most of the time is spent reading the factor from memory, so it is read once for all
    /// configurations.
    pub(super) fn predict_marginal_with_gradient(
        &self,
        configurations: Points<'_>,
    ) -> Vec<(Prediction, Gradient)> {
        let n = self.table.len();
        let mut buffers = Buffers::default();
        let mut decays = vec![0.0; n * configurations.len()];
        let mut betas = decays.clone();
        let mut priors = Vec::with_capacity(configurations.len());
        let columns = betas.chunks_exact_mut(n).zip(decays.chunks_exact_mut(n));
        for (row, (beta, decays)) in configurations.iter().zip(columns) {
            priors.push(self.marginal(&self.point(0, row), &mut buffers, beta, Some(decays)));
        }
        self.factor.solve_lower(&mut betas);
        let explained: Vec<f64> = betas.chunks_exact(n).map(square_sum).collect();
        self.factor.solve_upper(&mut betas);
        let columns = betas.chunks_exact(n).zip(decays.chunks_exact(n));
        let known = priors.into_iter().zip(explained);
        let all = configurations.iter().zip(known).zip(columns);
        all.map(|((row, ((mean, prior), explained)), (beta, decays))| {
            (self.restored(mean, prior - explained), self.gradient(row, beta, decays))
        })
        .collect()
    }

    fn gradient(&self, configuration: &[f64], beta: &[f64], decays: &[f64]) -> Gradient {
        let own = self.point(0, configuration);
        let mut gradient = Gradient::zeros(configuration.len());
        let numbers = self.hyperparameters.kernel.weighted().enumerate().take(own.len());
        for (index, (coordinate, weight)) in numbers.filter(|(_, (one, _))| one.compared == Compared::Numbers)
        {
            // An inactive parameter stays inactive.
            if configuration[coordinate.column] < 0.0 {
                continue;
            }
            let (mut of_mean, mut of_variance) = (0.0, 0.0);
            for (i, other) in self.table.coordinate(index).iter().enumerate() {
                let change = -2.0 * weight * (own[index] - other) * decays[i];
                of_mean += self.alpha[i] * change;
                of_variance -= 2.0 * beta[i] * change;
            }
            gradient.mean[coordinate.column] = self.spread() * of_mean;
            gradient.variance[coordinate.column] = self.spread() * self.spread() * of_variance;
        }
        gradient
    }
}
