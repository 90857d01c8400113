//! synthetic-76: a target with 76 parameters whose costs are computed by a formula. It has what small
//! examples lack: many parameters that hardly matter, conditions that matter, interactions, subsets of
//! choices, and crashes.
//!
//! ```text
//! ln cost(x, i, s) = difficulty(i) + sum over effects + sum over interactions + small(x) + noise(x, i, s)
//! ```
//!
//! | term | definition |
//! |---|---|
//! | difficulty(i) | uniform on [ln 0.01, ln 10]: a thousandfold spread |
//! | effects | the table in `effects`: a parabola around the best position of a range, a number per choice |
//! | strategy | the best strategy depends on the class of the instance; there are three classes |
//! | interactions | the best values of two ranges depend on each other: weight (u - v - shift)^2 |
//! | small(x) | at most 0.04 per other active parameter: a parabola or a number per choice, drawn once |
//! | noise | normal of deviation 0.5, its exponential of mean 1; differs by configuration, instance and seed |
//!
//! u and v are positions on the parameters' scales, from 0 to 1. An inactive parameter has no effect, so a
//! strategy is as good as its own parameters make it. A configuration with strong elimination in
//! preprocessing and a small pool crashes on every instance. About 4 % of random configurations crash, after
//! a tenth of the cost that the trial would otherwise have had. The default configuration does not crash.
//!
//! The number of instances is unlimited. Instances with even numbers are for training, those with odd numbers
//! for testing.

mod effects;

use math::Rng;
use space::format::{Format, read};
use space::{Configuration, Space};
use space::{Domain, INACTIVE};

use effects::{CRASH, EFFECTS, INTERACTIONS, STRATEGIES, Shape};

/// The result of a trial that is never stopped.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// Cost in seconds.
    pub cost: f64,
    /// Whether the trial crashes after that cost.
    pub crashed: bool,
}

/// Maximum effect of a parameter that hardly matters.
const SMALL: f64 = 0.04;
const NOISE: f64 = 0.5;
/// A crashing trial crashes after this share of the cost that it would have had.
const CRASH_AFTER: f64 = 0.1;

/// The effect of one parameter of the space.
#[derive(Clone, Debug)]
enum Term {
    Parabola {
        best: f64,
        weight: f64,
    },
    Choices(Vec<f64>),
    /// One effect for each choice and each class of instances.
    Strategy,
}

/// The target.
#[derive(Clone, Debug)]
pub struct Synthetic {
    space: Space,
    terms: Vec<Term>,
    /// Indices of both parameters, shift and weight.
    interactions: Vec<(usize, usize, f64, f64)>,
    /// Index of each parameter involved in crashes, and its interval of positions.
    crash: Vec<(usize, f64, f64)>,
}

/// Returns the space of parameters.
pub fn space() -> Space {
    read(include_str!("space.toml"), "space.toml", Format::Toml).expect("a test reads this file")
}

impl Default for Synthetic {
    fn default() -> Self {
        let space = space();
        let place = |name: &str| space.find(name).expect("a test reads this file").index();
        let mut terms = Vec::new();
        for (index, parameter) in space.parameters().iter().enumerate() {
            let mut rng = Rng::new(76, "small effects", index as u64);
            let known = EFFECTS.iter().find(|(name, _)| *name == parameter.name());
            terms.push(match (known, parameter.domain()) {
                _ if parameter.name() == "strategy" => Term::Strategy,
                (Some((_, Shape::Best(best, weight))), _) => Term::Parabola { best: *best, weight: *weight },
                (Some((_, Shape::Of(values))), _) => Term::Choices(values.to_vec()),
                (None, Domain::Range(_)) => Term::Parabola { best: rng.unit(), weight: SMALL * rng.unit() },
                (None, Domain::Choices(choices)) => {
                    Term::Choices((0..choices.count()).map(|_| SMALL * rng.unit()).collect())
                }
            });
        }
        let interactions =
            INTERACTIONS.iter().map(|&(a, b, shift, weight)| (place(a), place(b), shift, weight)).collect();
        let crash = CRASH.iter().map(|&(name, from, to)| (place(name), from, to)).collect();
        Self { space, terms, interactions, crash }
    }
}

/// Returns the index of the choice at a position: choice i of n is encoded as (i + 1/2) / n.
fn choice(place: f64, count: usize) -> usize {
    ((place * count as f64) as usize).min(count - 1)
}

impl Synthetic {
    /// Returns the space of the target.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the result of a trial. The configuration must belong to the target's space.
    pub fn answer(&self, configuration: &Configuration, instance: u32, seed: u64) -> Answer {
        let pair = Rng::new(seed, "pair", u64::from(instance)).bits();
        let fingerprint = configuration.fingerprint();
        let mut rng = Rng::new(fingerprint as u64, "synthetic", pair ^ (fingerprint >> 64) as u64);
        let noise = libm::exp(NOISE * rng.normal() - NOISE * NOISE / 2.0);
        let cost = self.mean(configuration, instance) * noise;
        let crashed = self.crashes(configuration);
        Answer { cost: if crashed { CRASH_AFTER * cost } else { cost }, crashed }
    }

