//! Simulated worlds.

use math::Rng;
use space::Configuration;
use targets::worlds::{Answer, BOUND, Ending, Kind, World, mixed_space};

const INSTANCES: u32 = 20;

fn world(kind: Kind, seed: u64) -> World {
    World::new(kind, &mixed_space(), INSTANCES, seed)
}

fn configurations(count: usize) -> Vec<Configuration> {
    let (space, mut rng) = (mixed_space(), Rng::new(1, "worlds", 0));
    (0..count).map(|_| space.sample(&mut rng).unwrap()).collect()
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns how much configurations differ: the largest mean cost over instances divided by the smallest.
fn spread(world: &World) -> f64 {
    let costs: Vec<f64> = configurations(100)
        .iter()
        .map(|configuration| mean((0..5).map(|instance| world.mean(configuration, instance))))
        .collect();
    costs.iter().copied().fold(0.0, f64::max) / costs.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn answers_are_repeatable_and_depend_on_all_arguments() {
    let all = configurations(2);
    for kind in Kind::ALL {
        let answer = |world_seed, which: usize, instance, seed| -> Answer {
            world(kind, world_seed).answer(&all[which], instance, seed)
        };
        let base = answer(1, 0, 3, 7);
        assert_eq!(base, answer(1, 0, 3, 7), "{kind:?}");
        assert!(base.cost.is_finite() && base.cost > 0.0);
        assert_ne!(base.cost, answer(2, 0, 3, 7).cost, "{kind:?}: the world's seed");
        assert_ne!(base.cost, answer(1, 1, 3, 7).cost, "{kind:?}: the configuration");
        assert_ne!(base.cost, answer(1, 0, 4, 7).cost, "{kind:?}: the instance");
        assert_eq!(base.cost == answer(1, 0, 3, 8).cost, kind == Kind::Deterministic, "{kind:?}: the seed");
        assert_eq!(base.constraints.len(), usize::from(kind == Kind::Constrained));
    }
}

#[test]
fn means_match_the_average_of_answers() {
    for kind in Kind::ALL {
        let world = world(kind, 5);
        for configuration in configurations(3) {
            let n = 10_000;
            let costs: Vec<f64> = (0..n).map(|seed| world.answer(&configuration, 2, seed).cost).collect();
            let seen = mean(costs.iter().copied());
            let deviation = mean(costs.iter().map(|cost| (cost - seen).powi(2))).sqrt();
            let expected = world.mean(&configuration, 2);
            let tolerance = 5.0 * deviation / (n as f64).sqrt() + 1e-9 * expected;
            assert!((seen - expected).abs() < tolerance, "{kind:?}: {seen} for {expected}");
        }
    }
}

#[test]
fn in_a_flat_world_no_configuration_is_better() {
    let world = world(Kind::Flat, 1);
    assert_eq!(spread(&world), 1.0);
    // Single trials still differ: two configurations have different costs on the same pair.
    let all = configurations(2);
    let ratio = world.answer(&all[0], 0, 1).cost / world.answer(&all[1], 0, 1).cost;
    assert!((ratio - 1.0).abs() > 0.01);
}

#[test]
fn in_other_worlds_configurations_differ_widely() {
    for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Flat) {
        for seed in 1..6 {
            let spread = spread(&world(kind, seed));
            assert!((2.5..2000.0).contains(&spread), "{kind:?} {seed}: {spread}");
        }
    }
}

#[test]
fn log_uniform_costs_fill_their_range() {
    let world = world(Kind::LogUniform, 1);
    let configuration = mixed_space().default_configuration();
    let costs: Vec<f64> = (0..2000).map(|seed| world.answer(&configuration, 0, seed).cost).collect();
    assert!(costs.iter().all(|cost| (1.0..=5000.0).contains(cost)));
    assert!(costs.iter().any(|&cost| cost < 1.5) && costs.iter().any(|&cost| cost > 4000.0));
}

#[test]
fn a_crashing_world_has_regions_that_crash_or_run_out_of_memory() {
    let (space, all) = (mixed_space(), configurations(400));
    for seed in 1..20 {
        let world = world(Kind::Crashing, seed);
        let (mut crashed, mut memory) = (0, 0);
        for configuration in &all {
            let kind = |seed| {
                let answer = world.answer(configuration, 1, seed);
                match answer.ending {
                    Ending::Finished => 0,
                    Ending::Crashed { after } | Ending::MemoryOut { after } if after >= answer.cost => {
                        panic!("failed after its own end")
                    }
                    Ending::Crashed { .. } => 1,
                    Ending::MemoryOut { .. } => 2,
                }
            };
            assert_eq!(kind(1), kind(2), "a region does not depend on the seed");
            crashed += usize::from(kind(1) == 1);
            memory += usize::from(kind(1) == 2);
        }
        assert!((20..300).contains(&crashed) && (10..300).contains(&memory), "{seed}: {crashed} {memory}");
        assert_eq!(world.answer(&space.default_configuration(), 1, 1).ending, Ending::Finished);
    }
}

#[test]
fn the_second_output_falls_as_the_cost_rises() {
    let (space, all) = (mixed_space(), configurations(400));
    for seed in 1..10 {
        let world = world(Kind::Constrained, seed);
        let second = |configuration: &Configuration| world.answer(configuration, 0, 1).constraints[0];
        assert_eq!(second(&space.default_configuration()), BOUND, "the default is just feasible");
        let points: Vec<(f64, f64)> = all.iter().map(|c| (world.mean(c, 0).ln(), second(c).ln())).collect();
        let (a, b) = (mean(points.iter().map(|p| p.0)), mean(points.iter().map(|p| p.1)));
        let moment = |f: &dyn Fn(&(f64, f64)) -> f64| mean(points.iter().map(f));
        let correlation = moment(&|p| (p.0 - a) * (p.1 - b))
            / (moment(&|p| (p.0 - a).powi(2)) * moment(&|p| (p.1 - b).powi(2))).sqrt();
        assert!(correlation < -0.4, "{seed}: {correlation}");
        let feasible = points.iter().filter(|p| p.1 <= 0.0).count();
        assert!((4..397).contains(&feasible), "{seed}: {feasible} of 400 are feasible");
    }
}

#[test]
fn costs_match_the_recorded_ones() {
    let configuration = mixed_space().default_configuration();
    let costs = Kind::ALL.map(|kind| format!("{:.9e}", world(kind, 11).answer(&configuration, 5, 13).cost));
    assert_eq!(
        costs,
        [
            "3.355778479e0",
            "4.922105253e0",
            "4.477199004e0",
            "5.018514797e0",
            "5.018514797e0",
            "1.830179193e2"
        ]
    );
}
