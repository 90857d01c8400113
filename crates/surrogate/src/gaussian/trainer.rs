//! The search for hyperparameters.

use math::Rng;
use math::{Lbfgs, StoppingRule};

use super::coordinates::Coordinates;
use super::fitted::Gaussian;
use super::likelihood::{Hyperparameters, Likelihood};
use super::prior::Prior;
use super::readings::Readings;
use super::sites::Posterior;
use super::{FitError, GaussianSettings, TrainingSet};
use crate::Interrupt;

/// Divisor for the number of points in a first, smaller search. When there are many points, the search over
/// all points starts from the result of the smaller search.
const PART: usize = 3;
/// Number of evaluations from each start in the smaller search, before only the best start continues.
const FIRST: usize = 10;
/// Minimum ln σ² of one of the starts. Searches that start with less noise often end with far too little, as
/// if the readings were noise-free.
const MORE_NOISE: f64 = -4.6;
/// Number of times that the noise is multiplied by ten before the covariances count as singular. Starting
/// from the minimum noise, this goes far beyond the spread of all readings.
const MAX_RAISES: usize = 12;

/// A trainer that finds the hyperparameters for a training set.
#[derive(Clone, Debug)]
pub struct GaussianTrainer {
    settings: GaussianSettings,
    seed: u64,
}

impl GaussianTrainer {
    /// Creates a trainer. The seed determines the starts of searches and the choice of points.
    pub fn new(settings: GaussianSettings, seed: u64) -> Self {
        Self { settings, seed }
    }

    /// Fits a Gaussian process to a training set.
    pub fn fit(&self, data: &TrainingSet<'_>) -> Result<Gaussian, FitError> {
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let coordinates = Coordinates::of(data);
        let readings = self.kept(Readings::of(data, &coordinates, self.settings.treatment));
        // ln ℓ of each column, ln h², ln s², ln σ².
        let at = self.search(&readings, &coordinates, data.interrupt());
        let mut likelihood = Likelihood::new(&readings, &coordinates).until(data.interrupt());
        let (hyperparameters, mut posterior) = posterior_at(&mut likelihood, at)
            .map_err(|singular| data.check_interrupt().err().unwrap_or(singular))?;
        posterior.log_evidence -= readings.log_units();
        Ok(Gaussian::new(data, coordinates, readings, hyperparameters, posterior))
    }

    /// Returns the best log hyperparameters.
    fn search(&self, readings: &Readings, coordinates: &Coordinates, interrupt: &Interrupt) -> Vec<f64> {
        let found = self.descend(readings, coordinates, self.settings.evaluations, interrupt).found();
        let middle = || self.starts(&coordinates.prior()).swap_remove(0);
        found.map_or_else(middle, |found| found.at)
    }

    /// Runs the search and returns its final state. With few points there are several starts; each gets some
    /// evaluations, and then the best one continues. With many points, the search starts from the result for
    /// a part of the points.
    fn descend(
        &self,
        readings: &Readings,
        coordinates: &Coordinates,
        evaluations: usize,
        interrupt: &Interrupt,
    ) -> Lbfgs {
        let count = readings.point_readings.len();
        if count > self.settings.max_training_points {
            let some = self.some_of(readings, self.settings.max_training_points);
            return self.descend(&some, coordinates, evaluations, interrupt);
        }
        let prior = coordinates.prior();
        let bounds: Vec<(f64, f64)> =
            (0..prior.len()).map(|index| prior.bounds(index, self.settings.least_noise)).collect();
        let rule = StoppingRule { evaluations: self.settings.evaluations, decrease: 5e-3, gradient: 1e-2 };
        let (mut searches, evaluations): (Vec<Lbfgs>, usize) = if count > self.settings.few_points {
            let part = self.descend(&self.some_of(readings, count / PART), coordinates, FIRST, interrupt);
            let from =
                |start: &Vec<f64>| Lbfgs::new(start, &bounds, rule).with_curvature_of(&part, PART as f64);
            let starts = part.found().map_or_else(|| self.starts(&prior), |found| noisier(found.at));
            (starts.iter().map(from).collect(), 1)
        } else {
            let from = |start: &Vec<f64>| Lbfgs::new(start, &bounds, rule);
            (self.starts(&prior).iter().map(from).collect(), evaluations)
        };
        let mut likelihood = Likelihood::new(readings, coordinates).until(interrupt);
        let mut gradient = vec![0.0; prior.len()];
        let mut advance = |search: &mut Lbfgs, evaluations: usize| {
            for _ in 0..evaluations {
                let Some(at) = search.asked().filter(|_| !interrupt.is_raised()) else { break };
                let value = likelihood.negative_log_posterior(at, &mut gradient);
                search.tell(value, &gradient);
            }
            search.found().map_or(f64::INFINITY, |found| found.value)
        };
        let values: Vec<f64> = searches.iter_mut().map(|search| advance(search, evaluations)).collect();
        let best = (0..values.len()).min_by(|&one, &other| values[one].total_cmp(&values[other]));
        let mut best = searches.swap_remove(best.expect("a start"));
        advance(&mut best, self.settings.evaluations);
        best
    }

