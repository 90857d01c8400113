use math::Rng;
use serde_json::Value;

use super::{Bins, ped_anova};

#[test]
fn shares_agree_with_optunas() {
    let recorded: Value = serde_json::from_str(include_str!("../../tests/data/ped_anova.json")).unwrap();
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect()
    };
    let rows: Vec<f64> = recorded["rows"].as_array().unwrap().iter().flat_map(numbers).collect();
    let columns =
        [Bins::Continuous, Bins::Continuous, Bins::Categories(4), Bins::Ordered(7), Bins::Continuous];
    let found = ped_anova(&columns, &rows, &numbers(&recorded["costs"]), 0.1);
    for (found, expected) in found.iter().zip(numbers(&recorded["shares"])) {
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
    }
}

#[test]
fn the_column_that_decides_has_nearly_the_whole_share() {
    let mut rng = Rng::new(1, "ped", 0);
    let rows: Vec<f64> = (0..2000).map(|_| rng.unit()).collect();
    let costs: Vec<f64> = rows.chunks_exact(4).map(|row| (row[2] - 0.5).abs()).collect();
    let found = ped_anova(&[Bins::Continuous; 4], &rows, &costs, 0.1);
    assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(found[2] > 0.8, "{found:?}");
}

#[test]
fn nothing_to_compare_gives_no_shares() {
    assert_eq!(ped_anova(&[Bins::Continuous], &[], &[], 0.1), [0.0]);
    let same = ped_anova(&[Bins::Continuous, Bins::Categories(1)], &[0.5, 0.5, 0.2, 0.5], &[1.0, 1.0], 0.1);
    assert_eq!(same, [0.0, 0.0]);
    assert_eq!(ped_anova(&[Bins::Continuous], &[-1.0, -1.0], &[1.0, 2.0], 0.5), [0.0]);
}
