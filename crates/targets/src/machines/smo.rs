//! Training: sequential minimal optimisation with second-order working sets.
//!
//! ```text
//! minimise   ½ αᵀ Q α - sum of α      with 0 <= α_i <= C and y · α = 0,      Q_ij = y_i y_j k(x_i, x_j)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | α | one coefficient per training point; those above 0 belong to support vectors |
//! | y | the classes, as -1 and 1 |
//! | g | the gradient Q α - 1 |
//! | up, low | the points whose y α may grow, and those whose y α may shrink |
//!
//! Each step changes two coefficients along y · α = 0. The first is the point of `up` with the largest -y g,
//! the second is the point of `low` with which the step promises the largest decrease. Training ends when the
//! largest -y g in `up` exceeds the smallest in `low` by at most [`TOLERANCE`]. (J. Platt, Fast Training of
//! Support Vector Machines Using Sequential Minimal Optimization, 1998; R. Fan, P. Chen, C. Lin, Working Set
//! Selection Using Second Order Information for Training Support Vector Machines, 2005.)

use super::{Machine, kernel};
use crate::points::Points;

/// Largest violation of the optimality conditions at the end.
const TOLERANCE: f64 = 1e-3;
/// Smallest curvature along a step; copies of a point have none.
const LEAST_CURVATURE: f64 = 1e-12;
/// Steps per point after which training ends. It is far more than training needs, except with a huge C.
const STEPS_PER_POINT: usize = 1000;

/// A trained machine, with its values on the training points.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The machine. Its vectors are the support vectors.
    pub machine: Machine,
    /// The machine's decisions on the training points.
    pub decisions: Vec<f64>,
    /// The minimum.
    pub objective: f64,
}

/// Trains a machine on points with the classes 0 and 1.
pub fn train(points: &Points, gamma: f64, largest: f64) -> Trained {
    let mut state = State::new(points, gamma, largest);
    for _ in 0..STEPS_PER_POINT * points.count() {
        let Some((i, j)) = state.working_set() else { break };
        state.step(i, j);
    }
    state.finish(points)
}

struct State {
    gamma: f64,
    /// The largest coefficient (C).
    largest: f64,
    kernels: Vec<f64>,
    y: Vec<f64>,
    alpha: Vec<f64>,
    gradient: Vec<f64>,
}

impl State {
    fn new(points: &Points, gamma: f64, largest: f64) -> Self {
        let count = points.count();
        let mut kernels = vec![1.0; count * count];
        for a in 0..count {
            for b in 0..a {
                let value = kernel(gamma * points.squared_distance(a, b));
                kernels[a * count + b] = value;
                kernels[b * count + a] = value;
            }
        }
        let y = (0..count).map(|point| if points.label(point) == 1 { 1.0 } else { -1.0 }).collect();
        Self { gamma, largest, kernels, y, alpha: vec![0.0; count], gradient: vec![-1.0; count] }
    }

    fn row(&self, point: usize) -> &[f64] {
        &self.kernels[point * self.y.len()..(point + 1) * self.y.len()]
    }

    fn is_up(&self, point: usize) -> bool {
        if self.y[point] > 0.0 { self.alpha[point] < self.largest } else { self.alpha[point] > 0.0 }
    }

    fn is_low(&self, point: usize) -> bool {
        if self.y[point] > 0.0 { self.alpha[point] > 0.0 } else { self.alpha[point] < self.largest }
    }

    /// Returns the two coefficients to change next; `None` at the optimum.
    fn working_set(&self) -> Option<(usize, usize)> {
        let rate = |point: usize| -self.y[point] * self.gradient[point];
        let up = (0..self.y.len()).filter(|&point| self.is_up(point));
        let i = up.reduce(|best, next| if rate(next) > rate(best) { next } else { best })?;
        let (row, mut least, mut best) = (self.row(i), f64::INFINITY, None);
        for j in (0..self.y.len()).filter(|&point| self.is_low(point)) {
            least = least.min(rate(j));
            let difference = rate(i) - rate(j);
            if difference > 0.0 {
                let decrease = difference * difference / (2.0 - 2.0 * row[j]).max(LEAST_CURVATURE);
                if best.is_none_or(|(_, most)| decrease > most) {
                    best = Some((j, decrease));
                }
            }
        }
        (rate(i) - least > TOLERANCE).then_some(())?;
        best.map(|(j, _)| (i, j))
    }

    /// Moves y_i α_i up and y_j α_j down by the same amount.
    fn step(&mut self, i: usize, j: usize) {
        let difference = -self.y[i] * self.gradient[i] + self.y[j] * self.gradient[j];
        let curvature = (2.0 - 2.0 * self.row(i)[j]).max(LEAST_CURVATURE);
        let room_up = if self.y[i] > 0.0 { self.largest - self.alpha[i] } else { self.alpha[i] };
        let room_down = if self.y[j] > 0.0 { self.alpha[j] } else { self.largest - self.alpha[j] };
        let amount = (difference / curvature).min(room_up).min(room_down);
        // Coefficients that reach a bound are set to it exactly: they leave their set by this.
        let moved = |alpha: f64, change: f64, room: f64, largest: f64| {
            if amount < room {
                alpha + change
            } else if change > 0.0 {
                largest
            } else {
                0.0
            }
        };
        self.alpha[i] = moved(self.alpha[i], self.y[i] * amount, room_up, self.largest);
        self.alpha[j] = moved(self.alpha[j], -self.y[j] * amount, room_down, self.largest);
        let count = self.y.len();
        let (of_i, of_j) =
            (&self.kernels[i * count..(i + 1) * count], &self.kernels[j * count..(j + 1) * count]);
        for point in 0..count {
            self.gradient[point] += self.y[point] * amount * (of_i[point] - of_j[point]);
        }
    }

