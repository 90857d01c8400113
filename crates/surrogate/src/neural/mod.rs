//! Networks that learn from stopped trials by their likelihood.
//!
//! ```text
//! loss = 1/n ( Σ_exact (ln σ_i + z_i²/2 + ln √(2π)) - Σ_censored ln(1 - Φ(z_i)) ),   z_i = (y_i - μ_i)/σ_i
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ_i, σ_i | the two outputs of a network for point i: mean and deviation of its trials |
//! | y_i | the reading: the cost, or the bound that a stopped trial has reached |
//! | n | points of a batch |
//!
//! A stopped trial says no more than that its cost is above the bound, and pulls the mean up only as far
//! as that is unlikely. Networks that differ by their first weights and the order of points alone are
//! asked together: where they disagree, little is known. The noise of single trials is no part of that
//! variance, see [`Predictor::predict_total`].
//!
//! Where all readings are stopped the networks agree on nothing but that costs are high, and the
//! variance is large there though none of them expects a good configuration.
//!
//! K. Eggensperger, K. Haase, P. Müller, M. Lindauer, F. Hutter, Neural Model-based Optimization with
//! Right-Censored Observations, 2020. Its equations 3 and 4 leave out ln σ.
//!
//! | file | subject |
//! |---|---|
//! | `inputs`, `targets` | rows and readings as a network wants them |
//! | `network`, `tanh` | two outputs for sixteen rows at a time, and the gradient |
//! | `blocks`, and `lanes`, `arithmetic` and `dispatch` next door | sums over lanes, with the same bits on the registers of every processor |
//! | `loss` | the likelihood of a reading |
//! | `train` | gradient descent |
//! | `filling` | costs in place of bounds, round by round |
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
use super::{FitError, Predictor, Surrogate, TrainingSet};
use crate::Reading;
use filling::fill_in;
use inputs::Inputs;
use targets::Standard;
use train::{Lessons, Trained, Training};

/// How networks are trained.
#[derive(Clone, PartialEq, Debug)]
pub struct NeuralSettings {
    /// Units of each hidden layer.
    pub layers: Vec<usize>,
    /// How often each point is seen.
    pub epochs: usize,
    /// Points of a step.
    pub batch: usize,
    /// The largest learning rate.
    pub rate: f64,
    /// Share of a step's velocity that the next one keeps.
    pub momentum: f64,
    /// Pull of each weight to nothing.
    pub decay: f64,
    /// The largest gradient by a weight.
    pub clip: f64,
    /// What becomes of censored points.
    pub treatment: Treatment,
    /// How many ensembles [`Treatment::Mean`] trains, one after the other; the others train one.
    pub rounds: usize,
    /// How many networks.
    pub members: usize,
    /// Threads to train networks on; predictions do not depend on it.
    pub threads: usize,
}

/// What becomes of censored points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Treatment {
    /// Their bounds are taken for costs.
    Ignore,
    /// They are left out; where there is no other, their bounds are taken for costs.
    Drop,
    /// They get the mean of what the ensemble before expects above the bound (Schmee and Hahn); the
    /// first ensemble is that of `Drop`.
    Mean,
    /// They count by how likely a cost above the bound is (Tobin).
    Tobit,
}

/// What training took, over all networks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Steps of gradient descent.
    pub steps: u64,
    /// How often training came to numbers that are none, and began anew with a smaller rate.
    pub restarts: u32,
    /// Networks that were given up with random weights after too many restarts.
    pub untrained: usize,
    /// The mean loss of the last weights, on standardised readings.
    pub loss: f64,
}

impl Effort {
    /// This one, and then another.
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
    /// Trains networks, and says what it took.
    ///
    /// # Panics
    /// If there are no members, no rounds, or no points in a batch, or a number among the settings is negative or
    /// none.
    pub fn train(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<(Ensemble, Effort), FitError> {
        self.train_watched(data, rng, &mut |_| {})
    }

    /// As [`Self::train`]; each ensemble on the way, the last one too, is shown as soon as it is trained.
    ///
    /// # Panics
    /// As [`Self::train`].
    pub fn train_watched(
        &self,
        data: &TrainingSet<'_>,
        rng: &mut Rng,
        watch: &mut dyn FnMut(&Ensemble),
    ) -> Result<(Ensemble, Effort), FitError> {
        assert!(self.members > 0 && self.batch > 0, "a network and a point at least");
        assert!(self.rounds > 0, "a round at least");
        let numbers = [self.rate, self.momentum, self.decay, self.clip];
        assert!(numbers.iter().all(|x| x.is_finite() && *x >= 0.0), "settings are numbers: {numbers:?}");
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

    /// Trains on some points, with these readings instead of their own.
    fn train_on(
        &self,
        data: &TrainingSet<'_>,
        points: &[usize],
        readings: Vec<Reading>,
        seed: u64,
    ) -> Result<(Ensemble, Effort), FitError> {
        let inputs = Inputs::of(data);
        let standard = Standard::of(&readings, data.scale());
        let mut rows = vec![0.0; points.len() * inputs.width()];
        for (at, &point) in points.iter().enumerate() {
            inputs.write(data.row(point), &mut rows[at * inputs.width()..(at + 1) * inputs.width()]);
        }
        // Where all readings are one value there is nothing to learn but that.
        let varied = standard.spread > 0.0;
        let epochs = if varied { self.epochs } else { 0 };
        let shrink = |reading| if varied { standard.shrink(reading) } else { Reading::Exact(0.0) };
        let readings = readings.into_iter().map(shrink).collect();
        let lessons = Lessons { rows, width: inputs.width(), readings };
        let trained = Self { epochs, ..self.clone() }.train_all(&lessons, seed, &|| data.wanted().is_ok());
        data.wanted()?;
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

    /// Which points count, and as what, before anything is filled in.
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

    /// Each network has a stream of random numbers of its own, whatever threads it is trained on. They take
    /// turns, so that no thread has a whole network left when the others have none. Those that are not trained
    /// when it is no longer wanted are left out.
    fn train_all(&self, lessons: &Lessons, seed: u64, wanted: &(dyn Fn() -> bool + Sync)) -> Vec<Trained> {
        const TURNS: usize = 20;
        let (rows, instructions) = (lessons.lines(), Instructions::best());
        let new = |member: usize| {
            let rng = Rng::new(seed, "network", member as u64);
            (member, Training::new(instructions, self, lessons, &rows, rng))
        };
        let waiting: Mutex<VecDeque<(usize, Training<'_>)>> =
            Mutex::new((0..self.members).map(new).collect());
        let ended: Mutex<Vec<(usize, Trained)>> = Mutex::new(Vec::new());
        let work = || {
            // Its own statement, since a lock that is asked for in a loop's head is held all through its body.
            let next = || lock(&waiting).pop_front().filter(|_| wanted());
            while let Some((member, mut training)) = next() {
                if training.go_on(self.epochs.div_ceil(TURNS)) {
                    lock(&ended).push((member, training.trained()));
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

/// What is behind a lock; a thread that held it and panicked ends the program's training anyhow.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Surrogate for NeuralSettings {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        let (ensemble, _) = self.train(data, rng)?;
        Ok(Box::new(ensemble))
    }
}
