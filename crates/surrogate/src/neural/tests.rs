//! Laws of the networks.

use super::train::{MOST_RESTARTS, Training, train, train_with};
use super::*;
use crate::Reading::{AtLeast, Exact};
use crate::dispatch::Instructions;
use crate::testkit;
use crate::{Column, InstanceTable, Points, Prediction, Scale};

const LOG: Scale = Scale::Log10 { grain: 1e-3 };

/// Small and soon trained.
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

fn random_lessons(n: usize, width: usize, seed: u64) -> Lessons {
    let mut rng = Rng::new(seed, "lessons", 0);
    let rows = (0..n * width).map(|_| rng.unit() as f32).collect();
    let reading = |rng: &mut Rng| {
        // Now and then far out.
        let far = if rng.below(10) == 0 { 10.0 } else { 1.0 };
        let y = far * rng.normal();
        if rng.below(2) == 0 { AtLeast(y) } else { Exact(y) }
    };
    Lessons { rows, width, readings: (0..n).map(|_| reading(&mut rng)).collect() }
}

/// y = 2x on [0, 1] with noise; `read` makes a reading of x and y.
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

/// Largest distance from the line.
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
fn a_line_is_recovered_though_every_trial_of_its_upper_half_was_stopped() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| if y > 1.0 { AtLeast(1.0) } else { Exact(y) });
    let censored = data.readings().iter().filter(|r| r.is_censored()).count();
    assert!((70..90).contains(&censored), "{censored}");
    // Without hidden layers the mean is a line itself: the model of Tobin.
    let off = |treatment| {
        let settings = NeuralSettings { layers: vec![], epochs: 2000, treatment, ..small() };
        off_the_line(&fit(&settings, &data).0)
    };
    let (ignore, tobit) = (off(Treatment::Ignore), off(Treatment::Tobit));
    println!("ignore {ignore:.3}, tobit {tobit:.3}");
    assert!(tobit < 0.25 && ignore > 0.6, "{ignore} {tobit}");
}

