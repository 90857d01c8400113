//! What is learnt of one normal law of which the upper part is censored, drawn.
//!
//! ```text
//! y ~ N(2, 1),   400 readings;   censored: all above 2.5, at 2.5
//! ```
//!
//! A network whose input is always the same has nothing to learn but the law.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use engine::{Reading, Rng};
use math::normal;
use surrogate::neural::{NeuralSettings, Treatment};
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use super::TREATMENTS;
use crate::plot::{Field, Frame, Mark, panels};

#[derive(Args)]
pub(crate) struct Arguments {
    /// How often each reading is seen
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// The file of pictures to write
    #[arg(long, default_value = "docs/results/tobit-laws.svg")]
    plot: PathBuf,
}

const READINGS: usize = 400;
const TRUTH: Prediction = Prediction { mean: 2.0, variance: 1.0 };
const BOUND: f64 = 2.5;

/// What a network learns of all readings, those above the bound censored there.
fn learn(treatment: Treatment, bound: f64, epochs: usize) -> Result<Prediction> {
    let alike = InstanceTable::alike();
    let mut set = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    let place = set.push_configuration(&[0.5]);
    let mut rng = Rng::new(1, "laws", 0);
    for _ in 0..READINGS {
        let y = TRUTH.mean + TRUTH.deviation() * rng.normal();
        set.push(place, 0, if y > bound { Reading::AtLeast(bound) } else { Reading::Exact(y) });
    }
    let settings = NeuralSettings { treatment, epochs, members: 1, ..NeuralSettings::default() };
    let (network, _) = settings.train(&set, &mut Rng::new(1, "laws", 1))?;
    let mut found = [Prediction::default()];
    network.predict_total(Points::new(&[0.5], 1), &mut found);
    Ok(found[0])
}

/// Trains, draws and prints the laws.
pub(crate) fn draw(arguments: &Arguments) -> Result<()> {
    let range = [-1.5, 5.5];
    let density = |law: Prediction| {
        let at = |i: i32| range[0] + (range[1] - range[0]) * f64::from(i) / 200.0;
        let height = |y: f64| normal::log_density((y - law.mean) / law.deviation()).exp() / law.deviation();
        Mark::Line((0..=200).map(|i| (at(i), height(at(i)))).collect())
    };
    let truth = TREATMENTS.len();
    println!("| readings | treatment | mean | deviation |\n|---|---|---|---|");
    let mut fields = Vec::new();
    for (title, bound) in [("all are read", f64::INFINITY), ("at least 2.5 of those above", BOUND)] {
        let mut marks = vec![(truth, density(TRUTH))];
        for (colour, (name, treatment)) in TREATMENTS.into_iter().enumerate() {
            let law = learn(treatment, bound, arguments.epochs)?;
            println!("| {title} | {name} | {:.2} | {:.2} |", law.mean, law.deviation());
            marks.push((colour, density(law)));
        }
        fields.push(Field { title: title.to_owned(), marks });
    }
    let mut names = TREATMENTS.map(|(name, _)| name.to_owned()).to_vec();
    names.push("truth".to_owned());
    let labels = ["y".to_owned(), "density".to_owned()];
    let frame = Frame { names, labels, ranges: [range, [0.0, 0.8]], columns: 2 };
    std::fs::write(&arguments.plot, panels(&frame, &fields))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelihood_finds_the_law_again_and_bounds_as_costs_do_not() {
        let learn = |treatment| learn(treatment, BOUND, 500).unwrap();
        let tobit = learn(Treatment::Tobit);
        assert!((tobit.mean - 2.0).abs() < 0.15 && (tobit.deviation() - 1.0).abs() < 0.15, "{tobit:?}");
        let (ignore, drop) = (learn(Treatment::Ignore), learn(Treatment::Drop));
        assert!(drop.mean < ignore.mean && ignore.mean < 1.85, "{drop:?} {ignore:?}");
    }
}
