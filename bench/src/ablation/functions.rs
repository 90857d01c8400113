//! Test functions of global optimization, as deterministic targets with one instance. Unlike the landscapes,
//! most of them have many valleys.
//!
//! ```text
//! cost(x) = 1 + 100 (f(x) - f*) / (m - f*)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | f* | the minimum |
//! | m | the median over the space |
//!
//! So the optimum costs 1, and half of the space costs more than 101. Every parameter is a float in [0, 1].
//! Functions whose optimum is in the middle of their usual domain have a shifted domain here. The default is
//! the third best of ten random configurations. (S. Surjanovic, D. Bingham, Virtual Library of Simulation
//! Experiments, 2013, lists the functions.)

use std::f64::consts::{E, PI};

use engine::{Configuration, Pair, Rng, Space};
use execution::executor::Answer;
use space::format::{Format, read};

use super::terrain::Drawn;
use crate::contest::subject::{Benchmark, Subject, at_the_end};

/// A function on the unit cube.
pub(super) struct Function {
    parameters: usize,
    value: fn(&[f64]) -> f64,
    minimum: f64,
}

pub(super) const ACKLEY: Function = Function { parameters: 6, value: ackley, minimum: 0.0 };
pub(super) const BRANIN: Function = Function { parameters: 2, value: branin, minimum: 0.397_887_357_729_739 };
pub(super) const GRIEWANK: Function = Function { parameters: 5, value: griewank, minimum: 0.0 };
pub(super) const HARTMANN: Function =
    Function { parameters: 6, value: hartmann, minimum: -3.322_368_011_415_512 };
pub(super) const LEVY: Function = Function { parameters: 5, value: levy, minimum: 0.0 };
pub(super) const MICHALEWICZ: Function =
    Function { parameters: 5, value: michalewicz, minimum: -4.687_658_179_088_148 };
pub(super) const RASTRIGIN: Function = Function { parameters: 4, value: rastrigin, minimum: 0.0 };
pub(super) const ROSENBROCK: Function = Function { parameters: 4, value: rosenbrock, minimum: 0.0 };
pub(super) const STYBLINSKI_TANG: Function =
    Function { parameters: 5, value: styblinski_tang, minimum: 5.0 * -39.166_165_703_771_42 };

/// Scales coordinates from [0, 1] to a domain of this width, so that x_i = 0 is at 0.3 + 0.05 i.
fn shifted(u: &[f64], width: f64) -> Vec<f64> {
    u.iter().zip(0..).map(|(u, i)| width * (u - 0.3 - 0.05 * f64::from(i))).collect()
}

/// Evaluates a function in its usual domain.
fn published(function: targets::Function, u: &[f64]) -> f64 {
    let scale = |(u, (lower, upper)): (&f64, &(f64, f64))| lower + u * (upper - lower);
    let x: Vec<f64> = u.iter().zip(function.domain()).map(scale).collect();
    function.raw(&x)
}

fn ackley(u: &[f64]) -> f64 {
    let x = shifted(u, 30.0);
    let mean = |of: fn(f64) -> f64| x.iter().map(|&x| of(x)).sum::<f64>() / x.len() as f64;
    let (squares, waves) = (mean(|x| x * x), mean(|x| (2.0 * PI * x).cos()));
    20.0 - 20.0 * (-0.2 * squares.sqrt()).exp() + E - waves.exp()
}

fn branin(u: &[f64]) -> f64 {
    published(targets::Function::Branin, u)
}

fn griewank(u: &[f64]) -> f64 {
    let x = shifted(u, 60.0);
    let squares: f64 = x.iter().map(|x| x * x / 4000.0).sum();
    let waves: f64 = x.iter().zip(1..).map(|(x, i)| (x / f64::from(i).sqrt()).cos()).product();
    1.0 + squares - waves
}

fn hartmann(u: &[f64]) -> f64 {
    published(targets::Function::Hartmann6, u)
}

fn levy(u: &[f64]) -> f64 {
    let w: Vec<f64> = shifted(u, 20.0).iter().map(|x| 1.0 + x / 4.0).collect();
    let (first, last) = (w[0], w[w.len() - 1]);
    let square = |x: f64| x * x;
    let inner = w[..w.len() - 1].iter();
    square((PI * first).sin())
        + inner.map(|w| square(w - 1.0) * (1.0 + 10.0 * square((PI * w + 1.0).sin()))).sum::<f64>()
        + square(last - 1.0) * (1.0 + square((2.0 * PI * last).sin()))
}

fn michalewicz(u: &[f64]) -> f64 {
    let part = |(u, i): (&f64, i32)| {
        let x = PI * u;
        x.sin() * (f64::from(i) * x * x / PI).sin().powi(20)
    };
    -u.iter().zip(1..).map(part).sum::<f64>()
}

fn rastrigin(u: &[f64]) -> f64 {
    shifted(u, 8.0).iter().map(|x| 10.0 + x * x - 10.0 * (2.0 * PI * x).cos()).sum()
}

