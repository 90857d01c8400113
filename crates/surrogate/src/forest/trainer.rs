//! Rounds of imputing and growing, and the state kept between the fits of a campaign.
//!
//! Coded rows, bootstrap samples and the last forest are kept. A later fit continues from that forest: its
//! predictions impute the censored points, old and new, so few rounds are needed. Each tree has its own
//! random stream, restarted in every round, so that slots settle and the number of threads does not matter.

use math::Rng;
use math::elementary;

use super::bootstrap::Bootstrap;
use super::coded::Coded;
use super::fitted::Forest;
use super::grow::{Grower, GrowthRules, Targets};
use super::impute::Slots;
use super::tree::Tree;
use super::{Filling, ForestSettings, Treatment};
use crate::Reading;
use crate::{FitError, Prediction, Scale, TrainingSet};

/// A trainer that fits forests to the growing training sets of one campaign.
#[derive(Clone, Debug)]
pub struct ForestTrainer {
    settings: ForestSettings,
    seed: u64,
    coded: Coded,
    bootstrap: Bootstrap,
    last: Option<Forest>,
}

/// The effort of a fit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Number of times that all trees were grown.
    pub rounds: usize,
    /// Mean absolute change of the slots in the last round.
    pub moved: f64,
    /// Number of censored points that were imputed.
    pub filled: usize,
}

/// Values of a tree's rows, summed over their copies in the bootstrap sample.
#[derive(Default)]
struct Sums {
    weights: Vec<u32>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    powers: Vec<f64>,
}

impl ForestTrainer {
    /// Creates a trainer that has not been fitted yet.
    ///
    /// # Panics
    /// If the number of trees or the minimum leaf size is 0.
    pub fn new(settings: ForestSettings, seed: u64) -> Self {
        assert!(
            settings.trees > 0 && settings.min_leaf > 0,
            "at least one tree and one point per leaf are needed"
        );
        let bootstrap = Bootstrap::new(settings.trees, seed);
        Self { settings, seed, coded: Coded::default(), bootstrap, last: None }
    }

    /// Fits a forest. If the training set begins with the points of the previous one, the fit continues from
    /// the last forest; the readings of these points may have become more informative. Any other set, and the
    /// first one after an interruption, is learned from the start.
    pub fn fit(&mut self, data: &TrainingSet<'_>) -> Result<(Forest, Effort), FitError> {
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let fresh = |trainer: &Self| Self::new(trainer.settings.clone(), trainer.seed);
        if !self.continues(data) {
            *self = fresh(self);
        }
        self.coded.extend(data);
        self.bootstrap.extend(data.len());
        let (forest, effort) = self.rounds(data).inspect_err(|_| *self = fresh(self))?;
        self.last = Some(forest.clone());
        Ok((forest, effort))
    }

    /// Returns how often each tree has drawn each point.
    #[cfg(test)]
    pub(super) fn counts(&self) -> &[Vec<u32>] {
        &self.bootstrap.counts
    }

    fn continues(&self, data: &TrainingSet<'_>) -> bool {
        let width = data.columns().len();
        let Some(last) = &self.last else { return true };
        let same_row = |point: usize| {
            let known = &self.coded.rows[point * width..(point + 1) * width];
            data.columns()
                .iter()
                .zip(data.row(point))
                .zip(known)
                .all(|((&column, value), &known)| super::coded::tree_value(column, value) == known)
        };
        last.fits(data) && data.len() >= self.coded.count && (0..self.coded.count).all(same_row)
    }

    fn rounds(&self, data: &TrainingSet<'_>) -> Result<(Forest, Effort), FitError> {
        let readings = data.readings();
        let values: Vec<f64> = readings.iter().map(|reading| reading.lower_bound()).collect();
        let imputes = matches!(self.settings.treatment, Treatment::Mean | Treatment::Sample);
        let mut slots = Slots::new(readings, &self.bootstrap);
        if !imputes || slots.points.is_empty() {
            let kept =
                |reading: &Reading| self.settings.treatment == Treatment::Ignore || !reading.is_censored();
            return Ok((self.grow_on(data, &values, kept)?, Effort { rounds: 1, ..Effort::default() }));
        }
        let spread = deviation(&values);
        let mut effort = Effort { filled: slots.points.len(), ..Effort::default() };
        let mut forest = match &self.last {
            Some(last) => last.clone(),
            None => {
                effort.rounds += 1;
                self.grow_on(data, &values, |reading| !reading.is_censored())?
            }
        };
        for round in 1.. {
            let predictions = self.predict_censored(&forest, &slots, self.settings.floor * spread);
            effort.moved = slots.fill(self.settings.treatment, readings, &predictions, data.cutoff());
            let powers = Powers::new(data.scale(), values.iter().chain(&slots.values).copied());
            let gather = |tree, sums: &mut Sums| self.gather_filled(tree, readings, &slots, &powers, sums);
            forest = self.grow_all(data, powers.reference, gather)?;
            effort.rounds += 1;
            // In the first round the slots had no earlier values to change from.
            let settled = round > 1 && effort.moved < self.settings.tolerance * spread;
            if settled || round >= self.settings.rounds {
                break;
            }
        }
        Ok((forest, effort))
    }

