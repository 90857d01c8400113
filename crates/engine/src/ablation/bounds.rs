//! Bounds on outputs: a step is made only if its result satisfies all of them, judged as in the search's races.
//!
//! | moment | a candidate is dropped if |
//! |---|---|
//! | during its trials | they prove that it violates a bound |
//! | after all pairs | its mean or maximum is beyond a bound, or its mean is in doubt and more so than the best configuration's |
//!
//! Outputs that are bounded relative to the baseline are divided by the baseline's on the same pair.

use space::Configuration;

use super::{Plan, Readings};
use crate::history::rated;
use crate::observation::Observation;
use crate::problem::Noise;
use crate::problem::constraint::Tally;
use crate::trial::Pair;

impl Plan {
    /// Returns how far a configuration is beyond the bounds on these pairs; 0 if it satisfies all of them.
    pub(super) fn violation(
        &self,
        readings: &Readings,
        configuration: &Configuration,
        pairs: &[Pair],
    ) -> f64 {
        self.tally(readings, configuration, pairs).violation(&self.objective.constraints)
    }

    /// Returns whether the trials so far prove that a candidate violates a bound.
    pub(super) fn proves_violation(
        &self,
        readings: &Readings,
        candidate: &Configuration,
        pairs: &[Pair],
    ) -> bool {
        let constraints = &self.objective.constraints;
        !constraints.is_empty()
            && self
                .tally(readings, candidate, pairs)
                .proves_violation(constraints, &self.tally(readings, &self.best, &self.pairs))
    }

    /// Returns whether a candidate satisfies all bounds after all of these pairs.
    pub(super) fn keeps_bounds(
        &self,
        readings: &Readings,
        candidate: &Configuration,
        pairs: &[Pair],
    ) -> bool {
        let constraints = &self.objective.constraints;
        if constraints.is_empty() {
            return true;
        }
        let both = [candidate, &self.best];
        let [own, of_best] = both.map(|one| self.tally(readings, one, pairs));
        if own.violation(constraints) > of_best.violation(constraints) {
            return false;
        }
        let mut noise = Noise::default();
        for configuration in both {
            let rated: Vec<_> = self.rated(readings, configuration, pairs).collect();
            noise.add(rated.iter().map(|(pair, observation)| (pair.instance, observation)));
        }
        let doubt = noise.doubt(&own, constraints);
        doubt == 0.0 || doubt <= noise.doubt(&of_best, constraints)
    }

    fn tally(&self, readings: &Readings, configuration: &Configuration, pairs: &[Pair]) -> Tally {
        let mut tally = Tally::default();
        self.rated(readings, configuration, pairs).for_each(|(_, observation)| tally.add(&observation));
        tally
    }

    /// Returns the trials of a configuration, with outputs relative to the baseline where a bound is.
    fn rated<'a>(
        &'a self,
        readings: &'a Readings,
        configuration: &'a Configuration,
        pairs: &'a [Pair],
    ) -> impl Iterator<Item = (Pair, Observation)> + 'a {
        pairs.iter().filter_map(move |&pair| {
            let own = readings.get(configuration, pair)?;
            let baseline = readings.get(&self.baseline, pair).map_or(&[][..], Observation::constraints);
            let outputs = rated(&self.objective.constraints, own.constraints(), baseline);
            Some((pair, own.clone().with_constraints(outputs)))
        })
    }
}
