//! Cross-validation: an ensemble learns from all folds except one, and predicts the function at the locations
//! of the remaining fold. Predictions are compared with the function, not with readings, so the error does
//! not include noise.

use anyhow::{Context as _, Result};
use engine::Rng;
use surrogate::neural::{Ensemble, Treatment};
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use super::data::Data;
use super::{MEMBERS, networks};

/// Returns the RMSE of an ensemble's mean prediction on a fold.
pub(super) fn error(data: &Data, fold: usize, treatment: Treatment, epochs: usize, seed: u64) -> Result<f64> {
    let errors = errors(data, fold, treatment, epochs, seed)?;
    errors.last().copied().context("no ensemble was trained")
}

/// Trains ensembles one after the other, and returns the RMSE of each.
pub(super) fn errors(
    data: &Data,
    fold: usize,
    treatment: Treatment,
    epochs: usize,
    seed: u64,
) -> Result<Vec<f64>> {
    let alike = InstanceTable::alike();
    let mut set = TrainingSet::new(&vec![Column::Number; data.width], &alike, Scale::Linear, None);
    let numbers: Vec<u32> =
        (0..data.truth.len()).map(|location| set.push_configuration(data.location(location))).collect();
    for &(location, reading) in data.readings.iter().filter(|(location, _)| data.folds[*location] != fold) {
        set.push(numbers[location], 0, reading);
    }
    let settings = networks(treatment, epochs, MEMBERS);
    let held_out: Vec<usize> =
        (0..data.truth.len()).filter(|&location| data.folds[location] == fold).collect();
    let rows: Vec<f64> = held_out.iter().flat_map(|&location| data.location(location)).copied().collect();
    let mut found = vec![Prediction::default(); held_out.len()];
    let mut errors = Vec::new();
    let mut score = |ensemble: &Ensemble| {
        ensemble.predict(Points::new(&rows, data.width), &mut found);
        let squares =
            held_out.iter().zip(&found).map(|(&location, found)| (found.mean - data.truth[location]).powi(2));
        errors.push((squares.sum::<f64>() / held_out.len() as f64).sqrt());
    };
    settings.train_watched(&set, &mut Rng::new(seed, "tobit", fold as u64), &mut score)?;
    Ok(errors)
}

/// Returns the mean and the standard deviation over folds.
pub(super) fn mean_and_deviation(errors: &[f64]) -> (f64, f64) {
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    (mean, (errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use targets::Function;

    #[test]
    fn held_out_readings_do_not_affect_training() {
        let mut data = Data::draw(Function::Branin, 40, 95, 1);
        let before = error(&data, 2, Treatment::Tobit, 1, 1).unwrap();
        for (location, reading) in &mut data.readings {
            if data.folds[*location] == 2 {
                *reading = engine::Reading::Exact(1e6);
            }
        }
        assert_eq!(error(&data, 2, Treatment::Tobit, 1, 1).unwrap(), before);
        assert_ne!(error(&data, 1, Treatment::Tobit, 1, 1).unwrap(), before);
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 1.0));
    }

    #[test]
    fn each_round_has_an_error_and_the_first_equals_that_of_drop() {
        let data = Data::draw(Function::Branin, 40, 95, 1);
        let of = |treatment| errors(&data, 0, treatment, 1, 1).unwrap();
        let (rounds, drop) = (of(Treatment::Mean), of(Treatment::Drop));
        assert_eq!((rounds.len(), drop.len()), (5, 1));
        assert_eq!(rounds[0], drop[0]);
        assert!(rounds[1..].iter().all(|error| *error != drop[0]), "{rounds:?}");
        assert_eq!(error(&data, 0, Treatment::Mean, 1, 1).unwrap(), rounds[4]);
    }
}
