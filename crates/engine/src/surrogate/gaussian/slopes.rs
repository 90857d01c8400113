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
use crate::surrogate::{Prediction, Slopes};

impl Gaussian {
    /// The prediction over all instances, and its slopes in the columns of numbers; 0 in others.
    pub(super) fn slopes_at(&self, configuration: &[f64], slopes: &mut Slopes) -> Prediction {
        let n = self.table.len();
        let own = self.point(0, configuration);
        let mut each = vec![0.0; n * self.instances.len()];
        let (mean, shares) = self.over_instances(&own, &mut each);
        let mut beta = vec![0.0; n];
        for (share, covariances) in shares.iter().zip(each.chunks_exact(n)) {
            beta.iter_mut().zip(covariances).for_each(|(sum, k)| *sum += share * k);
        }
        self.factor.solve_lower(&mut beta);
        let variance = self.prior_variance(&shares) - square_sum(&beta);
        self.factor.solve_upper(&mut beta);
        // Σ_π p_π (-∂k/∂ρ), in the place of the covariances.
        let mut decays = vec![0.0; n];
        let mut point = own.clone();
        for (share, instance) in shares.iter().zip(&self.instances) {
            point.truncate(own.len());
            point.extend_from_slice(instance);
            let squares = &mut each[..n];
            self.kernel.squares(&self.table, 0, &point, squares);
            decays
                .iter_mut()
                .zip(squares)
                .for_each(|(sum, square)| *sum += share * self.kernel.decay(*square));
        }
        slopes.reset(configuration.len());
        let numbers = self.kernel.weighted().enumerate().take(own.len());
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
        self.told(mean, variance)
    }
}
