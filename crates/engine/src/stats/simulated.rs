//! Simulated validations. They measure the rate of false claims if there is no improvement, the power if
//! there is one, and the coverage of the intervals.
//!
//! ```text
//! log cost = a_i + b_ic - gain (if tuned) + e          a cost above the cutoff counts as 10 cutoffs
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | a_i | hardness of instance i, normal with standard deviation 1.5 |
//! | b_ic | preference of instance i for configuration c, normal |
//! | e | noise of one trial, normal |
//!
//! To save time, the tests draw fewer patterns and resamples than campaigns do. That reduces the power, but
//! the tests stay valid. The ignored test prints the numbers with as many draws as a campaign:
//!
//! ```text
//! cargo test --release -p captune-engine --lib stats::simulated -- --ignored --nocapture
//! ```

use math::Rng;

use super::paired::{DRAWS, Measured, compare_with};
use super::verdict::{Basis, Claim, Validated, judge_with};
use super::{Interval, mean_cost};
use crate::trial::InstanceId;

/// Number of patterns drawn. With 99 patterns, p can equal 5 % exactly, so the level of the test is exact.
const FEW: usize = 99;

const HARDNESS: f64 = 1.5;

#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    preference: f64,
    noise: f64,
    gain: f64,
    cutoff: f64,
}

/// A world with heavy tails: the costs of trials spread over five orders of magnitude.
const FLAT: World = World { name: "flat", preference: 0.0, noise: 1.0, gain: 0.0, cutoff: f64::INFINITY };
/// A world in which a quarter of the trials reach the cutoff.
const TIMEOUTS: World = World { name: "flat, 25 % timeouts", cutoff: 3.4, ..FLAT };
/// A world in which each instance prefers one of the two configurations, but overall neither is better.
const PREFERENCES: World = World { name: "flat, instances differ", preference: 0.7, noise: 0.3, ..FLAT };
/// A world in which the tuned configuration is e^0.7 times as good, which is about twice as good.
const GAIN: World = World { name: "gain", noise: 0.5, gain: 0.7, ..FLAT };
const GAIN_TIMEOUTS: World = World { name: "gain, timeouts", cutoff: 3.4, ..GAIN };

impl World {
    fn cost(self, log: f64) -> f64 {
        let cost = libm::exp(log);
        if cost > self.cutoff { 10.0 * self.cutoff } else { cost }
    }

    fn draw(self, instances: usize, seeds: usize, rng: &mut Rng) -> Vec<Validated> {
        let mut all = Vec::new();
        for i in 0..instances {
            let hardness = HARDNESS * rng.normal();
            let preference = [self.preference * rng.normal(), self.preference * rng.normal() - self.gain];
            for _ in 0..seeds {
                let [default, tuned] =
                    preference.map(|preference| self.cost(hardness + preference + self.noise * rng.normal()));
                all.push(Validated {
                    measured: Measured { instance: InstanceId(i as u32), default, tuned },
                    default_solved: default <= self.cutoff,
                    tuned_solved: tuned <= self.cutoff,
                    tuned_wrong: false,
                });
            }
        }
        all
    }

    /// Returns the mean of a log-normal cost with the penalty for timeouts, computed in closed form.
    fn mean(self, gain: f64) -> f64 {
        let variance = HARDNESS * HARDNESS + self.preference * self.preference + self.noise * self.noise;
        let full = libm::exp(variance / 2.0 - gain);
        if self.cutoff == f64::INFINITY {
            return full;
        }
        let below = |x: f64| math::normal::cdf(x / variance.sqrt());
        let log = libm::log(self.cutoff) + gain;
        full * below(log - variance) + 10.0 * self.cutoff * (1.0 - below(log))
    }
}

/// Shares of the data sets with each result.
#[derive(Debug)]
struct Shares {
    faster: f64,
    slower: f64,
    rejected: f64,
    covered: f64,
}

fn shares(world: World, instances: usize, seeds: usize, sets: u64, draws: usize) -> Shares {
    let truth = world.mean(0.0) / world.mean(world.gain);
    let mut found = Shares { faster: 0.0, slower: 0.0, rejected: 0.0, covered: 0.0 };
    for set in 0..sets {
        let mut rng = Rng::new(set, world.name, (instances * 1000 + seeds) as u64);
        let data = world.draw(instances, seeds, &mut rng);
        let verdict = judge_with(&data, Basis::UnseenInstances, None, draws, &mut rng).unwrap();
        let Interval { low, high } = verdict.comparison.interval.unwrap();
        let one = 1.0 / sets as f64;
        found.faster += if verdict.claim == Claim::Faster { one } else { 0.0 };
        found.slower += if verdict.claim == Claim::Slower { one } else { 0.0 };
        found.rejected += if verdict.comparison.p <= 0.05 { one } else { 0.0 };
        found.covered += if low <= truth && truth <= high { one } else { 0.0 };
    }
    found
}

