//! Properties of the forest with censored readings.

use super::bootstrap::Bootstrap;
use super::impute::{Slots, fill_one};
use super::*;
use crate::Reading::{self, AtLeast, Exact};
use crate::testkit;
use crate::{Column, InstanceTable, Points, Prediction, Scale};

const LOG: Scale = Scale::Log10 { grain: 1e-3 };

/// Returns readings of log10 cost = 4 (x - 0.3)² + category term + instance feature, with a little noise.
fn world(n: usize, cap: f64, instances: &InstanceTable, seed: u64) -> TrainingSet<'_> {
    let columns = [Column::Number, Column::Category(5), Column::Number];
    let mut set = TrainingSet::new(&columns, instances, LOG, Some(100.0));
    let mut rng = Rng::new(seed, "world", 0);
    for i in 0..n {
        let row = [rng.unit(), (rng.below(5) as f64 + 0.5) / 5.0, rng.unit()];
        let instance = i % instances.count();
        let y = truth(&row, instances.row(instance)) + 0.05 * rng.normal();
        let cost = libm::pow(10.0, y);
        // Every third trial is stopped much later, like a trial of an incumbent.
        let cap = if i % 3 == 0 { 25.0 * cap } else { cap };
        let configuration = set.push_configuration(&row);
        set.push(configuration, instance, if cost > cap { AtLeast(cap) } else { Exact(cost) });
    }
    set
}

fn truth(row: &[f64], features: &[f64]) -> f64 {
    let category = [0.0, 0.6, 0.1, 0.7, 0.2][Column::category(5, row[1])];
    4.0 * (row[0] - 0.3) * (row[0] - 0.3) + category + features.iter().sum::<f64>()
}

fn fit(settings: &ForestSettings, data: &TrainingSet<'_>) -> (Forest, Effort) {
    ForestTrainer::new(settings.clone(), 11).fit(data).unwrap()
}

fn marginals(forest: &Forest, rows: &[f64]) -> Vec<Prediction> {
    let points = Points::new(rows, forest.configuration_width);
    let mut out = vec![Prediction::default(); points.len()];
    forest.predict_marginal(points, &mut out);
    out
}

/// Returns the root mean squared error of the predicted means on new rows, without instances.
fn error(forest: &Forest) -> f64 {
    let mut rng = Rng::new(99, "questions", 0);
    let rows: Vec<f64> =
        (0..500).flat_map(|_| [rng.unit(), (rng.below(5) as f64 + 0.5) / 5.0, rng.unit()]).collect();
    let found = marginals(forest, &rows);
    let squares = rows.chunks_exact(3).zip(found).map(|(row, p)| {
        let off = p.mean - truth(row, &[]);
        off * off
    });
    (squares.sum::<f64>() / 500.0).sqrt()
}

#[test]
fn forests_of_every_treatment_conform() {
    for treatment in [Treatment::Ignore, Treatment::Drop, Treatment::Mean, Treatment::Sample] {
        testkit::conforms(&ForestSettings { treatment, ..ForestSettings::default() }, true);
    }
    testkit::conforms(&ForestSettings::paper(), true);
    testkit::conforms(&ForestSettings { trees: 1, min_leaf: 1, ..ForestSettings::default() }, true);
}

#[test]
fn every_slot_increases_with_its_bound() {
    let mut rng = Rng::new(1, "slots", 0);
    for _ in 0..300 {
        let prediction = Prediction { mean: 4.0 * rng.normal(), variance: libm::exp(3.0 * rng.normal()) };
        let mut last = vec![f64::NEG_INFINITY; 1 + rng.below(20)];
        for step in -40..=40 {
            let mut slots = vec![0.0; last.len()];
            let bound = prediction.mean + f64::from(step) * prediction.deviation() / 2.0;
            fill_one(Treatment::Sample, prediction, bound, None, &mut slots);
            assert!(slots.windows(2).all(|two| two[0] <= two[1]), "low quantiles first");
            for (slot, last) in slots.iter().zip(&last) {
                assert!(
                    *slot >= bound && slot - last >= -1e-11 * slot.abs().max(1.0),
                    "{prediction:?} {step}"
                );
            }
            last = slots;
        }
    }
}

