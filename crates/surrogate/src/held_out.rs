//! Cross-validation: how well a surrogate predicts held-out readings.
//!
//! ```text
//! score_i = ln φ(z_i) - ln σ_i   if reading i is exact
//!           ln(1 - Φ(z_i))       if it is censored,          z_i = (y_i - μ_i)/σ_i
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | y_i | an exact reading, or the bound at which a trial was stopped, on the model's scale |
//! | μ_i, σ_i | mean and deviation predicted by a model that has seen no reading of the same configuration |
//!
//! Configurations are divided into folds, and each fold is predicted by a model fitted to the other folds. σ
//! is at least one tenth of the readings' spread. With little data, all trees may agree, or a network may be
//! certain, although the prediction is wrong. One such reading must not outweigh all others.

use math::Rng;
use math::normal;

use super::{Point, Points, Prediction, Surrogate, TrainingSet};
use crate::Reading;

/// Returns the log likelihood of each reading under a model fitted to the other folds, or `None` if there are
/// fewer configurations than folds. The folds depend on the data and the seed, not on the surrogate, so that
/// surrogates can be compared.
///
/// # Panics
/// If there are fewer than two folds.
pub fn held_out(
    surrogate: &dyn Surrogate,
    data: &TrainingSet<'_>,
    folds: usize,
    seed: u64,
) -> Option<Vec<f64>> {
    assert!(folds > 1, "at least two folds are needed: one to predict, and one to learn from");
    let configurations = data.configurations();
    if configurations < folds {
        return None;
    }
    let mut fold_of: Vec<usize> = (0..configurations).map(|number| number % folds).collect();
    Rng::new(seed, "folds", 0).shuffle(&mut fold_of);
    let fold = |point: &Point| fold_of[point.configuration as usize];
    let floor = 0.1 * data.spread();
    let mut scores = vec![0.0; data.len()];
    for held in 0..folds {
        let others = data.subset(|point| fold(point) != held);
        let mut rng = Rng::new(seed, "held out", held as u64);
        let predictor = surrogate.fit(&others, &mut rng).ok()?;
        let asked: Vec<usize> = (0..data.len()).filter(|&at| fold(&data.points()[at]) == held).collect();
        let rows: Vec<f64> = asked.iter().flat_map(|&at| data.row(at)).collect();
        let mut found = vec![Prediction::default(); asked.len()];
        predictor.predict_total(Points::new(&rows, data.columns().len()), &mut found);
        for (&at, &predicted) in asked.iter().zip(&found) {
            scores[at] = log_likelihood(data.readings()[at], predicted, floor);
        }
    }
    Some(scores)
}

fn log_likelihood(reading: Reading, predicted: Prediction, floor: f64) -> f64 {
    // If all readings are equal there is no spread, and any positive number will do.
    let deviation = predicted.deviation().max(floor).max(1e-9);
    let z = (reading.lower_bound() - predicted.mean) / deviation;
    match reading {
        Reading::Exact(_) => normal::log_density(z) - libm::log(deviation),
        Reading::AtLeast(_) => normal::log_survival(z),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, FitError, InstanceTable, Predictor, Scale};

    /// A surrogate that predicts the same distribution everywhere.
    struct Constant(Prediction);

    impl Surrogate for Constant {
        fn fit(&self, _data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
            Ok(Box::new(Self(self.0)))
        }
    }

    impl Predictor for Constant {
        fn predict(&self, _points: Points<'_>, out: &mut [Prediction]) {
            out.fill(Prediction { variance: 0.0, ..self.0 });
        }

        fn predict_total(&self, _points: Points<'_>, out: &mut [Prediction]) {
            out.fill(self.0);
        }

        fn predict_marginal(&self, points: Points<'_>, out: &mut [Prediction]) {
            self.predict(points, out);
        }
    }

    /// A surrogate that remembers the first reading of each configuration in the training set, and predicts
    /// 1e6 for any other configuration.
    struct Memory;

    struct Seen(Vec<(f64, f64)>);

    impl Surrogate for Memory {
        fn fit(&self, data: &TrainingSet<'_>, _rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
            let point = |at: usize| (data.row(at).next().unwrap(), data.readings()[at].lower_bound());
            Ok(Box::new(Seen((0..data.len()).map(point).collect())))
        }
    }

    impl Predictor for Seen {
        fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
            for (row, out) in points.iter().zip(out) {
                let known = self.0.iter().find(|(place, _)| *place == row[0]);
                *out = Prediction { mean: known.map_or(1e6, |(_, value)| *value), variance: 1.0 };
            }
        }

        fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
            self.predict(points, out);
        }

        fn predict_marginal(&self, points: Points<'_>, out: &mut [Prediction]) {
            self.predict(points, out);
        }
    }

    fn data(instances: &InstanceTable) -> TrainingSet<'_> {
        let mut data = TrainingSet::new(&[Column::Number], instances, Scale::Linear, None);
        for place in 0..8 {
            let number = data.push_configuration(&[f64::from(place) / 8.0]);
            data.push(number, 0, Reading::Exact(f64::from(place)));
            data.push(number, 0, Reading::AtLeast(3.0));
        }
        data
    }

    #[test]
    fn a_constant_prediction_has_the_likelihood_computed_by_hand() {
        let alike = InstanceTable::alike();
        let data = data(&alike);
        let found = held_out(&Constant(Prediction { mean: 3.0, variance: 4.0 }), &data, 4, 1).unwrap();
        let exact = |y: i32| normal::log_density(f64::from(y - 3) / 2.0) - std::f64::consts::LN_2;
        let by_hand = (0..8).flat_map(|y| [exact(y), -std::f64::consts::LN_2]);
        for (found, by_hand) in found.iter().zip(by_hand) {
            assert!((found - by_hand).abs() < 1e-12, "{found} {by_hand}");
        }
        assert_eq!(found.len(), 16);
        assert_eq!(
            held_out(&Constant(Prediction::default()), &data, 9, 1),
            None,
            "more folds than configurations"
        );
    }

    #[test]
    fn a_configuration_is_predicted_without_its_own_readings() {
        let alike = InstanceTable::alike();
        let found = held_out(&Memory, &data(&alike), 4, 1).unwrap();
        let exact = found.iter().step_by(2);
        assert!(exact.copied().all(|score| score < -1e6), "a model saw the fold it predicts: {found:?}");
    }
}