#[test]
fn hidden_layers_learn_what_stopped_trials_tell() {
    let alike = InstanceTable::alike();
    // In the upper half two of three trials are stopped anywhere before their end.
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
fn what_is_dropped_was_never_there() {
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
fn networks_disagree_where_nothing_was_tried() {
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
    let lessons = random_lessons(64, 3, 1);
    let settings = NeuralSettings { layers: vec![8, 8], epochs: 2500, ..small() };
    let trained = train(&settings, &lessons, Rng::new(1, "long", 0));
    assert_eq!((trained.steps, trained.restarts, trained.finished), (10_000, 0, true));
    assert!(trained.network.weights().iter().all(|weight| weight.is_finite()));
    assert!(trained.loss.is_finite());
}

#[test]
#[ignore = "minutes without optimisation"]
fn weights_are_finite_after_a_million_steps() {
    let lessons = random_lessons(160, 7, 1);
    let settings = NeuralSettings { epochs: 100_000, ..NeuralSettings::default() };
    let trained = train(&settings, &lessons, Rng::new(1, "longer", 0));
    assert_eq!((trained.steps, trained.restarts, trained.finished), (1_000_000, 0, true));
    assert!(trained.network.is_finite() && trained.loss.is_finite());
}

#[test]
fn every_set_of_instructions_comes_to_the_same_bits() {
    // Batches of a part of a block, of a block, and of some; layers of odd sizes and large ones.
    let cases = [(3, vec![], 5), (4, vec![50, 50, 50], 16), (21, vec![7, 33], 40), (76, vec![14], 16)];
    for (width, layers, batch) in cases {
        let lessons = random_lessons(50, width, 3);
        let settings = NeuralSettings { layers, batch, epochs: 3, ..small() };
        let of = |set| train_with(set, &settings, &lessons, Rng::new(1, "sets", 0));
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
    // Equal lessons in any number have the same mean gradient.
    let settings = NeuralSettings { layers: vec![5], epochs: 20, ..small() };
    let of = |n: usize| {
        let mut lessons = random_lessons(1, 2, 4);
        (lessons.rows, lessons.readings) = (lessons.rows.repeat(n), vec![lessons.readings[0]; n]);
        train(&NeuralSettings { batch: n, ..settings.clone() }, &lessons, Rng::new(1, "blocks", 0))
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
fn training_explains_readings_better_than_chance() {
    let lessons = random_lessons(40, 2, 2);
    let loss = |epochs| {
        let settings = NeuralSettings { epochs, ..small() };
        train(&settings, &lessons, Rng::new(1, "loss", 0)).loss
    };
    assert!(loss(300) < loss(0) - 0.3, "{} {}", loss(300), loss(0));
}

#[test]
fn what_comes_to_no_number_begins_anew_with_smaller_steps_and_says_so() {
    let lessons = random_lessons(32, 3, 3);
    let with = |rate| {
        let settings = NeuralSettings { rate, epochs: 40, ..small() };
        train(&settings, &lessons, Rng::new(1, "restart", 0))
    };
    let ordinary = with(1e-2);
    assert_eq!((ordinary.restarts, ordinary.finished, ordinary.steps), (0, true, 80));
    let steep = with(1e7);
    assert!(steep.restarts > 0 && steep.restarts <= MOST_RESTARTS && steep.finished, "{}", steep.restarts);
    let hopeless = with(1e300);
    assert_eq!((hopeless.restarts, hopeless.finished, hopeless.steps), (MOST_RESTARTS, false, 0));
    for trained in [ordinary, steep, hopeless] {
        assert!(trained.network.weights().iter().all(|weight| weight.is_finite()));
    }
}

#[test]
fn a_set_that_restarted_is_counted() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| Exact(y));
    let (ensemble, effort) = fit(&NeuralSettings { rate: 1e300, epochs: 2, ..small() }, &data);
    assert_eq!((effort.restarts, effort.untrained, effort.steps), (2 * MOST_RESTARTS, 2, 0));
    assert!(marginals(&ensemble, &[0.3], 1)[0].mean.is_finite());
    let (_, effort) = fit(&NeuralSettings { epochs: 2, ..small() }, &data);
    assert_eq!((effort.restarts, effort.untrained, effort.steps), (0, 0, 2 * 2 * 10));
}

#[test]
fn where_everything_was_stopped_costs_are_expected_above_the_bounds() {
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
fn over_instances_costs_are_averaged_and_members_compared_after_that() {
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
fn the_total_variance_is_that_of_a_mixture() {
    let alike = InstanceTable::alike();
    let data = line(&alike, |_, y, _| Exact(y));
    let (ensemble, _) = fit(&NeuralSettings { layers: vec![], epochs: 2000, ..small() }, &data);
    let row = [0.4];
    let (mut function, mut total) = ([Prediction::default()], [Prediction::default()]);
    ensemble.predict(Points::new(&row, 1), &mut function);
    ensemble.predict_total(Points::new(&row, 1), &mut total);
    assert_eq!(function[0].mean, total[0].mean);
    // The noise of the line.
    let noise = (total[0].variance - function[0].variance).sqrt();
    assert!((0.07..0.14).contains(&noise), "{noise}");
}

#[test]
fn how_many_epochs_at_a_time_does_not_matter() {
    let (lessons, settings) = (random_lessons(50, 4, 3), NeuralSettings { epochs: 7, ..small() });
    let rows = lessons.lines();
    let of = |epochs: usize| {
        let rng = Rng::new(1, "turns", 0);
        let mut training = Training::new(Instructions::best(), &settings, &lessons, &rows, rng);
        let mut turns = 1;
        while !training.go_on(epochs) {
            turns += 1;
        }
        (training.trained(), turns)
    };
    let (whole, turns) = of(7);
    assert_eq!((whole.steps, turns), (7 * (50 / settings.batch as u64), 1));
    for (epochs, turns) in [(1, 7), (3, 3), (100, 1)] {
        assert_eq!(of(epochs), (whole.clone(), turns), "{epochs}");
    }
}

#[test]
fn threads_do_not_matter() {
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
