use serde_json::Value;
use surrogate::forest::{ForestSettings, ForestTrainer, Region, Side};
use surrogate::{Column, InstanceTable, Reading, Scale, TrainingSet};

use math::Rng;

use super::tree::TreeVariances;
use super::{Fanova, fanova, summarise};
use crate::completed;

const NUMBER: Column = Column::Number;

fn region(value: f64, instances: &[u32], sides: &[(usize, Side)]) -> Region {
    Region { value, instances: instances.to_vec(), sides: sides.to_vec() }
}

fn below(cut: f64) -> Side {
    Side::Interval(f64::NEG_INFINITY, cut)
}

fn above(cut: f64) -> Side {
    Side::Interval(cut, f64::INFINITY)
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} instead of {expected}");
}

/// Reads the recorded tree as regions.
fn recorded_regions(nodes: &[Value]) -> Vec<Region> {
    let (mut regions, mut pending) = (Vec::new(), vec![(0_usize, [(f64::NEG_INFINITY, f64::INFINITY); 5])]);
    while let Some((at, bounds)) = pending.pop() {
        let node = |place: usize| nodes[at][place].as_f64().unwrap();
        if node(0) < 0.0 {
            let is_restricted = |(low, high): (f64, f64)| low.is_finite() || high.is_finite();
            let sides = bounds.iter().enumerate().filter(|(_, bounds)| is_restricted(**bounds));
            let sides: Vec<(usize, Side)> =
                sides.map(|(column, &(low, high))| (column, Side::Interval(low, high))).collect();
            regions.push(region(node(4), &[0], &sides));
            continue;
        }
        let (column, threshold) = (node(0) as usize, node(1));
        let (mut left, mut right) = (bounds, bounds);
        left[column].1 = left[column].1.min(threshold);
        right[column].0 = right[column].0.max(threshold);
        pending.extend([(node(2) as usize, left), (node(3) as usize, right)]);
    }
    regions
}

#[test]
fn variances_agree_with_optunas() {
    let recorded: Value = serde_json::from_str(include_str!("../../tests/data/fanova.json")).unwrap();
    let regions = recorded_regions(recorded["nodes"].as_array().unwrap());
    let tree = TreeVariances::of(&regions, 1, &[NUMBER; 5], 1.0);
    let number = |value: &Value| value.as_f64().unwrap();
    let agree = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    };
    agree(tree.total, number(&recorded["total"]));
    for (found, expected) in tree.columns.iter().zip(recorded["single"].as_array().unwrap()) {
        agree(*found, number(expected));
    }
    for pair in recorded["pairs"].as_array().unwrap() {
        let columns = [0, 1].map(|place| number(&pair[place]) as usize);
        agree(tree.pairs.get(&columns).copied().unwrap_or(0.0), number(&pair[2]));
    }
}

#[test]
fn an_interaction_computed_by_hand() {
    // 8 in one quarter of the square, 0 elsewhere: a_x is 4 or 0, and so is a_y.
    let regions = [
        region(8.0, &[0], &[(0, below(0.5)), (1, below(0.5))]),
        region(0.0, &[0], &[(0, below(0.5)), (1, above(0.5))]),
        region(0.0, &[0], &[(0, above(0.5))]),
    ];
    let tree = TreeVariances::of(&regions, 1, &[NUMBER; 3], 1.0);
    close(tree.total, 12.0);
    close(tree.columns[0], 4.0);
    close(tree.columns[1], 4.0);
    assert_eq!(tree.columns[2], 0.0);
    close(tree.pairs[&[0, 1]], 4.0);
    assert_eq!(tree.pairs.len(), 1);
}

#[test]
fn instances_are_averaged_and_overlapping_regions_count() {
    // Instance 0 depends on x, and instance 1 on y: f = (4·[x > 1/2] + 2·[y > 1/4] + 100) / 2.
    let regions = [
        region(0.0, &[0], &[(0, below(0.5))]),
        region(4.0, &[0], &[(0, above(0.5))]),
        region(100.0, &[1], &[(1, below(0.25))]),
        region(102.0, &[1], &[(1, above(0.25))]),
    ];
    let tree = TreeVariances::of(&regions, 2, &[NUMBER; 2], 1.0);
    close(tree.columns[0], 1.0);
    close(tree.columns[1], 3.0 / 16.0);
    close(tree.total, 1.0 + 3.0 / 16.0);
    assert!(tree.pairs.is_empty());
}

#[test]
fn categories_are_equally_likely_and_inactive_values_do_not_occur() {
    let columns = [Column::Category(4), Column::Number];
    let second_or_inactive = Side::Categories(vec![false, true, false, false, true]);
    let others = Side::Categories(vec![true, false, true, true, false]);
    let regions = [region(1.0, &[0], &[(0, second_or_inactive)]), region(0.0, &[0], &[(0, others)])];
    let tree = TreeVariances::of(&regions, 1, &columns, 1.0);
    close(tree.columns[0], 0.25 * 0.75);
    let regions = [
        region(6.0, &[0], &[(1, below(-0.5))]),
        region(0.0, &[0], &[(1, Side::Interval(-0.5, 0.5))]),
        region(2.0, &[0], &[(1, above(0.5))]),
    ];
    let tree = TreeVariances::of(&regions, 1, &columns, 1.0);
    close(tree.columns[1], 1.0);
    close(tree.total, 1.0);
}

