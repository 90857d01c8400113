use math::normal::{cdf, log_density};
use space::INACTIVE;

use super::coordinates::Coordinates;
use super::likelihood::Likelihood;
use super::readings::{PointReading, Readings};
use super::trainer::posterior_at;
use super::*;
use crate::Reading::{self, AtLeast, Exact};
use crate::testkit::conforms;
use crate::{Column, InstanceTable, Points, Prediction, Scale};

#[test]
fn gaussian_processes_of_every_treatment_conform() {
    for treatment in [Treatment::Likelihood, Treatment::Drop, Treatment::Ignore] {
        conforms(
            &GaussianSettings { treatment, starts: 1, evaluations: 15, ..GaussianSettings::default() },
            true,
        );
    }
}

const MIXED: [Column; 4] = [Column::Number, Column::Category(3), Column::Number, Column::Number];

/// Returns noisy readings of a smooth function of four columns; if `censored` is true, every third
/// configuration is stopped early.
fn mixed(instances: &InstanceTable, n: usize, censored: bool) -> TrainingSet<'_> {
    let mut rng = Rng::new(3, "mixed", 0);
    let mut data = TrainingSet::new(&MIXED, instances, Scale::Linear, None);
    for i in 0..n {
        let category = rng.below(3);
        let inactive = category == 1;
        let row = [
            rng.unit(),
            (category as f64 + 0.5) / 3.0,
            if inactive { INACTIVE } else { rng.unit() },
            rng.unit(),
        ];
        let value = libm::sin(4.0 * row[0]) + category as f64 + row[2].max(0.0) + 0.1 * rng.normal();
        let number = data.push_configuration(&row);
        let stopped = censored && i.is_multiple_of(3);
        let reading = |value: f64| if stopped { AtLeast(value - 0.5) } else { Exact(value) };
        let instance = i % instances.count();
        data.push(number, instance, reading(value));
        if i.is_multiple_of(4) {
            data.push(number, instance, reading(value + 0.2));
        }
    }
    data
}

fn named(count: usize) -> InstanceTable {
    if count == 1 { InstanceTable::alike() } else { InstanceTable::named(count) }
}

#[test]
fn the_gradient_of_the_posterior_matches_finite_differences() {
    for (instances, censored) in
        [(1, false), (1, true), (3, false), (3, true)].map(|(count, censored)| (named(count), censored))
    {
        let data = mixed(&instances, 24, censored);
        let coordinates = Coordinates::of(&data);
        let readings = Readings::of(&data, &coordinates, Treatment::Likelihood);
        let mut likelihood = Likelihood::new(&readings, &coordinates);
        let mut at = vec![-0.3, 0.2, 0.1, 0.9, 0.3, -2.0];
        if instances.count() > 1 {
            // The length scale of the instances, and the variance of their effects.
            at.splice(4..4, [0.4, -0.7]);
        }
        let (mut gradient, mut ignored) = (vec![0.0; at.len()], vec![0.0; at.len()]);
        likelihood.negative_log_posterior(&at, &mut gradient);
        for index in 0..at.len() {
            let mut moved = |by: f64| {
                let mut at = at.clone();
                at[index] += by;
                likelihood.negative_log_posterior(&at, &mut ignored)
            };
            let step = 1e-3;
            let found = (moved(step) - moved(-step)) / (2.0 * step);
            assert!(
                (found - gradient[index]).abs() < 2e-3 * found.abs().max(1.0),
                "{} {censored} {index}: {found} {gradient:?}",
                instances.count()
            );
        }
    }
}

fn at(predictor: &dyn Predictor, x: f64) -> Prediction {
    let mut out = [Prediction::default()];
    predictor.predict(Points::new(&[x], 1), &mut out);
    out[0]
}

fn line(readings: &[(f64, Reading)]) -> TrainingSet<'static> {
    static ALIKE: std::sync::LazyLock<InstanceTable> = std::sync::LazyLock::new(InstanceTable::alike);
    let mut data = TrainingSet::new(&[Column::Number], &ALIKE, Scale::Linear, None);
    for (x, reading) in readings {
        let number = data.push_configuration(&[*x]);
        data.push(number, 0, *reading);
    }
    data
}

/// Computes by quadrature the probability of a cost above a bound, and the mean and variance of f given such
/// a cost.
fn above(mean: f64, deviation: f64, bound: f64, noise: f64) -> (f64, f64, f64) {
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    let step = deviation * 1e-3;
    for i in -12_000..=12_000 {
        let f = mean + f64::from(i) * step;
        let weight = libm::exp(log_density((f - mean) / deviation)) * cdf((f - bound) / noise) * 1e-3;
        mass += weight;
        first += weight * f;
        second += weight * f * f;
    }
    (mass, first / mass, second / mass - first / mass * (first / mass))
}