    /// Returns the starts of a search: the prior mean, the prior mean with more noise, and random draws from
    /// the prior.
    fn starts(&self, prior: &Prior) -> Vec<Vec<f64>> {
        let from_prior = |draw: &mut dyn FnMut() -> f64| -> Vec<f64> {
            (0..prior.len())
                .map(|index| {
                    let (mean, deviation) = prior.mean_and_deviation(index);
                    mean + deviation * draw()
                })
                .collect()
        };
        let mut starts = noisier(from_prior(&mut || 0.0));
        let mut rng = Rng::new(self.seed, "starts", 0);
        while starts.len() < self.settings.starts {
            starts.push(from_prior(&mut || rng.normal()));
        }
        starts
    }

    /// Returns `count` points, drawn at random.
    fn some_of(&self, readings: &Readings, count: usize) -> Readings {
        readings.only(self.drawn((0..readings.point_readings.len()).collect(), count))
    }

    fn drawn(&self, mut places: Vec<usize>, count: usize) -> Vec<usize> {
        Rng::new(self.seed, "some points", places.len() as u64).shuffle(&mut places);
        places.truncate(count);
        places
    }

    /// Reduces the points to the maximum number that predictions are based on. Half of them are the lowest of
    /// all, because improvements are found there; the others are drawn at random.
    fn kept(&self, readings: Readings) -> Readings {
        let most = self.settings.max_points;
        if readings.point_readings.len() <= most {
            return readings;
        }
        let mut places: Vec<usize> = (0..readings.point_readings.len()).collect();
        let value = |at: &usize| readings.point_readings[*at].value();
        places.sort_by(|one, other| value(one).total_cmp(&value(other)));
        let others = self.drawn(places.split_off(most / 2), most - most / 2);
        readings.only([places, others].concat())
    }
}

/// Returns the posterior given all readings, at a vector of log hyperparameters. If the covariances cannot be
/// factored, the noise is increased.
pub(super) fn posterior_at(
    likelihood: &mut Likelihood<'_>,
    mut at: Vec<f64>,
) -> Result<(Hyperparameters, Posterior), FitError> {
    for _ in 0..=MAX_RAISES {
        if let (hyperparameters, Some(posterior)) = likelihood.posterior(&at) {
            return Ok((hyperparameters, posterior));
        }
        // Some points are too close together for the precision of `f64`; more noise makes them
        // indistinguishable.
        if let Some(noise) = at.last_mut() {
            *noise += std::f64::consts::LN_10;
        }
    }
    Err(FitError::Singular)
}

/// Returns a start and, unless its noise is already high enough, the same start with more noise.
fn noisier(start: Vec<f64>) -> Vec<Vec<f64>> {
    let mut noisier = start.clone();
    if let Some(noise) = noisier.last_mut() {
        *noise = noise.max(MORE_NOISE);
    }
    if noisier == start { vec![start] } else { vec![start, noisier] }
}
