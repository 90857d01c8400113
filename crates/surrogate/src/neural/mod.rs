//! Neural networks that learn from stopped trials through their likelihood.
//!
//! ```text
//! loss = 1/n ( Σ_exact (ln σ_i + z_i²/2 + ln √(2π)) - Σ_censored ln(1 - Φ(z_i)) ),   z_i = (y_i - μ_i)/σ_i
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ_i, σ_i | the two outputs of a network for point i: mean and standard deviation of its trials |
//! | y_i | the reading: the cost, or the bound at which the trial was stopped |
//! | n | number of points in a batch |
//!
//! A stopped trial shows only that its cost is above the bound. The less likely the network considers such a
//! cost, the more the trial raises the mean. The networks of an ensemble differ only in their initial weights
//! and in the order of points, so they disagree where there is little data. The variance between them does
//! not include the noise of single trials; see [`Predictor::predict_total`].
//!
//! Where all trials were stopped, the networks agree only that costs are high. The variance is large there,
//! although no network expects a good configuration.
//!
//! K. Eggensperger, K. Haase, P. Müller, M. Lindauer, F. Hutter, Neural Model-based Optimization with
//! Right-Censored Observations, 2020. Equations 3 and 4 of that paper omit ln σ.
//!
//! | file | subject |
//! |---|---|
//! | `inputs`, `targets` | rows as network inputs; standardised readings |
//! | `network`, `tanh` | two outputs for sixteen rows at a time, and the gradient |
//! | `blocks`, and `lanes`, `arithmetic` and `dispatch` in the parent module | sums over lanes, with the same bits on every processor |
//! | `loss` | the negative log likelihood of a reading |
//! | `train` | gradient descent |
//! | `filling` | imputed costs in place of bounds, round by round |
//! | `ensemble` | predictions |

mod blocks;
mod ensemble;
mod filling;
mod inputs;
mod loss;
mod network;
mod tanh;
mod targets;
#[cfg(test)]
mod tests;
mod train;

pub use super::dispatch::instructions;
pub use ensemble::Ensemble;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use math::Rng;

use super::dispatch::Instructions;
use super::{FitError, OutOfRange, Predictor, Surrogate, TrainingSet};
use crate::Reading;
use filling::fill_in;
use inputs::Inputs;
use targets::Standard;
use train::{Samples, Trained, Training};

/// Settings for an ensemble of networks.
#[derive(Clone, PartialEq, Debug)]
pub struct NeuralSettings {
    /// Number of units in each hidden layer.
    pub layers: Vec<usize>,
    /// Whether numbers are inputs from -1 to 1, with the middle of their range at 0, instead of from 0 to 1. With
    /// inputs from 0 to 1, the lowest prediction is more often at a bound.
    pub centred: bool,
    /// Number of passes over the points.
    pub epochs: usize,
    /// Number of points in a batch.
    pub batch: usize,
    /// Peak learning rate.
    pub rate: f64,
    /// Share of the velocity that the next step keeps.
    pub momentum: f64,
    /// Weight decay.
    pub decay: f64,
    /// Maximum absolute value to which each component of the gradient is clipped.
    pub clip: f64,
    /// Treatment of censored points.
    pub treatment: Treatment,
    /// Number of ensembles that [`Treatment::Mean`] trains, one after the other; other treatments train one.
    pub rounds: usize,
    /// Number of networks in the ensemble.
    pub members: usize,
    /// Number of threads that train networks; predictions do not depend on it.
    pub threads: usize,
}

/// Treatment of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Bounds are used as if they were costs.
    Ignore,
    /// Censored points are left out. If there are no others, bounds are used as costs.
    Drop,
    /// A bound is replaced by the mean that the previous ensemble predicts above it (Schmee and Hahn). The
    /// first ensemble is trained as with `Drop`.
    Mean,
    /// A bound enters through the probability of a cost above it (Tobin).
    Tobit,
}

/// The effort of training, over all networks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Steps of gradient descent.
    pub steps: u64,
    /// Number of times that training diverged to non-finite weights and was restarted with a smaller rate.
    pub restarts: u32,
    /// Number of networks left with random weights after too many restarts.
    pub untrained: usize,
    /// Mean loss of the final weights, on standardised readings.
    pub loss: f64,
}

impl Effort {
    /// Adds the effort of a later training run and replaces the loss with the loss of that run.
    fn and(self, next: Self) -> Self {
        Self {
            steps: self.steps + next.steps,
            restarts: self.restarts + next.restarts,
            untrained: self.untrained + next.untrained,
            loss: next.loss,
        }
    }
}

impl Default for NeuralSettings {
    fn default() -> Self {
        Self {
            layers: vec![50; 3],
            centred: true,
            epochs: 10_000,
            batch: 16,
            rate: 1e-2,
            momentum: 0.9,
            decay: 1e-4,
            clip: 0.1,
            treatment: Treatment::Tobit,
            rounds: 5,
            members: 5,
            threads: 1,
        }
    }
}

