//! A trial's readings for constrained outputs.
//!
//! | constrained | the trial finished | the trial was stopped or failed |
//! |---|---|---|
//! | an output | its value; unknown if that is not a finite number | unknown: the number that counts is printed at the end |
//! | `cpu_time`, `wall_time`, `memory` | what it used | at least what it had used; at least the memory limit if that stopped it |
//! | `solved` | 1 | 0; unknown if it was stopped below the cutoff |

use confine::{End, Finished, Limit};
use engine::{Reading, Status};
use scenario::{Bounded, Measure, Scenario};

use super::Account;

/// Adds a reading for each constraint to the result of a trial. `record` is the record of the trial's run, if
/// there is one.
pub(super) fn with_readings(scenario: &Scenario, account: Account, record: Option<&Finished>) -> Account {
    if scenario.constraints.is_empty() {
        return account;
    }
    let Account { observation, detail } = account;
    let memory_limit = scenario
        .limits
        .memory
        .filter(|_| record.is_some_and(|record| record.end() == End::Stopped(Limit::Memory)));
    let readings: Vec<Option<Reading>> = scenario
        .constraints
        .iter()
        .map(|one| {
            let told = match one.of {
                Bounded::Solved => return one.reading(solved(observation.status())?),
                Bounded::Measure(Measure::Output(_)) => detail.outputs.get(&one.name).copied(),
                Bounded::Measure(Measure::CpuTime) => detail.cpu,
                Bounded::Measure(Measure::WallTime) => detail.wall,
                Bounded::Measure(Measure::Memory) => {
                    detail.memory.max(memory_limit).map(|bytes| bytes as f64)
                }
            };
            one.reading(reading(one.of, told?, observation.status())?)
        })
        .collect();
    Account { observation: observation.with_constraints(readings), detail }
}

/// Returns what a trial with this status says about a bounded output that it reported, or about the time or memory that
/// it used.
pub fn reading(of: Bounded, told: f64, status: Status) -> Option<Reading> {
    match (status, of) {
        (Status::Finished, _) => Some(Reading::Exact(told)),
        // What a trial has used when it ends early can only grow.
        (_, Bounded::Measure(Measure::CpuTime | Measure::WallTime | Measure::Memory))
            if !status.is_uninformative() =>
        {
            Some(Reading::AtLeast(told))
        }
        _ => None,
    }
}

/// Returns whether a trial with this status has solved its instance; `None` if it was stopped below the
/// cutoff or says nothing.
pub fn solved(status: Status) -> Option<Reading> {
    match status {
        status if status == Status::Capped || status.is_uninformative() => None,
        Status::Finished => Some(Reading::Exact(1.0)),
        _ => Some(Reading::Exact(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use engine::Observation;

    use super::*;
    use crate::Detail;

    const SCENARIO: &str = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\n[objective]\n\
        minimise = \"cpu_time\"\ncutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n\
        [outputs]\nerror = { pattern = 'error (\\S+)' }\n[constraints]\nerror = [\"<= 0.5\", \">= 0\"]\n\
        solved = \">= 0.9\"\nmemory = \"<= 2 kB\"\nwall_time = \"<= 5s\"\ncpu_time = { bound = \"<= 3 s\", over = \"max\" }\n";

    fn readings(observation: Observation, memory: Option<u64>) -> Vec<Option<Reading>> {
        let scenario = scenario::read(SCENARIO, Path::new("."), "test.toml").unwrap();
        let names: Vec<_> = scenario.constraints.iter().map(|one| (one.name.as_str(), one.sign())).collect();
        let order = [("cpu_time", "<="), ("error", "<="), ("error", ">="), ("memory", "<=")];
        assert_eq!(names[..4], order, "sorted by name, whatever the order in the file");
        let outputs = [("error".to_owned(), 0.25)].into();
        let detail = Detail { cpu: Some(1.0), wall: Some(2.0), memory, outputs, ..Detail::default() };
        with_readings(&scenario, Account { observation, detail }, None).observation.constraints().to_vec()
    }

    #[test]
    fn only_a_finished_trial_has_exact_readings() {
        use Reading::{AtLeast, Exact};
        let finished = readings(Observation::finished(1.0), Some(7));
        let expected = [Exact(1.0), Exact(0.25), Exact(-0.25), Exact(7.0), Exact(-1.0), Exact(2.0)];
        assert_eq!(finished, expected.map(Some));
        let stopped = |solved| {
            [Some(AtLeast(1.0)), None, None, Some(AtLeast(7.0)), solved, Some(AtLeast(2.0))].to_vec()
        };
        assert_eq!(readings(Observation::capped(1.0), Some(7)), stopped(None));
        assert_eq!(readings(Observation::timeout(9.0), Some(7)), stopped(Some(Exact(0.0))));
        let crashed = Observation::failed(Status::Crashed, 1.0);
        assert_eq!(readings(crashed, Some(7)), stopped(Some(Exact(0.0))));
        assert_eq!(readings(Observation::failed(Status::Lost, 0.0), None), [None; 6]);
    }
}
