//! Checks the properties shown in the figure of killed trials.

use surrogate::forest::Treatment;

#[allow(dead_code, unreachable_pub, reason = "the example has its own main function")]
#[path = "../../examples/killed_trials.rs"]
mod example;

use example::{CAP, PLACES, cost, learned};

fn deviations(treatment: Treatment, trials: usize, places: &[f64]) -> Vec<f64> {
    learned(treatment, trials, places).unwrap().iter().map(|it| it.deviation()).collect()
}

#[test]
fn trees_agree_on_finished_trials_but_not_on_killed_ones() {
    let (killed, finished): (Vec<f64>, Vec<f64>) = PLACES.iter().partition(|x| cost(**x) > CAP);
    // There are so many trials at each place that every tree has drawn some of them.
    let sampled = deviations(Treatment::Sample, 10, &killed);
    for treatment in [Treatment::Mean, Treatment::Ignore] {
        let collapsed = deviations(treatment, 10, &killed);
        for ((x, sampled), collapsed) in killed.iter().zip(&sampled).zip(collapsed) {
            println!("{x}: sampled {sampled:.4}, {treatment:?} {collapsed:.4}");
            assert!(*sampled > 3.0 * collapsed && *sampled > 0.01, "at {x}");
        }
    }
    for (x, deviation) in finished.iter().zip(deviations(Treatment::Sample, 10, &finished)) {
        assert!(deviation < 0.02, "at {x} {deviation}");
    }
}

#[test]
fn between_finished_trials_the_mean_is_a_straight_line() {
    let neighbours = || PLACES.windows(2).filter(|two| two.iter().all(|x| cost(*x) <= CAP));
    let asked: Vec<f64> =
        neighbours().flat_map(|two| [0.25, 0.5, 0.75].map(|t| two[0] + t * (two[1] - two[0]))).collect();
    let found = learned(Treatment::Sample, 10, &asked).unwrap();
    assert!(found.len() > 6);
    for (found, two) in found.chunks_exact(3).zip(neighbours()) {
        for (found, t) in found.iter().zip([0.25, 0.5, 0.75]) {
            let straight = cost(two[0]) + t * (cost(two[1]) - cost(two[0]));
            assert!((found.mean - straight).abs() < 0.03, "{two:?} {t}: {found:?} {straight}");
        }
    }
}
