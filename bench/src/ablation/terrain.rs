//! Landscapes drawn from a seed: targets that no setting of captune was made for, answered within a microsecond.
//!
//! ```text
//! ln cost(x, i, s) = h_i + Σ_j w_j loss_j(x_j, c_j + d_ij) + noise · z(x, i, s)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | h_i | how hard an instance is: normal, deviation 0.8 |
//! | w_j | weights that fall by 0.75 from one parameter to the next, Σ w_j = ln of the spread; their order is drawn |
//! | loss_j | 0 at the optimum, 1 at most: a bowl, a narrow valley or a cliff of numbers, a table of choices |
//! | c_j | the optimum; a choice that interacts moves that of its neighbour |
//! | d_ij | normal, deviation 0.08: instances disagree a little |
//! | z | normal, by seed, or for deterministic targets by configuration and instance; exponential laws if heavy |
//!
//! The default is the third best of ten random configurations, and the cutoff a multiple of what it costs.

use engine::{Configuration, Pair, Rng, Space};
use execution::executor::Answer;
use space::Neighbourhood;
use space::format::{Format, read};

use crate::contest::subject::{Known, Subject};

/// What a landscape is like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shape {
    pub(super) numbers: usize,
    pub(super) choices: usize,
    /// Every third number depends on a choice.
    pub(super) conditions: bool,
    /// The worst configuration beside the best, about.
    pub(super) spread: f64,
    pub(super) noise: Noise,
    pub(super) training: u32,
    pub(super) test: u32,
    /// The cutoff beside what the default costs in the mean; `None` if costs are known only at the end.
    pub(super) cutoff: Option<f64>,
}

/// How trials of one configuration on one instance differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Noise {
    /// Not by seed: a deviation of the logarithm by configuration and instance.
    Deterministic(f64),
    /// By seed, with this deviation of the logarithm.
    Normal(f64),
    /// By seed, exponentially distributed, as local search is.
    Exponential,
}

impl Noise {
    /// The mean of what costs are multiplied by.
    fn mean(self) -> f64 {
        match self {
            Self::Deterministic(deviation) | Self::Normal(deviation) => (0.5 * deviation * deviation).exp(),
            Self::Exponential => 1.0,
        }
    }
}

#[derive(Clone, Copy)]
enum Loss {
    Bowl,
    Valley,
    Cliff,
}

struct Effect {
    weight: f64,
    optimum: f64,
    loss: Loss,
    /// What choices lose; empty for numbers.
    table: Vec<f64>,
    /// A choice that moves the optimum.
    moved_by: Option<(usize, f64)>,
}

struct Terrain {
    space: Space,
    effects: Vec<Effect>,
    hardness: Vec<f64>,
    /// By instance, then by parameter.
    shifts: Vec<f64>,
    noise: Noise,
    seed: u64,
}

impl Effect {
    /// What a configuration loses on an instance by its parameter `own`; the half if that is inactive.
    fn loss(&self, codes: &[f64], row: &[f64], own: usize, shift: f64) -> f64 {
        if codes[own].is_nan() {
            return 0.5;
        }
        if !self.table.is_empty() {
            return self.table[codes[own] as usize];
        }
        let moved = self.moved_by.map_or(0.0, |(choice, by)| if codes[choice] > 0.0 { by } else { 0.0 });
        let apart = row[own] - (self.optimum + shift + moved).clamp(0.0, 1.0);
        match self.loss {
            Loss::Bowl => (2.0 * apart * apart).min(1.0),
            Loss::Valley => 1.0 - (-apart * apart / 0.02).exp(),
            Loss::Cliff => 1.0 / (1.0 + (-apart / 0.05).exp()),
        }
    }
}

impl Terrain {
    fn ln_cost(&self, codes: &[f64], instance: usize) -> f64 {
        let mut row = vec![0.0; codes.len()];
        self.space.encode_codes(codes, &mut row);
        let shifts = &self.shifts[instance * self.effects.len()..];
        let effects = self.effects.iter().enumerate();
        let sum: f64 =
            effects.map(|(at, effect)| effect.weight * effect.loss(codes, &row, at, shifts[at])).sum();
        self.hardness[instance] + sum
    }
}

