//! Chooses the next challenger when every configuration in a finite space has been tried.
//!
//! Most configurations were dropped after one pair, so it is not yet known which of them is best. They race
//! again, the most promising first. The races end when the budget is spent, when all configurations have met
//! the incumbent on all pairs, or when all remaining configurations are clearly worse:
//!
//! ```text
//! r = sum of its costs / sum of the incumbent's costs    over the n pairs on which it met the incumbent
//! clearly worse:   r > 1 + 2 / sqrt(n)
//! most promising:  smallest r / (1 + 2 / sqrt(n))
//! ```
//!
//! A censored cost counts as its lower bound. Costs without a cutoff may be negative. For these, the ratio is
//! replaced by the difference between the means, in units of the incumbent's standard deviation.

use surrogate::Reading;

use super::incumbent::IncumbentState;
use super::race::{TOLERANCE, compared, known};
use crate::history::History;
use crate::trial::{ConfigId, Pair};

/// The work that is left in an exhausted space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remaining {
    /// This configuration races again.
    Race(ConfigId),
    /// All configurations that could win have met the incumbent on all its pairs, so the incumbent
    /// needs another pair.
    Gain,
    /// No configuration could win.
    Nothing,
}

/// Returns what to do next. Configurations for which `out` is true cannot race now.
pub(super) fn next(state: &IncumbentState, history: &History, out: impl Fn(ConfigId) -> bool) -> Remaining {
    let mut best: Option<(f64, ConfigId)> = None;
    let mut has_rival = false;
    for config in (0..history.configurations().len() as u32).map(ConfigId) {
        if config == state.incumbent() || history.is_barred(config) {
            continue;
        }
        let Some(promise) = promise(state, history, config).filter(|&promise| promise <= 1.0) else {
            continue;
        };
        has_rival = true;
        let met = |pair: &Pair| known(history, state.objective(), config, *pair).is_some();
        if out(config) || state.pairs().iter().all(met) {
            continue;
        }
        if best.is_none_or(|(least, _)| promise < least) {
            best = Some((promise, config));
        }
    }
    match best {
        Some((_, config)) => Remaining::Race(config),
        None if has_rival => Remaining::Gain,
        None => Remaining::Nothing,
    }
}

/// Returns how promising a configuration is; lower is better. A configuration with a value above 1 is clearly
/// worse than the incumbent. Returns `None` if it failed on a pair where the incumbent did not.
fn promise(state: &IncumbentState, history: &History, config: ConfigId) -> Option<f64> {
    let objective = state.objective();
    let (mut own, mut other, mut squares, mut count) = (0.0, 0.0, 0.0, 0.0);
    for &pair in state.pairs() {
        let Some(cost) = compared(history, objective, config, pair).map(Reading::lower_bound) else {
            continue;
        };
        let Some(incumbent) = known(history, objective, state.incumbent(), pair) else { continue };
        if !cost.is_finite() && incumbent.is_finite() {
            return None;
        }
        own += cost;
        other += incumbent;
        squares += incumbent * incumbent;
        count += 1.0;
    }
    if count == 0.0 {
        return Some(0.0);
    }
    let margin = TOLERANCE / libm::sqrt(count);
    if objective.cutoff.is_some() {
        // Each sum counts as at least one grain per pair, so that no sum is zero.
        let grain = objective.grain.max(f64::MIN_POSITIVE) * count;
        return Some(own.max(grain) / other.max(grain) / (1.0 + margin));
    }
    let deviation = libm::sqrt((squares / count - (other / count) * (other / count)).max(0.0));
    let unit = deviation.max(1e-9 * libm::sqrt(squares / count)).max(f64::MIN_POSITIVE);
    Some(((own - other) / count / unit / margin).max(-1e300))
}
