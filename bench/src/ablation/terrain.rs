//! Landscapes drawn from a seed. These targets were not used to tune captune's settings, and they answer
//! within a microsecond.
//!
//! ```text
//! ln cost(x, i, s) = h_i + Σ_j w_j loss_j(x_j, c_j + d_ij) + noise · z(x, i, s)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | h_i | difficulty of an instance: normal, standard deviation 0.8 |
//! | w_j | weights that decrease by a factor of 0.75 from one parameter to the next, in random order; Σ w_j = ln(spread) |
//! | loss_j | 0 at the optimum, at most 1: a bowl, a narrow valley or a cliff for numbers, a table for choices |
//! | c_j | the optimum; a choice may shift the optimum of a number |
//! | d_ij | normal, standard deviation 0.08: instances disagree a little |
//! | z | normal; depends on the seed or, for deterministic targets, on the configuration and the instance; `Noise::Exponential` uses an exponential factor instead |
//!
//! The default is the third best of ten random configurations, and the cutoff is a multiple of its cost.
//!
//! A landscape may also bound a second output: `Σ_j v_j loss_j(x_j) + deviation · z`, with weights and losses of its own.
//! The bound is a quantile of random configurations, so that a given share of them is feasible. The default is the third
//! best of ten feasible ones.

use engine::{Configuration, Pair, Rng, Space};
use execution::executor::Answer;
use space::Neighbourhood;
use space::format::{Format, read};

use crate::contest::subject::{Benchmark, Subject};

/// Properties of a landscape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shape {
    pub(super) numbers: usize,
    pub(super) choices: usize,
    /// Whether every third number depends on a choice.
    pub(super) conditions: bool,
    /// Approximate ratio of the worst cost to the best.
    pub(super) spread: f64,
    pub(super) noise: Noise,
    pub(super) training: u32,
    pub(super) test: u32,
    /// Ratio of the cutoff to the mean cost of the default; `None` if costs are known only at the end of
    /// a trial.
    pub(super) cutoff: Option<f64>,
    pub(super) bounded: Option<Bounded>,
}

/// A bound on a second output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounded {
    /// Share of random configurations that are feasible.
    pub(super) share: f64,
    /// Standard deviation of the noise, which depends on the seed. The output is between 0 and 1.
    pub(super) deviation: f64,
}

/// Distribution of the costs of one configuration on one instance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Noise {
    /// Normal noise on the logarithm, with this standard deviation. The noise depends on the configuration
    /// and the instance, but not on the seed.
    Deterministic(f64),
    /// Normal noise on the logarithm, with this standard deviation. The noise depends on the seed.
    Normal(f64),
    /// An exponentially distributed factor, which depends on the seed. Run times of local search have this
    /// distribution.
    Exponential,
}

impl Noise {
    /// Returns the mean of the factor by which noise multiplies costs.
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
    /// Loss of each choice; empty for numbers.
    table: Vec<f64>,
    /// A choice that shifts the optimum, and the size of the shift.
    moved_by: Option<(usize, f64)>,
}

struct Terrain {
    space: Space,
    effects: Vec<Effect>,
    hardness: Vec<f64>,
    /// Shift of each parameter's optimum on each instance, ordered by instance, then by parameter.
    shifts: Vec<f64>,
    noise: Noise,
    seed: u64,
    output: Option<Output>,
}

/// A second output, bounded from above.
struct Output {
    effects: Vec<Effect>,
    deviation: f64,
    bound: f64,
}

impl Output {
    /// Returns the output without noise.
    fn mean(&self, space: &Space, codes: &[f64]) -> f64 {
        let mut row = vec![0.0; codes.len()];
        space.encode_codes(codes, &mut row);
        let effects = self.effects.iter().enumerate();
        effects.map(|(at, effect)| effect.weight * effect.loss(codes, &row, at, 0.0)).sum()
    }
}

impl Effect {
    /// Returns the loss of a configuration due to its parameter `own`; 0.5 if that parameter is inactive.
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
    fn is_feasible(&self, codes: &[f64]) -> bool {
        self.output.as_ref().is_none_or(|output| output.mean(&self.space, codes) <= output.bound)
    }

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
        let mut answer = Answer::finished((base + noise).exp());
        if let Some(output) = &self.output {
            answer.constraints = vec![output.mean(&self.space, codes) + output.deviation * rng.normal()];
        }
        answer
    }
}

/// Draws the effects of all parameters; the weights add up to `total`.
fn effects(shape: &Shape, total: f64, rng: &mut Rng) -> Vec<Effect> {
    let count = shape.numbers + shape.choices;
    let mut weights: Vec<f64> = (0..count).map(|rank| 0.75f64.powi(rank as i32)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight *= total / sum);
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

/// Returns the number of choices of the parameter at this position.
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
    read(&text, "terrain", Format::Toml).expect("the generated space is valid")
}

fn toml(value: &str) -> String {
    if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("\"{value}\"") }
}

/// A landscape to search.
pub(super) struct Drawn {
    pub(super) benchmark: Benchmark,
    pub(super) cutoff: Option<f64>,
    /// Approximate test cost of the best configuration.
    pub(super) best_cost: f64,
    /// The bound on the second output.
    pub(super) bound: Option<f64>,
}

