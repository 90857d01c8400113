//! Converts events to JSON objects. Unknown and infinite values become null.

use campaign::budget::Limit;
use campaign::event::{Event, Stop, Warning, What};
use campaign::validation::GaveUp;
use engine::Reading;
use engine::racing::Requested;
use execution::Record;
use scenario::{Constraint, are_kept};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::costs::Costs;
use crate::progress::Progress;

/// Returns an event as a JSON object.
pub fn event(event: &Event, costs: &Costs) -> Value {
    let (name, fields) = what(&event.what, costs);
    let mut object = Map::new();
    object.insert("event".into(), json!(name));
    object.insert("at".into(), json!(event.at));
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

fn what(what: &What, costs: &Costs) -> (&'static str, Value) {
    match what {
        What::TrialEnded(trial) => ("trial_ended", self::trial(trial, costs)),
        What::RaceOpened { config, foretold } => {
            // If the objective is maximised, changing the sign swaps the ends of the interval.
            let shown = foretold.map(|it| {
                let [low, high] = [it.low, it.high].map(|end| costs.number(end));
                json!({ "cost": costs.number(it.cost), "low": low.min(high), "high": low.max(high) })
            });
            ("race_opened", json!({ "configuration": config.0, "foretold": shown }))
        }
        What::Requested { config, values, requested } => {
            let becomes = match requested {
                Requested::Next => "next",
                Requested::Underway => "underway",
                Requested::Incumbent => "incumbent",
            };
            ("requested", json!({ "configuration": config.0, "values": values, "becomes": becomes }))
        }
        What::CapLowered { id, cap } => {
            ("cap_lowered", json!({ "trial": id.0, "cap": costs.number(cap.cost()) }))
        }
        What::RaceDropped { config, pairs, why } => {
            ("race_dropped", json!({ "configuration": config.0, "pairs": pairs, "why": why.name() }))
        }
        What::Chosen(choice) => (
            "chosen",
            json!({
                "learner": choice.learner.word(),
                "trials": choice.trials,
                "forest": choice.forest,
                "neural": choice.neural,
                "gaussian": choice.gaussian,
            }),
        ),
        What::NewIncumbent(new) => (
            "new_incumbent",
            json!({
                "configuration": new.config.0,
                "values": new.values,
                "pairs": new.pairs,
                "cost": costs.number(new.cost),
                "before": costs.number(new.before),
                "feasible": are_kept(&new.holdings),
                "constraints": costs.held(&new.holdings),
            }),
        ),
        What::Warning(warning) => ("warning", self::warning(warning, costs)),
        What::Progress(progress) => ("progress", json!(Progress::of(progress, costs))),
        What::Validating { done, of } => ("validating", json!({ "done": done, "of": of })),
        What::Ablating { trials, steps, open } => {
            ("ablating", json!({ "trials": trials, "steps": steps, "open": open }))
        }
        What::WorkerJoined(worker) => ("worker_joined", json!(worker)),
        What::WorkerLeft { name, host, why } => {
            ("worker_left", json!({ "name": name, "host": host, "why": why }))
        }
        What::Stopped(stop) => ("stopped", self::stop(stop)),
    }
}

fn cost(reading: Option<Reading>, costs: &Costs) -> Value {
    match reading {
        Some(reading) => {
            json!({ "cost": costs.number(reading.lower_bound()), "censored": reading.is_censored() })
        }
        None => json!({ "cost": null, "censored": null }),
    }
}

fn trial(record: &Record, costs: &Costs) -> Value {
    let Record { trial, detail, .. } = record;
    let told = &trial.observation;
    let mut fields = json!({
        "trial": trial.id.0,
        "configuration": trial.key.config.0,
        "instance": trial.key.pair.instance.0,
        "seed": trial.key.pair.seed.0,
        "cap": trial.cap.cost(),
        "why": trial.why.name(),
        "status": told.status().name(),
        "cpu": detail.cpu,
        "wall": detail.wall,
        "memory": detail.memory,
        "exit": detail.exit,
        "outputs": detail.outputs,
        "reason": detail.reason,
        "constraints": readings(told.constraints(), costs),
    });
    if let (Value::Object(fields), Value::Object(cost)) = (&mut fields, cost(told.cost(), costs)) {
        fields.extend(cost);
    }
    fields
}

/// Returns a trial's reading for each constraint.
fn readings(told: &[Option<Reading>], costs: &Costs) -> Value {
    let one = |(one, reading): (&Constraint, &Option<Reading>)| {
        json!({
            "name": one.name,
            "value": reading.map(|reading| one.shown(reading.lower_bound())),
            "censored": reading.map(Reading::is_censored),
        })
    };
    costs.constraints().iter().zip(told).map(one).collect()
}

fn warning(warning: &Warning, costs: &Costs) -> Value {
    match warning {
        Warning::MostlyTimeouts { timeouts, pairs } => {
            json!({ "warning": "mostly_timeouts", "timeouts": timeouts, "pairs": pairs })
        }
        Warning::SmallBudget { passes } => json!({ "warning": "small_budget", "passes": passes }),
        Warning::AlmostNoCpu { share } => json!({ "warning": "almost_no_cpu", "share": share }),
        Warning::WallLimit { id, cpu, wall } => {
            json!({ "warning": "wall_limit", "trial": id.0, "cpu": cpu, "wall": wall })
        }
        Warning::Dethroned { config, by } => {
            json!({ "warning": "dethroned", "configuration": config.0, "by": by.0 })
        }
        Warning::Teardown { id, reason } => {
            json!({ "warning": "teardown", "trial": id.0, "reason": reason })
        }
        Warning::LeftBehind { id, path } => {
            json!({ "warning": "left_behind", "trial": id.0, "path": path.to_string_lossy() })
        }
        Warning::Server { id, reason } => {
            json!({ "warning": "server", "trial": id.0, "reason": reason })
        }
        Warning::Unmeasured { id, constraint } => {
            json!({ "warning": "unmeasured", "trial": id.0, "output": costs.name_of_bound(*constraint) })
        }
        Warning::RequestRefused { file, why } => {
            json!({ "warning": "request_refused", "file": file, "why": why })
        }
        Warning::Lost { id, reason } => json!({ "warning": "lost", "trial": id.0, "reason": reason }),
        Warning::NoWorkers => json!({ "warning": "no_workers" }),
        Warning::UnequalMachines { slowest, fastest } => {
            json!({ "warning": "unequal_machines", "slowest": slowest, "fastest": fastest })
        }
        Warning::Failure { id, reason } => json!({ "warning": "failure", "trial": id.0, "reason": reason }),
    }
}

/// Returns the reason why a search stopped.
fn stop(stop: &Stop) -> Value {
    match stop {
        Stop::Budget(limit) => {
            let limit = match limit {
                Limit::Wall => "wall",
                Limit::Cpu => "cpu",
                Limit::Trials => "trials",
            };
            json!({ "stop": "budget", "limit": limit })
        }
        Stop::Exhausted => json!({ "stop": "exhausted" }),
        Stop::Interrupted => json!({ "stop": "interrupted" }),
        Stop::Deadline => json!({ "stop": "deadline" }),
        Stop::NeverSucceeded { trial } => json!({ "stop": "never_succeeded", "trial": trial.trial.id.0 }),
        Stop::DefaultWrong { trial } => json!({ "stop": "default_wrong", "trial": trial.trial.id.0 }),
        Stop::Lost { trial, lost, of } => {
            json!({ "stop": "lost", "trial": trial.trial.id.0, "reason": trial.detail.reason, "lost": lost, "of": of })
        }
        Stop::Aborted(reason) => json!({ "stop": "aborted", "reason": reason }),
    }
}

pub(crate) fn serialize_stop<S: Serializer>(stop: &Stop, serializer: S) -> Result<S::Ok, S::Error> {
    self::stop(stop).serialize(serializer)
}

/// Serialises the reason why a validation gave up on some of its trials.
pub(crate) fn serialize_gave_up<S: Serializer>(why: &GaveUp, serializer: S) -> Result<S::Ok, S::Error> {
    let why = match why {
        GaveUp::Lost { times, reason } => json!({ "why": "lost", "times": times, "reason": reason }),
        GaveUp::Aborted(reason) => json!({ "why": "aborted", "reason": reason }),
    };
    why.serialize(serializer)
}
