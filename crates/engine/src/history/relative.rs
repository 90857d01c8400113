//! Constrained outputs relative to the baseline, for constraints such as "at most 1.02 times the
//! size that the default gives".
//!
//! ```text
//! rated(configuration, pair) = output(configuration, pair) / output(baseline, pair)
//! ```
//!
//! Trials are stored with their outputs as measured. The history holds the rated outputs, so in all other
//! code a relative constraint is an ordinary bound on a ratio. A trial on a pair that the baseline has not
//! finished yet is rated once the baseline has finished it. A pair on which the baseline has no positive
//! output (for example, because it timed out) does not count, because there is nothing to compare with.

use std::collections::HashMap;

use surrogate::Reading;

use crate::problem::Constraint;
use crate::trial::{ConfigId, Pair};

/// The constrained outputs of a trial.
type Outputs = Box<[Option<Reading>]>;

/// The outputs of the baseline, and the trials that cannot be rated yet.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    baseline: ConfigId,
    constraints: Vec<Constraint>,
    /// The baseline's outputs on the pairs that it has finished.
    outputs: HashMap<Pair, Outputs>,
    /// Trials on other pairs: their rows in the history, and their outputs as measured.
    waiting: HashMap<Pair, Vec<(usize, Outputs)>>,
}

impl Relative {
    /// Creates the data for these constraints. Returns `None` if no constraint is relative.
    pub(super) fn new(baseline: ConfigId, constraints: &[Constraint]) -> Option<Self> {
        let (outputs, waiting) = (HashMap::new(), HashMap::new());
        constraints.iter().any(|one| one.relative).then(|| Self {
            baseline,
            constraints: constraints.to_vec(),
            outputs,
            waiting,
        })
    }

    /// Returns the rated outputs of a trial. `row` is the trial's row in the history.
    pub(super) fn rated(
        &mut self,
        row: usize,
        (config, pair): (ConfigId, Pair),
        measured: &[Option<Reading>],
    ) -> Vec<Option<Reading>> {
        // As in the history, the first finished trial on a pair counts.
        let is_exact = measured.iter().any(|one| matches!(one, Some(Reading::Exact(_))));
        if config == self.baseline && is_exact && !self.outputs.contains_key(&pair) {
            self.outputs.insert(pair, measured.into());
        }
        let baseline = self.outputs.get(&pair);
        if baseline.is_none() && !measured.is_empty() {
            self.waiting.entry(pair).or_default().push((row, measured.into()));
        }
        rated(&self.constraints, measured, baseline.map_or(&[], |outputs| outputs))
    }

    /// Removes the trials on a pair that can be rated now, and returns their rows and rated outputs.
    pub(super) fn take_due(&mut self, pair: Pair) -> Vec<(usize, Vec<Option<Reading>>)> {
        let Some(baseline) = self.outputs.get(&pair) else { return Vec::new() };
        let due = self.waiting.remove(&pair).unwrap_or_default();
        due.into_iter().map(|(row, measured)| (row, rated(&self.constraints, &measured, baseline))).collect()
    }
}

