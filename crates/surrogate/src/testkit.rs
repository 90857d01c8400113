//! Properties that every surrogate must have, whatever it is trained on.
//!
//! | property | meaning |
//! |---|---|
//! | defined | predictions are finite and variances not negative, on and off the points of every set below |
//! | repeatable | the same stream of random numbers gives the same predictions |
//! | noise | including the noise of single trials changes no mean and reduces no variance |
//! | pure | predicting twice, or row by row instead of all at once, changes predictions only by rounding |
//! | flat | if all readings are exact and equal, their value is predicted everywhere |
//! | order | the order of the points does not matter; checked unless `ordered` is true |
//!
//! The training sets cover these cases: one point; equal readings; only censored readings; half of the
//! readings censored; constant columns; a thousand categories, most of them unseen; inactive parameters; zero
//! and enormous costs; instances with features.

use math::Rng;
use space::INACTIVE;

use crate::Reading::{self, AtLeast, Exact};
use crate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, Surrogate, TrainingSet};

/// A named training set.
struct Case {
    name: &'static str,
    columns: Vec<Column>,
    instances: InstanceTable,
    scale: Scale,
    cutoff: Option<f64>,
    points: Vec<(Vec<f64>, usize, Reading)>,
}

const LOG: Scale = Scale::Log10 { grain: 1e-3 };

fn cases() -> Vec<Case> {
    let mut rng = Rng::new(5, "surrogate cases", 0);
    let mixed = vec![Column::Number, Column::Category(4), Column::Number, Column::Number];
    let mut draw = |reading: &mut dyn FnMut(usize, f64) -> Reading, instances: usize, n: usize| {
        let point = |i: usize| {
            let category = (rng.below(4) as f64 + 0.5) / 4.0;
            let conditional = if category < 0.5 { INACTIVE } else { rng.unit() };
            let row = vec![rng.unit(), category, conditional, 0.5];
            let cost = libm::pow(10.0, 2.0 * row[0] + row[1] - 1.0 + 0.1 * rng.normal());
            (row, i % instances, reading(i, cost))
        };
        (0..n).map(point).collect::<Vec<_>>()
    };
    let alike = InstanceTable::alike;
    let half = |i: usize, cost: f64| if i.is_multiple_of(2) { AtLeast(cost.min(2.0)) } else { Exact(cost) };
    let case = |name, points| Case {
        name,
        columns: mixed.clone(),
        instances: alike(),
        scale: LOG,
        cutoff: Some(50.0),
        points,
    };
    let features: Vec<f64> = (0..14).map(|i| f64::from(i * i % 5)).collect();
    let mut all = vec![
        case("one point", draw(&mut |_, cost| Exact(cost), 1, 1)),
        case("one censored point", draw(&mut |_, _| AtLeast(3.0), 1, 1)),
        case("all equal", draw(&mut |_, _| Exact(7.0), 1, 40)),
        case("all censored alike", draw(&mut |_, _| AtLeast(50.0), 1, 40)),
        case("all censored", draw(&mut |_, cost| AtLeast(cost.min(50.0)), 1, 40)),
        case("half censored", draw(&mut |i, cost| half(i, cost), 1, 80)),
        case(
            "zero and enormous",
            draw(&mut |i, _| Exact(if i.is_multiple_of(2) { 0.0 } else { 1e300 }), 1, 30),
        ),
    ];
    let with = |name, instances, points| Case { instances, ..case(name, points) };
    all.push(with(
        "features",
        InstanceTable::of_features(&features, 2),
        draw(&mut |i, cost| half(i, cost), 7, 80),
    ));
    all.push(with("named instances", InstanceTable::named(7), draw(&mut |i, cost| half(i, cost), 7, 80)));
    let linear = draw(&mut |_, cost| Exact(1e6 - cost), 1, 50);
    all.push(Case { scale: Scale::Linear, cutoff: None, ..case("linear", linear) });
    let mut constant = case("constant columns", draw(&mut |i, cost| half(i, cost), 1, 30));
    constant.points.iter_mut().for_each(|(row, _, _)| row.copy_from_slice(&[0.5, 0.125, INACTIVE, 1.0]));
    all.push(constant);
    let category = |i: usize| (i as f64 + 0.5) / 1000.0;
    all.push(Case {
        columns: vec![Column::Category(1000)],
        points: (0..200).map(|i| (vec![category(i * 3)], 0, Exact(1.0 + (i % 7) as f64))).collect(),
        ..case("a thousand categories", Vec::new())
    });
    all
}

