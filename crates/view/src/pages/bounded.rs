//! The constraints: which configurations satisfy them, and at what cost.

use campaign::progress;
use engine::ConfigId;
use serde::Serialize;

use super::material::Material;
use super::relative::Default;
use super::thinned::Thinned;
use crate::bounds::Held;

/// Largest number of configurations in the pictures.
const CONFIGURATIONS: usize = 1500;

/// The constraints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bounded {
    /// The configurations that were measured.
    pub configurations: Thinned<Feasibility>,
    /// Number of configurations that satisfy every constraint so far.
    pub feasible: usize,
    /// Number of configurations that violate a constraint.
    pub infeasible: usize,
    /// Number of configurations of which neither is known, because a constrained output was not measured.
    pub unknown: usize,
    /// Number of configurations that violate each constraint, in the order of the constraints.
    pub violated: Vec<usize>,
}

/// A configuration's results for the constraints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Feasibility {
    /// Its number.
    pub configuration: u32,
    /// Its mean cost relative to the default's on the same pairs.
    pub relative: Option<f64>,
    /// Whether this is a lower bound, because trials were stopped.
    pub censored: bool,
    /// Whether it satisfies every constraint so far; `None` if this is unknown, because a constrained output
    /// was not measured and no other constraint is violated.
    pub feasible: Option<bool>,
    /// Whether it has been the incumbent.
    pub incumbent: bool,
    /// Its result for each constraint.
    pub constraints: Vec<Held>,
}

impl Bounded {
    /// Returns `None` if there are no constraints.
    pub(super) fn of(material: &Material<'_>) -> Option<Self> {
        if material.objective().constraints.is_empty() {
            return None;
        }
        let (default, incumbents) = (Default::of(material, true), material.incumbents());
        let one = |config: ConfigId| {
            let holdings = progress::holdings(material.records.history(), material.objective(), config);
            let constraints = material.costs.held(&holdings);
            let relative = default.relate(material, config, true);
            Feasibility {
                configuration: config.0,
                relative: relative.map(|one| one.ratio),
                censored: relative.is_some_and(|one| one.censored),
                feasible: feasible(&constraints),
                incumbent: incumbents.contains(&config),
                constraints,
            }
        };
        let all: Vec<Feasibility> = material.measured().map(one).collect();
        let count = |feasible: Option<bool>| all.iter().filter(|one| one.feasible == feasible).count();
        let [feasible, infeasible, unknown] = [Some(true), Some(false), None].map(count);
        let violates = |place: usize| all.iter().filter(|one| is_violated(&one.constraints[place])).count();
        let violated = (0..material.objective().constraints.len()).map(violates).collect();
        let configurations = Thinned::evenly(all, CONFIGURATIONS);
        Some(Self { configurations, feasible, infeasible, unknown, violated })
    }
}

/// Returns whether a configuration was measured and violates a constraint.
fn is_violated(held: &Held) -> bool {
    held.value.is_some() && !held.kept
}

fn feasible(constraints: &[Held]) -> Option<bool> {
    if constraints.iter().any(is_violated) {
        return Some(false);
    }
    constraints.iter().all(|held| held.value.is_some()).then_some(true)
}