#[test]
fn the_mean_of_slots_stays_below_the_cutoff_and_above_the_bound() {
    let mut rng = Rng::new(2, "slots", 0);
    let mut shifted = 0;
    for treatment in [Treatment::Mean, Treatment::Sample] {
        for _ in 0..500 {
            let cutoff = 2.0 * rng.normal();
            let bound = cutoff - 3.0 * rng.unit() * rng.unit();
            let prediction = Prediction { mean: 3.0 * rng.normal(), variance: rng.unit() };
            let mut slots = vec![0.0; 1 + rng.below(15)];
            fill_one(treatment, prediction, bound, Some(cutoff), &mut slots);
            let mean = slots.iter().sum::<f64>() / slots.len() as f64;
            assert!(mean <= cutoff + 1e-9 && mean >= bound - 1e-9, "{bound} {mean} {cutoff}");
            let mut free = slots.clone();
            fill_one(treatment, prediction, bound, None, &mut free);
            shifted += usize::from(free != slots);
        }
    }
    assert!(shifted > 100, "{shifted} shifts are too few for this test");
}

#[test]
fn low_quantiles_go_to_low_trees_and_every_copy_has_a_slot() {
    let readings: Vec<Reading> =
        (0..50).map(|i| if i % 2 == 0 { AtLeast(0.0) } else { Exact(0.0) }).collect();
    let mut bootstrap = Bootstrap::new(10, 4);
    bootstrap.extend(50);
    let mut slots = Slots::new(&readings, &bootstrap);
    let predictions = vec![Prediction { mean: 0.0, variance: 1.0 }; slots.points.len()];
    slots.fill(Treatment::Sample, &readings, &predictions, None);
    for (place, &point) in slots.points.iter().enumerate() {
        let copies: Vec<f64> = (0..10)
            .flat_map(|tree| slots.copies(tree, place, bootstrap.counts[tree][point as usize]).to_vec())
            .collect();
        let drawn: u32 = bootstrap.counts.iter().map(|counts| counts[point as usize]).sum();
        assert_eq!(copies.len(), drawn as usize);
        assert!(copies.windows(2).all(|two| two[0] < two[1]), "{copies:?}");
    }
}

#[test]
fn the_bootstrap_is_the_same_in_every_round() {
    let alike = InstanceTable::alike();
    let data = world(120, 3.0, &alike, 1);
    let weights = |rounds: usize| -> Vec<u64> {
        let settings = ForestSettings { rounds, tolerance: 0.0, min_leaf: 1, ..ForestSettings::default() };
        let (forest, effort) = fit(&settings, &data);
        assert_eq!(effort.rounds, rounds + 1);
        let leaves = |tree: &tree::Tree| {
            let all = tree.leaves.iter().zip(0..).filter(|&(_, at)| tree.is_leaf(at));
            all.map(|(leaf, _)| leaf.weight as u64).sum()
        };
        forest.trees.iter().map(leaves).collect()
    };
    assert_eq!(weights(1), weights(7));
    assert!(weights(1).iter().all(|&tree| tree == 120), "as many draws as points");
    let mut trainer = ForestTrainer::new(ForestSettings::default(), 11);
    trainer.fit(&data).unwrap();
    let mut fresh = Bootstrap::new(10, 11);
    fresh.extend(120);
    assert_eq!(trainer.counts(), fresh.counts, "rounds draw nothing");
}

#[test]
fn imputation_is_nearer_to_the_truth_than_ignoring_or_dropping() {
    let alike = InstanceTable::alike();
    let data = world(400, 4.0, &alike, 2);
    let censored = data.readings().iter().filter(|r| r.is_censored()).count();
    assert!((100..250).contains(&censored), "{censored}");
    let error_of =
        |treatment| error(&fit(&ForestSettings { treatment, ..ForestSettings::default() }, &data).0);
    let (ignore, drop) = (error_of(Treatment::Ignore), error_of(Treatment::Drop));
    let (mean, sample) = (error_of(Treatment::Mean), error_of(Treatment::Sample));
    println!("ignore {ignore:.3}, drop {drop:.3}, mean {mean:.3}, sample {sample:.3}");
    assert!(sample < 0.95 * ignore && sample < 0.95 * drop, "{ignore} {drop} {sample}");
    assert!(mean < 0.95 * ignore && mean < 0.95 * drop, "{ignore} {drop} {mean}");
    let settings = ForestSettings::default();
    let row = [0.95, 0.9, 0.5];
    let spread = |treatment| {
        marginals(&fit(&ForestSettings { treatment, ..settings.clone() }, &data).0, &row)[0].variance
    };
    assert!(spread(Treatment::Sample) > spread(Treatment::Mean), "sampling keeps the uncertainty");
}

