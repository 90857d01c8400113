//! Imputing the costs of stopped trials, round by round.
//!
//! ```text
//! start:  train on exact readings alone
//! repeat: (μ_j, σ_j²) = the ensemble's prediction for each censored point j
//!         y_j = E[Y | Y >= b_j],   Y ~ N(μ_j, σ_j²)        at most the cutoff
//!         train on exact readings and all y_j
//! until:  the number of trained ensembles equals the number of rounds
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | b_j | the bound of a censored point |
//! | y_j | the imputed cost |
//! | σ_j² | the total variance, between networks and of single trials, because single trials were stopped |
//!
//! Each round starts with the same random numbers. So imputed costs change because of what was learned, not
//! by chance.
//!
//! J. Schmee, G. Hahn, A Simple Method for Regression Analysis with Censored Data, Technometrics 21, 1979.

use math::TruncatedNormal;

use super::{Effort, Ensemble, NeuralSettings};
use crate::Reading;
use crate::{FitError, Points, Prediction, Predictor as _, TrainingSet};

/// Runs the rounds after the first, which has learned from exact readings alone.
pub(super) fn fill_in(
    settings: &NeuralSettings,
    data: &TrainingSet<'_>,
    first: (Ensemble, Effort),
    seed: u64,
    watch: &mut dyn FnMut(&Ensemble),
) -> Result<(Ensemble, Effort), FitError> {
    let (mut ensemble, mut effort) = first;
    if !data.readings().iter().any(|reading| reading.is_censored()) {
        return Ok((ensemble, effort));
    }
    let points: Vec<usize> = (0..data.len()).collect();
    for _ in 1..settings.rounds {
        let (next, own) = settings.train_on(data, &points, filled(&ensemble, data), seed)?;
        watch(&next);
        ensemble = next;
        effort = effort.and(own);
    }
    Ok((ensemble, effort))
}

/// Returns all readings, with imputed costs in place of bounds.
pub(super) fn filled(ensemble: &Ensemble, data: &TrainingSet<'_>) -> Vec<Reading> {
    let censored = || data.readings().iter().enumerate().filter(|(_, reading)| reading.is_censored());
    let rows: Vec<f64> = censored().flat_map(|(point, _)| data.row(point)).collect();
    let points = Points::new(&rows, data.columns().len());
    let mut expected = vec![Prediction::default(); points.len()];
    ensemble.predict_total(points, &mut expected);
    let mut expected = expected.into_iter();
    let fill = |reading: &Reading| match *reading {
        Reading::Exact(value) => Reading::Exact(value),
        Reading::AtLeast(bound) => {
            let above = |expected: Prediction| above(expected, bound, data.cutoff());
            Reading::Exact(expected.next().map_or(bound, above))
        }
    };
    data.readings().iter().map(fill).collect()
}

