//! Properties of the networks.

use super::train::{MAX_RESTARTS, Training, train, train_with};
use super::*;
use crate::Reading::{AtLeast, Exact};
use crate::dispatch::Instructions;
use crate::testkit;
use crate::{Column, InstanceTable, Points, Prediction, Scale};

const LOG: Scale = Scale::Log10 { grain: 1e-3 };

/// Returns settings for small networks that are trained quickly.
fn small() -> NeuralSettings {
    NeuralSettings { layers: vec![12, 12], epochs: 60, members: 2, ..NeuralSettings::default() }
}

fn fit(settings: &NeuralSettings, data: &TrainingSet<'_>) -> (Ensemble, Effort) {
    settings.train(data, &mut Rng::new(7, "fit", 0)).unwrap()
}

fn marginals(ensemble: &Ensemble, rows: &[f64], width: usize) -> Vec<Prediction> {
    let points = Points::new(rows, width);
    let mut out = vec![Prediction::default(); points.len()];
    ensemble.predict_marginal(points, &mut out);
    out
}

fn random_samples(n: usize, width: usize, seed: u64) -> Samples {
    let mut rng = Rng::new(seed, "lessons", 0);
    let rows = (0..n * width).map(|_| rng.unit() as f32).collect();
    let reading = |rng: &mut Rng| {
        // One reading in ten is an outlier.
        let far = if rng.below(10) == 0 { 10.0 } else { 1.0 };
        let y = far * rng.normal();
        if rng.below(2) == 0 { AtLeast(y) } else { Exact(y) }
    };
    Samples { rows, width, readings: (0..n).map(|_| reading(&mut rng)).collect() }
}

/// Returns readings of y = 2x on [0, 1] with noise; `read` turns x and y into a reading.
fn line<'a>(
    alike: &'a InstanceTable,
    mut read: impl FnMut(f64, f64, &mut Rng) -> Reading,
) -> TrainingSet<'a> {
    let mut data = TrainingSet::new(&[Column::Number], alike, Scale::Linear, None);
    let mut rng = Rng::new(5, "line", 0);
    for i in 0..160 {
        let x = (f64::from(i) + 0.5) / 160.0;
        let y = 2.0 * x + 0.1 * rng.normal();
        let reading = read(x, y, &mut rng);
        let configuration = data.push_configuration(&[x]);
        data.push(configuration, 0, reading);
    }
    data
}

/// Returns the largest distance of a prediction from the line.
fn off_the_line(ensemble: &Ensemble) -> f64 {
    let rows: Vec<f64> = (0..=20).map(|i| f64::from(i) / 20.0).collect();
    let found = marginals(ensemble, &rows, 1);
    rows.iter().zip(found).map(|(x, p)| (p.mean - 2.0 * x).abs()).fold(0.0, f64::max)
}

#[test]
fn networks_of_every_treatment_conform() {
    let tiny = NeuralSettings { layers: vec![6, 5], epochs: 4, ..small() };
    for treatment in [Treatment::Ignore, Treatment::Drop, Treatment::Mean, Treatment::Tobit] {
        testkit::conforms(&NeuralSettings { treatment, ..tiny.clone() }, true);
    }
    testkit::conforms(&NeuralSettings { layers: vec![], batch: 40, members: 1, ..tiny }, true);
}

#[test]
fn a_line_is_recovered_although_every_trial_of_its_upper_half_was_stopped() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| if y > 1.0 { AtLeast(1.0) } else { Exact(y) });
    let censored = data.readings().iter().filter(|r| r.is_censored()).count();
    assert!((70..90).contains(&censored), "{censored}");
    // Without hidden layers the predicted mean is linear: Tobin's model.
    let off = |treatment| {
        let settings = NeuralSettings { layers: vec![], epochs: 2000, treatment, ..small() };
        off_the_line(&fit(&settings, &data).0)
    };
    let (ignore, tobit) = (off(Treatment::Ignore), off(Treatment::Tobit));
    println!("ignore {ignore:.3}, tobit {tobit:.3}");
    assert!(tobit < 0.25 && ignore > 0.6, "{ignore} {tobit}");
}