#[test]
fn censored_points_take_several_rounds_and_exact_ones_a_single_round() {
    let alike = InstanceTable::alike();
    let data = world(200, 4.0, &alike, 3);
    let (_, effort) = fit(&ForestSettings::default(), &data);
    assert!(effort.filled > 40 && effort.rounds >= 3 && effort.rounds <= 11, "{effort:?}");
    let uncensored = world(200, 1e9, &alike, 3);
    assert_eq!(fit(&ForestSettings::default(), &uncensored).1.rounds, 1);
}

#[test]
fn marginal_predictions_match_a_row_for_each_instance() {
    let features: Vec<f64> = (0..24).map(|i| f64::from(i * 7 % 13) / 13.0).collect();
    for instances in [InstanceTable::of_features(&features, 2), InstanceTable::named(12)] {
        for marginal in [Marginal::Arithmetic, Marginal::Geometric] {
            let data = world(300, 20.0, &instances, 4);
            let (forest, _) = fit(&ForestSettings { marginal, ..ForestSettings::default() }, &data);
            let mut rng = Rng::new(1, "questions", 0);
            for _ in 0..40 {
                let row = [rng.unit(), (rng.below(5) as f64 + 0.5) / 5.0, rng.unit()];
                let all: Vec<f64> = (0..12)
                    .flat_map(|i| row.iter().chain(instances.row(i)).copied().collect::<Vec<_>>())
                    .collect();
                let found = marginals(&forest, &row)[0];
                let each: Vec<f64> = brute_force(&forest, &all, marginal);
                let mean = each.iter().sum::<f64>() / each.len() as f64;
                let variance = each.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / each.len() as f64;
                assert!((found.mean - mean).abs() < 1e-9, "{found:?} {mean}");
                assert!((found.variance - variance).abs() < 1e-9, "{found:?} {variance}");
            }
        }
    }
}

/// Predicts with each tree, averaging over these rows; there is one row for each instance.
fn brute_force(forest: &Forest, rows: &[f64], marginal: Marginal) -> Vec<f64> {
    let points = Points::new(rows, forest.columns.len());
    let mut coded = Vec::new();
    forest.write_rows(&forest.columns, points, &mut coded);
    let one = |tree: &tree::Tree| {
        let leaves = coded.chunks_exact(points.width()).map(|row| &tree.leaves[tree.leaf_of(row) as usize]);
        let n = points.len() as f64;
        match marginal {
            Marginal::Geometric => leaves.map(|leaf| leaf.mean).sum::<f64>() / n,
            Marginal::Arithmetic => {
                let costs = leaves.map(|leaf| leaf.power * libm::pow(10.0, forest.reference));
                libm::log10(costs.sum::<f64>() / n)
            }
        }
    };
    forest.trees.iter().map(one).collect()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let named = InstanceTable::named(6);
    let data = world(150, 8.0, &named, 5);
    let rows = [0.2, 0.3, 0.4, 0.9, 0.7, 0.1];
    let of =
        |threads| marginals(&fit(&ForestSettings { threads, ..ForestSettings::default() }, &data).0, &rows);
    let one = of(1);
    for threads in [2, 3, 10, 64] {
        assert_eq!(of(threads), one, "{threads}");
    }
}

#[test]
fn a_later_fit_continues_from_the_last_forest() {
    let alike = InstanceTable::alike();
    let settings = ForestSettings::default();
    let mut trainer = ForestTrainer::new(settings.clone(), 11);
    let (_, first) = trainer.fit(&world(380, 4.0, &alike, 2)).unwrap();
    let all = world(400, 4.0, &alike, 2);
    let (later, second) = trainer.fit(&all).unwrap();
    assert!(second.rounds < first.rounds, "{first:?} {second:?}");
    let (cold, _) = fit(&settings, &all);
    assert!((error(&later) - error(&cold)).abs() < 0.05, "{} {}", error(&later), error(&cold));
    // A set with other points is learned from the start.
    let other = world(400, 4.0, &alike, 6);
    let (from_start, _) = trainer.fit(&other).unwrap();
    assert_eq!(
        marginals(&from_start, &[0.2, 0.3, 0.4]),
        marginals(&fit(&settings, &other).0, &[0.2, 0.3, 0.4])
    );
}

