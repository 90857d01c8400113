//! How to write your own surrogate, from the model to its results. The model in this example predicts a
//! weighted mean of all known costs, in which nearer points have larger weights.
//!
//! | step | here |
//! |---|---|
//! | learn from trials, including stopped ones | `Surrogate for Near` |
//! | predict the cost of a configuration and its uncertainty | `Predictor for Fitted` |
//! | use the surrogate to propose configurations | [`proposer`] |
//! | run trials and report their costs | [`optimise`] |
//!
//! A stopped trial counts as the larger of its lower bound and the value predicted from the exact readings.
//! `cargo run -p captune-engine --example own_surrogate` compares the surrogate with random proposals. The
//! integration tests run the suite that every surrogate must pass, and check that this one beats random
//! proposals.

#![allow(clippy::print_stdout, reason = "the example prints its results")]

use std::error::Error;

use engine::optimizer::NotRunning;
use engine::propose::{ModelSearch, ModelSettings, OwnSurrogate, Proposer, RandomSearch};
use engine::racing::CappedRacer;
use engine::{
    Ask, Configuration, History, Objective, Observation, Optimizer, Problem, Racing, Reading, Rng, Space,
    Status, TrialRequest,
};
use space::Diagnostics;
use space::format::{Format, read};
use surrogate::{FitError, InstanceTable, Points, Prediction, Predictor, Surrogate, TrainingSet};

/// The settings of the surrogate.
pub struct Near {
    /// Squared distance below which points have about equal weights.
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
        let known =
            all().filter(|(_, reading)| !reading.is_censored() || all().all(|(_, r)| r.is_censored()));
        let known: Vec<_> = known.map(|(row, reading)| (row, reading.lower_bound())).collect();
        let exact = Fitted { blur: self.blur, known, instances: data.instances().clone() };
        if exact.known.is_empty() {
            return Err(FitError::Empty);
        }
        let value = |row: &[f64], reading| match reading {
            Reading::Exact(value) => value,
            Reading::AtLeast(bound) => exact.at(row).mean.max(bound),
        };
        let known =
            all().map(|(row, reading)| (value(&row, reading), row)).map(|(y, row)| (row, y)).collect();
        Ok(Box::new(Fitted { known, ..exact }))
    }
}

impl Fitted {
    fn at(&self, row: &[f64]) -> Prediction {
        let distance = |known: &[f64]| row.iter().zip(known).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let weights: Vec<f64> =
            self.known.iter().map(|(known, _)| 1.0 / (self.blur + distance(known))).collect();
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

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        // The spread of nearby points is the only estimate of noise that the model has.
        self.predict(points, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        let count = self.instances.count() as f64;
        for (out, row) in out.iter_mut().zip(configurations.iter()) {
            let on = |instance| self.at(&[row, self.instances.row(instance)].concat());
            let all: Vec<Prediction> = (0..self.instances.count()).map(on).collect();
            out.mean = all.iter().map(|found| found.mean).sum::<f64>() / count;
            out.variance = all.iter().map(|found| found.variance).sum::<f64>() / count;
        }
    }
}

/// The space to search.
const SPACE: &str = "depth = { integer = [1, 40], default = 30 }\nratio = { float = [0.001, 1], log = true }\n\
                     restart = { float = [1.05, 2] }\n";
/// The cutoff in seconds. The race stops most trials long before they reach it.
const CUTOFF: f64 = 100.0;
const TRIALS: usize = 60;

/// Simulates the program to tune: the best configuration takes a tenth of a second.
fn seconds(configuration: &Configuration, space: &Space) -> f64 {
    let row = space.encode(configuration);
    let far = |place: f64, best: f64| (place - best) * (place - best);
    0.1 * libm::exp(12.0 * far(row[0], 0.2) + 20.0 * far(row[1], 0.7) + 10.0 * far(row[2], 0.5))
}

/// Returns the problem: a deterministic target on a single instance.
pub fn problem(seed: u64) -> Result<Problem, Diagnostics> {
    let space = read(SPACE, "example", Format::Toml)?;
    let default = space.default_configuration();
    Ok(Problem { space, default, objective: Objective::capped(CUTOFF), instances: 1, seed })
}

/// Creates a proposer that uses the surrogate above.
pub fn proposer(problem: &Problem) -> Box<dyn Proposer> {
    let settings = ModelSettings::by(OwnSurrogate::new("near", Near { blur: 0.001 }));
    Box::new(ModelSearch::new(problem.clone(), settings))
}

/// Asks for trials and reports their costs. A trial whose cost is above its cap is reported as stopped.
pub fn optimise(problem: &Problem, proposer: Box<dyn Proposer>) -> Result<Optimizer, NotRunning> {
    let mut history = History::new();
    let racing = Racing { deterministic: true, ..Racing::default() };
    let racer = CappedRacer::new(problem.clone(), racing, &mut history);
    let mut optimizer = Optimizer::new(history, Box::new(racer), proposer);
    while optimizer.history().trials().len() < TRIALS {
        // Each result is reported before the next trial is requested, so there is never a running trial to
        // tighten, cancel or wait for.
        let Ask::Run(TrialRequest { id, configuration, cap, .. }) = optimizer.ask(1) else { break };
        let (cost, cap) = (seconds(&configuration, &problem.space), cap.cost());
        let observation = match cost > cap {
            true if cap < CUTOFF => Observation::capped(cap),
            true => Observation::timeout(cap),
            false => Observation::finished(cost),
        };
        optimizer.tell(id, observation)?;
    }
    Ok(optimizer)
}

/// Returns the cost of the best configuration.
pub fn best(problem: &Problem, optimizer: &Optimizer) -> f64 {
    seconds(optimizer.history().configuration(optimizer.incumbent()), &problem.space)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("time of the best configuration after {TRIALS} trials, in seconds (number of capped trials)");
    println!("seed  default  near        random");
    for seed in 1..=5 {
        let problem = problem(seed)?;
        let near = optimise(&problem, proposer(&problem))?;
        let random = optimise(&problem, Box::new(RandomSearch::new(problem.space.clone(), seed)))?;
        let [near, random] = [near, random]
            .map(|one| format!("{:.3} ({})", best(&problem, &one), one.history().count(Status::Capped)));
        println!("{seed:>4}  {:>7.3}  {near}  {random}", seconds(&problem.default, &problem.space));
    }
    Ok(())
}