#[test]
fn improvements_are_rarely_claimed_if_there_is_none() {
    for world in [FLAT, TIMEOUTS] {
        for pairs in [5, 10, 20, 50] {
            let found = shares(world, pairs, 1, 2000, FEW);
            // The limit is one side of a two-sided test at 5 %, plus three standard errors.
            assert!(found.faster <= 0.025 + 0.0105, "{} {pairs}: {found:?}", world.name);
            assert!(found.rejected <= 0.05 + 0.015, "{} {pairs}: {found:?}", world.name);
            assert!(pairs == 5 || found.rejected >= 0.03, "the test is too conservative: {found:?}");
        }
    }
}

#[test]
fn false_claims_are_as_rare_for_a_target_without_instances() {
    let found = shares(FLAT, 1, 30, 1000, FEW);
    assert!(found.faster <= 0.025 + 0.015 && found.rejected <= 0.05 + 0.021, "{found:?}");
}

#[test]
fn preferences_of_single_instances_are_not_claimed_as_an_improvement() {
    // If pairs were the units, an improvement would be claimed in one of every three campaigns.
    let found = shares(PREFERENCES, 8, 10, 1000, FEW);
    assert!(found.faster <= 0.025 + 0.015 && found.rejected <= 0.05 + 0.021, "{found:?}");
}

#[test]
fn real_gains_are_claimed() {
    let found = shares(GAIN, 50, 1, 300, FEW);
    assert!(found.faster > 0.8 && found.slower == 0.0, "{found:?}");
}

#[test]
fn intervals_of_the_ratio_cover_it() {
    for (world, instances, least) in [(GAIN, 5, 0.89), (GAIN, 10, 0.89), (GAIN_TIMEOUTS, 50, 0.91)] {
        let found = shares(world, instances, 1, 600, 600);
        assert!(found.covered >= least, "{} {instances}: {found:?}", world.name);
    }
}

#[test]
fn intervals_of_a_mean_cover_it() {
    for (world, pairs, least) in [(TIMEOUTS, 20, 0.93), (TIMEOUTS, 131, 0.93), (TIMEOUTS, 500, 0.93)] {
        let sets = 2000;
        let covered = (0..sets).filter(|&set| {
            let data = world.draw(pairs, 1, &mut Rng::new(set, "mean", pairs as u64));
            let Interval { low, high } =
                mean_cost(data.iter().map(|one| one.measured.default)).unwrap().interval.unwrap();
            (low..=high).contains(&world.mean(0.0))
        });
        let share = covered.count() as f64 / sets as f64;
        assert!((least..0.975).contains(&share), "{pairs}: {share}");
    }
}

#[test]
fn means_in_closed_form_match_those_of_the_draws() {
    for (world, gain) in [(TIMEOUTS, 0.0), (GAIN_TIMEOUTS, GAIN.gain)] {
        let data = world.draw(200_000, 1, &mut Rng::new(1, "closed", 0));
        let mean = data.iter().map(|one| one.measured.tuned).sum::<f64>() / data.len() as f64;
        assert!((mean / world.mean(gain) - 1.0).abs() < 0.015, "{mean} {}", world.mean(gain));
    }
}

#[test]
#[ignore = "prints a table; run it in release mode"]
fn figures() {
    println!(
        "| world | instances | seeds | faster | slower | p <= 5 % | covered |\n|---|---|---|---|---|---|---|"
    );
    let shapes = [(5, 1), (10, 1), (20, 1), (50, 1)];
    let mut rows: Vec<(World, usize, usize)> = Vec::new();
    for world in [FLAT, TIMEOUTS, PREFERENCES, GAIN, GAIN_TIMEOUTS] {
        rows.extend(shapes.map(|(instances, seeds)| (world, instances, seeds)));
    }
    rows.extend([(FLAT, 1, 30), (PREFERENCES, 8, 10)]);
    for (world, instances, seeds) in rows {
        let found = shares(world, instances, seeds, 2000, DRAWS);
        let [faster, slower, rejected, covered] =
            [found.faster, found.slower, found.rejected, found.covered].map(|share| 100.0 * share);
        println!(
            "| {} | {instances} | {seeds} | {faster:.1} | {slower:.1} | {rejected:.1} | {covered:.1} |",
            world.name
        );
    }
    let data = GAIN.draw(1000, 1, &mut Rng::new(1, "size", 0));
    let measured: Vec<Measured> = data.iter().map(|one| one.measured).collect();
    println!("\n{:?}", compare_with(&measured, DRAWS, &mut Rng::new(1, "size", 1)).unwrap());
}