    /// Returns the bias: the mean of -y g over free coefficients, or the middle of its possible values.
    fn bias(&self) -> f64 {
        let rate = |point: usize| -self.y[point] * self.gradient[point];
        let is_free = |point: &usize| self.alpha[*point] > 0.0 && self.alpha[*point] < self.largest;
        let free: Vec<usize> = (0..self.y.len()).filter(is_free).collect();
        if !free.is_empty() {
            return free.iter().map(|&point| rate(point)).sum::<f64>() / free.len() as f64;
        }
        let all = || 0..self.y.len();
        let above = all().filter(|&point| self.is_up(point)).map(rate).reduce(f64::max);
        let below = all().filter(|&point| self.is_low(point)).map(rate).reduce(f64::min);
        match (above, below) {
            (Some(above), Some(below)) => f64::midpoint(above, below),
            (one, other) => one.or(other).unwrap_or(0.0),
        }
    }

    fn finish(self, points: &Points) -> Trained {
        let bias = self.bias();
        let support: Vec<usize> = (0..self.y.len()).filter(|&point| self.alpha[point] > 0.0).collect();
        let decision = |point: usize| self.y[point] * (self.gradient[point] + 1.0) + bias;
        let objective =
            self.alpha.iter().zip(&self.gradient).map(|(alpha, g)| alpha * (g - 1.0)).sum::<f64>();
        Trained {
            machine: Machine {
                gamma: self.gamma,
                dimension: points.dimension(),
                vectors: support.iter().flat_map(|&point| points.row(point)).copied().collect(),
                coefficients: support.iter().map(|&point| self.y[point] * self.alpha[point]).collect(),
                bias,
            },
            decisions: (0..self.y.len()).map(decision).collect(),
            objective: objective / 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Blobs;

    fn blobs(count: usize) -> Points {
        Blobs { points: count, dimension: 5, classes: 2, seed: 3 }.points()
    }

    #[test]
    fn two_points_have_the_solution_of_the_formula() {
        // With α for both points, the objective is α² (1 - k) - 2 α, so α = 1 / (1 - k).
        let points = Points::new(1, vec![0.0, 1.0], vec![0, 1]);
        let trained = train(&points, 0.7, 1e6);
        let expected = 1.0 / (1.0 - (-0.7f64).exp());
        assert!((trained.machine.coefficients[1] - expected).abs() < 1e-3, "{trained:?}");
        assert!(
            (trained.machine.coefficients[0] + expected).abs() < 1e-3 && trained.machine.bias.abs() < 1e-9
        );
        assert!((trained.objective + expected).abs() < 1e-3);
        assert!(trained.decisions.iter().all(|value| (value.abs() - 1.0).abs() < 1e-3));
    }

    #[test]
    fn the_conditions_of_the_optimum_hold() {
        let points = blobs(200);
        for largest in [0.1, 10.0] {
            let trained = train(&points, 0.2, largest);
            let machine = &trained.machine;
            assert!(machine.coefficients.iter().sum::<f64>().abs() < 1e-9, "y · α = 0");
            let mut place = 0;
            for point in 0..points.count() {
                let decision = machine.decision(points.row(point));
                assert!((decision - trained.decisions[point]).abs() < 1e-9, "{point}");
                let y = if points.label(point) == 1 { 1.0 } else { -1.0 };
                let is_support = place < machine.coefficients.len()
                    && machine.vectors[place * 5..(place + 1) * 5] == *points.row(point);
                let alpha = if is_support { y * machine.coefficients[place] } else { 0.0 };
                place += usize::from(is_support);
                assert!((0.0..=largest).contains(&alpha));
                let margin = y * decision;
                assert!(alpha > 0.0 || margin > 1.0 - 2e-3, "{point}: outside the margin");
                assert!(alpha < largest - 1e-12 || margin < 1.0 + 2e-3, "{point}: inside the margin");
                let is_free = alpha > 0.0 && alpha < largest;
                assert!(!is_free || (margin - 1.0).abs() < 2e-3, "{point}: on the margin, not at {margin}");
            }
            assert_eq!(place, machine.coefficients.len(), "every support vector is a point");
        }
    }

    #[test]
    fn one_class_alone_is_always_predicted() {
        let points = blobs(40).in_two_classes(|_| true);
        let trained = train(&points, 1.0, 1.0);
        assert!(
            trained.machine.coefficients.is_empty() && trained.machine.wrong(&points) == 0,
            "{trained:?}"
        );
    }
}
