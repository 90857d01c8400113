//! Custom surrogates: proposals, expected costs, and pending configurations.

use math::Rng;
use surrogate::{Column, FitError, Points, Prediction, Predictor, Reading, Scale, Surrogate, TrainingSet};

use super::super::dependence_tests::random_history;
use super::super::learned::{Learned, Trainer};
use super::super::tests::small;
use super::super::*;
use super::own::OwnTrainer;

/// A surrogate that makes the same prediction everywhere, or fails to fit.
#[derive(Clone)]
struct Constant(Result<Prediction, FitError>);

impl Surrogate for Constant {
    fn fit(&self, _data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        self.0.map(|prediction| -> Box<dyn Predictor> { Box::new(ConstantPredictor(prediction)) })
    }
}

struct ConstantPredictor(Prediction);

impl Predictor for ConstantPredictor {
    fn predict(&self, _points: Points<'_>, out: &mut [Prediction]) {
        out.fill(self.0);
    }

    fn predict_total(&self, _points: Points<'_>, out: &mut [Prediction]) {
        out.fill(self.0);
    }

    fn predict_marginal(&self, _configurations: Points<'_>, out: &mut [Prediction]) {
        out.fill(self.0);
    }
}

const PLAIN: Prediction = Prediction { mean: 2.0, variance: 4.0 };

/// Returns a model of two numeric columns and one categorical column.
fn learned(surrogate: impl Surrogate + 'static, known: &[[f64; 3]]) -> Box<dyn Learned> {
    let alike = InstanceTable::alike();
    let columns = [Column::Number, Column::Number, Column::Category(2)];
    let mut data = TrainingSet::new(&columns, &alike, Scale::Linear, None);
    for row in known {
        let number = data.push_configuration(row);
        data.push(number, 0, Reading::Exact(row[0] * row[0] - row[1] + row[2]));
    }
    OwnTrainer { own: OwnSurrogate::new("mine", surrogate), seed: 1 }.fit(&data).unwrap()
}

fn variance(learned: &dyn Learned, row: [f64; 3]) -> f64 {
    let mut out = [Prediction::default()];
    learned.predict_marginal(Points::new(&row, 3), &mut out);
    assert_eq!(out[0].mean, PLAIN.mean, "pending configurations do not change the mean");
    out[0].variance
}

#[test]
fn pending_configurations_are_certain_and_reduce_the_variance_nearby() {
    let learned = learned(Constant(Ok(PLAIN)), &[[0.0, 0.0, 0.25], [0.0, 1.0, 0.25]]);
    assert_eq!(variance(&*learned, [0.3, 0.0, 0.25]), 4.0, "nothing is pending");
    let believing = learned.believing(Points::new(&[0.4, 0.0, 0.25, 0.0, 0.5, space::INACTIVE], 3));
    let at = |row| variance(&*believing, row);
    assert_eq!(at([0.4, 0.0, 0.25]), 0.0);
    assert_eq!(at([0.0, 0.5, space::INACTIVE]), 0.0);
    // The square of a distance of 0.03 in one of three columns is a third of r² n.
    let here = at([0.4, 0.03, 0.25]);
    assert!((here - 4.0 * (1.0 - libm::exp(-1.0 / 3.0))).abs() < 1e-12, "{here}");
    assert!(at([0.41, 0.0, 0.25]) < here && here < at([0.5, 0.0, 0.25]) && at([0.5, 0.0, 0.25]) < 4.0);
    assert_eq!(
        [at([0.4, 0.0, 0.75]), at([0.0, 0.5, 0.25])],
        [4.0; 2],
        "a different name, or none, is far away"
    );
    let more = believing.believing(Points::new(&[0.3, 0.0, 0.25], 3));
    assert_eq!([[0.3, 0.0, 0.25], [0.4, 0.0, 0.25]].map(|row| variance(&*more, row)), [0.0, 0.0]);
}

#[test]
fn the_gradient_accounts_for_pending_configurations() {
    let mut rng = Rng::new(3, "known", 0);
    let known: Vec<[f64; 3]> =
        (0..12).map(|at| [rng.unit(), rng.unit(), if at % 2 == 0 { 0.25 } else { 0.75 }]).collect();
    let learned = learned(small(Learner::Gaussian).gaussian, &known);
    let believing = learned.believing(Points::new(&[0.31, 0.62, 0.25], 3));
    let at = |row: [f64; 3]| {
        let mut out = [Prediction::default()];
        believing.predict_marginal(Points::new(&row, 3), &mut out);
        out[0]
    };
    for row in [[0.3, 0.6, 0.25], [0.33, 0.66, 0.25], [0.25, 0.64, 0.25]] {
        let (found, gradient) = believing.predict_with_gradient(Points::new(&row, 3)).unwrap().remove(0);
        assert!((found.variance - at(row).variance).abs() < 1e-9 * found.variance, "{row:?}");
        assert!(found.variance < learned.predict_with_gradient(Points::new(&row, 3)).unwrap()[0].0.variance);
        for column in 0..2 {
            let moved = |by: f64| {
                let mut row = row;
                row[column] += by;
                at(row)
            };
            let (above, below) = (moved(1e-5), moved(-1e-5));
            let known = [(above.mean - below.mean) / 2e-5, (above.variance - below.variance) / 2e-5];
            let computed = [gradient.mean[column], gradient.variance[column]];
            for (found, known) in computed.into_iter().zip(known) {
                assert!((found - known).abs() < 1e-4 * known.abs().max(0.01), "{row:?}: {found} {known}");
            }
        }
    }
}

