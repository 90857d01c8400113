//! The data sets with their thresholds and cutoffs, and the cost of a training run on them.

use std::sync::Arc;

use math::Rng;
use space::format::{Format, read};
use space::{Configuration, Space};

use super::{INPUTS, Network};

/// A data set with its threshold and cutoff.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recipe {
    /// Its usual name.
    pub name: &'static str,
    /// Its OpenML task.
    pub task: u32,
    /// Validation accuracy to reach, in percent.
    pub threshold: f64,
    /// Seconds after which a training run is stopped.
    pub cutoff: f64,
}

/// The seven data sets.
pub const DATA_SETS: [Recipe; 7] = [
    Recipe { name: "adult", task: 126_025, threshold: 82.23, cutoff: 105.0 },
    Recipe { name: "airlines", task: 189_354, threshold: 62.43, cutoff: 865.0 },
    Recipe { name: "bank-marketing", task: 126_029, threshold: 84.04, cutoff: 104.0 },
    Recipe { name: "connect-4", task: 167_201, threshold: 60.37, cutoff: 187.0 },
    Recipe { name: "credit-g", task: 167_161, threshold: 71.52, cutoff: 75.0 },
    Recipe { name: "jannis", task: 168_330, threshold: 57.32, cutoff: 200.0 },
    Recipe { name: "vehicle", task: 167_168, threshold: 60.77, cutoff: 90.0 },
];

/// Number of random configurations from which the threshold and cutoff of a recipe are computed.
const DRAWN: usize = 300;

/// Returns the parameters of a training run.
pub fn space() -> Space {
    read(include_str!("space.toml"), "space.toml", Format::Toml).expect("a test reads this file")
}

/// The course of a training run, epoch by epoch.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Seconds from the start to the end of each epoch.
    pub seconds: Vec<f64>,
    /// Validation accuracy after each epoch, in percent.
    pub accuracy: Vec<f64>,
}

impl Curve {
    /// Returns the seconds until the end of the first epoch that reaches the accuracy. `None` if no epoch
    /// reaches it.
    pub fn time_to(&self, accuracy: f64) -> Option<f64> {
        self.accuracy.iter().zip(&self.seconds).find(|(reached, _)| **reached >= accuracy).map(|it| *it.1)
    }

    /// Returns the seconds of the whole training run, and the accuracy at its end.
    pub fn end(&self) -> (f64, f64) {
        let last = |series: &[f64]| series.last().copied().unwrap_or(f64::NAN);
        (last(&self.seconds), last(&self.accuracy))
    }

    /// Returns the best accuracy of any epoch.
    pub fn best(&self) -> f64 {
        self.accuracy.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Training on one data set, simulated by the network.
#[derive(Clone, Debug)]
pub struct DataSet {
    network: Arc<Network>,
    recipe: Recipe,
}

impl DataSet {
    /// Creates a data set. Returns `None` if the network does not know its task.
    pub fn new(network: Arc<Network>, recipe: Recipe) -> Option<Self> {
        network.has_task(recipe.task).then_some(Self { network, recipe })
    }

    /// Returns the name, task, threshold and cutoff of the data set.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Returns the course of a training run. The configuration must belong to [`space()`].
    pub fn curve(&self, configuration: &Configuration) -> Curve {
        let mut settings = [0.0; INPUTS - 1];
        for (setting, &code) in settings.iter_mut().zip(configuration.codes()) {
            *setting = code as f32;
        }
        let outputs = self.network.evaluate(self.recipe.task, &settings).unwrap_or_default();
        let column = |place: usize| outputs.iter().map(|row| f64::from(row[place])).collect();
        Curve { seconds: column(0), accuracy: column(1) }
    }

    /// Returns the seconds until the threshold is reached. `None` if it is never reached.
    pub fn time_to_accuracy(&self, configuration: &Configuration) -> Option<f64> {
        self.curve(configuration).time_to(self.recipe.threshold)
    }

    /// Returns the seconds of the whole training run, and the final accuracy. The constraint requires that
    /// this accuracy is at least the threshold.
    pub fn time_and_accuracy(&self, configuration: &Configuration) -> (f64, f64) {
        self.curve(configuration).end()
    }

    /// Returns the curves of the random configurations that determine a recipe.
    pub fn drawn(&self) -> Vec<Curve> {
        let space = space();
        let mut rng = Rng::new(1, "lcbench recipe", 0);
        let draw = |_| self.curve(&space.sample(&mut rng).expect("the space forbids nothing"));
        (0..DRAWN).map(draw).collect()
    }

    /// Recomputes the recipe from the curves of random configurations.
    pub fn recomputed_recipe(&self, drawn: &[Curve]) -> Recipe {
        let quantile = |share: f64, mut series: Vec<f64>| {
            series.sort_by(f64::total_cmp);
            math::quantile(&series, share)
        };
        let threshold = quantile(0.75, drawn.iter().map(Curve::best).collect());
        let cutoff = quantile(0.5, drawn.iter().map(|curve| curve.end().0).collect());
        Recipe { threshold: (threshold * 100.0).round() / 100.0, cutoff: cutoff.round(), ..self.recipe }
    }
}
