//! PED-ANOVA: how far the distribution of the best configurations differs from that of all, column by column.
//!
//! ```text
//! D_j     = Σ_s q_j(s) (p_j(s) / q_j(s) - 1)²        the Pearson divergence on a grid
//! share_j = α_j² / β_j · D_j / Σ_j'                  α, β: shares of the best and of all in which j is active
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | p_j, q_j | densities of column j among the best configurations and among all, as kernel estimates |
//! | s | a point of the grid: 50 positions of a number, or every category |
//!
//! Kernels of numbers are normal, truncated to the grid, with a bandwidth by Scott's rule; a wide kernel in
//! the middle acts as a prior. Comparing with all configurations that were tried, rather than with the whole
//! space, corrects for where the search has looked. Only active values count.
//!
//! S. Watanabe, A. Bansal, F. Hutter, PED-ANOVA: Efficiently Quantifying Hyperparameter Importance in
//! Arbitrary Subspaces, 2023.

use math::normal::cdf;

/// Number of grid points of a number.
const GRID: usize = 50;
/// Added to every density, so that no ratio is undefined.
const FLOOR: f64 = 1e-12;
/// Smallest number of configurations in which a parameter must be active.
const LEAST: usize = 2;

/// The grid of one column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bins {
    /// Numbers in [0, 1] with many different values.
    Continuous,
    /// This many ordered values; value i is at (i + 1/2) / n.
    Ordered(usize),
    /// This many categories; category i is at (i + 1/2) / n.
    Categories(usize),
}

impl Bins {
    fn count(self) -> usize {
        match self {
            Self::Continuous => GRID,
            Self::Ordered(count) if count > GRID => GRID,
            Self::Ordered(count) | Self::Categories(count) => count,
        }
    }

    fn place(self, value: f64) -> usize {
        let count = self.count();
        let place = match self {
            Self::Ordered(values) if values <= GRID => value * count as f64,
            Self::Categories(_) => value * count as f64,
            // Positions halfway between two points belong to the lower one.
            _ => (value * (count - 1) as f64 - 0.5).ceil(),
        };
        (place.max(0.0) as usize).min(count - 1)
    }

    /// Returns the density on the grid, given how many values fall on each point.
    fn density(self, counts: &[f64]) -> Vec<f64> {
        let total: f64 = counts.iter().sum();
        if let Self::Categories(categories) = self {
            // Each distinct category is one kernel, mixed with a uniform prior.
            let kernels = counts.iter().filter(|&&count| count > 0.0).count() as f64 + 1.0;
            let prior = 1.0 / kernels;
            let row = 1.0 + prior * categories as f64;
            let flat = prior / row * total + 1.0 / categories as f64;
            return counts.iter().map(|count| (flat + count / row) / (total + 1.0) + FLOOR).collect();
        }
        let bandwidth = scott(counts, total);
        let (low, high) = (-0.5, counts.len() as f64 - 0.5);
        let mut density = vec![FLOOR; counts.len()];
        let prior = ((counts.len() - 1) as f64 / 2.0, counts.len() as f64, 1.0);
        let kernels = counts.iter().enumerate().map(|(place, &count)| (place as f64, bandwidth, count));
        for (centre, width, weight) in kernels.filter(|kernel| kernel.2 > 0.0).chain([prior]) {
            let mass = |from: f64, to: f64| cdf((to - centre) / width) - cdf((from - centre) / width);
            let scale = weight / (total + 1.0) / mass(low, high);
            for (place, density) in density.iter_mut().enumerate() {
                *density += scale * mass(place as f64 - 0.5, place as f64 + 0.5);
            }
        }
        density
    }
}

/// Returns the bandwidth of Scott's rule, in grid points.
fn scott(counts: &[f64], total: f64) -> f64 {
    let points = || counts.iter().enumerate().map(|(place, &count)| (place as f64, count));
    let mean = points().map(|(place, count)| place * count).sum::<f64>() / total;
    let squares: f64 = points().map(|(place, count)| count * (place - mean) * (place - mean)).sum();
    let deviation = (squares / (total - 1.0).max(1.0)).sqrt();
    let occupied: Vec<(f64, f64)> = points().filter(|&(_, count)| count > 0.0).collect();
    let quartile = |reached: &dyn Fn(f64) -> bool| {
        let mut below = 0.0;
        let found = occupied.iter().find(|(_, count)| {
            below += count;
            reached(below)
        });
        found.or(occupied.last()).map_or(0.0, |&(place, _)| place)
    };
    let (first, third) = ((total / 4.0).floor(), (total * 3.0 / 4.0).floor());
    let range = quartile(&|below| below > third) - quartile(&|below| below >= first);
    // A kernel is at least so wide that 90 % of it is on its own grid point.
    (1.059 * (range / 1.34).min(deviation) * power(total, -0.2)).max(0.5 / 1.64)
}

fn power(base: f64, exponent: f64) -> f64 {
    math::elementary::exp(exponent * math::elementary::ln(base))
}

/// Returns the share of each column. `rows` holds one row per configuration, `costs` its cost; the best
/// `quantile` of them are compared with all. All shares are 0 if nothing can be compared.
///
/// # Panics
/// If the rows do not have one value for each column.
pub fn ped_anova(columns: &[Bins], rows: &[f64], costs: &[f64], quantile: f64) -> Vec<f64> {
    let mut shares = vec![0.0; columns.len()];
    if columns.is_empty() || costs.is_empty() {
        return shares;
    }
    assert_eq!(rows.len(), costs.len() * columns.len(), "each configuration must have one value per column");
    let mut sorted = costs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = ((quantile * costs.len() as f64).ceil() as usize).clamp(1, costs.len()) - 1;
    let is_best: Vec<bool> = costs.iter().map(|cost| *cost <= sorted[last]).collect();
    let best = is_best.iter().filter(|&&best| best).count() as f64;
    for (column, (share, bins)) in shares.iter_mut().zip(columns).enumerate() {
        if bins.count() < 2 {
            continue;
        }
        let (mut among_best, mut among_all) = (vec![0.0; bins.count()], vec![0.0; bins.count()]);
        for (row, &is_best) in rows.chunks_exact(columns.len()).zip(&is_best) {
            if row[column] >= 0.0 {
                let place = bins.place(row[column]);
                among_all[place] += 1.0;
                among_best[place] += f64::from(u8::from(is_best));
            }
        }
        let (active_best, active) = (among_best.iter().sum::<f64>(), among_all.iter().sum::<f64>());
        if (active as usize) < LEAST || active_best == 0.0 {
            continue;
        }
        let (p, q) = (bins.density(&among_best), bins.density(&among_all));
        let divergence: f64 = p.iter().zip(&q).map(|(p, q)| q * (p / q - 1.0) * (p / q - 1.0)).sum();
        let (alpha, beta) = (active_best / best, active / costs.len() as f64);
        *share = alpha * alpha / beta * divergence;
    }
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        shares.iter_mut().for_each(|share| *share /= sum);
    }
    shares
}

#[cfg(test)]
mod tests;