impl Case {
    fn training_set(&self, order: &[usize]) -> TrainingSet<'_> {
        let mut set = TrainingSet::new(&self.columns, &self.instances, self.scale, self.cutoff);
        for &i in order {
            let (row, instance, reading) = &self.points[i];
            let configuration = set.push_configuration(row);
            set.push(configuration, *instance, *reading);
        }
        set
    }

    /// Returns rows to predict: those of the training set, and others.
    fn test_rows(&self) -> Vec<f64> {
        let mut rng = Rng::new(6, "questions", 0);
        let mut rows: Vec<f64> = self.points.iter().flat_map(|(row, _, _)| row.clone()).collect();
        for _ in 0..97 {
            rows.extend(self.columns.iter().map(|column| match column {
                _ if rng.unit() < 0.2 => INACTIVE,
                Column::Number => rng.unit(),
                Column::Category(n) => (rng.below(*n) as f64 + 0.5) / *n as f64,
            }));
        }
        rows
    }
}

/// Trains a surrogate on every set and checks all properties. If `ordered` is true, the order of points may
/// matter.
///
/// # Panics
/// If a property is violated.
pub fn conforms(surrogate: &dyn Surrogate, ordered: bool) {
    let empty = InstanceTable::alike();
    let none = TrainingSet::new(&[Column::Number], &empty, LOG, None);
    assert!(surrogate.fit(&none, &mut Rng::new(1, "fit", 0)).is_err(), "there is nothing to learn from");
    for case in cases() {
        let name = case.name;
        let order: Vec<usize> = (0..case.points.len()).collect();
        let fit = |order: &[usize]| {
            let fitted = surrogate.fit(&case.training_set(order), &mut Rng::new(3, "fit", 0));
            fitted.unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let predictor = fit(&order);
        let rows = case.test_rows();
        let answers = marginals(&*predictor, &rows, case.columns.len());
        for answer in &answers {
            assert!(answer.mean.is_finite() && answer.variance.is_finite(), "{name}: {answer:?}");
            assert!(answer.variance >= 0.0, "{name}: {answer:?}");
        }
        let [singles, trials] = on_first_instance(&*predictor, &case, &rows);
        assert!(
            singles.iter().all(|p| p.mean.is_finite() && p.variance >= 0.0 && p.variance.is_finite()),
            "{name}"
        );
        let noisy = |(p, trial): (&Prediction, &Prediction)| {
            trial.mean == p.mean && trial.variance >= p.variance && trial.variance.is_finite()
        };
        assert!(singles.iter().zip(&trials).all(noisy), "{name}: noise");
        assert_eq!(marginals(&*fit(&order), &rows, case.columns.len()), answers, "{name}: not repeatable");
        assert_eq!(
            marginals(&*predictor, &rows, case.columns.len()),
            answers,
            "{name}: predicting changed the model"
        );
        for (row, answer) in rows.chunks_exact(case.columns.len()).zip(&answers) {
            let alone = marginals(&*predictor, row, case.columns.len())[0];
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
            assert!(
                near(alone.mean, answer.mean) && near(alone.variance, answer.variance),
                "{name}: differs row by row"
            );
        }
        let mut means = vec![0.0; answers.len()];
        predictor.expect_marginal(Points::new(&rows, case.columns.len()), &mut means);
        assert!(means.iter().zip(&answers).all(|(mean, answer)| *mean == answer.mean), "{name}: means alone");
        if name == "all equal" {
            let known = case.scale.model(7.0);
            assert!(
                answers.iter().all(|p| (p.mean - known).abs() < 1e-9 && p.variance < 1e-9),
                "{name}: {answers:?}"
            );
        }
        if !ordered {
            let back: Vec<usize> = order.into_iter().rev().collect();
            let again = marginals(&*fit(&back), &rows, case.columns.len());
            let near =
                |(a, b): (&Prediction, &Prediction)| (a.mean - b.mean).abs() <= 1e-6 * (1.0 + a.mean.abs());
            assert!(answers.iter().zip(&again).all(near), "{name}: the order of the points matters");
        }
    }
}

fn marginals(predictor: &dyn Predictor, rows: &[f64], width: usize) -> Vec<Prediction> {
    let points = Points::new(rows, width);
    let mut out = vec![Prediction::default(); points.len()];
    predictor.predict_marginal(points, &mut out);
    out
}

/// Returns predictions without and with the noise of single trials.
fn on_first_instance(predictor: &dyn Predictor, case: &Case, rows: &[f64]) -> [Vec<Prediction>; 2] {
    let width = case.columns.len();
    let all: Vec<f64> =
        rows.chunks_exact(width).flat_map(|row| row.iter().chain(case.instances.row(0)).copied()).collect();
    let points = Points::new(&all, width + case.instances.columns().len());
    let none = vec![Prediction::default(); points.len()];
    let (mut out, mut total) = (none.clone(), none);
    predictor.predict(points, &mut out);
    predictor.predict_total(points, &mut total);
    [out, total]
}