#[test]
fn networks_with_hidden_layers_learn_from_stopped_trials() {
    let alike = InstanceTable::alike();
    // In the upper half, two in three trials are stopped at a random time before their end.
    let data = line(
        &alike,
        |x, y, rng| {
            if x > 0.5 && rng.below(3) > 0 { AtLeast(y * rng.unit()) } else { Exact(y) }
        },
    );
    let off = |treatment| {
        let settings = NeuralSettings { layers: vec![16, 16], epochs: 600, treatment, ..small() };
        off_the_line(&fit(&settings, &data).0)
    };
    let (ignore, tobit) = (off(Treatment::Ignore), off(Treatment::Tobit));
    println!("ignore {ignore:.3}, tobit {tobit:.3}");
    assert!(tobit < 0.3 && ignore > 2.0 * tobit, "{ignore} {tobit}");
}

#[test]
fn dropped_points_change_nothing() {
    let alike = InstanceTable::alike();
    let stopped = |i: u32| i % 3 == 1;
    let of = |kept: &dyn Fn(u32) -> bool| {
        let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
        for i in (0..90).filter(|&i| kept(i)) {
            let x = f64::from(i) / 90.0;
            let configuration = data.push_configuration(&[x]);
            data.push(configuration, 0, if stopped(i) { AtLeast(x / 2.0) } else { Exact(x) });
        }
        let settings = NeuralSettings { treatment: Treatment::Drop, epochs: 5, ..small() };
        marginals(&fit(&settings, &data).0, &[0.1, 0.8], 1)
    };
    assert_eq!(of(&|_| true), of(&|i| !stopped(i)));
}

#[test]
fn networks_disagree_where_there_are_no_points() {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    for i in 0..80 {
        let x = f64::from(i) / 200.0;
        let configuration = data.push_configuration(&[x]);
        data.push(configuration, 0, Exact(libm::sin(12.0 * x)));
    }
    let found =
        marginals(&fit(&NeuralSettings { members: 4, epochs: 400, ..small() }, &data).0, &[0.2, 1.0], 1);
    assert!(found[1].variance > 4.0 * found[0].variance && found[1].variance > 1e-4, "{found:?}");
}

#[test]
fn weights_are_finite_after_ten_thousand_steps() {
    let samples = random_samples(64, 3, 1);
    let settings = NeuralSettings { layers: vec![8, 8], epochs: 2500, ..small() };
    let trained = train(&settings, &samples, Rng::new(1, "long", 0));
    assert_eq!((trained.steps, trained.restarts, trained.finished), (10_000, 0, true));
    assert!(trained.network.weights().iter().all(|weight| weight.is_finite()));
    assert!(trained.loss.is_finite());
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn weights_are_finite_after_a_million_steps() {
    let samples = random_samples(160, 7, 1);
    let settings = NeuralSettings { epochs: 100_000, ..NeuralSettings::default() };
    let trained = train(&settings, &samples, Rng::new(1, "longer", 0));
    assert_eq!((trained.steps, trained.restarts, trained.finished), (1_000_000, 0, true));
    assert!(trained.network.is_finite() && trained.loss.is_finite());
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    // Batches of less than one block, one block, and several blocks; layers of odd sizes, and large layers.
    let cases = [(3, vec![], 5), (4, vec![50, 50, 50], 16), (21, vec![7, 33], 40), (76, vec![14], 16)];
    for (width, layers, batch) in cases {
        let samples = random_samples(50, width, 3);
        let settings = NeuralSettings { layers, batch, epochs: 3, ..small() };
        let of = |set| train_with(set, &settings, &samples, Rng::new(1, "sets", 0));
        let portable = of(Instructions::Portable);
        let bits =
            |trained: &Trained| trained.network.weights().iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        for set in Instructions::all() {
            let found = of(set);
            assert_eq!(bits(&found), bits(&portable), "{set:?} {width}");
            assert_eq!(found.loss.to_bits(), portable.loss.to_bits(), "{set:?} {width}");
        }
    }
}

#[test]
fn a_batch_of_many_blocks_is_one_step() {
    // The mean gradient of equal samples does not depend on their number.
    let settings = NeuralSettings { layers: vec![5], epochs: 20, ..small() };
    let of = |n: usize| {
        let mut samples = random_samples(1, 2, 4);
        (samples.rows, samples.readings) = (samples.rows.repeat(n), vec![samples.readings[0]; n]);
        train(&NeuralSettings { batch: n, ..settings.clone() }, &samples, Rng::new(1, "blocks", 0))
    };
    let one = of(16);
    for n in [1, 32, 40] {
        let many = of(n);
        assert_eq!(many.steps, 20);
        for (one, many) in one.network.weights().iter().zip(many.network.weights()) {
            assert!((one - many).abs() < 1e-5, "{n}: {one} {many}");
        }
    }
}

#[test]
fn training_reduces_the_loss() {
    let samples = random_samples(40, 2, 2);
    let loss = |epochs| {
        let settings = NeuralSettings { epochs, ..small() };
        train(&settings, &samples, Rng::new(1, "loss", 0)).loss
    };
    assert!(loss(300) < loss(0) - 0.3, "{} {}", loss(300), loss(0));
}

#[test]
fn diverging_training_restarts_with_smaller_steps_and_counts_the_restarts() {
    let samples = random_samples(32, 3, 3);
    let with = |rate| {
        let settings = NeuralSettings { rate, epochs: 40, ..small() };
        train(&settings, &samples, Rng::new(1, "restart", 0))
    };
    let ordinary = with(1e-2);
    assert_eq!((ordinary.restarts, ordinary.finished, ordinary.steps), (0, true, 80));
    let steep = with(1e7);
    assert!(steep.restarts > 0 && steep.restarts <= MAX_RESTARTS && steep.finished, "{}", steep.restarts);
    let hopeless = with(1e300);
    assert_eq!((hopeless.restarts, hopeless.finished, hopeless.steps), (MAX_RESTARTS, false, 0));
    for trained in [ordinary, steep, hopeless] {
        assert!(trained.network.weights().iter().all(|weight| weight.is_finite()));
    }
}

#[test]
fn the_effort_of_an_ensemble_counts_restarts_and_untrained_networks() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| Exact(y));
    let (ensemble, effort) = fit(&NeuralSettings { rate: 1e300, epochs: 2, ..small() }, &data);
    assert_eq!((effort.restarts, effort.untrained, effort.steps), (2 * MAX_RESTARTS, 2, 0));
    assert!(marginals(&ensemble, &[0.3], 1)[0].mean.is_finite());
    let (_, effort) = fit(&NeuralSettings { epochs: 2, ..small() }, &data);
    assert_eq!((effort.restarts, effort.untrained, effort.steps), (0, 0, 2 * 2 * 10));
}

