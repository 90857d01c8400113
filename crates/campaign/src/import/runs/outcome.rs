//! Turns the result of a run into an observation for a scenario.
//!
//! | a run that | becomes |
//! |---|---|
//! | finished at or below the cutoff | finished, at its cost |
//! | finished above the cutoff | a timeout: at least the cutoff |
//! | was stopped at the cutoff or above | a timeout: at least the cutoff |
//! | was stopped below the cutoff | capped: at least the cost it had reached |
//! | was stopped, if costs are not capped | crashed: its cost is unknown |
//! | failed | the same failure |

use engine::{Observation, Reading, Status};
use execution::process;
use scenario::{Bounded, Constraint, Measure, Scenario, Sense};

use super::{Ending, Run};

/// Returns the observation for a run. The error is the reason why the run has no usable result.
pub(super) fn observation(run: &Run, sense: Sense, cutoff: Option<f64>) -> Result<Observation, String> {
    let spent = run.time.unwrap_or(0.0);
    let stopped = |at: f64| match cutoff {
        Some(cutoff) if at >= cutoff => Observation::timeout(cutoff),
        Some(_) => Observation::capped(at),
        None => Observation::failed(Status::Crashed, spent),
    };
    match run.ending {
        Ending::Finished(cost) if !cost.is_finite() => Ok(Observation::failed(Status::Crashed, spent)),
        Ending::Finished(cost) if cutoff.is_some_and(|cutoff| cost > cutoff) => Ok(stopped(cost)),
        Ending::Finished(cost) => Ok(Observation::finished(sense.cost(cost))),
        Ending::StoppedAt(at) | Ending::OutOfTime(at) if at.is_finite() => Ok(stopped(at)),
        Ending::StoppedAt(_) | Ending::OutOfTime(_) | Ending::Crashed => {
            Ok(Observation::failed(Status::Crashed, spent))
        }
        Ending::Memory => Ok(Observation::failed(Status::Memory, spent)),
        Ending::Nothing(ref why) => Err(format!("no usable result: {why}")),
    }
}

/// Returns the reading for a constraint that a campaign stored with a run, as it counts now. The cutoff may have made
/// another observation of the run.
pub(super) fn kept_reading(
    one: &Constraint,
    stored: Option<Reading>,
    run: &Run,
    observation: &Observation,
    scenario: &Scenario,
) -> Option<Reading> {
    let follows_from_observation = match one.of {
        Bounded::Solved => true,
        Bounded::Measure(measure) => measure == scenario.objective.minimise,
    };
    if follows_from_observation {
        return reading(one, run, observation, scenario).unwrap_or_default();
    }
    let is_cut_short = matches!(run.ending, Ending::Finished(_)) && !is_finished(observation);
    if is_cut_short { process::reading(one.of, stored?.lower_bound(), observation.status()) } else { stored }
}

/// Returns a run's reading for a constraint. An error means that the run finished but did not report this
/// output.
pub(super) fn reading(
    one: &Constraint,
    run: &Run,
    observation: &Observation,
    scenario: &Scenario,
) -> Result<Option<Reading>, ()> {
    let told = match one.of {
        Bounded::Solved => {
            return Ok(process::solved(observation.status()).and_then(|told| one.reading(told)));
        }
        Bounded::Measure(measure) if measure == scenario.objective.minimise => {
            // A constraint applies to the measured value, whose sign may differ from the sign of the cost.
            observation.cost().map(|cost| match cost {
                Reading::Exact(cost) => Reading::Exact(scenario.objective.sense.shown(cost)),
                bound => bound,
            })
        }
        Bounded::Measure(_) => {
            let told = run.outputs.iter().find(|(name, _)| *name == one.name);
            told.and_then(|(_, value)| process::reading(one.of, *value, observation.status()))
        }
    };
    match told {
        None if is_finished(observation) => Err(()),
        told => Ok(told.and_then(|told| one.reading(told))),
    }
}

fn is_finished(observation: &Observation) -> bool {
    observation.status() == Status::Finished
}

/// Returns the numbers of a run that are negative but must not be. A cost may be negative only if it is an
/// output and costs are not capped.
pub(super) fn below_zero(run: &Run, scenario: &Scenario, cutoff: Option<f64>) -> Vec<String> {
    let measure = scenario.objective.minimise;
    let counts_from_zero = cutoff.is_some() || !matches!(measure, Measure::Output(_));
    let cost = match run.ending {
        Ending::Finished(cost) | Ending::StoppedAt(cost) if counts_from_zero => Some(("cost", cost)),
        Ending::OutOfTime(time) => Some(("time", time)),
        _ => None,
    };
    let time = run.time.map(|time| ("time", time));
    let mut negative: Vec<String> = [cost, time]
        .into_iter()
        .flatten()
        .filter(|(_, number)| *number < 0.0)
        .map(|(name, number)| format!("the {name} {number}"))
        .collect();
    negative.dedup();
    negative
}

/// Returns whether two runs of the same configuration, instance and seed contradict each other. A lower bound
/// is consistent with every cost above it, and with a failure that happened later.
pub(super) fn contradict(one: &Observation, other: &Observation) -> bool {
    match (one.cost(), other.cost()) {
        (Some(Reading::Exact(one)), Some(Reading::Exact(other))) => one != other,
        (Some(Reading::Exact(exact)), Some(Reading::AtLeast(least)))
        | (Some(Reading::AtLeast(least)), Some(Reading::Exact(exact))) => exact < least,
        (Some(Reading::Exact(_)), None) | (None, Some(Reading::Exact(_))) => true,
        (Some(Reading::AtLeast(_)), _) | (_, Some(Reading::AtLeast(_))) => false,
        (None, None) => one.status() != other.status(),
    }
}

/// Formats an observation, as in `finished 0.5`, `timeout >= 5` or `crashed`.
pub(super) fn shown(observation: &Observation) -> String {
    let status = observation.status().name();
    observation.cost().map_or_else(|| status.to_owned(), |cost| format!("{status} {cost}"))
}
