//! The slots of censored points: one for every copy that a tree has drawn.
//!
//! The slots of a point are contiguous and ordered by tree, so a tree's copies of the point are adjacent. The
//! imputed values increase along the slots.

use math::TruncatedNormal;

use super::Treatment;
use super::bootstrap::Bootstrap;
use crate::Prediction;
use crate::Reading;

/// Slots of all censored points.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// The censored points.
    pub(super) points: Vec<u32>,
    /// Index of the first slot of each point, with one more entry for the end.
    starts: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Index of the first of a tree's copies of a point, for every tree and every censored point.
    tree_starts: Vec<Vec<u32>>,
}

impl Slots {
    pub(super) fn new(readings: &[Reading], bootstrap: &Bootstrap) -> Self {
        let censored = readings.iter().enumerate().filter(|(_, reading)| reading.is_censored());
        let points: Vec<u32> = censored.map(|(point, _)| point as u32).collect();
        let mut tree_starts = vec![Vec::with_capacity(points.len()); bootstrap.counts.len()];
        let mut starts = Vec::with_capacity(points.len() + 1);
        let mut next = 0;
        for &point in &points {
            starts.push(next);
            for (tree_starts, counts) in tree_starts.iter_mut().zip(&bootstrap.counts) {
                tree_starts.push(next);
                next += counts[point as usize];
            }
        }
        starts.push(next);
        Self { points, starts, values: vec![0.0; next as usize], tree_starts }
    }

    /// Returns the values of a tree's copies of a censored point; `place` is the point's index in `points`.
    pub(super) fn copies(&self, tree: usize, place: usize, count: u32) -> &[f64] {
        let start = self.tree_starts[tree][place] as usize;
        &self.values[start..start + count as usize]
    }

    /// Imputes values from predictions, one for each of `points`. Returns the mean absolute change.
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

/// Imputes the slots of one point.
pub(super) fn fill_one(
    treatment: Treatment,
    prediction: Prediction,
    bound: f64,
    cutoff: Option<f64>,
    slots: &mut [f64],
) {
    let truncated = TruncatedNormal::new(prediction.mean, prediction.deviation(), bound);
    if treatment == Treatment::Mean {
        let mean = cutoff.map_or(truncated.mean(), |cutoff| truncated.mean().min(cutoff));
        slots.fill(mean);
        return;
    }
    let parts = slots.len() as f64 + 1.0;
    for (k, slot) in slots.iter_mut().enumerate() {
        *slot = truncated.quantile((k as f64 + 1.0) / parts);
    }
    let mean = slots.iter().sum::<f64>() / slots.len().max(1) as f64;
    let above = cutoff.map_or(0.0, |cutoff| (mean - cutoff).max(0.0));
    slots.iter_mut().for_each(|slot| *slot -= above);
}