#[test]
fn when_all_trials_were_stopped_predictions_lie_above_the_bounds() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, _, _| AtLeast(3.0));
    for p in marginals(&fit(&small(), &data).0, &[0.0, 0.4, 1.0], 1) {
        assert!(p.mean > 3.0 && p.mean < 3.1, "{p:?}");
    }
}

#[test]
fn a_constant_is_learned_at_once_and_exactly() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, _, _| Exact(0.1));
    let (ensemble, effort) = fit(&small(), &data);
    assert_eq!(effort.steps, 0);
    let flat = Prediction { mean: 0.1, variance: 0.0 };
    assert_eq!(marginals(&ensemble, &[0.0, 0.7], 1), [flat, flat]);
    let mut one = TrainingSet::new(&[Column::Number], &alike, LOG, None);
    let configuration = one.push_configuration(&[0.5]);
    one.push(configuration, 0, Exact(100.0));
    assert_eq!(marginals(&fit(&small(), &one).0, &[0.9], 1)[0].mean, 2.0);
}

#[test]
fn each_member_averages_over_instances_before_members_are_compared() {
    let named = InstanceTable::named(3);
    let mut rng = Rng::new(9, "instances", 0);
    for scale in [LOG, Scale::Linear] {
        let mut data = TrainingSet::new(&[Column::Number], &named, scale, None);
        for i in 0..60 {
            let x = rng.unit();
            let configuration = data.push_configuration(&[x]);
            data.push(configuration, i % 3, Exact(libm::pow(10.0, x + (i % 3) as f64)));
        }
        let (ensemble, _) = fit(&NeuralSettings { members: 4, ..small() }, &data);
        for x in [0.1, 0.8] {
            let found = marginals(&ensemble, &[x], 1)[0];
            let rows: Vec<f64> = (0..3).flat_map(|i| [x, named.row(i)[0]]).collect();
            let alone = |network: &network::Network| {
                let one = Ensemble { networks: vec![network.clone()], ..ensemble.clone() };
                let mut each = [Prediction::default(); 3];
                one.predict(Points::new(&rows, 2), &mut each);
                match scale {
                    Scale::Linear => each.iter().map(|p| p.mean).sum::<f64>() / 3.0,
                    Scale::Log10 { .. } => {
                        libm::log10(each.iter().map(|p| libm::pow(10.0, p.mean)).sum::<f64>() / 3.0)
                    }
                }
            };
            let each: Vec<f64> = ensemble.networks.iter().map(alone).collect();
            let mean = each.iter().sum::<f64>() / 4.0;
            let variance = each.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / 4.0;
            assert!((found.mean - mean).abs() < 1e-9 * mean.abs(), "{found:?} {mean}");
            assert!((found.variance - variance).abs() < 1e-9 * (1.0 + variance), "{found:?} {variance}");
        }
    }
}

