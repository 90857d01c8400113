//! Histories of campaigns in simulated time, and exact costs of configurations that they have not tried.
//!
//! | target | costs | instances | cutoff |
//! |---|---|---|---|
//! | saps | steps of SAPS on quasigroups with holes, order 22, 185 holes | formulas 1 to 5 | 1e6 |
//! | synthetic-76 | the formula with 76 parameters | 20 | 300 |
//!
//! To get exact costs, random configurations are run, each on one of the campaign's instances with a new
//! seed. Runs that crash or reach the cutoff have no exact cost.

use std::sync::Arc;

use anyhow::Result;
use campaign::budget::Budget;
use campaign::{Campaign, Desk, Ledger, Search};
use engine::{
    Configuration, History, InstanceId, Objective, Pair, Problem, Rng, Seed, Space, Status, TrialRequest,
};
use execution::executor::{Answer, Inbox, Simulated};
use surrogate::InstanceTable;
use targets::saps::{Saps, solve};
use targets::synthetic::Synthetic;
use targets::{Formula, Quasigroup, saps};

use super::score::Exact;
use crate::spine::stage::settings;

/// Number of runs for exact costs, including runs that are left out because they crash or time out.
const RUNS: usize = 1000;

/// A target with the settings for its campaigns.
pub(super) struct HistoryTarget {
    pub(super) name: &'static str,
    pub(super) space: Space,
    pub(super) instances: u32,
    pub(super) cutoff: f64,
    /// Number of trials in a campaign.
    pub(super) trials: u64,
    target: Target,
}

enum Target {
    Saps(Vec<Formula>),
    Synthetic(Box<Synthetic>),
}

/// Returns all targets.
pub(super) fn history_targets() -> Result<Vec<Arc<HistoryTarget>>> {
    let formula = |seed| Ok(format!("qwh:22,185,{seed}").parse::<Quasigroup>()?.formula());
    let formulas: Vec<Formula> = (1..=5).map(formula).collect::<Result<_>>()?;
    let saps = HistoryTarget {
        name: "saps",
        space: saps::space(),
        instances: 5,
        cutoff: 1e6,
        trials: 500,
        target: Target::Saps(formulas),
    };
    Ok(vec![Arc::new(saps), Arc::new(synthetic(20))])
}

/// Returns the formula with 76 parameters and this number of instances.
pub(super) fn synthetic(instances: u32) -> HistoryTarget {
    let target = Synthetic::default();
    HistoryTarget {
        name: "synthetic-76",
        space: target.space().clone(),
        instances,
        cutoff: 300.0,
        trials: 1000,
        target: Target::Synthetic(Box::new(target)),
    }
}

impl HistoryTarget {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        let seed = u64::from(pair.seed.0);
        match &self.target {
            Target::Saps(formulas) => {
                let parameters = Saps::from_configuration(configuration);
                let formula = &formulas[pair.instance.index()];
                let outcome = solve(formula, &parameters, seed, cap.ceil() as u64);
                let cost = if outcome.solved.is_some() { outcome.steps as f64 } else { 2.0 * cap };
                Answer::finished(cost)
            }
            Target::Synthetic(target) => {
                // Even instances are for training.
                let answer = target.answer(configuration, 2 * pair.instance.0, seed);
                let status = if answer.crashed { Status::Crashed } else { Status::Finished };
                Answer { status, ..Answer::finished(answer.cost) }
            }
        }
    }

    /// Returns the instance table that lets models distinguish instances by name.
    pub(super) fn table(&self) -> InstanceTable {
        InstanceTable::named(self.instances as usize)
    }

    /// Runs a campaign with this slack and returns its trials.
    pub(super) fn history(
        self: &Arc<Self>,
        search: Search,
        slack: f64,
        seed: u64,
    ) -> Result<(Problem, History)> {
        let mut settings = settings(&self.space, self.instances, Objective::capped(self.cutoff), seed);
        settings.search = search;
        settings.racing.slack = slack;
        settings.budget = Budget { trials: Some(self.trials), ..Budget::default() };
        let target = self.clone();
        let oracle = move |request: &TrialRequest| {
            target.answer(&request.configuration, request.key.pair, request.cap.cost())
        };
        let executor = Simulated::new(Box::new(oracle), Some(self.cutoff), 1, 0.0);
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None)?;
        campaign.search(&mut |_| {})?;
        Ok((settings.problem.clone(), campaign.optimizer().history().clone()))
    }

    /// Returns exact costs that no campaign has seen, with the columns of the instance table.
    pub(super) fn exact_costs(&self, table: &InstanceTable) -> Result<Exact> {
        let mut rng = Rng::new(1, "questions", 0);
        let mut exact = Exact::default();
        for _ in 0..RUNS {
            let configuration = self.space.sample(&mut rng)?;
            let instance = rng.below(self.instances as usize);
            let seed = Seed((rng.bits() >> 33) as u32);
            let pair = Pair { instance: InstanceId(instance as u32), seed };
            let answer = self.answer(&configuration, pair, self.cutoff);
            if answer.status == Status::Finished && answer.cost <= self.cutoff {
                exact.rows.extend(self.space.encode(&configuration));
                exact.rows.extend(table.row(if table.count() == 1 { 0 } else { instance }));
                exact.values.push(answer.cost.log10());
            }
        }
        Ok(exact)
    }
}