    /// Returns the mean cost over all seeds, assuming that no trial crashes.
    pub fn mean(&self, configuration: &Configuration, instance: u32) -> f64 {
        let mut rng = Rng::new(76, "instance", u64::from(instance));
        let difficulty = libm::log(0.01) + rng.unit() * libm::log(1000.0);
        let class = rng.below(STRATEGIES.len());
        libm::exp(difficulty + self.effect(&self.space.encode(configuration), class))
    }

    /// Returns whether trials of a configuration crash.
    pub fn crashes(&self, configuration: &Configuration) -> bool {
        let row = self.space.encode(configuration);
        self.crash.iter().all(|&(place, from, to)| (from..=to).contains(&row[place]))
    }

    fn effect(&self, row: &[f64], class: usize) -> f64 {
        let own =
            row.iter().zip(&self.terms).filter(|(place, _)| **place != INACTIVE).map(
                |(&u, term)| match term {
                    Term::Parabola { best, weight } => {
                        let far = (u - best) / best.max(1.0 - best);
                        weight * far * far
                    }
                    Term::Choices(values) => values[choice(u, values.len())],
                    Term::Strategy => STRATEGIES[class][choice(u, STRATEGIES[class].len())],
                },
            );
        let both = self.interactions.iter().filter(|it| row[it.0] != INACTIVE && row[it.1] != INACTIVE);
        own.sum::<f64>()
            + both.map(|&(a, b, shift, weight)| weight * (row[a] - row[b] - shift).powi(2)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(count: usize) -> Vec<Configuration> {
        let (space, mut rng) = (space(), Rng::new(3, "drawn", 0));
        (0..count).map(|_| space.sample(&mut rng).unwrap()).collect()
    }

    #[test]
    fn the_space_has_76_parameters_and_the_tables_match_it() {
        let space = space();
        assert_eq!(space.parameters().len(), 76);
        assert_eq!(space.ids().filter(|&id| space.is_conditional(id)).count(), 54);
        for (name, shape) in EFFECTS {
            let parameter = space.parameter(space.find(name).unwrap());
            match (shape, parameter.domain()) {
                (Shape::Best(best, _), Domain::Range(_)) => assert!((0.0..=1.0).contains(best)),
                (Shape::Of(values), Domain::Choices(choices)) => assert_eq!(values.len(), choices.count()),
                _ => panic!("{name} has another shape"),
            }
        }
        assert!((12..=24).contains(&EFFECTS.len()));
    }

    #[test]
    fn good_configurations_are_much_better_and_a_few_percent_crash() {
        let (target, all) = (Synthetic::default(), drawn(2000));
        let mean = |configuration: &Configuration| {
            (0..40).map(|it| target.mean(configuration, 2 * it)).sum::<f64>() / 40.0
        };
        let mut means: Vec<f64> = all.iter().map(mean).collect();
        means.sort_by(f64::total_cmp);
        let default = mean(&space().default_configuration());
        println!(
            "default {default:.2}, best {:.2}, median {:.2}, worst {:.0}",
            means[0], means[1000], means[1999]
        );
        assert!(default / means[0] > 5.0 && means[1000] / means[0] > 10.0);
        let crashes = all.iter().filter(|configuration| target.crashes(configuration)).count();
        println!("{crashes} of 2000 crash");
        assert!((20..160).contains(&crashes), "{crashes}");
        assert!(!target.crashes(&space().default_configuration()));
    }

    #[test]
    fn instances_differ_in_their_best_configurations_and_in_difficulty() {
        let (target, all) = (Synthetic::default(), drawn(300));
        // Which of two configurations is better depends on the instance.
        let mut orders = 0;
        for pair in all.chunks_exact(2) {
            let better = |instance| target.mean(&pair[0], instance) < target.mean(&pair[1], instance);
            orders += usize::from((0..40).any(|it| better(it) != better(0)));
        }
        assert!(orders > 10, "{orders}");
        let difficulty = |instance| target.mean(&all[0], instance);
        let costs: Vec<f64> = (0..200).map(difficulty).collect();
        let (least, most) = costs.iter().fold((f64::MAX, 0.0f64), |(a, b), &c| (a.min(c), b.max(c)));
        assert!(most / least > 300.0, "{least} to {most}");
    }

    #[test]
    fn answers_match_the_recorded_ones() {
        let target = Synthetic::default();
        let answer = target.answer(&space().default_configuration(), 4, 5);
        let crash = drawn(2000).into_iter().find(|configuration| target.crashes(configuration)).unwrap();
        let crash = target.answer(&crash, 4, 5);
        assert_eq!(
            format!("{:.6e} {} {:.6e} {}", answer.cost, answer.crashed, crash.cost, crash.crashed),
            "3.796857e0 false 3.404882e-2 true"
        );
    }
}
