//! Uniform samples.
//!
//! Every active parameter is drawn uniformly from its values (choices according to their weights). A group of
//! parameters that violates a forbidden clause is drawn again as a whole, which gives exactly the
//! distribution of its valid values. The module `condition` explains why groups can be handled one at a time.

use math::Rng;

use super::condition::Group;
use super::settle::Violation;
use super::{Configuration, Space};

/// Maximum number of draws for one group. Even if only one draw in a thousand is valid, this is almost surely
/// enough.
pub(crate) const MAX_ATTEMPTS: u32 = 10_000;

/// No valid configuration was found.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "no valid configuration found in {attempts} attempts: {}; \
     hint: nearly every combination of these parameters is forbidden; relax the clauses or narrow the ranges",
    reasons.iter().map(|(why, times)| format!("{why} rejected {times}")).collect::<Vec<_>>().join(", ")
)]
pub struct SampleError {
    /// Number of attempts.
    pub attempts: u32,
    /// The most frequent reasons, each with the number of attempts that it was the first to reject.
    pub reasons: Vec<(String, u32)>,
}

impl Space {
    /// Draws a configuration uniformly from the valid ones.
    pub fn sample(&self, rng: &mut Rng) -> Result<Configuration, SampleError> {
        let mut codes = vec![f64::NAN; self.parameters().len()];
        self.sample_into(rng, &mut codes)?;
        Ok(Configuration::new(self.clone(), codes))
    }

    /// Writes the codes of a sample (see [`Configuration::codes`]) without allocating.
    ///
    /// # Panics
    /// If the length of `codes` is not the number of parameters.
    pub fn sample_into(&self, rng: &mut Rng, codes: &mut [f64]) -> Result<(), SampleError> {
        assert_eq!(codes.len(), self.parameters().len(), "there must be one code per parameter");
        self.data.batches.iter().try_for_each(|group| self.sample_group(group, rng, codes))
    }

    /// Draws one group until it is valid.
    pub(crate) fn sample_group(
        &self,
        group: &Group,
        rng: &mut Rng,
        codes: &mut [f64],
    ) -> Result<(), SampleError> {
        let mut rejections: Vec<(Violation, u32)> = Vec::new();
        for _ in 0..MAX_ATTEMPTS {
            let Err(violation) = self.data.settle(group, codes, |_, slot, _| slot.draw(rng.unit())) else {
                return Ok(());
            };
            match rejections.iter().position(|(known, _)| *known == violation) {
                Some(index) => rejections[index].1 += 1,
                // More distinct reasons than this are not worth counting.
                None if rejections.len() < 1000 => rejections.push((violation, 1)),
                None => {}
            }
        }
        Err(self.explain(rejections))
    }

    fn explain(&self, mut rejections: Vec<(Violation, u32)>) -> SampleError {
        rejections.sort_by_key(|&(violation, times)| (std::cmp::Reverse(times), violation));
        let text = |violation| match violation {
            Violation::Forbidden(clause) => format!("the clause `{}`", self.clause_text(clause as usize)),
            Violation::Empty(id) | Violation::Outside(id) => {
                format!("the bounds of `{}`", self.parameter(id).name())
            }
        };
        let reasons =
            rejections.into_iter().take(3).map(|(violation, times)| (text(violation), times)).collect();
        SampleError { attempts: MAX_ATTEMPTS, reasons }
    }

    /// Turns a point of the unit cube, with one coordinate per parameter, into a configuration. Groups
    /// that turn out invalid are drawn at random instead.
    pub(crate) fn configuration_at(
        &self,
        point: &[f64],
        rng: &mut Rng,
    ) -> Result<Configuration, SampleError> {
        let mut codes = vec![f64::NAN; point.len()];
        for group in &self.data.batches {
            if self.data.settle(group, &mut codes, |index, slot, _| slot.draw(point[index])).is_err() {
                self.sample_group(group, rng, &mut codes)?;
            }
        }
        Ok(Configuration::new(self.clone(), codes))
    }
}
