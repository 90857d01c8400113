//! Where a running campaign stands.

use campaign::budget::Spent;
use campaign::progress;
use serde::Serialize;

use crate::costs::Costs;
use crate::standing::{Standing, Training};
use crate::tally::{ByStatus, Tally};

/// A picture of a running campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Progress {
    /// What was used.
    pub spent: Spent,
    /// The part of the budget used.
    pub fraction: f64,
    /// How many slots there are.
    pub workers: usize,
    /// How many trials are out.
    pub out: usize,
    /// The optimizer's own share of this session's time.
    pub optimizer_share: f64,
    /// Trials told, and their configurations.
    #[serde(flatten)]
    pub tally: Tally,
    /// The incumbent.
    pub best: Standing,
    /// The default and the incumbent, on the pairs that both have met.
    #[serde(rename = "default")]
    pub training: Option<Training>,
    /// Whether the default keeps every constraint, as far as seen.
    pub default_is_feasible: bool,
    /// Finished trials that told a constrained output as no finite number.
    pub unmeasured: u64,
    /// The challenger that has been racing longest.
    pub racing: Option<Racing>,
    /// How many other challengers are racing.
    pub others: usize,
    /// By what factor capping has stretched trial time, by estimate.
    pub saved: f64,
}

/// A challenger in its race.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Racing {
    /// Its number.
    pub configuration: u32,
    /// On how many pairs it is known.
    pub met: usize,
    /// The cap of its running trial.
    pub cap: f64,
}

impl Progress {
    /// Figures of the search as the user measures.
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
