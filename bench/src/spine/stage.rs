//! Shared parts: settings of a campaign, and worlds that answer its trials.

use campaign::budget::Budget;
use campaign::{Search, Settings};
use engine::{Objective, Problem, Racing, Space, Status, TrialRequest};
use execution::executor::Answer;
use targets::World;
use targets::worlds::Ending;

/// Returns the settings of a campaign on a space: defaults and random search.
pub(crate) fn settings(space: &Space, instances: u32, objective: Objective, seed: u64) -> Settings {
    Settings {
        problem: Problem {
            space: space.clone(),
            default: space.default_configuration(),
            objective,
            instances,
            seed,
        },
        racing: Racing::default(),
        search: Search::Random,
        initial: Vec::new(),
        validation: campaign::validation::Terms::default(),
        budget: Budget::default(),
        repeatable: false,
        cpu_matters: false,
    }
}

/// Returns the answer of a world to a trial.
pub(super) fn answer(world: &World, request: &TrialRequest) -> Answer {
    let pair = request.key.pair;
    let answer = world.answer(&request.configuration, pair.instance.0, u64::from(pair.seed.0));
    let (status, cost) = match answer.ending {
        Ending::Finished => (Status::Finished, answer.cost),
        Ending::Crashed { after } => (Status::Crashed, after),
        Ending::MemoryOut { after } => (Status::Memory, after),
    };
    Answer { cost, status, constraints: answer.constraints, time: cost }
}

/// Formats a share with its standard error, in percent.
pub(super) fn percent(count: usize, all: usize) -> String {
    let share = count as f64 / all as f64;
    let error = (share * (1.0 - share) / all as f64).sqrt();
    format!("{:.1} % ± {:.1}", 100.0 * share, 100.0 * error)
}
