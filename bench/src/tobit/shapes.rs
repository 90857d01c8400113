//! Plots what networks learn from censored readings in one dimension.
//!
//! ```text
//! f(x) = 1 + 3 (1 - 2x)² + sin(12x)/2,   y = f(x) + N(0, 0.2²),   120 readings at random x
//! ```
//!
//! | censoring | readings | at |
//! |---|---|---|
//! | random | those above 1, with a probability that rises to 1 at y = 4 | a random value between 1 and y |
//! | fixed | all above 1.8 | 1.8 |
//!
//! A band shows the mean of five networks plus and minus two standard deviations. Single networks have no
//! band.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use engine::{Reading, Rng};
use report::plot::{Field, Frame, Mark, panels};
use surrogate::neural::Treatment;
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use super::{MEMBERS, networks};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of training epochs
    #[arg(long, default_value_t = 3000)]
    epochs: usize,
    /// File to write the plots to
    #[arg(long, default_value = "docs/results/tobit-shapes.svg")]
    plot: PathBuf,
}

const READINGS: usize = 120;
const NOISE: f64 = 0.2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Censoring {
    Random,
    Fixed,
}

fn truth(x: f64) -> f64 {
    1.0 + 3.0 * (1.0 - 2.0 * x).powi(2) + (12.0 * x).sin() / 2.0
}

/// Draws x, the reading at x, and its value before censoring.
fn readings(censoring: Censoring) -> Vec<(f64, Reading, f64)> {
    let mut rng = Rng::new(3, "shapes", 0);
    let mut draw = |_| {
        let x = rng.unit();
        let y = truth(x) + NOISE * rng.normal();
        let (draw, share) = (rng.unit(), rng.unit());
        let reading = match censoring {
            Censoring::Random if draw < (y - 1.0) / 3.0 => Reading::AtLeast(1.0 + share * (y - 1.0)),
            Censoring::Fixed if y > 1.8 => Reading::AtLeast(1.8),
            _ => Reading::Exact(y),
        };
        (x, reading, y)
    };
    (0..READINGS).map(&mut draw).collect()
}

/// Returns one panel, and the RMSE of the networks' mean.
fn field(
    title: &str,
    censoring: Censoring,
    treatment: Treatment,
    members: usize,
    epochs: usize,
) -> Result<(Field, f64)> {
    let alike = InstanceTable::alike();
    let mut set = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    let drawn = readings(censoring);
    for &(x, reading, _) in &drawn {
        let number = set.push_configuration(&[x]);
        set.push(number, 0, reading);
    }
    let settings = networks(treatment, epochs, members);
    let (ensemble, _) = settings.train(&set, &mut Rng::new(1, "shapes", 0))?;
    let places: Vec<f64> = (0..=200).map(|i| f64::from(i) / 200.0).collect();
    let mut found = vec![Prediction::default(); places.len()];
    ensemble.predict(Points::new(&places, 1), &mut found);
    let squares = places.iter().zip(&found).map(|(&x, found)| (found.mean - truth(x)).powi(2));
    let rmse = (squares.sum::<f64>() / places.len() as f64).sqrt();
    let band = |(&x, found): (&f64, &Prediction)| {
        let half = 2.0 * found.deviation();
        (x, [found.mean - half, found.mean + half])
    };
    let dots = |censored: bool| {
        let own = drawn.iter().filter(move |(_, reading, _)| reading.is_censored() == censored);
        Mark::Dots(own.map(|&(x, reading, _)| (x, reading.lower_bound())).collect())
    };
    let mut marks = vec![
        (2, Mark::Line(places.iter().map(|&x| (x, truth(x))).collect())),
        (0, dots(false)),
        (1, dots(true)),
        (4, Mark::Line(places.iter().zip(&found).map(|(&x, found)| (x, found.mean)).collect())),
    ];
    if members > 1 {
        marks.insert(0, (4, Mark::Band(places.iter().zip(&found).map(band).collect())));
    }
    Ok((Field { title: format!("{title}: RMSE {rmse:.2}"), marks }, rmse))
}

/// Trains the networks, plots their predictions and prints their RMSEs.
pub(crate) fn draw(arguments: &Arguments) -> Result<()> {
    let cases = [
        ("a. ignore", Censoring::Random, Treatment::Ignore, 1),
        ("b. mean", Censoring::Random, Treatment::Mean, 1),
        ("c. tobit", Censoring::Random, Treatment::Tobit, 1),
        ("drop", Censoring::Random, Treatment::Drop, 1),
        ("d. tobit, five networks", Censoring::Random, Treatment::Tobit, MEMBERS),
        ("e. the same, censored at 1.8", Censoring::Fixed, Treatment::Tobit, MEMBERS),
    ];
    println!("| panel | RMSE |\n|---|---|");
    let mut fields = Vec::new();
    for (title, censoring, treatment, members) in cases {
        let (field, rmse) = field(title, censoring, treatment, members, arguments.epochs)?;
        println!("| {title} | {rmse:.3} |");
        fields.push(field);
    }
    let names = ["exact", "at least", "function", "", "network"].map(str::to_owned);
    let frame = Frame {
        names: names.to_vec(),
        labels: ["x".to_owned(), "y".to_owned()],
        ranges: [[0.0, 1.0], [-0.5, 5.0]],
        columns: 3,
    };
    std::fs::write(&arguments.plot, panels(&frame, &fields))
        .with_context(|| format!("cannot write {}", arguments.plot.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_is_above_the_uncensored_value() {
        for censoring in [Censoring::Random, Censoring::Fixed] {
            let drawn = readings(censoring);
            assert!(drawn.iter().all(|(_, reading, y)| reading.lower_bound() <= *y));
            let censored = drawn.iter().filter(|(_, reading, _)| reading.is_censored()).count();
            assert!((30..90).contains(&censored), "{censored}");
        }
    }
}
