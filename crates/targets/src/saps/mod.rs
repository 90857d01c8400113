//! SAPS, a local search for an assignment that satisfies a formula.
//!
//! Clauses have weights w, at first 1; the assignment is at first random. With Δ(x) the change of the
//! total weight of unsatisfied clauses if x is flipped, each step is one of these:
//!
//! | case | step |
//! |---|---|
//! | least Δ(x) < -0.1, x in an unsatisfied clause | flip such an x; ties at random |
//! | else, with probability `wp` | flip a variable of the formula at random |
//! | else | w := alpha w for unsatisfied clauses; then, with probability `ps`, w := rho w + (1 - rho) mean(w) for all |
//!
//! Weights only grow, so in time any improvement that is not rounding is below -0.1.
//!
//! | file | subject |
//! |---|---|
//! | `network` | the formula as the search reads it |
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

/// The parameters of the search; [`Default`] has those its authors recommend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Saps {
    /// By which the weights of unsatisfied clauses grow: 1 or more.
    pub alpha: f64,
    /// How much of a weight smoothing keeps: 0 to 1.
    pub rho: f64,
    /// Probability of smoothing.
    pub ps: f64,
    /// Probability of a random flip where no flip improves.
    pub wp: f64,
}

impl Default for Saps {
    fn default() -> Self {
        Self { alpha: 1.3, rho: 0.8, ps: 0.05, wp: 0.01 }
    }
}

/// A parameter outside the values the method is defined for.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{name} is {value}, but must be {from} to {to}")]
pub struct SapsError {
    /// The parameter.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The least it may be.
    pub from: f64,
    /// The most it may be.
    pub to: f64,
}

impl Saps {
    /// Whether the method is defined for these values; the space is narrower.
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

    /// The parameters named `alpha`, `rho`, `ps` and `wp` of a configuration, or their defaults.
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
    /// Steps made, with and without a flip.
    pub steps: u64,
    /// The assignment found, checked against the formula.
    pub solved: Option<Vec<bool>>,
}

/// The parameters with their usual ranges, as text.
pub const SPACE: &str = include_str!("../../../../spaces/saps.toml");

/// The parameters with their usual ranges.
pub fn space() -> Space {
    read(SPACE, "saps.toml", Format::Toml).expect("a test reads this file")
}

/// Searches for at most so many steps; the same arguments give the same outcome everywhere.
pub fn solve(formula: &Formula, saps: &Saps, seed: u64, max_steps: u64) -> Outcome {
    solve_while(formula, saps, seed, max_steps, |_| true)
}

/// How many steps are made between two questions whether to go on.
pub const STEPS_BETWEEN_QUESTIONS: u64 = 4096;

/// Like [`solve`], asking now and then, with the steps made so far, whether to go on.
pub fn solve_while(
    formula: &Formula,
    saps: &Saps,
    seed: u64,
    max_steps: u64,
    mut goes_on: impl FnMut(u64) -> bool,
) -> Outcome {
    if let Err(error) = saps.check() {
        panic!("{error}");
    }
    let network = Network::of(formula);
    let mut rng = Rng::new(seed, "saps", 0);
    let mut state = State::random(&network, &mut rng);
    let mut steps = 0;
    while state.is_unsatisfied() && steps < max_steps && goes_on(steps) {
        let end = max_steps.min(steps.saturating_add(STEPS_BETWEEN_QUESTIONS));
        while state.is_unsatisfied() && steps < end {
            state.step(saps, &mut rng);
            steps += 1;
        }
    }
    let solved = (!state.is_unsatisfied()).then(|| state.assignment());
    if let Some(assignment) = &solved {
        assert!(formula.is_satisfied_by(assignment), "the search has lost count of a clause");
    }
    Outcome { steps, solved }
}
