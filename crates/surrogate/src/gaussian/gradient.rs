//! How predictions change with the numbers of a configuration.
//!
//! ```text
//! ∂k(x, x_i)/∂x_c = -2 w_c (x_c - x_ic) (-∂k/∂ρ)
//! ∂μ/∂x_c = Σ_π p_π Σ_i α_i ∂k/∂x_c
//! ∂σ²/∂x_c = -2 Σ_i β_i Σ_π p_π ∂k/∂x_c,   β = (K + V)⁻¹ Σ_π p_π k_π
//! ```
//!
//! The shares p of instances are held: exact where they are equal, or there is one instance.

use super::coordinates::Compared;
use super::fitted::{Gaussian, square_sum};
use super::marginal::Room;
use crate::{Points, Prediction, Slopes};

impl Gaussian {
    /// The predictions of configurations over all instances, and their slopes in the columns of numbers; 0 in
    /// others. Of many points most of the time goes by until the factor has been read from memory: once for
    /// all configurations.
    pub(super) fn slopes_at(&self, configurations: Points<'_>) -> Vec<(Prediction, Slopes)> {
        let n = self.table.len();
        let mut room = Room::default();
        let mut decays = vec![0.0; n * configurations.len()];
        let mut betas = decays.clone();
        let mut priors = Vec::with_capacity(configurations.len());
        let columns = betas.chunks_exact_mut(n).zip(decays.chunks_exact_mut(n));
        for (row, (beta, decays)) in configurations.iter().zip(columns) {
            priors.push(self.marginal(&self.point(0, row), &mut room, beta, Some(decays)));
        }
        self.factor.solve_lower(&mut betas);
        let explained: Vec<f64> = betas.chunks_exact(n).map(square_sum).collect();
        self.factor.solve_upper(&mut betas);
        let columns = betas.chunks_exact(n).zip(decays.chunks_exact(n));
        let known = priors.into_iter().zip(explained);
        let all = configurations.iter().zip(known).zip(columns);
        all.map(|((row, ((mean, prior), explained)), (beta, decays))| {
            (self.told(mean, prior - explained), self.slopes(row, beta, decays))
        })
        .collect()
    }

    fn slopes(&self, configuration: &[f64], beta: &[f64], decays: &[f64]) -> Slopes {
        let own = self.point(0, configuration);
        let mut slopes = Slopes::none(configuration.len());
        let numbers = self.law.kernel.weighted().enumerate().take(own.len());
        for (index, (coordinate, weight)) in numbers.filter(|(_, (one, _))| one.compared == Compared::Numbers)
        {
            // What is inactive stays so.
            if configuration[coordinate.column] < 0.0 {
                continue;
            }
            let (mut of_mean, mut of_variance) = (0.0, 0.0);
            for (i, other) in self.table.coordinate(index).iter().enumerate() {
                let change = -2.0 * weight * (own[index] - other) * decays[i];
                of_mean += self.alpha[i] * change;
                of_variance -= 2.0 * beta[i] * change;
            }
            slopes.mean[coordinate.column] = self.spread() * of_mean;
            slopes.variance[coordinate.column] = self.spread() * self.spread() * of_variance;
        }
        slopes
    }
}