#[test]
fn many_trees_interpolate_linearly() {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    for x in [0.0, 1.0] {
        for _ in 0..30 {
            let configuration = data.push_configuration(&[x]);
            data.push(configuration, 0, Exact(x));
        }
    }
    let (forest, _) = fit(&ForestSettings { trees: 2000, ..ForestSettings::default() }, &data);
    for x in [0.1, 0.25, 0.5, 0.8] {
        let found = marginals(&forest, &[x])[0];
        assert!(
            (found.mean - x).abs() < 0.04 && (found.variance - x * (1.0 - x)).abs() < 0.03,
            "{x} {found:?}"
        );
    }
}

#[test]
fn subsets_of_a_thousand_categories_are_found_and_unseen_ones_are_uncertain() {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Category(1000)], &alike, Scale::Linear, None);
    let value = |i: usize| (i as f64 + 0.5) / 1000.0;
    for i in (0..1000).filter(|i| i % 10 != 0) {
        let configuration = data.push_configuration(&[value(i)]);
        data.push(configuration, 0, Exact(if i % 2 == 0 { 0.0 } else { 1.0 }));
    }
    let (forest, _) = fit(&ForestSettings { trees: 30, ..ForestSettings::default() }, &data);
    let mut wrong = 0;
    for i in (1..1000).filter(|i| i % 10 != 0) {
        wrong += usize::from((marginals(&forest, &[value(i)])[0].mean > 0.5) != (i % 2 == 1));
    }
    assert!(wrong < 10, "{wrong}");
    let unseen = marginals(&forest, &[value(500)])[0];
    assert!(unseen.variance > 0.1, "{unseen:?}");
}

#[test]
fn inactive_is_a_separate_value() {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    for i in 0..60 {
        let (x, y) = if i % 2 == 0 { (space::INACTIVE, 5.0) } else { (0.4 + 0.01 * f64::from(i), 1.0) };
        let configuration = data.push_configuration(&[x]);
        data.push(configuration, 0, Exact(y));
    }
    let (forest, _) = fit(&ForestSettings::default(), &data);
    assert!((marginals(&forest, &[space::INACTIVE])[0].mean - 5.0).abs() < 1e-9);
    assert!((marginals(&forest, &[0.0])[0].mean - 1.0).abs() < 1e-9, "no number is predicted like inactive");
}

#[test]
fn predicted_shares_are_never_exactly_zero_or_one() {
    let alike = InstanceTable::alike();
    let mut data = TrainingSet::new(&[Column::Number], &alike, Scale::Linear, None);
    for i in 0..40 {
        let x = f64::from(i) / 40.0;
        let configuration = data.push_configuration(&[x]);
        data.push(configuration, 0, Exact(if x < 0.5 { 1.0 } else { 0.0 }));
    }
    let (forest, _) = fit(&ForestSettings::of_success(), &data);
    let share = |x: f64| marginals(&forest, &[x])[0].mean;
    // Near 0.1, all of about 20 trials succeed; near 0.9, none of about 20 does.
    assert!(
        share(0.1) > 0.9 && share(0.1) < 1.0 && share(0.9) < 0.1 && share(0.9) > 0.0,
        "{} {}",
        share(0.1),
        share(0.9)
    );
    for tree in &forest.trees {
        for (leaf, at) in tree.leaves.iter().zip(0..).filter(|&(_, at)| tree.is_leaf(at)) {
            let successes = leaf.mean * (leaf.weight + 2.0) - 1.0;
            assert!((successes - successes.round()).abs() < 1e-9, "{at} {leaf:?}");
        }
    }
}

#[test]
fn believed_configurations_become_less_uncertain() {
    let named = InstanceTable::named(6);
    let data = world(100, 8.0, &named, 7);
    let (forest, _) = fit(&ForestSettings::default(), &data);
    let row = [0.95, 0.3, 0.4];
    let (before, after) =
        (marginals(&forest, &row)[0], marginals(&forest.believing(Points::new(&row, 3)), &row)[0]);
    assert!(after.variance < 0.9 * before.variance, "{before:?} {after:?}");
    assert!((after.mean - before.mean).abs() < 0.1, "{before:?} {after:?}");
}