fn rosenbrock(u: &[f64]) -> f64 {
    let x: Vec<f64> = u.iter().map(|u| 4.0 * u - 2.0).collect();
    let step = |pair: &[f64]| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2);
    x.windows(2).map(step).sum()
}

fn styblinski_tang(u: &[f64]) -> f64 {
    let of = |x: f64| (x.powi(4) - 16.0 * x * x + 5.0 * x) / 2.0;
    u.iter().map(|u| of(10.0 * u - 5.0)).sum()
}

impl Function {
    fn space(&self, default: Option<&Configuration>) -> Space {
        let line = |at: usize| {
            let default = default.map_or(String::new(), |one| format!(", default = {}", one.codes()[at]));
            format!("x{at} = {{ float = [0.0, 1.0]{default} }}\n")
        };
        let text: String = (0..self.parameters).map(line).collect();
        read(&text, "function", Format::Toml).expect("the generated space is valid")
    }

    /// Returns the median of the function over random points, which do not depend on the campaign's seed.
    fn median(&self) -> f64 {
        const POINTS: usize = 1001;
        let mut rng = Rng::new(1, "median", 0);
        let mut values: Vec<f64> = (0..POINTS)
            .map(|_| (self.value)(&(0..self.parameters).map(|_| rng.unit()).collect::<Vec<f64>>()))
            .collect();
        values.sort_by(f64::total_cmp);
        values[POINTS / 2]
    }
}

struct Costs {
    value: fn(&[f64]) -> f64,
    minimum: f64,
    median: f64,
}

impl Costs {
    fn of(&self, configuration: &Configuration) -> f64 {
        let above = (self.value)(configuration.codes()) - self.minimum;
        1.0 + 100.0 * above / (self.median - self.minimum)
    }
}

impl Subject for Costs {
    fn answer(&self, configuration: &Configuration, _pair: Pair, _cap: f64) -> Answer {
        at_the_end(self.of(configuration))
    }
}

/// Returns the function as a target; its default is drawn from the seed.
pub(super) fn new(function: &Function, seed: u64) -> Drawn {
    let &Function { value, minimum, .. } = function;
    let costs = Costs { value, minimum, median: function.median() };
    let plain = function.space(None);
    let mut rng = Rng::new(seed, "function", 0);
    let mut drawn: Vec<Configuration> =
        (0..10).map(|_| plain.sample(&mut rng).expect("nothing is forbidden")).collect();
    drawn.sort_by(|a, b| costs.of(a).total_cmp(&costs.of(b)));
    let benchmark = Benchmark {
        space: function.space(Some(&drawn[2])),
        subject: Box::new(costs),
        training: 1,
        test: 0,
        deterministic: true,
        checksum: 0,
    };
    Drawn { benchmark, cutoff: None, best_cost: 1.0, bound: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{InstanceId, Seed};

    /// The functions with the coordinates of a minimum.
    fn minima() -> [(Function, Vec<f64>); 9] {
        let at_zero = |count: i32| (0..count).map(|i| 0.3 + 0.05 * f64::from(i)).collect::<Vec<f64>>();
        let hartmann = vec![0.201_690, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_301];
        let michalewicz = [2.202_905_5, PI / 2.0, 1.284_991_6, 1.923_058_5, 1.720_469_8];
        [
            (ACKLEY, at_zero(6)),
            (BRANIN, vec![(PI + 5.0) / 15.0, 2.275 / 15.0]),
            (GRIEWANK, at_zero(5)),
            (HARTMANN, hartmann),
            (LEVY, at_zero(5)),
            (MICHALEWICZ, michalewicz.map(|x| x / PI).to_vec()),
            (RASTRIGIN, at_zero(4)),
            (ROSENBROCK, vec![0.75; 4]),
            (STYBLINSKI_TANG, vec![(5.0 - 2.903_534) / 10.0; 5]),
        ]
    }

    #[test]
    fn each_function_has_its_minimum_where_it_is_published() {
        for (at, (function, minimum)) in minima().iter().enumerate() {
            let found = (function.value)(minimum) - function.minimum;
            assert!(found.abs() < 1e-5, "function {at}: {found} above the minimum");
            let mut rng = Rng::new(1, "test", at as u64);
            for _ in 0..1000 {
                let other: Vec<f64> = minimum.iter().map(|_| rng.unit()).collect();
                assert!((function.value)(&other) > function.minimum, "function {at}: {other:?}");
            }
        }
    }

    #[test]
    fn half_of_the_space_costs_more_than_101() {
        for (at, (function, _)) in minima().iter().enumerate() {
            let Drawn { benchmark, .. } = new(function, 3);
            let pair = Pair { instance: InstanceId(0), seed: Seed(1) };
            let cost = |one: &Configuration| benchmark.subject.answer(one, pair, f64::INFINITY).cost;
            let mut rng = Rng::new(2, "test", 0);
            let dear = (0..1000).filter(|_| cost(&benchmark.space.sample(&mut rng).unwrap()) > 101.0).count();
            assert!((430..570).contains(&dear), "function {at}: {dear} of 1000");
            let default = cost(&benchmark.space.default_configuration());
            assert!((1.0..150.0).contains(&default), "function {at}: {default}");
        }
    }
}