/// Divides the outputs of relative constraints by those of the baseline on the same pair. An output becomes
/// `None` if the baseline's output is missing or not positive.
pub fn rated(
    constraints: &[Constraint],
    measured: &[Option<Reading>],
    baseline: &[Option<Reading>],
) -> Vec<Option<Reading>> {
    let rate = |(place, reading): (usize, &Option<Reading>)| {
        let Some(constraint) = constraints.get(place).filter(|one| one.relative) else { return *reading };
        let Some(Some(Reading::Exact(unit))) = baseline.get(place).copied() else { return None };
        // For a constraint from below, the readings and the bound are stored with a negative sign.
        let unit = unit * constraint.bound.signum();
        let ratio = match (*reading)? {
            Reading::Exact(value) => Reading::Exact(value / unit),
            Reading::AtLeast(value) => Reading::AtLeast(value / unit),
        };
        (unit > 0.0 && ratio.lower_bound().is_finite()).then_some(ratio)
    };
    measured.iter().enumerate().map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{History, Trial};
    use crate::observation::Observation;
    use crate::problem::Over;
    use crate::trial::{Cap, InstanceId, Seed, TrialId, TrialKey, Why};
    use space::Literal;
    use space::format::{Format, read};

    const BASELINE: u32 = 0;
    const OTHER: u32 = 1;

    fn trial(id: u64, config: u32, instance: u32, observation: Observation) -> Trial {
        let pair = Pair { instance: InstanceId(instance), seed: Seed(1) };
        let key = TrialKey { config: ConfigId(config), pair };
        Trial { id: TrialId(id), key, cap: Cap::NONE, why: Why::Challenge, observation }
    }

    fn sized(size: f64) -> Observation {
        // An upper and a lower bound on the same output, and a bound that is not relative.
        let outputs = [size, -size, size].map(|value| Some(Reading::Exact(value)));
        Observation::finished(1.0).with_constraints(outputs)
    }

    fn constraints() -> [Constraint; 3] {
        [
            Constraint::relative(1.02, Over::Mean),
            Constraint::relative(-0.5, Over::Mean),
            Constraint::new(9.0, Over::Mean),
        ]
    }

    fn empty() -> History {
        let space = read("x = { integer = [0, 9] }\n", "space.toml", Format::Toml).unwrap();
        let mut history = History::new();
        for x in 0..2 {
            history.intern(&space.configuration([("x", Literal::Integer(x))]).unwrap());
        }
        history
    }

    fn outputs(history: &History) -> Vec<Vec<Option<f64>>> {
        let shown = |trial: &Trial| {
            trial.observation.constraints().iter().map(|one| one.map(Reading::lower_bound)).collect()
        };
        history.trials().iter().map(shown).collect()
    }

    #[test]
    fn outputs_are_divided_by_the_baselines_on_the_same_pair_whichever_comes_first() {
        let stopped = Observation::timeout(3.0).with_constraints([Some(Reading::AtLeast(8.0)), None, None]);
        let trials = [
            trial(0, OTHER, 0, sized(30.0)),
            trial(1, BASELINE, 0, sized(20.0)),
            trial(2, BASELINE, 1, sized(4.0)),
            trial(3, OTHER, 1, sized(2.0)),
            trial(4, BASELINE, 1, sized(5.0)),
            trial(5, OTHER, 1, stopped),
        ];
        let mut live = empty();
        live.relate(ConfigId(BASELINE), &constraints());
        trials.iter().for_each(|trial| live.push(trial.clone()));
        let mut loaded = empty();
        trials.iter().for_each(|trial| loaded.push(trial.clone()));
        loaded.relate(ConfigId(BASELINE), &constraints());
        loaded.relate(ConfigId(BASELINE), &constraints());
        let some = |values: [f64; 3]| values.map(Some).to_vec();
        let expected = [
            some([1.5, -1.5, 30.0]),
            some([1.0, -1.0, 20.0]),
            some([1.0, -1.0, 4.0]),
            some([0.5, -0.5, 2.0]),
            // The other trials are compared with the first trial of the baseline.
            some([1.25, -1.25, 5.0]),
            vec![Some(2.0), None, None],
        ];
        assert_eq!(outputs(&live), expected);
        assert_eq!(outputs(&loaded), expected);
        let last = live.trials()[5].observation.constraints()[0];
        assert_eq!(last, Some(Reading::AtLeast(2.0)), "a lower bound stays one");
    }

    #[test]
    fn a_pair_without_a_positive_output_of_the_baseline_does_not_count() {
        for nothing in [sized(0.0), sized(-1.0), Observation::timeout(3.0).with_constraints([None; 3])] {
            let mut history = empty();
            history.relate(ConfigId(BASELINE), &constraints());
            history.push(trial(0, BASELINE, 0, nothing));
            history.push(trial(1, OTHER, 0, sized(2.0)));
            assert_eq!(outputs(&history)[1], [None, None, Some(2.0)]);
        }
    }
}