#[test]
fn a_training_set_knows_how_many_readings_remain_after_merging() {
    let named = InstanceTable::named(2);
    let mut data = TrainingSet::new(&[Column::Number], &named, Scale::Linear, None);
    let [one, other] = [0.2, 0.7].map(|x| data.push_configuration(&[x]));
    for (configuration, instance, reading) in [
        (one, 0, Exact(1.0)),
        (one, 0, Exact(2.0)),
        (one, 1, Exact(3.0)),
        (one, 0, AtLeast(4.0)),
        (one, 0, AtLeast(5.0)),
        (other, 0, Exact(6.0)),
        (one, 0, Exact(7.0)),
    ] {
        data.push(configuration, instance, reading);
    }
    let merged = Readings::of(&data, &Coordinates::of(&data), Treatment::Likelihood);
    assert_eq!((data.merged_len(), merged.point_readings.len()), (5, 5));
}

#[test]
fn the_site_of_one_stopped_trial_matches_the_moments_of_quadrature() {
    for (mean, deviation, bound, noise) in [
        (0.0, 1.0, 0.5, 0.3),
        (0.0, 1.0, -2.0, 0.3),
        (1.0, 0.5, 3.0, 0.1),
        (0.0, 2.0, 4.0, 1.5),
        (0.3, 1.0, 0.3, 1e-3),
    ] {
        let cavity = sites::Cavity { mean, variance: deviation * deviation };
        let (site, z) = cavity.site(bound, noise * noise);
        let precision = 1.0 / cavity.variance + 1.0 / site.variance;
        let found = ((mean / cavity.variance + site.target / site.variance) / precision, 1.0 / precision);
        let known = above(mean, deviation, bound, noise);
        assert!((cdf(z) - known.0).abs() < 1e-4 * known.0, "{found:?} {known:?}");
        assert!((found.0 - known.1).abs() < 1e-3 && (found.1 - known.2).abs() < 1e-3, "{found:?} {known:?}");
    }
}

#[test]
fn a_stopped_trial_raises_the_mean_and_stays_uncertain() {
    let exact: Vec<(f64, Reading)> =
        (0..8).map(|i| (f64::from(i) / 16.0, Exact(0.1 * f64::from(i % 3)))).collect();
    let with = |reading| line(&[&exact[..], &[(0.9, reading)]].concat());
    let fit = |treatment, reading| {
        let settings = GaussianSettings { treatment, ..GaussianSettings::default() };
        settings.fit(&with(reading), &mut Rng::new(1, "fit", 0)).unwrap()
    };
    let taken = at(&*fit(Treatment::Ignore, AtLeast(1.0)), 0.9);
    let learned = at(&*fit(Treatment::Likelihood, AtLeast(1.0)), 0.9);
    assert!(learned.mean > taken.mean && learned.variance > 2.0 * taken.variance, "{learned:?} {taken:?}");
    let low = at(&*fit(Treatment::Likelihood, AtLeast(-5.0)), 0.9);
    let none = at(&*fit(Treatment::Drop, AtLeast(-5.0)), 0.9);
    assert!(low.mean < learned.mean && (low.mean - none.mean).abs() < 0.5, "{low:?} {none:?} {learned:?}");
}

#[test]
fn a_learned_reading_changes_predictions_unless_it_is_a_low_bound() {
    let named = InstanceTable::named(3);
    let data = mixed(&named, 30, false);
    let settings = GaussianSettings { starts: 1, ..GaussianSettings::default() };
    let trainer = GaussianTrainer::new(settings, 1);
    let mut grown = trainer.fit(&data).unwrap();
    let row = [0.3, 0.5, INACTIVE, 0.7, 0.5];
    let mut asked = [row, [0.9, 0.1, 0.2, 0.1, 0.1]].concat();
    asked[5 * 2 - 1] = 0.9;
    let points = Points::new(&asked, 5);
    let predict = |gaussian: &Gaussian| {
        let mut out = [Prediction::default(); 2];
        gaussian.predict(points, &mut out);
        out
    };
    let before = predict(&grown);
    grown.learn(&row, Exact(9.0));
    let after = predict(&grown);
    assert!(
        after[0].mean > before[0].mean + 1.0 && after[0].variance < before[0].variance,
        "{before:?} {after:?}"
    );
    // A bound far below the expected cost gives no information.
    let mut bounded = grown.clone();
    bounded.learn(&row, AtLeast(-50.0));
    for (a, b) in after.iter().zip(predict(&bounded)) {
        assert!((a.mean - b.mean).abs() < 1e-3 && (a.variance - b.variance).abs() < 1e-3, "{a:?} {b:?}");
    }
}

