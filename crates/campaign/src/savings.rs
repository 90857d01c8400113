//! Estimates how much trial time capping has saved.
//!
//! The cost that a capped trial would have had is unknown. This cost is estimated from all readings so far by
//! the product-limit estimator (Kaplan and Meier, 1958) on a logarithmic grid of costs:
//!
//! ```text
//! S(j)        = prod over k <= j of (1 - exact_k / at_risk_k)
//! E[C | C > c_j] = c_j + sum over k > j of (c_k - c_{k-1}) S(k-1) / S(j)
//! factor      = (spent + sum over capped trials of E[C | C > cap] - cap) / spent
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | c_k | k-th point of the grid; the last one is the cutoff, where every trial ends |
//! | exact_k, at_risk_k | trials that ended in cell k; trials whose reading is in cell k or above |

use engine::{Observation, Reading, Status};

/// Number of cells in the grid.
const CELLS: usize = 256;
/// Number of decades below the cutoff that the grid covers.
const DECADES: f64 = 8.0;

/// Counts of readings by cost.
#[derive(Clone, Debug)]
pub(crate) struct Savings {
    cutoff: f64,
    exact: Vec<u64>,
    capped: Vec<u64>,
    /// Number of timeouts. A timeout ends at the cutoff, whatever its cap, and leaves the risk set there.
    timeouts: u64,
    spent: f64,
}

impl Savings {
    /// Creates an estimator without readings.
    pub(crate) fn new(cutoff: f64) -> Self {
        Self { cutoff, exact: vec![0; CELLS], capped: vec![0; CELLS], timeouts: 0, spent: 0.0 }
    }

    fn cell(&self, cost: f64) -> usize {
        let decades = DECADES + (cost / self.cutoff).log10();
        ((decades / DECADES * CELLS as f64).max(0.0) as usize).min(CELLS - 1)
    }

    /// Returns the upper end of a cell.
    fn point(&self, cell: usize) -> f64 {
        let decades = (cell + 1) as f64 / CELLS as f64 * DECADES - DECADES;
        self.cutoff * 10f64.powf(decades)
    }

    /// Adds a trial.
    pub(crate) fn add(&mut self, observation: &Observation) {
        self.spent += observation.spent();
        match (observation.status(), observation.cost()) {
            (Status::Timeout, _) => self.timeouts += 1,
            (_, Some(Reading::Exact(cost))) => {
                let cell = self.cell(cost);
                self.exact[cell] += 1;
            }
            (_, Some(Reading::AtLeast(cost))) => {
                let cell = self.cell(cost);
                self.capped[cell] += 1;
            }
            _ => {}
        }
    }

    /// Returns the factor by which capping has reduced the total cost of the trials.
    pub(crate) fn factor(&self) -> f64 {
        if self.spent <= 0.0 {
            return 1.0;
        }
        let mut at_risk: u64 =
            self.timeouts + self.exact.iter().sum::<u64>() + self.capped.iter().sum::<u64>();
        let mut survival = [1.0; CELLS];
        let mut alive = 1.0;
        for ((survival, exact), capped) in survival.iter_mut().zip(&self.exact).zip(&self.capped) {
            if at_risk > 0 {
                alive *= 1.0 - *exact as f64 / at_risk as f64;
            }
            *survival = alive;
            at_risk -= exact + capped;
        }
        let (mut beyond, mut saved) = (0.0, 0.0);
        for cell in (0..CELLS).rev() {
            if survival[cell] > 0.0 {
                saved += self.capped[cell] as f64 * beyond / survival[cell];
            }
            let below = if cell == 0 { 0.0 } else { survival[cell - 1] };
            let start = if cell == 0 { 0.0 } else { self.point(cell - 1) };
            beyond += (self.point(cell) - start) * below;
        }
        (self.spent + saved) / self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_capped_saves_nothing() {
        let mut savings = Savings::new(100.0);
        savings.add(&Observation::finished(5.0));
        savings.add(&Observation::timeout(100.0));
        assert_eq!(savings.factor(), 1.0);
    }

    #[test]
    fn the_estimate_is_near_what_uncapped_trials_would_have_cost() {
        // Costs are log-uniform on [1, 100]; nine in ten trials have a cap of 5.
        let mut rng = engine::Rng::new(1, "savings", 0);
        let mut savings = Savings::new(100.0);
        let (mut spent, mut uncapped) = (0.0, 0.0);
        for number in 0..20_000 {
            let cost = 100f64.powf(rng.unit());
            let observation = if number % 10 > 0 && cost > 5.0 {
                Observation::capped(5.0)
            } else {
                Observation::finished(cost)
            };
            spent += observation.spent();
            uncapped += cost;
            savings.add(&observation);
        }
        let (truth, found) = (uncapped / spent, savings.factor());
        assert!((found / truth - 1.0).abs() < 0.05, "{found} for {truth}");
    }
}
