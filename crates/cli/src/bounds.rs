//! Constraints as people and programs read them.

use campaign::validation::BothHoldings;
use engine::racing::{Holding, Over};
use engine::{ConfigId, Reading};
use scenario::{Bounded, Constraint, Measure, Scenario, are_kept};
use serde_json::{Value, json};

use crate::progress::block::name;
use crate::words::{bytes, harmless, number, seconds};

/// The constraints of a scenario, for showing what came of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Bounds(Vec<Constraint>);

impl Bounds {
    /// Those of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        Self(scenario.constraints.clone())
    }

    /// Made up, for tests.
    #[cfg(test)]
    pub(crate) fn made_up(constraints: Vec<Constraint>) -> Self {
        Self(constraints)
    }

    /// The name of what a constraint bounds.
    pub(crate) fn name(&self, place: usize) -> &str {
        self.0.get(place).map_or("", |one| &one.name)
    }

    /// `error <= 0.05, every recall >= 0.95`: what is asked for; nothing without constraints.
    pub(crate) fn wanted(&self) -> Option<String> {
        let one = |one: &Constraint| {
            let over = if one.over == Over::Max { "every " } else { "" };
            format!("{over}{} {}", harmless(&one.name), limit(one))
        };
        (!self.0.is_empty()).then(|| self.0.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    /// `error 0.0812 (bound <= 0.05: violated)`, for each constraint.
    pub(crate) fn each(&self, holdings: &[Holding]) -> Vec<String> {
        let one = |(one, holding): (&Constraint, &Holding)| {
            format!("{} (bound {}: {})", shown(one, holding), limit(one), word(holding))
        };
        self.0.iter().zip(holdings).map(one).collect()
    }

    /// The same in one line.
    pub(crate) fn line(&self, holdings: &[Holding]) -> String {
        self.each(holdings).join(", ")
    }

    /// For a line that already has much to say: ` · error 0.0412`, ` · infeasible: error 0.0812 (bound …)`.
    pub(crate) fn in_short(&self, holdings: &[Holding]) -> String {
        if holdings.is_empty() {
            return String::new();
        }
        if are_kept(holdings) {
            let values: Vec<String> =
                self.0.iter().zip(holdings).map(|(one, holding)| shown(one, holding)).collect();
            return format!(" · {}", values.join(", "));
        }
        format!(" · infeasible: {}", self.violated(holdings))
    }

    /// The constraints that are not kept: `error 0.0812, bound <= 0.05`.
    fn violated(&self, holdings: &[Holding]) -> String {
        let broken = self.0.iter().zip(holdings).filter(|(_, holding)| !holding.is_kept());
        let one = |(one, holding)| format!("{}, bound {}", shown(one, holding), limit(one));
        broken.map(one).collect::<Vec<_>>().join("; ")
    }

    /// That nothing feasible was found, and what comes closest.
    pub(crate) fn nothing_feasible(&self, closest: ConfigId, holdings: &[Holding], against: &str) -> String {
        let closest = if closest == ConfigId(0) { format!("the {against}") } else { name(closest, against) };
        format!("no feasible configuration found: the closest is {closest} ({})", self.violated(holdings))
    }

    /// What the best and the default have shown in a validation, a sentence for each constraint.
    pub(crate) fn both(&self, both: &BothHoldings, against: &str) -> Vec<String> {
        let default = both.default.iter().zip(&self.0);
        let one = |(best, (holding, one)): (String, (&Holding, &Constraint))| {
            let value = holding.value.map_or_else(|| "not measured".to_owned(), |value| reading(one, value));
            format!("{best}; the {against}: {value} ({}).", word(holding))
        };
        self.each(&both.tuned).into_iter().zip(default).map(one).collect()
    }

    /// What a configuration has shown of each constraint.
    pub(crate) fn json(&self, holdings: &[Holding]) -> Value {
        let one = |(one, holding): (&Constraint, &Holding)| {
            json!({
                "name": one.name,
                "over": if one.over == Over::Max { "max" } else { "mean" },
                "sign": one.sign(),
                "bound": one.bound,
                "value": holding.value.map(|value| one.shown(value.lower_bound())),
                "censored": holding.value.map(Reading::is_censored),
                "pairs": holding.pairs,
                "kept": holding.is_kept(),
            })
        };
        self.0.iter().zip(holdings).map(one).collect()
    }

    /// What one trial told of each constraint.
    pub(crate) fn readings(&self, told: &[Option<Reading>]) -> Value {
        let one = |(one, reading): (&Constraint, &Option<Reading>)| {
            json!({
                "name": one.name,
                "value": reading.map(|reading| one.shown(reading.lower_bound())),
                "censored": reading.map(Reading::is_censored),
            })
        };
        self.0.iter().zip(told).map(one).collect()
    }
}

/// `<= 0.05`, `<= 2GiB`.
fn limit(one: &Constraint) -> String {
    let bound = match one.of {
        Bounded::Measure(_) if one.bound == 0.0 => "0".to_owned(),
        Bounded::Measure(measure) if measure.is_time() => seconds(one.bound),
        Bounded::Measure(Measure::Memory) => bytes(one.bound),
        _ => one.bound.to_string(),
    };
    format!("{} {bound}", one.sign())
}

fn word(holding: &Holding) -> &'static str {
    match holding.value {
        None => "unknown",
        Some(_) if holding.is_kept() => "kept",
        Some(_) => "violated",
    }
}