impl NeuralSettings {
    /// Checks that every setting is in its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        self.layers.iter().try_for_each(|&units| OutOfRange::if_zero("layers", units))?;
        OutOfRange::if_zero("epochs", self.epochs)?;
        OutOfRange::if_zero("batch", self.batch)?;
        let numbers =
            [("rate", self.rate), ("momentum", self.momentum), ("decay", self.decay), ("clip", self.clip)];
        numbers.into_iter().try_for_each(|(name, value)| {
            OutOfRange::unless(|x| x >= 0.0 && x.is_finite(), name, value, "finite and not negative")
        })?;
        OutOfRange::if_zero("rounds", self.rounds)?;
        OutOfRange::if_zero("members", self.members)
    }

    /// Trains networks and returns them with the effort of training.
    pub fn train(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<(Ensemble, Effort), FitError> {
        self.train_watched(data, rng, &mut |_| {})
    }

    /// Does the same as [`Self::train`], and also passes every trained ensemble, including the last one, to
    /// `watch`.
    pub fn train_watched(
        &self,
        data: &TrainingSet<'_>,
        rng: &mut Rng,
        watch: &mut dyn FnMut(&Ensemble),
    ) -> Result<(Ensemble, Effort), FitError> {
        self.check()?;
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let seed = rng.bits();
        let (points, readings) = self.treated(data);
        let trained = self.train_on(data, &points, readings, seed)?;
        watch(&trained.0);
        if self.treatment == Treatment::Mean {
            return fill_in(self, data, trained, seed, watch);
        }
        Ok(trained)
    }

    /// Trains on some points, with the given readings instead of their own.
    fn train_on(
        &self,
        data: &TrainingSet<'_>,
        points: &[usize],
        readings: Vec<Reading>,
        seed: u64,
    ) -> Result<(Ensemble, Effort), FitError> {
        let inputs = Inputs::of(data, self.centred);
        let standard = Standard::of(&readings, data.scale());
        let mut rows = vec![0.0; points.len() * inputs.width()];
        for (at, &point) in points.iter().enumerate() {
            inputs.write(data.row(point), &mut rows[at * inputs.width()..(at + 1) * inputs.width()]);
        }
        // If all readings are equal, there is nothing else to learn.
        let varied = standard.spread > 0.0;
        let epochs = if varied { self.epochs } else { 0 };
        let standardise = |reading| if varied { standard.standardise(reading) } else { Reading::Exact(0.0) };
        let readings = readings.into_iter().map(standardise).collect();
        let samples = Samples { rows, width: inputs.width(), readings };
        let wanted = || data.check_interrupt().is_ok();
        let trained = Self { epochs, ..self.clone() }.train_all(&samples, seed, &wanted);
        data.check_interrupt()?;
        let mut effort = Effort::default();
        for one in &trained {
            effort.steps += one.steps;
            effort.restarts += one.restarts;
            effort.untrained += usize::from(!one.finished);
            effort.loss += one.loss / trained.len() as f64;
        }
        let networks = trained.into_iter().map(|one| one.network).collect();
        let instances = data.instances().clone();
        Ok((Ensemble { networks, inputs, standard, scale: data.scale(), instances }, effort))
    }

    /// Returns the points to learn from and their readings, before any imputation.
    fn treated(&self, data: &TrainingSet<'_>) -> (Vec<usize>, Vec<Reading>) {
        let exact = data.readings().iter().any(|reading| !reading.is_censored());
        let treat = |(point, &reading): (usize, &Reading)| match self.treatment {
            Treatment::Tobit => Some((point, reading)),
            Treatment::Drop | Treatment::Mean if reading.is_censored() && exact => None,
            Treatment::Ignore | Treatment::Drop | Treatment::Mean => {
                Some((point, Reading::Exact(reading.lower_bound())))
            }
        };
        data.readings().iter().enumerate().filter_map(treat).unzip()
    }

    /// Trains all networks. Each network has its own stream of random numbers, whichever thread trains it.
    /// Networks take turns on the threads, so that no thread is left with a whole network when the others are
    /// done. When the result is no longer wanted, unfinished networks are left out.
    fn train_all(&self, samples: &Samples, seed: u64, wanted: &(dyn Fn() -> bool + Sync)) -> Vec<Trained> {
        const TURNS: usize = 20;
        let (rows, instructions) = (samples.lines(), Instructions::best());
        let new = |member: usize| {
            let rng = Rng::new(seed, "network", member as u64);
            (member, Training::new(instructions, self, samples, &rows, rng))
        };
        let waiting: Mutex<VecDeque<(usize, Training<'_>)>> =
            Mutex::new((0..self.members).map(new).collect());
        let ended: Mutex<Vec<(usize, Trained)>> = Mutex::new(Vec::new());
        let work = || {
            // A closure, because a lock taken in the head of a loop is held throughout its body.
            let next = || lock(&waiting).pop_front().filter(|_| wanted());
            while let Some((member, mut training)) = next() {
                if training.advance(self.epochs.div_ceil(TURNS)) {
                    lock(&ended).push((member, training.finish()));
                } else {
                    lock(&waiting).push_back((member, training));
                }
            }
        };
        std::thread::scope(|scope| {
            (1..self.threads.min(self.members)).for_each(|_| {
                scope.spawn(work);
            });
            work();
        });
        let mut ended = lock(&ended);
        ended.sort_by_key(|(member, _)| *member);
        ended.drain(..).map(|(_, trained)| trained).collect()
    }
}

/// Locks a mutex. Poisoning is ignored: the scope propagates a panic in any thread anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Surrogate for NeuralSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        let (ensemble, _) = self.train(data, rng)?;
        Ok(Box::new(ensemble))
    }
}
