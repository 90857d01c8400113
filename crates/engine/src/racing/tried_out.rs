//! Who races when every configuration of a finite space has been tried.
//!
//! Most configurations were dropped after one pair, so which of them is best is still open. They race again,
//! the most promising first, until the budget is spent, all have met on all pairs, or the rest is clearly
//! worse:
//!
//! ```text
//! r = sum of its costs / sum of the incumbent's          over the n pairs on which it was met
//! clearly worse:   r > 1 + 2 / sqrt(n)
//! most promising:  least r / (1 + 2 / sqrt(n))
//! ```
//!
//! Where it was stopped its cost counts as what it had reached. Costs without a cutoff may be negative: there
//! the difference of means in units of the incumbent's standard deviation takes the place of the ratio.

use surrogate::Reading;

use super::race::{compared, known};
use super::terms::Terms;
use crate::history::History;
use crate::trial::{ConfigId, Pair};

/// How much worse than the incumbent a configuration may be and race again, as above.
pub(super) const TOLERANCE: f64 = 2.0;

/// What is left to do in a space that has been tried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// This one races again.
    Race(ConfigId),
    /// All that could win have met the incumbent on all of its pairs: it needs another one.
    Gain,
    /// Nobody could win, or everybody has met on all pairs.
    Nothing,
}

/// Who races next, of those that are not `out` for now.
pub(super) fn next(terms: &Terms, history: &History, out: impl Fn(ConfigId) -> bool) -> Rest {
    let mut best: Option<(f64, ConfigId)> = None;
    let mut has_rival = false;
    for config in (0..history.configurations().len() as u32).map(ConfigId) {
        if config == terms.incumbent() || history.is_barred(config) {
            continue;
        }
        let Some(promise) = promise(terms, history, config).filter(|&promise| promise <= 1.0) else {
            continue;
        };
        has_rival = true;
        let met = |pair: &Pair| known(history, terms.objective(), config, *pair).is_some();
        if out(config) || terms.pairs().iter().all(met) {
            continue;
        }
        if best.is_none_or(|(least, _)| promise < least) {
            best = Some((promise, config));
        }
    }
    match best {
        Some((_, config)) => Rest::Race(config),
        None if has_rival => Rest::Gain,
        None => Rest::Nothing,
    }
}

/// How promising a configuration is: above 1 it is clearly worse than the incumbent. `None` if it failed.
fn promise(terms: &Terms, history: &History, config: ConfigId) -> Option<f64> {
    let objective = terms.objective();
    let (mut own, mut other, mut squares, mut count) = (0.0, 0.0, 0.0, 0.0);
    for &pair in terms.pairs() {
        let Some(cost) = compared(history, objective, config, pair).map(Reading::lower_bound) else {
            continue;
        };
        let Some(incumbent) = known(history, objective, terms.incumbent(), pair) else { continue };
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
        // A sum of zero is as good as one grain for each pair.
        let grain = objective.grain.max(f64::MIN_POSITIVE) * count;
        return Some(own.max(grain) / other.max(grain) / (1.0 + margin));
    }
    let deviation = libm::sqrt((squares / count - (other / count) * (other / count)).max(0.0));
    let unit = deviation.max(1e-9 * libm::sqrt(squares / count)).max(f64::MIN_POSITIVE);
    Some(((own - other) / count / unit / margin).max(-1e300))
}
