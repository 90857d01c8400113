//! Plots what networks learn about a normal distribution whose upper part is censored.
//!
//! ```text
//! y ~ N(2, 1),   400 readings;   censored: all above 2.5, at 2.5
//! ```
//!
//! The input of the network is always the same, so it can only learn the distribution.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use engine::{Reading, Rng};
use math::normal;
use report::plot::{Field, Frame, Mark, panels};
use surrogate::neural::Treatment;
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use super::{TREATMENTS, networks};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of training epochs
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// File to write the plots to
    #[arg(long, default_value = "docs/results/tobit-laws.svg")]
    plot: PathBuf,
}

const READINGS: usize = 400;
const TRUTH: Prediction = Prediction { mean: 2.0, variance: 1.0 };
const BOUND: f64 = 2.5;

/// Returns the distribution that a network learns from all readings, where readings above the bound are
/// censored at the bound.
fn learn(treatment: Treatment, bound: f64, epochs: usize) -> Result<Prediction> {
    let alike = InstanceTable::alike();
    let mut set = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    let location = set.push_configuration(&[0.5]);
    let mut rng = Rng::new(1, "laws", 0);
    for _ in 0..READINGS {
        let y = TRUTH.mean + TRUTH.deviation() * rng.normal();
        set.push(location, 0, if y > bound { Reading::AtLeast(bound) } else { Reading::Exact(y) });
    }
    let settings = networks(treatment, epochs, 1);
    let (network, _) = settings.train(&set, &mut Rng::new(1, "laws", 1))?;
    let mut found = [Prediction::default()];
    network.predict_total(Points::new(&[0.5], 1), &mut found);
    Ok(found[0])
}

/// Trains the networks, and plots and prints the distributions that they learn.
pub(crate) fn draw(arguments: &Arguments) -> Result<()> {
    let range = [-1.5, 5.5];
    let density = |learned: Prediction| {
        let at = |i: i32| range[0] + (range[1] - range[0]) * f64::from(i) / 200.0;
        let height = |y: f64| {
            normal::log_density((y - learned.mean) / learned.deviation()).exp() / learned.deviation()
        };
        Mark::Line((0..=200).map(|i| (at(i), height(at(i)))).collect())
    };
    let truth = TREATMENTS.len();
    println!("| readings | treatment | mean | standard deviation |\n|---|---|---|---|");
    let mut fields = Vec::new();
    for (title, bound) in [("not censored", f64::INFINITY), ("censored above 2.5", BOUND)] {
        let mut marks = vec![(truth, density(TRUTH))];
        for (colour, (name, treatment)) in TREATMENTS.into_iter().enumerate() {
            let learned = learn(treatment, bound, arguments.epochs)?;
            println!("| {title} | {name} | {:.2} | {:.2} |", learned.mean, learned.deviation());
            marks.push((colour, density(learned)));
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
    fn tobit_recovers_the_distribution_and_the_other_treatments_do_not() {
        let learn = |treatment| learn(treatment, BOUND, 500).unwrap();
        let tobit = learn(Treatment::Tobit);
        assert!((tobit.mean - 2.0).abs() < 0.15 && (tobit.deviation() - 1.0).abs() < 0.15, "{tobit:?}");
        let (ignore, drop) = (learn(Treatment::Ignore), learn(Treatment::Drop));
        assert!(drop.mean < ignore.mean && ignore.mean < 1.85, "{drop:?} {ignore:?}");
    }
}