#[test]
fn believed_configurations_become_more_certain_and_keep_their_mean() {
    for instances in [InstanceTable::alike(), InstanceTable::named(3)] {
        let data = mixed(&instances, 30, true);
        let fitted = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&data).unwrap();
        let row = [0.3, 0.5, INACTIVE, 0.7];
        let believing = fitted.believing(Points::new(&row, 4));
        let (mut before, mut after) = ([Prediction::default()], [Prediction::default()]);
        fitted.predict_marginal(Points::new(&row, 4), &mut before);
        believing.predict_marginal(Points::new(&row, 4), &mut after);
        assert!((before[0].mean - after[0].mean).abs() < 1e-6, "{before:?} {after:?}");
        assert!(after[0].variance < 0.7 * before[0].variance, "{before:?} {after:?}");
    }
}

#[test]
fn gradients_of_predictions_match_finite_differences() {
    for instances in [InstanceTable::alike(), InstanceTable::named(3)] {
        let data = mixed(&instances, 30, true);
        let fitted = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&data).unwrap();
        let row = [0.3, 0.9, 0.4, 0.7];
        // The second row must not change the result for the first.
        let rows = [row, [0.6, 0.1, 0.2, 0.1]].concat();
        let (here, gradient) = fitted.predict_with_gradient(Points::new(&rows, 4)).unwrap().swap_remove(0);
        let predict = |row: [f64; 4]| {
            let mut out = [Prediction::default()];
            fitted.predict_marginal(Points::new(&row, 4), &mut out);
            out[0]
        };
        assert!(
            (here.mean - predict(row).mean).abs() < 1e-9
                && (here.variance - predict(row).variance).abs() < 1e-9
        );
        for column in [0, 2, 3] {
            let moved = |by: f64| {
                let mut row = row;
                row[column] += by;
                predict(row)
            };
            let (up, down) = (moved(1e-4), moved(-1e-4));
            assert!(
                (gradient.mean[column] - (up.mean - down.mean) / 2e-4).abs() < 1e-4,
                "{column} {gradient:?}"
            );
            assert!(
                (gradient.variance[column] - (up.variance - down.variance) / 2e-4).abs() < 1e-4,
                "{column}"
            );
        }
        assert_eq!((gradient.mean[1], gradient.variance[1]), (0.0, 0.0));
    }
}

#[test]
fn from_too_many_points_the_lowest_and_some_others_are_kept() {
    let readings: Vec<(f64, Reading)> =
        (0..60).map(|at| (f64::from(at) / 60.0, Exact(f64::from((at - 40) * (at - 40))))).collect();
    let data = line(&readings);
    let settings = GaussianSettings { max_points: 20, ..GaussianSettings::default() };
    let fitted = GaussianTrainer::new(settings, 1).fit(&data).unwrap();
    let kept: Vec<usize> = (0..60).filter(|&at| fitted.exact_places[at].is_some()).collect();
    assert!(kept.len() == 20 && (36..45).all(|low| kept.contains(&low)), "{kept:?}");
    assert!(kept[0] < 20 && fitted.residuals().iter().flatten().count() == 20, "{kept:?}");
    for &place in &kept {
        let (x, Exact(cost)) = readings[place] else { panic!("none is a bound") };
        assert!((at(&fitted, x).mean - cost).abs() < 20.0, "{place}: {:?}", at(&fitted, x));
    }
}

/// From the first start alone, a few readings in many columns look noise-free. A search over all points from
/// several starts still finds the noise, and so does a search that begins with a part of the points.
#[test]
fn noise_is_found_where_there_is_some() {
    let alike = InstanceTable::alike();
    let columns = [Column::Number; 6];
    let mut found = Vec::new();
    for seed in 0..12 {
        let mut rng = Rng::new(seed, "noisy", 0);
        let mut data = TrainingSet::new(&columns, &alike, Scale::Linear, None);
        for _ in 0..90 {
            let row: [f64; 6] = std::array::from_fn(|_| rng.unit());
            let number = data.push_configuration(&row);
            data.push(number, 0, Exact(libm::sin(6.0 * row[0]) + row[1] + 0.3 * rng.normal()));
        }
        for few_points in [30, 100] {
            let settings = GaussianSettings { few_points, ..GaussianSettings::default() };
            found.push(GaussianTrainer::new(settings, seed).fit(&data).unwrap().noise());
        }
    }
    // The true variance is 0.3².
    let right = found.iter().filter(|noise| (0.05..0.15).contains(*noise)).count();
    assert!(right >= 20, "{found:?}");
}