/// Returns the mean of a prediction above a bound, limited to the cutoff.
fn above(expected: Prediction, bound: f64, cutoff: Option<f64>) -> f64 {
    let mean = TruncatedNormal::new(expected.mean, expected.deviation(), bound).mean();
    cutoff.map_or(mean, |cutoff| mean.min(cutoff.max(bound)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading::{AtLeast, Exact};
    use crate::neural::Treatment;
    use crate::{Column, InstanceTable, Scale};
    use math::Rng;

    fn settings(rounds: usize) -> NeuralSettings {
        NeuralSettings {
            layers: vec![],
            epochs: 1000,
            members: 2,
            treatment: Treatment::Mean,
            rounds,
            ..NeuralSettings::default()
        }
    }

    fn train(settings: &NeuralSettings, data: &TrainingSet<'_>) -> (Ensemble, Effort) {
        settings.train(data, &mut Rng::new(7, "fit", 0)).unwrap()
    }

    /// Returns readings of y = 2x on [0, 1] with noise; `read` turns y into a reading.
    fn line<'a>(
        alike: &'a InstanceTable,
        cutoff: Option<f64>,
        mut read: impl FnMut(f64, &mut Rng) -> Reading,
    ) -> TrainingSet<'a> {
        let mut data = TrainingSet::new(&[Column::Number], alike, Scale::Linear, cutoff);
        let mut rng = Rng::new(5, "line", 0);
        for i in 0..160 {
            let x = (f64::from(i) + 0.5) / 160.0;
            let y = 2.0 * x + 0.1 * rng.normal();
            let reading = read(y, &mut rng);
            let configuration = data.push_configuration(&[x]);
            data.push(configuration, 0, reading);
        }
        data
    }

    /// Returns the mean of the imputed costs.
    fn expected(ensemble: &Ensemble, data: &TrainingSet<'_>) -> f64 {
        let filled = filled(ensemble, data);
        let own = filled.iter().zip(data.readings()).filter(|(_, reading)| reading.is_censored());
        let values: Vec<f64> = own.map(|(value, _)| value.lower_bound()).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn imputed_costs_rise_from_round_to_round_and_settle() {
        let alike = InstanceTable::alike();
        // Costs do not depend on x, and every trial above the mean was stopped there.
        let flat = |_, rng: &mut Rng| match rng.normal() {
            y if y > 0.0 => AtLeast(0.0),
            y => Exact(y),
        };
        let data = line(&alike, None, flat);
        let after =
            |rounds| expected(&train(&NeuralSettings { epochs: 400, ..settings(rounds) }, &data).0, &data);
        let means: Vec<f64> = (1..=6).map(after).collect();
        println!("{means:?}");
        assert!(means[..4].windows(2).all(|two| two[1] > two[0]), "{means:?}");
        assert!(means[3] > means[0] + 0.05, "{means:?}");
        assert!((means[5] - means[4]).abs() < 0.3 * (means[1] - means[0]), "{means:?}");
    }

    #[test]
    fn imputed_costs_lie_between_their_bound_and_the_cutoff() {
        let alike = InstanceTable::alike();
        let cutoff = 1.5;
        // Some bounds are far above what the other readings suggest.
        let data = line(&alike, Some(cutoff), |y, rng| match rng.below(3) {
            0 => AtLeast(cutoff),
            1 => AtLeast(y.min(cutoff) * rng.unit()),
            _ => Exact(y.min(cutoff)),
        });
        for rounds in 1..4 {
            let (ensemble, _) = train(&NeuralSettings { epochs: 100, ..settings(rounds) }, &data);
            let filled = filled(&ensemble, &data);
            for (reading, value) in data.readings().iter().zip(&filled) {
                match reading {
                    Exact(_) => assert_eq!(reading, value),
                    AtLeast(bound) => {
                        let value = value.lower_bound();
                        assert!((*bound..=cutoff).contains(&value), "{bound} {value}");
                    }
                }
            }
            let moved =
                data.readings().iter().zip(&filled).filter(|(a, b)| a.lower_bound() < b.lower_bound());
            assert!(moved.count() > 20, "most bounds are below the expected cost");
        }
    }

    #[test]
    fn the_first_round_equals_drop_and_is_the_only_one_without_censored_points() {
        let alike = InstanceTable::alike();
        let (steps, censored) = (2 * 10 * 10, AtLeast(0.5));
        let few = |rounds, treatment| NeuralSettings { epochs: 10, treatment, ..settings(rounds) };
        let exact = line(&alike, None, |y, _| Exact(y));
        assert_eq!(train(&few(4, Treatment::Mean), &exact).1.steps, steps);
        let half = line(&alike, None, |y, _| if y > 0.5 { censored } else { Exact(y) });
        let (dropped, effort) = train(&few(4, Treatment::Drop), &half);
        let (mean, alone) = train(&few(1, Treatment::Mean), &half);
        assert_eq!(effort, alone);
        assert_eq!(filled(&dropped, &half), filled(&mean, &half));
        let (_, all) = train(&few(4, Treatment::Mean), &half);
        assert_eq!(all.steps, alone.steps + 3 * steps, "three more rounds on all points");
    }

    #[test]
    fn watched_ensembles_are_the_results_of_fewer_rounds() {
        let alike = InstanceTable::alike();
        let half = line(&alike, None, |y, _| if y > 0.5 { AtLeast(0.5) } else { Exact(y) });
        let few = |rounds| NeuralSettings { epochs: 10, ..settings(rounds) };
        let mut seen = Vec::new();
        let mut watch = |ensemble: &Ensemble| seen.push(filled(ensemble, &half));
        few(4).train_watched(&half, &mut Rng::new(7, "fit", 0), &mut watch).unwrap();
        let alone: Vec<_> = (1..=4).map(|rounds| filled(&train(&few(rounds), &half).0, &half)).collect();
        assert_eq!(seen, alone);
    }

    #[test]
    fn without_exact_readings_imputation_starts_from_the_bounds() {
        let alike = InstanceTable::alike();
        let all = line(&alike, None, |y, _| AtLeast(y));
        let (ensemble, _) = train(&NeuralSettings { epochs: 200, ..settings(3) }, &all);
        let bounds = all.readings().iter().map(|reading| reading.lower_bound()).sum::<f64>() / 160.0;
        assert!(expected(&ensemble, &all) > bounds, "{bounds}");
    }
}
