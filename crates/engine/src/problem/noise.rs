//! How much a constrained output varies from seed to seed, and the doubt that this leaves about a mean.
//!
//! ```text
//! s²    = Σ_g Σ_i (c_gi - mean_g)² / Σ_g (n_g - 1)
//! doubt = Σ over constraints of max(0, mean + t s / sqrt(n) - bound) / |bound|     (not divided if the bound is 0)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | g | a group: the trials of one configuration on one instance, with n_g different seeds |
//! | mean, n | mean output of a configuration, and the number of its pairs |
//! | t | quantile of Student's t distribution at [`CONFIDENCE`], with Σ (n_g - 1) degrees of freedom |
//!
//! Differences between instances do not count as noise, because every configuration meets the same instances. The noise
//! is unknown until some instance has run with two seeds; until then, the margin is 0.

use std::collections::BTreeMap;

use math::student::quantile_of;
use surrogate::Reading;

use super::constraint::{Constraint, Over, Tally};
use crate::observation::Observation;
use crate::trial::InstanceId;

/// Confidence with which a mean must satisfy its constraint to be without doubt.
const CONFIDENCE: f64 = 0.95;

/// The noise of each constrained output, pooled over configurations and instances.
#[derive(Clone, Debug, Default)]
pub struct Noise(Vec<Pooled>);

#[derive(Clone, Copy, Debug, Default)]
struct Pooled {
    /// Sum of squared deviations from the means of the groups.
    spread: f64,
    freedom: usize,
}

impl Noise {
    /// Adds the trials of one configuration. Only exact readings count.
    pub fn add<'a>(&mut self, trials: impl Iterator<Item = (InstanceId, &'a Observation)>) {
        let mut groups: BTreeMap<(usize, InstanceId), (usize, f64)> = BTreeMap::new();
        for (instance, observation) in trials {
            for (output, reading) in observation.constraints().iter().enumerate() {
                let Some(Reading::Exact(value)) = *reading else { continue };
                if self.0.len() <= output {
                    self.0.resize(output + 1, Pooled::default());
                }
                let (count, mean) = groups.entry((output, instance)).or_default();
                *count += 1;
                let off = value - *mean;
                *mean += off / *count as f64;
                let pooled = &mut self.0[output];
                pooled.spread += off * (value - *mean);
                pooled.freedom += usize::from(*count > 1);
            }
        }
    }

    /// Returns how far the upper confidence bounds of the means are above the constraints' bounds; infinite if an
    /// output was never measured.
    pub fn doubt(&self, tally: &Tally, constraints: &[Constraint]) -> f64 {
        let pooled = self.0.iter().copied().chain(std::iter::repeat(Pooled::default()));
        let holdings = tally.holdings(constraints);
        let each = holdings.iter().zip(constraints).zip(pooled);
        each.map(|((holding, constraint), pooled)| match holding.value {
            Some(value) if constraint.over == Over::Mean => {
                let margin = pooled.margin() / libm::sqrt(holding.pairs as f64);
                constraint.relative_excess(value.lower_bound() + margin)
            }
            _ => holding.violation,
        })
        .sum()
    }
}

impl Pooled {
    /// Returns the margin for a mean over one pair.
    fn margin(self) -> f64 {
        if self.freedom == 0 {
            return 0.0;
        }
        quantile_of(self.freedom, CONFIDENCE) * libm::sqrt(self.spread / self.freedom as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(values: &[(u32, f64)]) -> Vec<(InstanceId, Observation)> {
        let one = |&(instance, value): &(u32, f64)| {
            let outputs = vec![Some(Reading::Exact(value))];
            (InstanceId(instance), Observation::finished(1.0).with_constraints(outputs))
        };
        values.iter().map(one).collect()
    }

    fn doubt(values: &[(u32, f64)], bound: f64, over: Over) -> f64 {
        let trials = trials(values);
        let mut noise = Noise::default();
        noise.add(trials.iter().map(|(instance, trial)| (*instance, trial)));
        let tally = Tally::of(trials.iter().map(|(_, trial)| trial));
        noise.doubt(&tally, &[Constraint::new(bound, over)])
    }

    #[test]
    fn the_doubt_is_that_of_a_confidence_bound() {
        // The variance is 0.02 / 3, and Student's t is 2.353 with three degrees of freedom.
        let values = [(0, 1.0), (0, 1.1), (0, 0.9), (0, 1.0)];
        let margin = 2.353_363 * (0.02_f64 / 3.0).sqrt() / 2.0;
        assert!((doubt(&values, 1.0, Over::Mean) - margin).abs() < 1e-4);
        assert_eq!(doubt(&values, 1.0 + 1.001 * margin, Over::Mean), 0.0);
        assert!((doubt(&values, 1.05, Over::Max) - 0.05 / 1.05).abs() < 1e-12, "a maximum has no margin");
    }

    #[test]
    fn differences_between_instances_are_no_noise() {
        assert_eq!(doubt(&[(0, 0.1), (1, 1.9), (2, 1.0)], 1.0, Over::Mean), 0.0);
        // Two groups with a variance of 0.02 each; Student's t is 2.920 with two degrees of freedom.
        let values = [(0, 0.1), (0, 0.3), (1, 1.7), (1, 1.9)];
        let margin = 2.919_986 * 0.02_f64.sqrt() / 2.0;
        assert!((doubt(&values, 1.0, Over::Mean) - margin).abs() < 1e-4);
    }

    #[test]
    fn an_output_never_measured_is_in_doubt() {
        let none = Noise::default().doubt(&Tally::default(), &[Constraint::new(1.0, Over::Mean)]);
        assert_eq!(none, f64::INFINITY);
    }
}
