//! The slots of censored points: one for every copy that a tree has drawn.
//!
//! The slots of a point stand side by side, those of trees of low number first; a tree's copies of a
//! point are neighbours among them. What is filled in rises along them.

use math::TruncatedNormal;

use super::Treatment;
use super::bootstrap::Bootstrap;
use crate::Prediction;
use crate::Reading;

/// Slots of all censored points that any tree has drawn.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// The censored points, and where their slots begin; one more at the end.
    pub(super) points: Vec<u32>,
    starts: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// For every tree and censored point, where that tree's copies begin.
    own: Vec<Vec<u32>>,
}

impl Slots {
    pub(super) fn new(readings: &[Reading], bootstrap: &Bootstrap) -> Self {
        let censored = readings.iter().enumerate().filter(|(_, reading)| reading.is_censored());
        let points: Vec<u32> = censored.map(|(point, _)| point as u32).collect();
        let mut own = vec![Vec::with_capacity(points.len()); bootstrap.counts.len()];
        let mut starts = Vec::with_capacity(points.len() + 1);
        let mut next = 0;
        for &point in &points {
            starts.push(next);
            for (own, counts) in own.iter_mut().zip(&bootstrap.counts) {
                own.push(next);
                next += counts[point as usize];
            }
        }
        starts.push(next);
        Self { points, starts, values: vec![0.0; next as usize], own }
    }

    /// The values that a tree's copies of a censored point have, by the point's place in `points`.
    pub(super) fn copies(&self, tree: usize, place: usize, count: u32) -> &[f64] {
        let start = self.own[tree][place] as usize;
        &self.values[start..start + count as usize]
    }

    /// Fills in what the predictions say, one for each of `points`; the mean absolute change.
    pub(super) fn fill(
        &mut self,
        treatment: Treatment,
        readings: &[Reading],
        predictions: &[Prediction],
        cutoff: Option<f64>,
    ) -> f64 {
        let mut moved = 0.0;
        let mut fresh = Vec::new();
        for (place, (&point, prediction)) in self.points.iter().zip(predictions).enumerate() {
            let slots = &mut self.values[self.starts[place] as usize..self.starts[place + 1] as usize];
            let bound = readings[point as usize].lower_bound();
            fresh.clear();
            fresh.resize(slots.len(), 0.0);
            fill_one(treatment, *prediction, bound, cutoff, &mut fresh);
            for (slot, &value) in slots.iter_mut().zip(&fresh) {
                moved += (value - *slot).abs();
                *slot = value;
            }
        }
        moved / self.values.len().max(1) as f64
    }
}

/// The slots of one point.
pub(super) fn fill_one(
    treatment: Treatment,
    prediction: Prediction,
    bound: f64,
    cutoff: Option<f64>,
    slots: &mut [f64],
) {
    let law = TruncatedNormal::new(prediction.mean, prediction.deviation(), bound);
    if treatment == Treatment::Mean {
        let mean = cutoff.map_or(law.mean(), |cutoff| law.mean().min(cutoff));
        slots.fill(mean);
        return;
    }
    let parts = slots.len() as f64 + 1.0;
    for (k, slot) in slots.iter_mut().enumerate() {
        *slot = law.quantile((k as f64 + 1.0) / parts);
    }
    let mean = slots.iter().sum::<f64>() / slots.len().max(1) as f64;
    let above = cutoff.map_or(0.0, |cutoff| (mean - cutoff).max(0.0));
    slots.iter_mut().for_each(|slot| *slot -= above);
}
