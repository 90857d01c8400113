//! The landscape: how much worse a configuration is than the best one, as a sum over parameters.
//!
//! ```text
//! effect(x, i) = sum over p of weight(p) shape_p(x_p, i)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | weight(p) | e^(2 z), z normal, scaled to add up to the spread: few parameters matter much |
//! | spread | uniform on [ln 10, ln 1000] |
//! | shape of a range | ((u - best) / d)^2; u: position on its scale, d: distance from best to the farther end |
//! | shape of choices | a number for each choice: 0 for the best, 1 for the worst |
//! | best | uniform on [0, 1]; for each instance shifted by a normal of deviation 0.05, clamped to [0, 1] |
//!
//! An inactive parameter has no effect.

use math::Rng;
use space::INACTIVE;
use space::{Domain, Space};

#[derive(Clone, Debug)]
enum Shape {
    /// The best position for each instance.
    Range(Vec<f64>),
    /// The value of the shape for each choice.
    Choices(Vec<f64>),
}

#[derive(Clone, Debug)]
pub(super) struct Landscape {
    spread: f64,
    weights: Vec<f64>,
    shapes: Vec<Shape>,
}

impl Landscape {
    pub(super) fn random(space: &Space, instances: u32, rng: &mut Rng) -> Self {
        let spread = (1.0 + 2.0 * rng.unit()) * std::f64::consts::LN_10;
        let mut weights: Vec<f64> =
            space.parameters().iter().map(|_| libm::exp(2.0 * rng.normal())).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight *= spread / sum);
        let shapes = space.parameters().iter().map(|parameter| match parameter.domain() {
            Domain::Range(_) => {
                let best = rng.unit();
                Shape::Range((0..instances).map(|_| (best + 0.05 * rng.normal()).clamp(0.0, 1.0)).collect())
            }
            Domain::Choices(choices) => Shape::Choices(zero_to_one(choices.count(), rng)),
        });
        let shapes = shapes.collect();
        Self { spread, weights, shapes }
    }

    /// Returns the largest possible effect.
    pub(super) fn spread(&self) -> f64 {
        self.spread
    }

    /// Returns the effect of a configuration that is encoded as `row`.
    pub(super) fn effect(&self, row: &[f64], instance: u32) -> f64 {
        let mut sum = 0.0;
        for ((&place, &weight), shape) in row.iter().zip(&self.weights).zip(&self.shapes) {
            if place == INACTIVE {
                continue;
            }
            sum += weight
                * match shape {
                    Shape::Range(best) => {
                        let best = best[instance as usize];
                        let far = (place - best) / best.max(1.0 - best);
                        far * far
                    }
                    // Choice i of n is encoded as (i + 1/2) / n.
                    Shape::Choices(values) => {
                        values[((place * values.len() as f64) as usize).min(values.len() - 1)]
                    }
                };
        }
        sum
    }
}

/// Returns random numbers, rescaled so that the smallest is 0 and the largest is 1; a single number is 0.
fn zero_to_one(count: usize, rng: &mut Rng) -> Vec<f64> {
    let mut values: Vec<f64> = (0..count).map(|_| rng.unit()).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let extent = values.iter().copied().fold(0.0, f64::max) - least;
    for value in &mut values {
        *value = if extent > 0.0 { (*value - least) / extent } else { 0.0 };
    }
    values
}
