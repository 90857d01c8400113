//! The product-limit estimator of Kaplan and Meier (1958): the share of trials that would still be running
//! after a time, from exact and censored times.
//!
//! ```text
//! S(t) = prod over t_i <= t of (1 - d_i / n_i)
//! V(t) = sum  over t_i <= t of d_i / (n_i (n_i - d_i))            (Greenwood)
//! S(t) ^ exp(+- 1.96 sqrt(V(t)) / ln S(t))                        95 % interval, on the log-log scale
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | t_i | the distinct times at which trials ended |
//! | d_i | number of trials that ended at t_i |
//! | n_i | number of trials that ended or were stopped at t_i or later |

use serde::Serialize;

/// The time of one trial.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lifetime {
    /// The time.
    pub time: f64,
    /// Whether the trial was stopped then, so that it would have taken longer.
    pub censored: bool,
}

/// One step of the estimated curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SurvivalStep {
    /// The time from which the step applies.
    pub time: f64,
    /// Estimated share of trials that take longer.
    pub share: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Whether at least one trial was stopped at this time.
    pub censored: bool,
}

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Estimates the share of trials that take longer than each observed time.
pub fn kaplan_meier(lifetimes: &[Lifetime]) -> Vec<SurvivalStep> {
    let mut sorted: Vec<Lifetime> = lifetimes.iter().copied().filter(|one| !one.time.is_nan()).collect();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    let (mut at_risk, mut share, mut variance) = (sorted.len(), 1.0, 0.0);
    let mut steps = Vec::new();
    for group in sorted.chunk_by(|a, b| a.time == b.time) {
        let ended = group.iter().filter(|one| !one.censored).count();
        share *= 1.0 - ended as f64 / at_risk as f64;
        // At the last exact time nobody is left, and the variance is infinite.
        variance += ended as f64 / (at_risk as f64 * (at_risk - ended) as f64);
        let (low, high) = interval(share, variance);
        steps.push(SurvivalStep { time: group[0].time, share, low, high, censored: ended < group.len() });
        at_risk -= group.len();
    }
    steps
}

fn interval(share: f64, variance: f64) -> (f64, f64) {
    if share <= 0.0 || share >= 1.0 {
        return (share, share);
    }
    let width = Z * variance.sqrt() / share.ln();
    (share.powf((-width).exp()), share.powf(width.exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetimes(times: &[(f64, bool)]) -> Vec<Lifetime> {
        times.iter().map(|&(time, censored)| Lifetime { time, censored }).collect()
    }

    #[test]
    fn the_estimate_without_censored_times_is_the_share_that_is_left() {
        let steps = kaplan_meier(&lifetimes(&[(3.0, false), (1.0, false), (2.0, false), (2.0, false)]));
        let shares: Vec<(f64, f64)> = steps.iter().map(|step| (step.time, step.share)).collect();
        assert_eq!(shares, [(1.0, 0.75), (2.0, 0.25), (3.0, 0.0)]);
    }

    #[test]
    fn nothing_gives_no_step_and_only_censored_times_stay_at_one() {
        assert_eq!(kaplan_meier(&[]), []);
        let steps = kaplan_meier(&lifetimes(&[(1.0, true), (5.0, true)]));
        assert!(steps.iter().all(|step| (step.share, step.low, step.high) == (1.0, 1.0, 1.0)));
    }
}
