//! Uniform samples.
//!
//! Every active parameter is drawn from its own uniform law (choices by their weights). A group of
//! parameters that violates a forbidden clause is drawn again as a whole, which gives exactly the
//! law of its valid assignments; see the module `condition` for why groups can be treated
//! one by one.

use math::Rng;

use super::condition::Group;
use super::settle::Violation;
use super::{Configuration, Space};

/// Draws of one group before giving up: one valid assignment in a thousand is all but surely found.
pub(crate) const MOST_ATTEMPTS: u32 = 10_000;

/// No valid configuration was found.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "no valid configuration in {attempts} attempts: {}; \
     hint: nearly every combination of these parameters is forbidden, so loosen that or shrink their ranges",
    reasons.iter().map(|(why, times)| format!("{why} refused {times}")).collect::<Vec<_>>().join(", ")
)]
pub struct SampleError {
    /// How often it was tried.
    pub attempts: u32,
    /// The most frequent reasons, each with how often it was the first to refuse.
    pub reasons: Vec<(String, u32)>,
}

impl Space {
    /// A configuration drawn uniformly from the valid ones.
    pub fn sample(&self, rng: &mut Rng) -> Result<Configuration, SampleError> {
        let mut codes = vec![f64::NAN; self.parameters().len()];
        self.sample_into(rng, &mut codes)?;
        Ok(Configuration::new(self.clone(), codes))
    }

    /// Writes the codes of a sample (see [`Configuration::codes`]) without allocating.
    ///
    /// # Panics
    /// If `codes` is not as long as there are parameters.
    pub fn sample_into(&self, rng: &mut Rng, codes: &mut [f64]) -> Result<(), SampleError> {
        assert_eq!(codes.len(), self.parameters().len(), "one code per parameter");
        self.data.batches.iter().try_for_each(|group| self.sample_group(group, rng, codes))
    }

    /// Draws one group until it is valid.
    pub(crate) fn sample_group(
        &self,
        group: &Group,
        rng: &mut Rng,
        codes: &mut [f64],
    ) -> Result<(), SampleError> {
        let mut refusals: Vec<(Violation, u32)> = Vec::new();
        for _ in 0..MOST_ATTEMPTS {
            let Err(violation) = self.data.settle(group, codes, |_, slot, _| slot.draw(rng.unit())) else {
                return Ok(());
            };
            match refusals.iter().position(|(known, _)| *known == violation) {
                Some(index) => refusals[index].1 += 1,
                // More reasons than this are not worth counting.
                None if refusals.len() < 1000 => refusals.push((violation, 1)),
                None => {}
            }
        }
        Err(self.explain(refusals))
    }

    fn explain(&self, mut refusals: Vec<(Violation, u32)>) -> SampleError {
        refusals.sort_by_key(|&(violation, times)| (std::cmp::Reverse(times), violation));
        let text = |violation| match violation {
            Violation::Forbidden(clause) => format!("the clause `{}`", self.clause_text(clause as usize)),
            Violation::Empty(id) | Violation::Outside(id) => {
                format!("the bounds of `{}`", self.parameter(id).name())
            }
        };
        let reasons =
            refusals.into_iter().take(3).map(|(violation, times)| (text(violation), times)).collect();
        SampleError { attempts: MOST_ATTEMPTS, reasons }
    }

    /// Turns a point of the unit cube, one coordinate per parameter, into a configuration; groups
    /// that come out invalid are drawn at random instead.
    pub(crate) fn place(&self, point: &[f64], rng: &mut Rng) -> Result<Configuration, SampleError> {
        let mut codes = vec![f64::NAN; point.len()];
        for group in &self.data.batches {
            if self.data.settle(group, &mut codes, |index, slot, _| slot.draw(point[index])).is_err() {
                self.sample_group(group, rng, &mut codes)?;
            }
        }
        Ok(Configuration::new(self.clone(), codes))
    }
}
