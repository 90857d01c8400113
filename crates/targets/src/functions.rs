//! Common test functions for optimisers, used as the costs of a target.
//!
//! ```text
//! value(x)      = 0.1 s + 9.9 s (f(x) - least f) / (largest f - least f)
//! cost(x, i, s) = value(x) difficulty(i) noise(x, i, s)
//! ```
//!
//! | term | distribution |
//! |---|---|
//! | difficulty(i) | log-normal with mean 1; its logarithm has deviation 0.5 |
//! | noise(x, i, s) | log-normal with mean 1; its logarithm has deviation 0.2 |
//!
//! So `value(x)` is the mean cost of x over instances and seeds. It is 0.1 s at best and 10 s at worst.
//!
//! | function | domain | least f, at |
//! |---|---|---|
//! | Branin | [-5, 10] x [0, 15] | 0.397887 at (-π, 12.275), (π, 2.275), (3π, 2.475) |
//! | six-hump camelback | [-3, 3] x [-2, 2] | -1.031628 at ±(0.089842, -0.712656) |
//! | Hartmann 3 | [0, 1]^3 | -3.862780 at (0.114589, 0.555649, 0.852547) |
//! | Hartmann 6 | [0, 1]^6 | -3.322368 at (0.201690, 0.150011, 0.476874, 0.275332, 0.311652, 0.657301) |
//!
//! The Hartmann functions are `f(x) = - sum over i of c_i exp(- sum over j of A_ij (x_j - P_ij)^2)`.
//!
//! Reference: L. C. W. Dixon and G. P. Szegö, "The global optimization problem: an introduction", 1978.

use std::f64::consts::PI;

use math::Rng;
use space::{Configuration, Space};
use space::{ParameterDefinition, SpaceBuilder};

/// One of the functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Function {
    /// Two dimensions, three equally good minima.
    Branin,
    /// Two dimensions, six minima, two of them global.
    Camelback,
    /// Three dimensions, four minima.
    Hartmann3,
    /// Six dimensions, six minima.
    Hartmann6,
}

/// Cost at the minimum, in seconds.
const BEST: f64 = 0.1;
/// Cost at the maximum, in seconds.
const WORST: f64 = 10.0;
const DIFFICULTY: f64 = 0.5;
const NOISE: f64 = 0.2;

impl Function {
    /// All functions.
    pub const ALL: [Self; 4] = [Self::Branin, Self::Camelback, Self::Hartmann3, Self::Hartmann6];

    /// Returns the space of the parameters `x1`, `x2` and so on, in the usual domain.
    pub fn space(self) -> Space {
        let mut builder = SpaceBuilder::new("function", "");
        for (index, &(lower, upper)) in self.domain().iter().enumerate() {
            builder.parameter(ParameterDefinition::float(format!("x{}", index + 1), lower, upper));
        }
        builder.finish().expect("a test builds every space")
    }

    /// Returns the usual domain: a range for each dimension.
    pub fn domain(self) -> &'static [(f64, f64)] {
        match self {
            Self::Branin => &[(-5.0, 10.0), (0.0, 15.0)],
            Self::Camelback => &[(-3.0, 3.0), (-2.0, 2.0)],
            Self::Hartmann3 => &[(0.0, 1.0); 3],
            Self::Hartmann6 => &[(0.0, 1.0); 6],
        }
    }

    /// Returns a point where the function is minimal.
    pub fn optimum(self) -> &'static [f64] {
        match self {
            Self::Branin => &[PI, 2.275],
            Self::Camelback => &[0.089_842, -0.712_656],
            Self::Hartmann3 => &[0.114_589, 0.555_649, 0.852_547],
            Self::Hartmann6 => &[0.201_690, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_301],
        }
    }

    /// Returns the minimum and the maximum of the function itself.
    fn extremes(self) -> (f64, f64) {
        match self {
            Self::Branin => (0.397_887_357_729_738, 308.129_096_012_067),
            Self::Camelback => (-1.031_628_453_489_877, 162.9),
            Self::Hartmann3 => (-3.862_779_787_332_66, 0.0),
            Self::Hartmann6 => (-3.322_368_011_415_515, 0.0),
        }
    }

    /// Returns the mean cost over all instances and seeds, in seconds. The configuration must belong to the
    /// function's space.
    pub fn value(self, configuration: &Configuration) -> f64 {
        let (least, largest) = self.extremes();
        // Rounding must not take the value below the minimum.
        let above = (self.raw(configuration.codes()) - least).max(0.0);
        BEST + (WORST - BEST) * above / (largest - least)
    }

    /// Returns the cost of one trial, in seconds.
    pub fn cost(self, configuration: &Configuration, instance: u32, seed: u64) -> f64 {
        let log_normal =
            |deviation: f64, rng: &mut Rng| libm::exp(deviation * rng.normal() - deviation * deviation / 2.0);
        let difficulty =
            log_normal(DIFFICULTY, &mut Rng::new(self as u64, "difficulty", u64::from(instance)));
        let pair = Rng::new(seed, "pair", u64::from(instance)).bits();
        let fingerprint = configuration.fingerprint();
        let mut rng = Rng::new(fingerprint as u64, "cost", pair ^ (fingerprint >> 64) as u64);
        self.value(configuration) * difficulty * log_normal(NOISE, &mut rng)
    }

    /// Evaluates the function itself.
    ///
    /// # Panics
    /// If `x` has fewer numbers than the function has dimensions.
    pub fn raw(self, x: &[f64]) -> f64 {
        match self {
            Self::Branin => {
                let (x, y) = (x[0], x[1]);
                let valley = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
                valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * libm::cos(x) + 10.0
            }
            Self::Camelback => {
                let (xx, yy) = (x[0] * x[0], x[1] * x[1]);
                (4.0 - 2.1 * xx + xx * xx / 3.0) * xx + x[0] * x[1] + (4.0 * yy - 4.0) * yy
            }
            Self::Hartmann3 => hartmann(x, &A3, &P3),
            Self::Hartmann6 => hartmann(x, &A6, &P6),
        }
    }
}