/// `error 0.0412`, `worst error at least 0.3`, `error not measured`.
fn shown(one: &Constraint, holding: &Holding) -> String {
    let worst = if one.over == Over::Max { "worst " } else { "" };
    let value = holding.value.map_or_else(|| "not measured".to_owned(), |value| reading(one, value));
    format!("{worst}{} {value}", harmless(&one.name))
}

fn reading(one: &Constraint, reading: Reading) -> String {
    let least = if reading.is_censored() { "at least " } else { "" };
    format!("{least}{}", value(one, one.shown(reading.lower_bound())))
}

/// With as many digits as show on which side of the bound it is.
fn value(one: &Constraint, value: f64) -> String {
    let near = value != one.bound && (value - one.bound).abs() < one.bound.abs() * 5e-3;
    match one.of {
        Bounded::Measure(measure) if measure.is_time() && near => format!("{value} s"),
        Bounded::Measure(measure) if measure.is_time() => seconds(value),
        Bounded::Measure(Measure::Memory) => bytes(value),
        _ if near => value.to_string(),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use engine::racing::constraint::{CONFIDENCE, Tally};
    use scenario::Side;

    use super::*;

    pub(crate) fn constraint(name: &str, of: Bounded, side: Side, bound: f64, over: Over) -> Constraint {
        Constraint { name: name.to_owned(), of, side, bound, over, confidence: CONFIDENCE, surrogate: None }
    }

    #[test]
    fn a_bound_from_below_is_shown_as_it_was_written() {
        let output = Bounded::Measure(Measure::Output(0));
        let memory = Bounded::Measure(Measure::Memory);
        let all = vec![
            constraint("memory", memory, Side::AtMost, 2048.0, Over::Max),
            constraint("recall", output, Side::AtLeast, 0.95, Over::Mean),
            constraint("score", output, Side::AtLeast, 3.0, Over::Max),
        ];
        let mut tally = Tally::default();
        for [memory, recall, score] in [[4096.0, 0.957, 5.0], [1024.0, 0.9428, 2.0]] {
            let told = [Reading::AtLeast(memory), Reading::Exact(recall), Reading::Exact(score)];
            let told: Vec<_> = all.iter().zip(told).map(|(one, told)| one.reading(told)).collect();
            tally.take_in_readings(&told);
        }
        let engines: Vec<_> = all.iter().map(Constraint::for_engine).collect();
        let (bounds, holdings) = (Bounds::made_up(all), tally.holdings(&engines));
        assert_eq!(
            bounds.each(&holdings),
            [
                "worst memory at least 4KiB (bound <= 2KiB: violated)",
                "recall 0.9499 (bound >= 0.95: violated)",
                "worst score 2 (bound >= 3: violated)",
            ]
        );
        let unknown = Tally::default().holdings(&engines);
        assert_eq!(bounds.each(&unknown)[1], "recall not measured (bound >= 0.95: unknown)");
        assert_eq!(bounds.wanted().unwrap(), "every memory <= 2KiB, recall >= 0.95, every score >= 3");
        assert_eq!(bounds.json(&holdings)[2]["value"], 2.0);
    }
}