#[test]
fn huge_readings_do_not_overflow() {
    let readings = |factor: f64| {
        let [a, b, c] = [-1.0, 0.5, 1.0].map(|value| value * factor);
        line(&[(0.1, Exact(a)), (0.2, Exact(a)), (0.5, AtLeast(b)), (0.6, AtLeast(c)), (0.9, Exact(c))])
    };
    let mean = |factor: f64| {
        let gaussian = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&readings(factor)).unwrap();
        at(&gaussian, 0.4).mean / factor
    };
    assert!((mean(1e308) - mean(1.0)).abs() < 1e-6, "{} {}", mean(1e308), mean(1.0));
}

#[test]
fn covariances_that_no_noise_makes_positive_definite_are_an_error() {
    let data = line(&[(0.2, Exact(1.0)), (0.8, Exact(2.0))]);
    let coordinates = Coordinates::of(&data);
    let mut readings = Readings::of(&data, &coordinates, Treatment::Likelihood);
    let posterior = |readings: &Readings| {
        let mut likelihood = Likelihood::new(readings, &coordinates);
        posterior_at(&mut likelihood, vec![0.0, 0.0, -4.0])
    };
    assert!(posterior(&readings).is_ok());
    // A mean of zero readings has infinite variance, however large the noise.
    readings.point_readings[0] = PointReading::Mean { value: 0.0, count: 0.0, squares: 0.0 };
    assert_eq!(posterior(&readings).err(), Some(FitError::Singular));
}

/// Returns readings of f(x) + h on several instances; each configuration is run on only one of them.
fn with_effects(instances: &InstanceTable, n: usize) -> TrainingSet<'_> {
    let mut rng = Rng::new(5, "effects", 0);
    let mut data = TrainingSet::new(&[Column::Number; 2], instances, Scale::Linear, None);
    for i in 0..n {
        let (x, y) = (rng.unit(), rng.unit());
        let instance = i % instances.count();
        let effect = 4.0 * libm::sin(3.7 * instance as f64);
        let number = data.push_configuration(&[x, y]);
        data.push(number, instance, Exact(libm::sin(5.0 * x) + y * y + effect + 0.02 * rng.normal()));
    }
    data
}

/// A reading of a configuration on one instance informs predictions on all others, however much the instances
/// differ.
#[test]
fn instance_effects_do_not_hide_differences_between_configurations() {
    let features: Vec<f64> = (0..8).map(|i| f64::from(i * i)).collect();
    for instances in [InstanceTable::named(8), InstanceTable::of_features(&features, 1)] {
        let data = with_effects(&instances, 48);
        let fitted = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&data).unwrap();
        let places = [0.05, 0.3, 0.6, 0.95];
        let rows: Vec<f64> = places.iter().flat_map(|&x| [x, 0.5]).collect();
        let mut found = [Prediction::default(); 4];
        fitted.predict_marginal(Points::new(&rows, 2), &mut found);
        for (at, x) in found.iter().zip(places) {
            let known = libm::sin(5.0 * x) - libm::sin(5.0 * places[0]);
            assert!((at.mean - found[0].mean - known).abs() < 0.15, "{x}: {found:?}");
            // The spread of all readings is about 3.
            assert!(at.deviation() < 0.2, "{x}: {found:?}");
        }
    }
}

/// The prediction over all instances is the mean of the predictions on each.
#[test]
fn marginals_are_means_over_instances() {
    let features: Vec<f64> = (0..5).map(|i| f64::from(i * i)).collect();
    for instances in [InstanceTable::named(5), InstanceTable::of_features(&features, 1)] {
        let data = with_effects(&instances, 30);
        let mut fitted = GaussianTrainer::new(GaussianSettings::default(), 1)
            .fit(&data.subset(|point| point.instance < 4))
            .unwrap();
        // The last instance is first seen after the fit.
        fitted.learn(&[0.4, 0.4, instances.row(4)[0]], Exact(2.0));
        let mut marginal = [Prediction::default()];
        fitted.predict_marginal(Points::new(&[0.7, 0.2], 2), &mut marginal);
        let rows: Vec<f64> = (0..5).flat_map(|i| [0.7, 0.2, instances.row(i)[0]]).collect();
        let mut each = [Prediction::default(); 5];
        fitted.predict(Points::new(&rows, 3), &mut each);
        let mean = each.iter().map(|one| one.mean).sum::<f64>() / 5.0;
        assert!((marginal[0].mean - mean).abs() < 1e-9, "{marginal:?} {each:?}");
        let mut expected = [0.0];
        fitted.expect_marginal(Points::new(&[0.7, 0.2], 2), &mut expected);
        assert!((expected[0] - mean).abs() < 1e-9);
    }
}