/// A surrogate that predicts the smallest cost in the middle of the space, and the same variance everywhere.
struct Bowl;

impl Surrogate for Bowl {
    fn fit(&self, _data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        Ok(Box::new(Self))
    }
}

impl Predictor for Bowl {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        for (row, out) in points.iter().zip(out) {
            let mean = row.iter().map(|x| (x - 0.5) * (x - 0.5)).sum();
            *out = Prediction { mean, variance: 0.04 };
        }
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict(points, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        self.predict(configurations, out);
    }
}

#[test]
fn no_proposal_is_close_to_a_pending_configuration() {
    let (task, mut history) = random_history(Learner::Own, Dependence::Independent, &[], &|_| Vec::new());
    let own = Some(OwnSurrogate::new("bowl", Bowl));
    let settings = ModelSettings { own, random_every: 1000, steps: 20, ..task.settings.clone() };
    let mut model = ModelSearch::new(task.problem.clone(), settings);
    let mut propose = |history: &History| {
        let found = model.propose(history, ConfigId(0)).unwrap();
        (task.problem.space.encode(&found), found)
    };
    let apart =
        |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (first, found) = propose(&history);
    assert!(apart(&first, &[0.5; 2]) < 0.02, "{first:?}");
    history.intern(&found);
    let (second, found) = propose(&history);
    assert!(apart(&first, &second) > 0.03 && apart(&second, &[0.5; 2]) < 0.2, "{first:?} {second:?}");
    history.intern(&found);
    let (third, _) = propose(&history);
    assert!(apart(&first, &third).min(apart(&second, &third)) > 0.03, "{first:?} {second:?} {third:?}");
}

/// Returns the origin of a proposal made after the 25 trials in the history.
fn origin(surrogate: Option<Constant>) -> &'static str {
    let (task, mut history) = random_history(Learner::Own, Dependence::Independent, &[], &|_| Vec::new());
    let mut settings = task.settings.clone();
    if let Some(surrogate) = surrogate {
        settings.own = Some(OwnSurrogate::new("mine", surrogate));
    }
    let mut model = ModelSearch::new(task.problem.clone(), settings);
    let number = ConfigId(history.configurations().len() as u32);
    let found = model.propose(&history, ConfigId(0)).unwrap();
    assert!(history.find(&found).is_none());
    history.intern(&found);
    model.origin(number, &history)
}

#[test]
fn proposals_carry_the_name_of_the_surrogate_and_are_random_where_it_fails() {
    assert_eq!(origin(None), "mine");
    assert_eq!(origin(Some(Constant(Ok(PLAIN)))), "mine");
    assert_eq!(origin(Some(Constant(Err(FitError::Singular)))), "random");
    // No surrogate should return NaN, but NaN must do no harm.
    let none = Prediction { mean: f64::NAN, variance: f64::NAN };
    assert_eq!(origin(Some(Constant(Ok(none)))), "random");
}

#[test]
fn expected_costs_are_those_of_the_surrogate() {
    let (task, history) = random_history(Learner::Own, Dependence::Independent, &[], &|_| Vec::new());
    let own = OwnSurrogate::new("mine", Constant(Ok(PLAIN)));
    let settings = ModelSettings { own: Some(own), ..task.settings.clone() };
    let mut model = ModelSearch::new(task.problem.clone(), settings);
    assert_eq!(model.expected(&history), [PLAIN.mean; 25]);
    model.set_tempo(Tempo::Brisk);
    assert_ne!(model.expected(&history), [PLAIN.mean; 25], "a forest answers, because it is faster");
}

#[test]
fn only_clones_are_equal() {
    let (one, other) =
        (|| OwnSurrogate::new("mine", Constant(Ok(PLAIN))), OwnSurrogate::new("other", Constant(Ok(PLAIN))));
    let mine = one();
    assert_eq!(mine, mine.clone());
    assert!(mine != one() && mine != other);
    assert_eq!(format!("{mine:?}"), "OwnSurrogate(\"mine\")");
    assert_eq!(ModelSettings::by(mine.clone()), ModelSettings::by(mine));
}

#[test]
#[should_panic(expected = "`learner` needs `own`")]
fn a_missing_own_surrogate_is_reported_at_once() {
    let (task, _) = random_history(Learner::Forest, Dependence::Independent, &[1.0], &|output| vec![output]);
    let settings = ModelSettings { own: None, constraints: vec![Some(Learner::Own)], ..task.settings };
    ModelSearch::new(task.problem, settings);
}