#[test]
fn the_total_variance_adds_the_noise_of_single_trials() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| Exact(y));
    let (ensemble, _) = fit(&NeuralSettings { layers: vec![], epochs: 2000, ..small() }, &data);
    let row = [0.4];
    let (mut function, mut total) = ([Prediction::default()], [Prediction::default()]);
    ensemble.predict(Points::new(&row, 1), &mut function);
    ensemble.predict_total(Points::new(&row, 1), &mut total);
    assert_eq!(function[0].mean, total[0].mean);
    // The noise added to the line has a standard deviation of 0.1.
    let noise = (total[0].variance - function[0].variance).sqrt();
    assert!((0.07..0.14).contains(&noise), "{noise}");
}

#[test]
fn the_number_of_epochs_at_a_time_does_not_matter() {
    let (samples, settings) = (random_samples(50, 4, 3), NeuralSettings { epochs: 7, ..small() });
    let rows = samples.lines();
    let of = |epochs: usize| {
        let rng = Rng::new(1, "turns", 0);
        let mut training = Training::new(Instructions::best(), &settings, &samples, &rows, rng);
        let mut turns = 1;
        while !training.advance(epochs) {
            turns += 1;
        }
        (training.finish(), turns)
    };
    let (whole, turns) = of(7);
    assert_eq!((whole.steps, turns), (7 * (50 / settings.batch as u64), 1));
    for (epochs, turns) in [(1, 7), (3, 3), (100, 1)] {
        assert_eq!(of(epochs), (whole.clone(), turns), "{epochs}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| if y > 1.0 { AtLeast(1.0) } else { Exact(y) });
    let of = |threads| {
        let settings = NeuralSettings { threads, members: 5, epochs: 5, ..small() };
        marginals(&fit(&settings, &data).0, &[0.1, 0.9], 1)
    };
    let one = of(1);
    for threads in [2, 3, 64] {
        assert_eq!(of(threads), one, "{threads}");
    }
}

/// A network that learns from numbers from 0 to 1 has its lowest prediction more often in a corner of the space.
#[test]
fn with_centred_numbers_the_lowest_prediction_is_more_often_inside_the_space() {
    const WIDTH: usize = 4;
    let alike = InstanceTable::alike();
    let mut rng = Rng::new(3, "valley", 0);
    let mut data = TrainingSet::new(&[Column::Number; WIDTH], &alike, LOG, None);
    for _ in 0..150 {
        let row: Vec<f64> = (0..WIDTH).map(|_| rng.unit()).collect();
        // A valley in the middle, with exponential noise.
        let height: f64 = row.iter().map(|x| 2.0 * (x - 0.5) * (x - 0.5)).sum();
        let configuration = data.push_configuration(&row);
        data.push(configuration, 0, Exact(height.exp() * -(1.0 - rng.unit()).ln()));
    }
    let mut position = || (1.4 * rng.unit() - 0.2).clamp(0.0, 1.0);
    let candidates: Vec<f64> = (0..2000 * WIDTH).map(|_| position()).collect();
    let at_bounds = |centred: bool| -> usize {
        let one = |seed: u64| {
            let layers = vec![30, 30];
            let settings =
                NeuralSettings { layers, epochs: 200, members: 1, centred, ..NeuralSettings::default() };
            let (network, _) = settings.train(&data, &mut Rng::new(seed, "fit", 0)).unwrap();
            let found = marginals(&network, &candidates, WIDTH);
            let lowest = (0..found.len()).min_by(|&a, &b| found[a].mean.total_cmp(&found[b].mean)).unwrap();
            let position = candidates[lowest * WIDTH..][..WIDTH].iter();
            position.filter(|x| **x == 0.0 || **x == 1.0).count()
        };
        (0..6).map(one).sum()
    };
    let (centred, not) = (at_bounds(true), at_bounds(false));
    println!("parameters at a bound, of 24: centred {centred}, not centred {not}");
    assert!(3 * centred < 2 * not, "{centred} {not}");
}
