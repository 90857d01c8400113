//! The tuner through its public interface.

#![allow(missing_docs, clippy::unwrap_used)]

mod decisions;
mod mistakes;
mod saved;
mod suggested;

use captune::{Format, Outcome, Space, TrialRequest, read_space};

/// Returns a space with numbers, names and a condition.
fn space() -> Space {
    let text = "depth = { integer = [1, 12], default = 10 }\n\
                kind = { choices = ['plain', 'wide'] }\n\
                rate = { float = [1e-4, 1], log = true, default = 0.5, when = \"kind == 'wide'\" }\n";
    read_space(text, "space", Format::Toml).unwrap()
}

/// Returns the cost of a configuration on an instance: the best is 1.
fn cost(trial: &TrialRequest) -> f64 {
    let number = |name: &str| trial.configuration.number(name);
    let rate = number("rate").map_or(3.0, |rate| (rate.log10() + 2.0).abs());
    let depth = (number("depth").unwrap() - 4.0).abs();
    let luck = f64::from(trial.seed().0 % 100) / 1000.0;
    1.0 + rate + depth + 0.1 * f64::from(trial.instance().0) + luck
}

/// Stops a trial at its cap.
fn capped(trial: &TrialRequest) -> Outcome {
    let (cost, cap) = (cost(trial), trial.cap.cost());
    if cost > cap { Outcome::stopped(cap) } else { Outcome::finished(cost) }
}