/// Draws the second output and its bound.
fn output(shape: &Shape, bounded: Bounded, space: &Space, rng: &mut Rng) -> Output {
    const DRAWN: usize = 1000;
    let Bounded { share, deviation } = bounded;
    let mut output = Output { effects: effects(shape, 1.0, rng), deviation, bound: f64::INFINITY };
    let drawn = (0..DRAWN).map(|_| space.sample(rng).expect("nothing is forbidden"));
    let mut outputs: Vec<f64> = drawn.map(|one| output.mean(space, one.codes())).collect();
    outputs.sort_by(f64::total_cmp);
    output.bound = outputs[(share * DRAWN as f64) as usize];
    output
}

/// Draws the landscape for a seed.
pub(super) fn new(shape: &Shape, seed: u64) -> Drawn {
    let mut rng = Rng::new(seed, "terrain", 0);
    let instances = (shape.training + shape.test.max(1)) as usize;
    let effects = effects(shape, shape.spread.ln(), &mut rng);
    let hardness = (0..instances).map(|_| 0.8 * rng.normal()).collect();
    let shifts = (0..instances * effects.len()).map(|_| 0.08 * rng.normal()).collect();
    let plain = space(shape, None);
    let output = shape.bounded.map(|bounded| output(shape, bounded, &plain, &mut rng));
    let bound = output.as_ref().map(|output| output.bound);
    let terrain =
        Terrain { space: plain.clone(), effects, hardness, shifts, noise: shape.noise, seed, output };
    let mean = |configuration: &Configuration| {
        let costs = (0..shape.training as usize).map(|at| terrain.ln_cost(configuration.codes(), at).exp());
        costs.sum::<f64>() / f64::from(shape.training)
    };
    let random = std::iter::repeat_with(|| plain.sample(&mut rng).expect("nothing is forbidden"));
    let feasible = random.filter(|one| terrain.is_feasible(one.codes())).take(10);
    let mut drawn: Vec<(f64, Configuration)> = feasible.map(|one| (mean(&one), one)).collect();
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (cost, default) = &drawn[2];
    let cutoff = shape.cutoff.map(|times| times * cost);
    let best_cost = best_cost(&terrain, shape, &mut rng);
    let benchmark = Benchmark {
        space: space(shape, Some(default)),
        subject: Box::new(terrain),
        training: shape.training,
        test: shape.test,
        deterministic: matches!(shape.noise, Noise::Deterministic(_)),
        checksum: 0,
    };
    Drawn { benchmark, cutoff, best_cost, bound }
}

/// Estimates the mean test cost of the best configuration. The search uses costs without noise: it tries
/// random configurations first, then steps to better neighbours.
fn best_cost(terrain: &Terrain, shape: &Shape, rng: &mut Rng) -> f64 {
    let test = if shape.test == 0 { 0..shape.training } else { shape.training..shape.training + shape.test };
    let count = f64::from(test.end - test.start);
    let mean = |codes: &[f64]| {
        if !terrain.is_feasible(codes) {
            return f64::INFINITY;
        }
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
        bounded: None,
    };

    #[test]
    fn the_default_is_one_of_few_feasible_configurations() {
        let bounded = Some(Bounded { share: 0.05, deviation: 0.0 });
        for seed in 1..=3 {
            let Drawn { benchmark, bound, best_cost, .. } = new(&Shape { bounded, ..SHAPE }, seed);
            let output = |configuration: &Configuration| {
                let pair = Pair { instance: InstanceId(0), seed: Seed(1) };
                benchmark.subject.answer(configuration, pair, f64::INFINITY).constraints[0]
            };
            let bound = bound.unwrap();
            assert!(output(&benchmark.space.default_configuration()) <= bound && best_cost.is_finite());
            let mut rng = Rng::new(seed, "test", 0);
            let feasible =
                (0..1000).filter(|_| output(&benchmark.space.sample(&mut rng).unwrap()) <= bound).count();
            assert!((20..90).contains(&feasible), "{feasible} of 1000");
        }
    }

    #[test]
    fn the_best_cost_is_below_the_default_and_random_configurations() {
        for seed in 1..=5 {
            let Drawn { benchmark, cutoff, best_cost, .. } = new(&SHAPE, seed);
            let cost = |configuration: &Configuration| {
                let on = |instance: u32| Pair { instance: InstanceId(5 + instance), seed: Seed(1) };
                (0..10)
                    .map(|at| benchmark.subject.answer(configuration, on(at), f64::INFINITY).cost)
                    .sum::<f64>()
                    / 10.0
            };
            let default = cost(&benchmark.space.default_configuration());
            assert!(best_cost < default && default < cutoff.unwrap(), "{best_cost} {default} {cutoff:?}");
            let mut rng = Rng::new(seed, "test", 0);
            let random = (0..100)
                .map(|_| cost(&benchmark.space.sample(&mut rng).unwrap()))
                .fold(f64::INFINITY, f64::min);
            assert!(best_cost < 1.1 * random, "{best_cost} {random}");
        }
    }

    #[test]
    fn seeds_matter_only_for_noisy_targets() {
        let answer = |noise, seed| {
            let benchmark = new(&Shape { noise, ..SHAPE }, 1).benchmark;
            let pair = Pair { instance: InstanceId(0), seed: Seed(seed) };
            benchmark.subject.answer(&benchmark.space.default_configuration(), pair, f64::INFINITY).cost
        };
        assert_eq!(answer(SHAPE.noise, 1), answer(SHAPE.noise, 2));
        assert_ne!(answer(Noise::Normal(0.1), 1), answer(Noise::Normal(0.1), 2));
        assert_ne!(answer(Noise::Exponential, 1), answer(Noise::Exponential, 2));
    }
}