    fn predict_censored(&self, forest: &Forest, slots: &Slots, floor: f64) -> Vec<Prediction> {
        let width = self.coded.columns.len();
        let mut rows = Vec::with_capacity(slots.points.len() * width);
        for &point in &slots.points {
            rows.extend_from_slice(&self.coded.rows[point as usize * width..(point as usize + 1) * width]);
        }
        let mut predictions = vec![Prediction::default(); slots.points.len()];
        forest.predict_rows(&rows, self.settings.filling == Filling::Total, &mut predictions);
        predictions.iter_mut().for_each(|found| found.variance = found.variance.max(floor * floor));
        predictions
    }

    /// Grows trees on the values of the kept points. A tree that has drawn none of them uses all points.
    fn grow_on(
        &self,
        data: &TrainingSet<'_>,
        values: &[f64],
        kept: impl Fn(&Reading) -> bool + Sync,
    ) -> Result<Forest, FitError> {
        let powers = Powers::new(data.scale(), values.iter().copied());
        self.grow_all(data, powers.reference, |tree, sums| {
            let counts = &self.bootstrap.counts[tree];
            let readings = data.readings();
            let any = counts.iter().zip(readings).any(|(&count, reading)| count > 0 && kept(reading));
            for (row, (&count, reading)) in counts.iter().zip(readings).enumerate() {
                if count > 0 && (!any || kept(reading)) {
                    sums.add(row, count, values[row], powers.power(values[row]));
                }
            }
        })
    }

    /// Sums up a tree's exact values and the slots of its censored points.
    fn gather_filled(
        &self,
        tree: usize,
        readings: &[Reading],
        slots: &Slots,
        powers: &Powers,
        sums: &mut Sums,
    ) {
        let counts = &self.bootstrap.counts[tree];
        for (row, (&count, reading)) in counts.iter().zip(readings).enumerate() {
            if let (1.., Reading::Exact(value)) = (count, *reading) {
                sums.add(row, count, value, powers.power(value));
            }
        }
        for (place, &point) in slots.points.iter().enumerate() {
            for &value in slots.copies(tree, place, counts[point as usize]) {
                sums.add(point as usize, 1, value, powers.power(value));
            }
        }
    }

    /// Grows all trees, each on the sums that `gather` computes for it. Powers in the sums are relative to
    /// `reference`.
    fn grow_all(
        &self,
        data: &TrainingSet<'_>,
        reference: f64,
        gather: impl Fn(usize, &mut Sums) + Sync,
    ) -> Result<Forest, FitError> {
        let ForestSettings { features, min_leaf, leaves, .. } = self.settings;
        let rules = GrowthRules { features, min_leaf: f64::from(min_leaf), leaves };
        let grow_some = |trees: std::ops::Range<usize>| -> Result<Vec<Tree>, FitError> {
            let mut grower = Grower::new(&self.coded, rules);
            let mut sums = Sums::default();
            let grow = |tree| {
                data.check_interrupt()?;
                sums.clear(data.len());
                gather(tree, &mut sums);
                Ok(grower.grow(sums.targets(), &mut Rng::new(self.seed, "tree", tree as u64)))
            };
            trees.map(grow).collect()
        };
        let (trees, threads) = (self.settings.trees, self.settings.threads.clamp(1, self.settings.trees));
        let grown: Vec<Tree> = if threads == 1 {
            grow_some(0..trees)?
        } else {
            let share = trees.div_ceil(threads);
            std::thread::scope(|scope| {
                let grow_some = &grow_some;
                let part = |first: usize| scope.spawn(move || grow_some(first..(first + share).min(trees)));
                let parts: Vec<_> = (0..trees).step_by(share).map(part).collect();
                let join = |part: std::thread::ScopedJoinHandle<'_, Result<Vec<Tree>, FitError>>| match part
                    .join()
                {
                    Ok(grown) => grown,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                let grown: Result<Vec<Vec<Tree>>, FitError> = parts.into_iter().map(join).collect();
                Ok::<Vec<Tree>, FitError>(grown?.into_iter().flatten().collect())
            })?
        };
        Ok(Forest::new(data, &self.settings, grown, reference))
    }
}

impl Sums {
    fn clear(&mut self, rows: usize) {
        self.weights.clear();
        self.weights.resize(rows, 0);
        for sums in [&mut self.sums, &mut self.squares, &mut self.powers] {
            sums.clear();
            sums.resize(rows, 0.0);
        }
    }

    fn add(&mut self, row: usize, count: u32, value: f64, power: f64) {
        let times = f64::from(count);
        self.weights[row] += count;
        self.sums[row] += times * value;
        self.squares[row] += times * value * value;
        self.powers[row] += times * power;
    }

    fn targets(&self) -> Targets<'_> {
        let Self { weights, sums, squares, powers } = self;
        Targets { weights, sums, squares, powers }
    }
}

/// Powers of ten relative to the largest value, so that none overflows.
struct Powers {
    scale: Scale,
    reference: f64,
}

impl Powers {
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        Self { scale, reference: values.fold(f64::NEG_INFINITY, f64::max) }
    }

    fn power(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => 0.0,
            // A cost 250 decades below the largest cost does not change the sum.
            Scale::Log10 { .. } => {
                elementary::exp(((value - self.reference) * std::f64::consts::LN_10).max(-575.0))
            }
        }
    }
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt()
}
