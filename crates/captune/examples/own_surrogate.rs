//! A surrogate of your own that proposes configurations: it predicts the weighted mean of all known costs, in
//! which nearer points have larger weights. A stopped trial counts as the larger of its lower bound and the
//! prediction from the exact readings.
//!
//! `cargo run -p captune --example own_surrogate` compares it with random proposals. The tests run the suite
//! that every surrogate must pass on it, and check that it beats random proposals.

#![allow(clippy::print_stdout, reason = "the example prints its results")]

use std::error::Error;

use captune::surrogate::{FitError, InstanceTable, Points, Prediction, Predictor, Surrogate, TrainingSet};
use captune::{
    Configuration, Format, Outcome, Reading, Rng, Search, Status, Tuner, TunerBuilder, read_space,
};

/// The settings: points whose squared distance is below `blur` have about equal weights.
pub struct Near {
    /// Squared distance.
    pub blur: f64,
}

/// The fitted model: the rows and their values.
struct Fitted {
    blur: f64,
    known: Vec<(Vec<f64>, f64)>,
    instances: InstanceTable,
}

impl Surrogate for Near {
    fn fit(&self, data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        let all = || (0..data.len()).map(|i| (data.row(i).collect::<Vec<f64>>(), data.readings()[i]));
        let any_exact = data.readings().iter().any(|reading| !reading.is_censored());
        let known = all().filter(|(_, reading)| !(any_exact && reading.is_censored()));
        let known = known.map(|(row, reading)| (row, reading.lower_bound())).collect();
        let exact = Fitted { blur: self.blur, known, instances: data.instances().clone() };
        if data.is_empty() {
            return Err(FitError::Empty);
        }
        let value = |row: &[f64], reading| match reading {
            Reading::Exact(value) => value,
            Reading::AtLeast(bound) => exact.at(row).mean.max(bound),
        };
        let known = all().map(|(row, reading)| (value(&row, reading), row)).map(|(y, row)| (row, y));
        Ok(Box::new(Fitted { known: known.collect(), ..exact }))
    }
}

impl Fitted {
    fn at(&self, row: &[f64]) -> Prediction {
        let distance = |known: &[f64]| row.iter().zip(known).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let weight = |known: &[f64]| 1.0 / (self.blur + distance(known));
        let weights: Vec<f64> = self.known.iter().map(|(known, _)| weight(known)).collect();
        let average = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 = weights.iter().zip(&self.known).map(|(w, (_, y))| w * value(*y)).sum();
            sum / weights.iter().sum::<f64>()
        };
        let mean = average(&|y| y);
        Prediction { mean, variance: average(&|y| (y - mean) * (y - mean)) }
    }
}

impl Predictor for Fitted {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        out.iter_mut().zip(points.iter()).for_each(|(out, row)| *out = self.at(row));
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        self.instances.average(configurations, out, |row| self.at(row));
    }
}

/// Simulates the program to tune: the best configuration takes a tenth of a second.
pub fn seconds(configuration: &Configuration) -> f64 {
    let row = configuration.space().encode(configuration);
    let far = |place: f64, best: f64| (place - best) * (place - best);
    0.1 * (12.0 * far(row[0], 0.2) + 20.0 * far(row[1], 0.7) + 10.0 * far(row[2], 0.5)).exp()
}

/// Returns the settings without a search.
pub fn builder(seed: u64) -> Result<TunerBuilder, Box<dyn Error>> {
    let text = "depth = { integer = [1, 40], default = 30 }\nratio = { float = [0.001, 1], log = true }\n\
                restart = { float = [1.05, 2] }\n";
    let space = read_space(text, "example", Format::Toml)?;
    Ok(Tuner::builder(space).cutoff(100.0).deterministic(true).seed(seed))
}

/// Runs 60 trials. A trial whose cost is above its cap is reported as stopped.
pub fn tuned(builder: &TunerBuilder) -> Result<Tuner, Box<dyn Error>> {
    let mut tuner = builder.build()?;
    tuner.run(60, |trial| {
        let (seconds, cap) = (seconds(&trial.configuration), trial.cap.cost());
        if seconds > cap { Outcome::stopped(cap) } else { Outcome::finished(seconds) }
    })?;
    Ok(tuner)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("seconds of the best configuration after 60 trials (number of capped trials)");
    println!("seed  near        random");
    for seed in 1..=5 {
        let builder = builder(seed)?;
        let near = tuned(&builder.clone().surrogate("near", Near { blur: 0.001 }))?;
        let random = tuned(&builder.search(Search::Random))?;
        let [near, random] = [near, random].map(|tuner| {
            let cost = tuner.best().cost.unwrap_or(f64::NAN);
            format!("{cost:.3} ({})", tuner.history().count(Status::Capped))
        });
        println!("{seed:>4}  {near}  {random}");
    }
    Ok(())
}