impl Subject for Terrain {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        let codes = configuration.codes();
        let instance = pair.instance.index();
        let base = self.ln_cost(codes, instance);
        let mut key = self.seed ^ (u64::from(pair.instance.0) << 32);
        if !matches!(self.noise, Noise::Deterministic(_)) {
            key ^= u64::from(pair.seed.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        for code in codes {
            key = (key ^ code.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        }
        let mut rng = Rng::new(key, "terrain", 0);
        let noise = match self.noise {
            Noise::Deterministic(deviation) | Noise::Normal(deviation) => deviation * rng.normal(),
            Noise::Exponential => (-(1.0 - rng.unit()).ln()).max(1e-6).ln(),
        };
        let cost = (base + noise).exp();
        Answer::finished(cost)
    }
}

fn effects(shape: &Shape, rng: &mut Rng) -> Vec<Effect> {
    let count = shape.numbers + shape.choices;
    let mut weights: Vec<f64> = (0..count).map(|rank| 0.75f64.powi(rank as i32)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight *= shape.spread.ln() / total);
    rng.shuffle(&mut weights);
    let mut effects = Vec::new();
    for (at, weight) in weights.into_iter().enumerate() {
        let is_choice = at >= shape.numbers;
        let table = if is_choice {
            let mut table: Vec<f64> = (0..choices_of(at)).map(|_| rng.unit()).collect();
            let best = rng.below(table.len());
            table[best] = 0.0;
            table
        } else {
            Vec::new()
        };
        let loss = [Loss::Bowl, Loss::Bowl, Loss::Valley, Loss::Cliff][rng.below(4)];
        let moves = !is_choice && shape.choices > 0 && rng.unit() < 0.4;
        let moved_by = moves
            .then(|| (shape.numbers + rng.below(shape.choices), if rng.unit() < 0.5 { 0.3 } else { -0.3 }));
        effects.push(Effect { weight, optimum: rng.unit(), loss, table, moved_by });
    }
    effects
}

/// How many choices the parameter at this place has.
fn choices_of(at: usize) -> usize {
    2 + at % 3
}

fn space(shape: &Shape, default: Option<&Configuration>) -> Space {
    let mut text = String::new();
    let value = |name: &str| {
        let value = default.and_then(|default| default.iter().find(|(found, _)| *found == name));
        value.map_or(String::new(), |(_, value)| format!(", default = {}", toml(&value.to_string())))
    };
    for at in 0..shape.numbers {
        let name = format!("x{at}");
        let when = if shape.conditions && at % 3 == 2 && shape.choices > 0 {
            format!(", when = \"c{} == 'a'\"", shape.numbers + at % shape.choices)
        } else {
            String::new()
        };
        let range = match at % 4 {
            0 | 1 => "float = [0.0, 1.0]",
            2 => "float = [0.001, 1000.0], log = true",
            _ => "integer = [0, 100]",
        };
        text += &format!("{name} = {{ {range}{}{when} }}\n", value(&name));
    }
    for at in shape.numbers..shape.numbers + shape.choices {
        let name = format!("c{at}");
        let choices: Vec<String> =
            (0..choices_of(at)).map(|choice| format!("\"{}\"", (b'a' + choice as u8) as char)).collect();
        text += &format!("{name} = {{ choices = [{}]{} }}\n", choices.join(", "), value(&name));
    }
    read(&text, "terrain", Format::Toml).expect("what was written here can be read")
}

fn toml(value: &str) -> String {
    if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("\"{value}\"") }
}

/// A landscape to search.
pub(super) struct Drawn {
    pub(super) known: Known,
    pub(super) cutoff: Option<f64>,
    /// What the best configuration costs on the test, about.
    pub(super) least: f64,
}

/// The landscape of a seed.
pub(super) fn new(shape: &Shape, seed: u64) -> Drawn {
    let mut rng = Rng::new(seed, "terrain", 0);
    let instances = (shape.training + shape.test.max(1)) as usize;
    let effects = effects(shape, &mut rng);
    let hardness = (0..instances).map(|_| 0.8 * rng.normal()).collect();
    let shifts = (0..instances * effects.len()).map(|_| 0.08 * rng.normal()).collect();
    let plain = space(shape, None);
    let terrain = Terrain { space: plain.clone(), effects, hardness, shifts, noise: shape.noise, seed };
    let mean = |configuration: &Configuration| {
        let costs = (0..shape.training as usize).map(|at| terrain.ln_cost(configuration.codes(), at).exp());
        costs.sum::<f64>() / f64::from(shape.training)
    };
    let mut drawn: Vec<(f64, Configuration)> = (0..10)
        .map(|_| {
            let one = plain.sample(&mut rng).expect("nothing is forbidden");
            (mean(&one), one)
        })
        .collect();
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (cost, default) = &drawn[2];
    let cutoff = shape.cutoff.map(|times| times * cost);
    let least = least(&terrain, shape, &mut rng);
    let known = Known {
        space: space(shape, Some(default)),
        subject: Box::new(terrain),
        training: shape.training,
        test: shape.test,
        deterministic: matches!(shape.noise, Noise::Deterministic(_)),
        checksum: 0,
    };
    Drawn { known, cutoff, least }
}

/// The mean over the test of the best configuration that a search finds which sees costs without noise: random ones, then
/// steps to better neighbours.
fn least(terrain: &Terrain, shape: &Shape, rng: &mut Rng) -> f64 {
    let test = if shape.test == 0 { 0..shape.training } else { shape.training..shape.training + shape.test };
    let count = f64::from(test.end - test.start);
    let mean = |codes: &[f64]| {
        test.clone().map(|instance| terrain.ln_cost(codes, instance as usize).exp()).sum::<f64>() / count
    };
    let space = &terrain.space;
    let drawn = (0..500).map(|_| space.sample(rng).expect("nothing is forbidden").codes().to_vec());
    let mut best =
        drawn.map(|codes| (mean(&codes), codes)).min_by(|a, b| a.0.total_cmp(&b.0)).expect("some were drawn");
    for _ in 0..30 {
        let before = best.0;
        for id in space.ids() {
            let mut near = Vec::new();
            space.vary(
                id,
                &best.1,
                &Neighbourhood { steps: 8, ..Neighbourhood::default() },
                rng,
                &mut |found| {
                    near.push(found.to_vec());
                },
            );
            for codes in near {
                let cost = mean(&codes);
                if cost < best.0 {
                    best = (cost, codes);
                }
            }
        }
        if best.0 > 0.999 * before {
            break;
        }
    }
    best.0 * shape.noise.mean()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{InstanceId, Seed};

    const SHAPE: Shape = Shape {
        numbers: 6,
        choices: 3,
        conditions: true,
        spread: 300.0,
        noise: Noise::Deterministic(0.1),
        training: 5,
        test: 10,
        cutoff: Some(10.0),
    };

    #[test]
    fn the_least_is_below_the_default_and_random_configurations() {
        for seed in 1..=5 {
            let Drawn { known, cutoff, least } = new(&SHAPE, seed);
            let cost = |configuration: &Configuration| {
                let on = |instance: u32| Pair { instance: InstanceId(5 + instance), seed: Seed(1) };
                (0..10).map(|at| known.subject.answer(configuration, on(at), f64::INFINITY).cost).sum::<f64>()
                    / 10.0
            };
            let default = cost(&known.space.default_configuration());
            assert!(least < default && default < cutoff.unwrap(), "{least} {default} {cutoff:?}");
            let mut rng = Rng::new(seed, "test", 0);
            let random =
                (0..100).map(|_| cost(&known.space.sample(&mut rng).unwrap())).fold(f64::INFINITY, f64::min);
            assert!(least < 1.1 * random, "{least} {random}");
        }
    }

    #[test]
    fn seeds_matter_only_to_noisy_targets() {
        let answer = |noise, seed| {
            let known = new(&Shape { noise, ..SHAPE }, 1).known;
            let pair = Pair { instance: InstanceId(0), seed: Seed(seed) };
            known.subject.answer(&known.space.default_configuration(), pair, f64::INFINITY).cost
        };
        assert_eq!(answer(SHAPE.noise, 1), answer(SHAPE.noise, 2));
        assert_ne!(answer(Noise::Normal(0.1), 1), answer(Noise::Normal(0.1), 2));
        assert_ne!(answer(Noise::Exponential, 1), answer(Noise::Exponential, 2));
    }
}
