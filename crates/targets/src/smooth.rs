//! smooth-5: a smooth, deterministic function of five continuous parameters. Its cost is known only after the
//! evaluation. Every surrogate should do well here.
//!
//! ```text
//! ln cost(x, i) = difficulty(i) + sum over k of w_k z_k^2 + 0.3 sin(3 z_1) sin(3 z_2),   z = H (u - best(i))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | u | positions of the parameters on their scales, from 0 to 1 |
//! | best(i) | the optimum of instance i: a common point, shifted by normal numbers with deviation 0.04 |
//! | H | the reflection at the plane orthogonal to (1, 2, 3, 4, 5), so that no parameter is separable |
//! | w | 6, 3, 1.5, 0.75 and 0.25 |
//! | difficulty(i) | uniform on [0, 1] |

use math::Rng;
use space::format::{Format, read};
use space::{Configuration, Space};

const PARAMETERS: usize = 5;
const SPACE: &str = "\
a = { float = [0.001, 10.0], log = true, default = 3.0 }
b = { float = [0.0, 1.0], default = 0.1 }
c = { float = [1.0, 1000.0], log = true, default = 500.0 }
d = { float = [-5.0, 5.0], default = -4.0 }
e = { float = [0.0, 100.0], default = 90.0 }
";
const BEST: [f64; PARAMETERS] = [0.31, 0.72, 0.28, 0.63, 0.44];
const SHIFT: f64 = 0.04;
const WEIGHTS: [f64; PARAMETERS] = [6.0, 3.0, 1.5, 0.75, 0.25];

/// Returns the space of parameters.
pub fn space() -> Space {
    read(SPACE, "smooth-5", Format::Toml).expect("a test reads this text")
}

/// Returns the cost of a configuration of [`space()`] on an instance.
pub fn cost(configuration: &Configuration, instance: u32) -> f64 {
    let mut rng = Rng::new(5, "smooth-5", u64::from(instance));
    let difficulty = rng.unit();
    let mut z: Vec<f64> = configuration.space().encode(configuration);
    z.iter_mut().zip(BEST).for_each(|(place, best)| *place -= best + SHIFT * rng.normal());
    let normal = |place: usize| (place + 1) as f64;
    let square: f64 = (0..PARAMETERS).map(|place| normal(place) * normal(place)).sum();
    let along: f64 = z.iter().enumerate().map(|(place, value)| normal(place) * value).sum();
    z.iter_mut().enumerate().for_each(|(place, value)| *value -= 2.0 * along / square * normal(place));
    let bowl: f64 = z.iter().zip(WEIGHTS).map(|(value, weight)| weight * value * value).sum();
    libm::exp(difficulty + bowl + 0.3 * libm::sin(3.0 * z[0]) * libm::sin(3.0 * z[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_is_good_and_the_default_is_not() {
        let space = space();
        let mean = |it: &Configuration| (0..40).map(|instance| cost(it, instance)).sum::<f64>() / 40.0;
        let best = mean(&space.decode(&BEST).unwrap());
        let default = mean(&space.default_configuration());
        assert!(default / best > 5.0 && default / best < 100.0, "{default} {best}");
        let mut rng = Rng::new(1, "smooth", 0);
        let least = (0..2000).map(|_| mean(&space.sample(&mut rng).unwrap())).fold(f64::MAX, f64::min);
        // The sine term moves the optimum slightly away from `BEST`.
        assert!(least > 0.8 * best, "{least} {best}");
    }

    #[test]
    fn costs_match_the_recorded_ones() {
        let default = space().default_configuration();
        let costs: Vec<String> = (0..3).map(|instance| format!("{:.6}", cost(&default, instance))).collect();
        assert_eq!(costs.join(" "), "64.036972 66.789471 72.678564");
    }
}