#[test]
fn a_cap_hides_differences_among_bad_configurations() {
    // x decides between good and bad; y only matters where x is bad.
    let regions = [
        region(1.0, &[0], &[(0, below(0.25))]),
        region(2.0, &[0], &[(0, Side::Interval(0.25, 0.5))]),
        region(10.0, &[0], &[(0, above(0.5)), (1, below(0.5))]),
        region(90.0, &[0], &[(0, above(0.5)), (1, above(0.5))]),
    ];
    let whole = TreeVariances::of(&regions, 1, &[NUMBER; 2], 1.0);
    let capped = TreeVariances::of(&regions, 1, &[NUMBER; 2], 0.5);
    assert!(whole.columns[1] > 0.2 * whole.total);
    close(capped.columns[1], 0.0);
    close(capped.columns[0], capped.total);
    close(capped.total, 0.1875);
    close(capped.cap, 2.0);
}

/// Fits a forest to a made-up function of six columns; the last column does nothing.
fn fitted(censored: bool) -> Fanova {
    let columns =
        [Column::Number, Column::Number, Column::Number, Column::Category(3), Column::Number, Column::Number];
    let instances = InstanceTable::named(5);
    let mut data = TrainingSet::new(&columns, &instances, Scale::Log10 { grain: 1e-3 }, Some(100.0));
    let mut rng = Rng::new(7, "made up", 0);
    for _ in 0..600 {
        let mut row: Vec<f64> = (0..6).map(|_| rng.unit()).collect();
        row[3] = (rng.below(3) as f64 + 0.5) / 3.0;
        row[4] = if row[3] < 0.3 { row[4] } else { -1.0 };
        let number = data.push_configuration(&row);
        for instance in 0..2 {
            let instance = (instance * 3 + rng.below(2)) % 5;
            let log = 0.2 * instance as f64
                + row[0]
                + 0.8 * row[1] * row[2]
                + f64::from(row[3] > 0.6) * 0.4
                + row[4].max(0.0) * 0.5;
            let cost = power_of_ten(log);
            let cap = 12.0;
            let reading = if censored && cost > cap { Reading::AtLeast(cap) } else { Reading::Exact(cost) };
            data.push(number, instance, reading);
        }
    }
    let settings = ForestSettings { trees: 16, ..ForestSettings::default() };
    let (forest, _) = ForestTrainer::new(settings, 1).fit(&completed(data, 1)).unwrap();
    fanova(&forest, &columns, 1.0, 2).unwrap()
}

fn power_of_ten(x: f64) -> f64 {
    math::elementary::exp(x * std::f64::consts::LN_10)
}

#[test]
fn shares_sum_to_at_most_one_and_a_column_that_does_nothing_has_almost_none() {
    for censored in [false, true] {
        let found = fitted(censored);
        let sum: f64 = found.columns.iter().map(|share| share.mean).sum::<f64>()
            + found.pairs.iter().map(|pair| pair.share.mean).sum::<f64>();
        assert!(sum <= 1.0 + 1e-9, "{sum}");
        assert!((sum + found.higher - 1.0).abs() < 1e-9);
        assert!(found.columns[5].mean < 0.01, "{:?}", found.columns);
        // The category decides whether the fifth column is active. Being inactive is not the column's effect.
        assert!(found.columns[4].mean < 0.05, "{:?}", found.columns);
        let largest = found.columns.iter().map(|share| share.mean).fold(0.0, f64::max);
        assert_eq!(found.columns[0].mean, largest);
        // Censored costs flatten the worst corner of the space, so other pairs seem to interact as well.
        assert!(censored || found.pairs[0].columns == [1, 2], "{:?}", found.pairs);
        assert!(found.columns.iter().all(|share| share.spread >= 0.0 && share.mean >= 0.0));
    }
}

#[test]
fn shares_do_not_depend_on_the_number_of_threads_and_a_constant_has_none() {
    let columns = [Column::Number, Column::Number];
    let instances = InstanceTable::alike();
    let mut data = TrainingSet::new(&columns, &instances, Scale::Linear, None);
    let mut flat = data.clone();
    let mut rng = Rng::new(1, "flat", 0);
    for _ in 0..100 {
        let row = [rng.unit(), rng.unit()];
        let (number, same) = (data.push_configuration(&row), flat.push_configuration(&row));
        data.push(number, 0, Reading::Exact(row[0] + row[1]));
        flat.push(same, 0, Reading::Exact(0.1));
    }
    let fit = |data: &TrainingSet<'_>| ForestTrainer::new(ForestSettings::default(), 2).fit(data).unwrap().0;
    let forest = fit(&data);
    assert_eq!(fanova(&forest, &columns, 0.5, 1), fanova(&forest, &columns, 0.5, 3));
    assert_eq!(fanova(&fit(&flat), &columns, 1.0, 1), None);
    assert!(summarise(&[], 2).is_none());
}
