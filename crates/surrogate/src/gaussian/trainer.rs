//! The search for lengths, variation and noise.

use math::Rng;
use math::{Descent, Downhill};

use super::coordinates::Coordinates;
use super::fitted::Gaussian;
use super::likelihood::{Law, Likelihood};
use super::prior::Prior;
use super::readings::Readings;
use super::sites::Posterior;
use super::{FitError, GaussianSettings, TrainingSet};
use crate::Interrupt;

/// Of many points, one in so many shows where to begin.
const PART: usize = 3;
/// Evaluations of each start before the best one goes on, there.
const FIRST: usize = 10;
/// ln σ² that one of the starts has at least: searches from less often end where readings look as if they had
/// none, far below.
const MORE_NOISE: f64 = -4.6;
/// How often the noise is made ten times as large before points count as impossible to tell apart. From the
/// least noise there is, this leads far beyond the spread of all readings.
const MOST_RAISES: usize = 12;

/// Finds the lengths, variation and noise that suit a training set.
#[derive(Clone, Debug)]
pub struct GaussianTrainer {
    settings: GaussianSettings,
    seed: u64,
}

impl GaussianTrainer {
    /// The seed is that of the starts of searches.
    pub fn new(settings: GaussianSettings, seed: u64) -> Self {
        Self { settings, seed }
    }

    /// Learns from the readings of a training set.
    pub fn fit(&self, data: &TrainingSet<'_>) -> Result<Gaussian, FitError> {
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let coordinates = Coordinates::of(data);
        let readings = self.kept(Readings::of(data, &coordinates, self.settings.treatment));
        // ln ℓ of each column, ln h², ln s², ln σ².
        let at = self.search(&readings, &coordinates, data.interrupt());
        let mut likelihood = Likelihood::new(&readings, &coordinates).until(data.interrupt());
        let (law, mut posterior) =
            posterior_at(&mut likelihood, at).map_err(|singular| data.wanted().err().unwrap_or(singular))?;
        posterior.log_evidence -= readings.log_units();
        Ok(Gaussian::new(data, coordinates, readings, law, posterior))
    }

    /// The likeliest numbers.
    fn search(&self, readings: &Readings, coordinates: &Coordinates, interrupt: &Interrupt) -> Vec<f64> {
        let found = self.descend(readings, coordinates, self.settings.evaluations, interrupt).found();
        let middle = || self.starts(&coordinates.prior()).swap_remove(0);
        found.map_or_else(middle, |found| found.at)
    }

    /// The search for them, at its end. Few points are searched from several starts, of which each has some
    /// evaluations before the best goes on; what is likely for a part of many points is a good start for all
    /// of them.
    fn descend(
        &self,
        readings: &Readings,
        coordinates: &Coordinates,
        evaluations: usize,
        interrupt: &Interrupt,
    ) -> Downhill {
        let count = readings.reads.len();
        if count > self.settings.most {
            let some = self.some_of(readings, self.settings.most);
            return self.descend(&some, coordinates, evaluations, interrupt);
        }
        let prior = coordinates.prior();
        let bounds: Vec<(f64, f64)> =
            (0..prior.len()).map(|index| prior.bounds(index, self.settings.least_noise)).collect();
        let descent = Descent { evaluations: self.settings.evaluations, gain: 5e-3, slope: 1e-2 };
        let (mut searches, evaluations): (Vec<Downhill>, usize) = if count > self.settings.few {
            let part = self.descend(&self.some_of(readings, count / PART), coordinates, FIRST, interrupt);
            let from = |start: &Vec<f64>| Downhill::new(start, &bounds, descent).knowing(&part, PART as f64);
            let starts = part.found().map_or_else(|| self.starts(&prior), |found| noisier(found.at));
            (starts.iter().map(from).collect(), 1)
        } else {
            let from = |start: &Vec<f64>| Downhill::new(start, &bounds, descent);
            (self.starts(&prior).iter().map(from).collect(), evaluations)
        };
        let mut likelihood = Likelihood::new(readings, coordinates).until(interrupt);
        let mut slopes = vec![0.0; prior.len()];
        let mut go_on = |search: &mut Downhill, evaluations: usize| {
            for _ in 0..evaluations {
                let Some(at) = search.asked().filter(|_| !interrupt.is_raised()) else { break };
                let value = likelihood.negative(at, &mut slopes);
                search.tell(value, &slopes);
            }
            search.found().map_or(f64::INFINITY, |found| found.value)
        };
        let values: Vec<f64> = searches.iter_mut().map(|search| go_on(search, evaluations)).collect();
        let best = (0..values.len()).min_by(|&one, &other| values[one].total_cmp(&values[other]));
        let mut best = searches.swap_remove(best.expect("a start"));
        go_on(&mut best, self.settings.evaluations);
        best
    }

    /// What is likely before any reading, the same with more noise, and random ones.
    fn starts(&self, prior: &Prior) -> Vec<Vec<f64>> {
        let likely = |draw: &mut dyn FnMut() -> f64| -> Vec<f64> {
            (0..prior.len())
                .map(|index| {
                    let (mean, deviation) = prior.law(index);
                    mean + deviation * draw()
                })
                .collect()
        };
        let mut starts = noisier(likely(&mut || 0.0));
        let mut rng = Rng::new(self.seed, "starts", 0);
        while starts.len() < self.settings.starts {
            starts.push(likely(&mut || rng.normal()));
        }
        starts
    }

    /// So many points, drawn at random.
    fn some_of(&self, readings: &Readings, count: usize) -> Readings {
        readings.only(self.drawn((0..readings.reads.len()).collect(), count))
    }

    fn drawn(&self, mut places: Vec<usize>, count: usize) -> Vec<usize> {
        Rng::new(self.seed, "some points", places.len() as u64).shuffle(&mut places);
        places.truncate(count);
        places
    }

    /// As many points as it predicts from: the lower half of these are the lowest of all, where something is to be
    /// gained; the others are drawn at random.
    fn kept(&self, readings: Readings) -> Readings {
        let most = self.settings.points;
        if readings.reads.len() <= most {
            return readings;
        }
        let mut places: Vec<usize> = (0..readings.reads.len()).collect();
        let value = |at: &usize| readings.reads[*at].value();
        places.sort_by(|one, other| value(one).total_cmp(&value(other)));
        let others = self.drawn(places.split_off(most / 2), most - most / 2);
        readings.only([places, others].concat())
    }
}

/// What follows from all readings at ln ℓ of each column, ln h², ln s² and ln σ², with more noise where it takes that.
pub(super) fn posterior_at(
    likelihood: &mut Likelihood<'_>,
    mut at: Vec<f64>,
) -> Result<(Law, Posterior), FitError> {
    for _ in 0..=MOST_RAISES {
        if let (law, Some(posterior)) = likelihood.posterior(&at) {
            return Ok((law, posterior));
        }
        // Points so close that rounding decides: more noise makes them one.
        if let Some(noise) = at.last_mut() {
            *noise += std::f64::consts::LN_10;
        }
    }
    Err(FitError::Singular)
}

/// A start, and the same with more noise.
fn noisier(start: Vec<f64>) -> Vec<Vec<f64>> {
    let mut noisier = start.clone();
    if let Some(noise) = noisier.last_mut() {
        *noise = noise.max(MORE_NOISE);
    }
    if noisier == start { vec![start] } else { vec![start, noisier] }
}
