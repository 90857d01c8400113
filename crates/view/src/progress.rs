//! The progress of a running campaign.

use campaign::budget::Spent;
use campaign::progress;
use serde::Serialize;

use crate::costs::Costs;
use crate::standing::{Standing, Training};
use crate::tally::{ByStatus, Tally};

/// The current state of a running campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Progress {
    /// The time and trials spent so far.
    pub spent: Spent,
    /// Share of the budget used.
    pub fraction: f64,
    /// Number of slots.
    pub workers: usize,
    /// Number of trials running.
    pub out: usize,
    /// The optimizer's own share of this session's time.
    pub optimizer_share: f64,
    /// Numbers of trials that have ended, and of configurations that have been tried.
    #[serde(flatten)]
    pub tally: Tally,
    /// The incumbent.
    pub best: Standing,
    /// Comparison of the default and the incumbent on the pairs that both have been tried on.
    #[serde(rename = "default")]
    pub training: Option<Training>,
    /// Whether the default satisfies every constraint so far.
    pub default_is_feasible: bool,
    /// Number of finished trials that reported a non-finite value for a constrained output.
    pub unmeasured: u64,
    /// The racing challenger with the lowest number.
    pub racing: Option<Racing>,
    /// Number of other challengers that are racing.
    pub others: usize,
    /// Estimated factor by which capping has reduced the total cost of the trials.
    pub saved: f64,
}

/// A challenger that is racing.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Racing {
    /// Its number.
    pub configuration: u32,
    /// Number of pairs on which its cost is known.
    pub met: usize,
    /// The cap of its running trial.
    pub cap: f64,
}

impl Progress {
    /// Converts the costs in the progress of a search to the user's sign.
    pub fn of(progress: &progress::Progress, costs: &Costs) -> Self {
        let progress::Progress { counts, lost, configurations, .. } = *progress;
        let racing = |racing: progress::Challenger| {
            let progress::Challenger { config, met, cap } = racing;
            Racing { configuration: config.0, met, cap }
        };
        Self {
            spent: progress.spent,
            fraction: progress.fraction,
            workers: progress.workers,
            out: progress.out,
            optimizer_share: progress.optimizer_share,
            tally: Tally { trials: ByStatus(counts), lost, configurations: configurations as u64 },
            best: Standing::of(&progress.best, costs),
            training: progress.default.map(|both| Training::of(&both, costs)),
            default_is_feasible: progress.default_is_feasible,
            unmeasured: progress.unmeasured,
            racing: progress.racing.map(racing),
            others: progress.others,
            saved: progress.saved,
        }
    }
}
