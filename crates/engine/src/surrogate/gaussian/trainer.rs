//! The search for lengths, variation and noise.

use super::coordinates::Coordinates;
use super::fitted::Gaussian;
use super::likelihood::Likelihood;
use super::prior::Prior;
use super::readings::Readings;
use super::{FitError, GaussianSettings, TrainingSet};
use crate::rng::Rng;
use linalg::{Descent, minimise};

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
        // ln ℓ of each column, ln s², ln σ².
        let mut at = self.search(&readings, &coordinates);
        let mut likelihood = Likelihood::new(&readings, coordinates.all(), coordinates.columns());
        let (kernel, noise, mut posterior) = loop {
            if let (kernel, noise, Some(posterior)) = likelihood.posterior(&at) {
                break (kernel, noise, posterior);
            }
            // Points so close that rounding decides: more noise makes them one.
            at[coordinates.columns() + 1] += std::f64::consts::LN_10;
        };
        posterior.log_evidence -= readings.log_units();
        Ok(Gaussian::new(data, coordinates, readings, kernel, noise, posterior))
    }

    /// The likeliest numbers. Few points are searched from several starts; what is likely for a part of many
    /// points is a good start for all of them.
    fn search(&self, readings: &Readings, coordinates: &Coordinates) -> Vec<f64> {
        const PART: usize = 3;
        let count = readings.reads.len();
        if count > self.settings.most {
            return self.search(&self.some_of(readings, self.settings.most), coordinates);
        }
        let starts = if count > self.settings.few {
            vec![self.search(&self.some_of(readings, count / PART), coordinates)]
        } else {
            self.starts(&Prior::new(coordinates.columns()))
        };
        let mut likelihood = Likelihood::new(readings, coordinates.all(), coordinates.columns());
        let count = likelihood.prior().len();
        let bounds: Vec<(f64, f64)> =
            (0..count).map(|index| likelihood.prior().bounds(index, self.settings.least_noise)).collect();
        let descent = Descent { evaluations: self.settings.evaluations, gain: 5e-3, slope: 1e-2 };
        let middle: Vec<f64> = (0..count).map(|index| likelihood.prior().law(index).0).collect();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for start in starts {
            let found = minimise(&start, &bounds, descent, |at, slopes| likelihood.negative(at, slopes));
            if let Some(found) = found
                && best.as_ref().is_none_or(|(least, _)| found.value < *least)
            {
                best = Some((found.value, found.at));
            }
        }
        best.map_or(middle, |(_, at)| at)
    }

    /// What is likely before any reading, and some random ones.
    fn starts(&self, prior: &Prior) -> Vec<Vec<f64>> {
        let likely = |draw: &mut dyn FnMut() -> f64| -> Vec<f64> {
            (0..prior.len())
                .map(|index| {
                    let (mean, deviation) = prior.law(index);
                    mean + deviation * draw()
                })
                .collect()
        };
        let mut starts = vec![likely(&mut || 0.0)];
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
