//! Where a campaign stands, in figures.

use engine::history::History;
use engine::racing::Objective;
use engine::{ConfigId, Status};

use crate::budget::Spent;

/// A picture of a running campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// What was used.
    pub spent: Spent,
    /// The part of the budget used.
    pub fraction: f64,
    /// How many slots there are.
    pub workers: usize,
    /// How many trials are out.
    pub out: usize,
    /// The optimizer's own share of wall time.
    pub optimizer_share: f64,
    /// Trials told, by status in the order of [`Status::ALL`].
    pub counts: [u64; 7],
    /// How many configurations have been tried.
    pub configurations: usize,
    /// The incumbent.
    pub best: Standing,
    /// The default, on the pairs that both have met.
    pub default: Option<Comparison>,
    /// The challenger that has been racing longest.
    pub racing: Option<Racing>,
    /// How many other challengers are racing.
    pub others: usize,
    /// By what factor capping has stretched trial time, by estimate.
    pub saved: f64,
}

impl Progress {
    /// How many trials ended in a way.
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }
}

/// One configuration's figures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// Its number.
    pub config: ConfigId,
    /// On how many pairs it is known.
    pub pairs: usize,
    /// Its mean compared cost there.
    pub mean: f64,
    /// A 95 % interval of that mean.
    pub interval: Option<(f64, f64)>,
    /// On how many of them it times out.
    pub timeouts: usize,
}

/// Two configurations on the pairs that both have met.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// How many pairs.
    pub pairs: usize,
    /// The default's mean compared cost.
    pub default: f64,
    /// The incumbent's.
    pub incumbent: f64,
}

/// A challenger in its race.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Racing {
    /// Its number.
    pub config: ConfigId,
    /// On how many pairs it is known.
    pub met: usize,
    /// The cap of its running trial.
    pub cap: f64,
}

/// The figures of one configuration.
pub fn standing(history: &History, objective: &Objective, config: ConfigId) -> Standing {
    let known: Vec<(f64, bool)> = history
        .readings(config)
        .filter_map(|(_, trial)| {
            let timeout = trial.observation.status() == Status::Timeout;
            Some((objective.compared(&trial.observation).exact()?, timeout))
        })
        .collect();
    let costs: Vec<f64> = known.iter().map(|&(cost, _)| cost).collect();
    Standing {
        config,
        pairs: known.len(),
        mean: costs.iter().sum::<f64>() / known.len() as f64,
        interval: None,
        timeouts: known.iter().filter(|(_, timeout)| *timeout).count(),
    }
}

/// Two configurations on the pairs that both are known on; `None` if there is none.
pub fn compare(
    history: &History,
    objective: &Objective,
    default: ConfigId,
    incumbent: ConfigId,
) -> Option<Comparison> {
    let (mut pairs, mut sums) = (0, (0.0, 0.0));
    for (pair, trial) in history.readings(default) {
        let own = objective.compared(&trial.observation).exact();
        let other = history.reading(incumbent, pair);
        let other = other.and_then(|trial| objective.compared(&trial.observation).exact());
        if let (Some(own), Some(other)) = (own, other) {
            pairs += 1;
            sums = (sums.0 + own, sums.1 + other);
        }
    }
    let mean = |sum: f64| sum / f64::from(pairs);
    (pairs > 0).then(|| Comparison { pairs: pairs as usize, default: mean(sums.0), incumbent: mean(sums.1) })
}