fn hartmann<const D: usize>(x: &[f64], a: &[[f64; D]; 4], p: &[[f64; D]; 4]) -> f64 {
    let mut sum = 0.0;
    for ((a, p), c) in a.iter().zip(p).zip([1.0, 1.2, 3.0, 3.2]) {
        let distance: f64 = (0..D).map(|j| a[j] * (x[j] - 1e-4 * p[j]) * (x[j] - 1e-4 * p[j])).sum();
        sum += c * libm::exp(-distance);
    }
    -sum
}

const A3: [[f64; 3]; 4] = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];

/// In ten-thousandths.
const P3: [[f64; 3]; 4] =
    [[3689.0, 1170.0, 2673.0], [4699.0, 4387.0, 7470.0], [1091.0, 8732.0, 5547.0], [381.0, 5743.0, 8828.0]];

const A6: [[f64; 6]; 4] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];

/// In ten-thousandths.
const P6: [[f64; 6]; 4] = [
    [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
    [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
    [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
    [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn at(function: Function, x: &[f64]) -> Configuration {
        let space = function.space();
        let row: Vec<f64> = x
            .iter()
            .zip(function.domain())
            .map(|(x, (lower, upper))| (x - lower) / (upper - lower))
            .collect();
        space.decode(&row).unwrap()
    }

    /// Minimises the function by random steps that become smaller and smaller.
    fn descend(function: Function, start: &[f64], rng: &mut Rng) -> (Vec<f64>, f64) {
        let (mut x, mut least, mut step) = (start.to_vec(), function.raw(start), 0.05);
        while step > 1e-10 {
            let mut improved = false;
            for _ in 0..100 {
                let moved = x.iter().zip(function.domain());
                let next: Vec<f64> = moved
                    .map(|(x, (lower, upper))| {
                        (x + step * (upper - lower) * rng.normal()).clamp(*lower, *upper)
                    })
                    .collect();
                if function.raw(&next) < least {
                    (least, x, improved) = (function.raw(&next), next, true);
                }
            }
            if !improved {
                step /= 2.0;
            }
        }
        (x, least)
    }

    #[test]
    fn optima_match_the_documented_ones() {
        let mut rng = Rng::new(1, "functions", 0);
        for function in Function::ALL {
            let (place, least) = descend(function, function.optimum(), &mut rng);
            let documented = function.extremes().0;
            assert!((least - documented).abs() < 1e-12, "{function:?}: {least:?} for {documented:?}");
            for (found, documented) in place.iter().zip(function.optimum()) {
                assert!((found - documented).abs() < 2e-6, "{function:?}: {place:?}");
            }
            assert!((function.value(&at(function, function.optimum())) - BEST).abs() < 1e-9);
        }
        for other in [[-PI, 12.275], [3.0 * PI, 2.475]] {
            assert!((Function::Branin.raw(&other) - Function::Branin.extremes().0).abs() < 1e-12);
        }
    }

    #[test]
    fn values_stay_between_the_extremes() {
        let mut rng = Rng::new(2, "functions", 0);
        for function in Function::ALL {
            let space = function.space();
            for _ in 0..20_000 {
                let value = function.value(&space.sample(&mut rng).unwrap());
                assert!((BEST..=WORST).contains(&value), "{function:?}: {value}");
            }
        }
        assert!((Function::Branin.value(&at(Function::Branin, &[-5.0, 0.0])) - WORST).abs() < 1e-9);
        assert!((Function::Camelback.value(&at(Function::Camelback, &[3.0, 2.0])) - WORST).abs() < 1e-9);
    }

    #[test]
    fn the_mean_of_costs_is_the_value() {
        for function in Function::ALL {
            let configuration = function.space().default_configuration();
            let n = 40_000;
            let costs: Vec<f64> =
                (0..n).map(|i| function.cost(&configuration, i, u64::from(i % 7))).collect();
            let mean = costs.iter().sum::<f64>() / f64::from(n);
            let variance = costs.iter().map(|cost| (cost - mean).powi(2)).sum::<f64>() / f64::from(n);
            let value = function.value(&configuration);
            assert!(
                (mean - value).abs() < 5.0 * (variance / f64::from(n)).sqrt(),
                "{function:?}: {mean}, {value}"
            );
            // The variances of the logarithms add up.
            let expected = value * value * (libm::exp(DIFFICULTY.powi(2) + NOISE.powi(2)) - 1.0);
            assert!((variance / expected - 1.0).abs() < 0.15, "{function:?}: {variance}, {expected}");
            assert_eq!(function.cost(&configuration, 1, 2), function.cost(&configuration, 1, 2));
            assert_ne!(function.cost(&configuration, 1, 2), function.cost(&configuration, 1, 3));
            assert_ne!(function.cost(&configuration, 1, 2), function.cost(&configuration, 2, 2));
        }
    }
}
