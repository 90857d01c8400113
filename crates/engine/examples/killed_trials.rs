//! Draws what a forest learns from killed trials. The cost depends on one number, and expensive trials were
//! killed at a cap. Each panel shows a forest with a different treatment of the killed trials.
//!
//! `cargo run -p captune-engine --example killed_trials > docs/concepts/killed-trials.svg`
//!
//! The solid line is the cost, dots mark trials that finished, and crosses mark the lower bounds from killed
//! trials. The dashed line is the forest's mean prediction. The band around it extends one standard deviation
//! of the trees' predictions to each side. (Hutter, Hoos and Leyton-Brown, Bayesian Optimization With
//! Censored Response Data, 2011, Figure 1.) The integration tests check what the figure shows.

#![allow(clippy::print_stdout, reason = "the example writes the figure to standard output")]

use std::fmt::Write as _;

use engine::Reading;
use surrogate::forest::{ForestSettings, ForestTrainer, Treatment};
use surrogate::{Column, FitError, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

/// The cap: trials that would have cost more were killed.
pub const CAP: f64 = 0.9;
/// The values of x at which trials were run.
pub const PLACES: [f64; 12] = [0.03, 0.11, 0.2, 0.28, 0.37, 0.45, 0.54, 0.62, 0.71, 0.79, 0.88, 0.97];
const PANELS: [(&str, Treatment); 4] = [
    ("drop: killed trials are left out", Treatment::Drop),
    ("ignore: lower bounds are used as costs", Treatment::Ignore),
    ("mean: imputed, the same in all trees", Treatment::Mean),
    ("sample: imputed, low in some trees, high in others", Treatment::Sample),
];

/// Returns the cost at `x`, a curve with a single minimum.
pub fn cost(x: f64) -> f64 {
    let (far, bend) = (x - 0.42, x * (1.0 - x));
    0.4 + 5.0 * far * far + 2.0 * far * bend
}

/// Returns a forest's predictions at the places in `asked`. The forest uses this treatment and is fitted to
/// `trials` identical trials at each of [`PLACES`].
pub fn learned(treatment: Treatment, trials: usize, asked: &[f64]) -> Result<Vec<Prediction>, FitError> {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    for x in PLACES {
        let configuration = data.push_configuration(&[x]);
        for _ in 0..trials {
            let reading = if cost(x) > CAP { Reading::AtLeast(CAP) } else { Reading::Exact(cost(x)) };
            data.push(configuration, 0, reading);
        }
    }
    let settings = ForestSettings { trees: 1000, min_leaf: 1, treatment, ..ForestSettings::default() };
    let (forest, _) = ForestTrainer::new(settings, 1).fit(&data)?;
    let mut found = vec![Prediction::default(); asked.len()];
    forest.predict(Points::new(asked, 1), &mut found);
    Ok(found)
}

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 200.0;
const MARGIN: f64 = 24.0;
/// The largest cost that is drawn.
const TOP: f64 = 1.9;
const INK: &str = "#7d8590";
const COLOUR: &str = "#2f81f7";

/// Draws one panel with its upper left corner at this position.
fn panel(title: &str, treatment: Treatment, (left, top): (f64, f64)) -> Result<String, FitError> {
    let grid: Vec<f64> = (0..=200).map(|i| f64::from(i) / 200.0).collect();
    let found = learned(treatment, 1, &grid)?;
    let x = |place: f64| left + WIDTH * place;
    let y = |value: f64| top + HEIGHT * (1.0 - value.clamp(0.0, TOP) / TOP);
    let path = |values: &mut dyn Iterator<Item = (f64, f64)>| {
        values.map(|(place, value)| format!("{:.1},{:.1}", x(place), y(value))).collect::<Vec<_>>().join(" ")
    };
    let known = || grid.iter().copied().zip(&found);
    let above = known().map(|(place, it)| (place, it.mean + it.deviation()));
    let below = known().map(|(place, it)| (place, it.mean - it.deviation())).rev();
    let band = path(&mut above.chain(below));
    let mean = path(&mut known().map(|(place, it)| (place, it.mean)));
    let truth = path(&mut grid.iter().filter(|x| cost(**x) <= TOP).map(|&x| (x, cost(x))));
    let mut drawn = format!(
        "<text x=\"{left:.1}\" y=\"{:.1}\" fill=\"{INK}\">{title}</text>\n\
         <polygon points=\"{band}\" fill=\"{COLOUR}\" fill-opacity=\"0.25\"/>\n\
         <polyline points=\"{truth}\" fill=\"none\" stroke=\"{INK}\"/>\n\
         <polyline points=\"{mean}\" fill=\"none\" stroke=\"{COLOUR}\" stroke-dasharray=\"4 3\" stroke-width=\"1.5\"/>\n\
         <line x1=\"{left:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{INK}\"/>\n",
        top - 6.0,
        y(0.0),
        x(1.0),
        y(0.0),
    );
    for place in PLACES {
        let (across, down) = (x(place), y(cost(place).min(CAP)));
        // Writing to a string cannot fail.
        let _ = if cost(place) > CAP {
            let [a, b, c, d] = [across - 4.0, down - 4.0, across + 4.0, down + 4.0];
            writeln!(
                drawn,
                "<path d=\"M{a:.1} {b:.1}L{c:.1} {d:.1}M{a:.1} {d:.1}L{c:.1} {b:.1}\" stroke=\"#d97706\" stroke-width=\"2\"/>"
            )
        } else {
            writeln!(drawn, "<circle cx=\"{across:.1}\" cy=\"{down:.1}\" r=\"3.5\" fill=\"#2da44e\"/>")
        };
    }
    Ok(drawn)
}

fn picture() -> Result<String, FitError> {
    let mut body = String::new();
    for (place, (title, treatment)) in PANELS.into_iter().enumerate() {
        let left = MARGIN + (WIDTH + MARGIN) * (place % 2) as f64;
        let top = 2.0 * MARGIN + (HEIGHT + 2.0 * MARGIN) * (place / 2) as f64;
        body += &panel(title, treatment, (left, top))?;
    }
    let (width, height) = (2.0 * WIDTH + 3.0 * MARGIN, 2.0 * HEIGHT + 4.0 * MARGIN);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n{body}</svg>\n"
    ))
}

fn main() -> Result<(), FitError> {
    print!("{}", picture()?);
    Ok(())
}
