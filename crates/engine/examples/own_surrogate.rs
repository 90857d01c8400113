//! Your own surrogate: the mean of all points, near ones counting more.
//!
//! A stopped trial counts as its bound, or as what the exact readings around it say if that is more.
//! `cargo run -p captune-engine --example own_surrogate` shows it at work; the tests put it through the
//! suite that every surrogate must pass.

#![allow(clippy::print_stdout, reason = "it shows something")]

use engine::acquisition::{Acquisition as _, ExpectedSaving};
use engine::{Reading, Rng};
use surrogate::{
    Column, FitError, InstanceTable, Points, Prediction, Predictor, Scale, Surrogate, TrainingSet,
};

/// Settings: how soon distance matters.
pub struct Near {
    /// Points closer than this count alike.
    pub blur: f64,
}

/// What it has learned: rows with their values.
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
        // What differs among near points is all that it knows of noise.
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

fn main() -> Result<(), FitError> {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Log10 { grain: 1e-3 }, Some(10.0));
    for i in 0..=8 {
        let x = f64::from(i) / 8.0;
        let cost = 0.1 + 20.0 * (x - 0.4) * (x - 0.4);
        let number = data.push_configuration(&[x]);
        data.push(number, 0, if cost > 2.0 { Reading::AtLeast(2.0) } else { Reading::Exact(cost) });
    }
    let model = Near { blur: 0.003 }.fit(&data, &mut Rng::new(1, "fit", 0))?;
    let rows: Vec<f64> = (0..=20).map(|i| f64::from(i) / 20.0).collect();
    let mut found = vec![Prediction::default(); rows.len()];
    model.predict_marginal(Points::new(&rows, 1), &mut found);
    println!("   x  log10 cost  deviation  log utility");
    for (x, &cost) in rows.iter().zip(&found) {
        let utility = ExpectedSaving.log_utility(cost, &[], Some(-0.9));
        println!("{x:>4.2}  {:>10.3}  {:>9.3}  {utility:>11.2}", cost.mean, cost.deviation());
    }
    Ok(())
}
