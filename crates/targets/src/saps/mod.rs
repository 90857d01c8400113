//! SAPS, a local search for an assignment that satisfies a formula.
//!
//! Each clause has a weight w, which is initially 1. The assignment is initially random. Let Δ(x) be the
//! change in the total weight of unsatisfied clauses if the variable x is flipped. Each step is one of these:
//!
//! | case | step |
//! |---|---|
//! | min Δ(x) < -0.1 over all x in unsatisfied clauses | flip an x with minimum Δ(x); break ties at random |
//! | otherwise, with probability `wp` | flip a random variable of the formula |
//! | else | w := alpha w for unsatisfied clauses; then, with probability `ps`, w := rho w + (1 - rho) mean(w) for all |
//!
//! Weights only grow. So after enough steps, every improvement larger than rounding errors is below -0.1.
//!
//! | file | subject |
//! |---|---|
//! | `network` | the formula in the form that the search needs |
//! | `weights` | the weights, smoothed in constant time |
//! | `program` | the command line |
//! | `state` | the assignment, every Δ(x), the unsatisfied clauses |
//!
//! Reference: F. Hutter, D. A. D. Tompkins and H. H. Hoos, "Scaling and probabilistic smoothing:
//! efficient dynamic local search for SAT", CP 2002.

mod network;
mod program;
mod state;
mod weights;

pub use program::program;

use math::Rng;
use space::format::{Format, read};
use space::{Configuration, Space};

use crate::formula::Formula;
use network::Network;
use state::State;

/// The parameters of the search. [`Default`] returns the values that the authors of SAPS recommend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Saps {
    /// Factor by which the weights of unsatisfied clauses grow: 1 or more.
    pub alpha: f64,
    /// Share of a weight that smoothing keeps: 0 to 1.
    pub rho: f64,
    /// Probability of smoothing.
    pub ps: f64,
    /// Probability of a random flip when no flip is an improvement.
    pub wp: f64,
}

impl Default for Saps {
    fn default() -> Self {
        Self { alpha: 1.3, rho: 0.8, ps: 0.05, wp: 0.01 }
    }
}

/// A parameter outside the range that the method is defined for.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{name} is {value}, but must be between {from} and {to}")]
pub struct SapsError {
    /// The parameter.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The minimum.
    pub from: f64,
    /// The maximum.
    pub to: f64,
}

impl Saps {
    /// Checks that the method is defined for these values. The ranges in [`SPACE`] are narrower.
    pub fn check(&self) -> Result<(), SapsError> {
        let all = [
            ("alpha", self.alpha, 1.0, 1e6),
            ("rho", self.rho, 0.0, 1.0),
            ("ps", self.ps, 0.0, 1.0),
            ("wp", self.wp, 0.0, 1.0),
        ];
        match all.into_iter().find(|(_, value, from, to)| !(from..=to).contains(&value)) {
            Some((name, value, from, to)) => Err(SapsError { name, value, from, to }),
            None => Ok(()),
        }
    }

    /// Reads the parameters `alpha`, `rho`, `ps` and `wp` from a configuration. Missing ones get their
    /// default values.
    pub fn from_configuration(configuration: &Configuration) -> Self {
        let value =
            |name, default| configuration.get(name).and_then(|literal| literal.number()).unwrap_or(default);
        let Self { alpha, rho, ps, wp } = Self::default();
        Self {
            alpha: value("alpha", alpha),
            rho: value("rho", rho),
            ps: value("ps", ps),
            wp: value("wp", wp),
        }
    }
}

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Number of steps, including those without a flip.
    pub steps: u64,
    /// The satisfying assignment, if one was found.
    pub solved: Option<Vec<bool>>,
}

/// The parameters with their usual ranges, as text.
pub const SPACE: &str = include_str!("space.toml");

/// Returns the parameters with their usual ranges.
pub fn space() -> Space {
    read(SPACE, "saps.toml", Format::Toml).expect("a test reads this file")
}

/// Searches for at most `max_steps` steps. The same arguments give the same outcome on every machine.
pub fn solve(formula: &Formula, saps: &Saps, seed: u64, max_steps: u64) -> Outcome {
    solve_while(formula, saps, seed, max_steps, |_| true)
}

/// Number of steps between two calls of `keep_going` in [`solve_while`].
pub const STEPS_BETWEEN_CHECKS: u64 = 4096;

/// Like [`solve`], but also stops when `keep_going` returns `false`. It is called every
/// [`STEPS_BETWEEN_CHECKS`] steps with the number of steps made so far.
pub fn solve_while(
    formula: &Formula,
    saps: &Saps,
    seed: u64,
    max_steps: u64,
    mut keep_going: impl FnMut(u64) -> bool,
) -> Outcome {
    if let Err(error) = saps.check() {
        panic!("{error}");
    }
    let network = Network::of(formula);
    let mut rng = Rng::new(seed, "saps", 0);
    let mut state = State::random(&network, &mut rng);
    let mut steps = 0;
    while state.is_unsatisfied() && steps < max_steps && keep_going(steps) {
        let end = max_steps.min(steps.saturating_add(STEPS_BETWEEN_CHECKS));
        while state.is_unsatisfied() && steps < end {
            state.step(saps, &mut rng);
            steps += 1;
        }
    }
    let solved = (!state.is_unsatisfied()).then(|| state.assignment());
    if let Some(assignment) = &solved {
        assert!(formula.is_satisfied_by(assignment), "the search has miscounted a clause");
    }
    Outcome { steps, solved }
}
