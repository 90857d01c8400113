//! The meaning of costs: their unit, the direction of improvement, and the configuration that gains are
//! measured against.

use engine::problem::Holding;
use engine::stats::Interval;
use scenario::{CappedBy, Constraint, Measure, Scenario, Sense};
use serde::{Serialize, Serializer};
use store::Charter;
use toml::de::{DeTable, DeValue};

use crate::bounds::{Bound, Held};
use crate::unit::Unit;

/// The meaning of a scenario's costs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Costs {
    /// The unit of the costs.
    pub unit: Unit,
    /// Whether the objective is minimised or maximised.
    #[serde(serialize_with = "word_of_sense")]
    pub sense: Sense,
    /// The name of the measured quantity.
    pub noun: String,
    /// The name of the mean compared cost, such as `PAR10`.
    pub mean: String,
    /// The name of the configuration that gains are measured against: `baseline` if the scenario sets one,
    /// otherwise `default` or `starting point`.
    pub against: &'static str,
    /// The constraints.
    pub bounds: Vec<Bound>,
    /// The same constraints, for converting the engine's numbers to the user's sign.
    #[serde(skip)]
    constraints: Vec<Constraint>,
}

impl Costs {
    /// Returns the meaning of a scenario's costs.
    pub fn of(scenario: &Scenario) -> Self {
        let objective = &scenario.objective;
        let unit = Unit::of(objective.minimise);
        let noun = match objective.minimise {
            Measure::CpuTime => "CPU time",
            Measure::WallTime => "wall time",
            Measure::Memory => "memory",
            Measure::Output(index) => scenario.outputs[index].name.as_str(),
        };
        // PAR is the usual name for a mean in which a timeout counts as `par` times the cutoff.
        let mean = match (objective.cutoff, objective.capped_by) {
            (None, _) | (_, CappedBy::Nobody) => format!("mean {noun}"),
            (Some(_), _) if unit == Unit::Seconds => format!("PAR{}", objective.par),
            (Some(_), _) => format!("PAR{} {noun}", objective.par),
        };
        Self::new(unit, objective.sense, noun, mean, scenario.against()).bounded_by(&scenario.constraints)
    }

    /// Creates a value without constraints from its parts.
    pub fn new(unit: Unit, sense: Sense, noun: &str, mean: String, against: &'static str) -> Self {
        let (bounds, constraints) = (Vec::new(), Vec::new());
        Self { unit, sense, noun: noun.to_owned(), mean, against, bounds, constraints }
    }

    /// Returns a copy with these constraints.
    pub fn bounded_by(&self, constraints: &[Constraint]) -> Self {
        let bounds = constraints.iter().map(|one| Bound::of(one, self.against)).collect();
        Self { bounds, constraints: constraints.to_vec(), ..self.clone() }
    }

    /// Converts a cost from the engine's sign to the user's.
    pub fn number(&self, cost: f64) -> f64 {
        self.sense.shown(cost)
    }

    /// Converts an interval of costs to the user's sign.
    pub fn ends(&self, Interval { low, high }: Interval) -> [f64; 2] {
        let (low, high) = if self.sense == Sense::Maximise { (high, low) } else { (low, high) };
        [self.number(low), self.number(high)]
    }

    /// Returns a configuration's result for each constraint, with the user's sign.
    pub fn held(&self, holdings: &[Holding]) -> Vec<Held> {
        self.constraints
            .iter()
            .zip(holdings)
            .map(|(one, holding)| Held::of(one, holding, self.against))
            .collect()
    }

    /// Returns the name of the output that the constraint with this index applies to.
    pub fn name_of_bound(&self, place: usize) -> &str {
        self.bounds.get(place).map_or("", |one| &one.name)
    }

    pub(crate) fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
}

fn word_of_sense<S: Serializer>(sense: &Sense, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match sense {
        Sense::Minimise => "minimise",
        Sense::Maximise => "maximise",
    })
}

/// Returns whether a campaign minimises or maximises, even if its scenario is no longer fully readable.
pub(crate) fn sense(charter: &Charter) -> Sense {
    let table = DeTable::parse(&charter.scenario).ok();
    let maximises = |table: &DeTable<'_>| match table.get("objective").map(|value| value.get_ref()) {
        Some(DeValue::Table(objective)) => objective.contains_key("maximise"),
        _ => false,
    };
    if table.is_some_and(|table| maximises(table.get_ref())) { Sense::Maximise } else { Sense::Minimise }
}
