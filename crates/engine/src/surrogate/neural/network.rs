//! A network with two outputs: what a trial costs in the mean, and how far single trials deviate.
//!
//! ```text
//! h_0 = x
//! h_l = tanh(W_l h_(l-1) + b_l)                 l = 1..L
//! (μ, s) = W_(L+1) h_L + b_(L+1)
//! σ = ln(1 + exp(s)) + 1e-4
//!
//! δ_(L+1) = (∂/∂μ, ∂/∂σ · 1/(1 + exp(-s)))
//! δ_l = (W_(l+1)ᵀ δ_(l+1)) (1 - h_l²)           ∂/∂W_l = Σ δ_l h_(l-1)ᵀ,   ∂/∂b_l = Σ δ_l
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | x | a row of inputs |
//! | h_l, W_l, b_l | units, weights and biases of layer l |
//! | μ, σ | the two outputs |
//! | δ_l | the derivative by what enters the units of layer l |
//!
//! All weights lie in one vector, layer after layer: the rows of W, a row for each unit, then b. Sixteen
//! rows of inputs go through together, one in each lane, so that every inner loop runs over lanes and can
//! be vectorised. Sums run over units and lanes in their order, so that their bits depend neither on the
//! platform nor on what else is in the block.

use super::tanh::tanh;
use crate::elementary;
use crate::rng::Rng;

/// Rows that go through a network together.
pub(super) const LANES: usize = 16;
/// A number for each row of a block.
pub(super) type Lanes = [f32; LANES];

/// Least deviation, on the scale of standardised targets.
pub(super) const FLOOR: f64 = 1e-4;

/// Where the weights of a layer are.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Layer {
    inputs: usize,
    units: usize,
    first: usize,
}

/// Weights and how they are arranged.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Network {
    layers: Vec<Layer>,
    weights: Vec<f32>,
}

/// What becomes of a block of rows on its way through a network; reused, so that nothing is allocated.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// The inputs, then the units of each layer; the last are the outputs before they are shaped.
    units: Vec<Vec<Lanes>>,
    /// Derivatives by what enters the units of each layer.
    deltas: Vec<Vec<Lanes>>,
    /// The units of the layer at hand, with a lane for each of a group.
    turned: Vec<[Lanes; LANES]>,
    /// How much the deviation rises with its unit.
    slope: Lanes,
    /// The first output.
    pub(super) mean: Lanes,
    /// The second.
    pub(super) deviation: Lanes,
}

impl Network {
    /// Random weights, uniform within 1/√inputs of nothing; deviations begin at about 1.
    pub(super) fn new(inputs: usize, hidden: &[usize], rng: &mut Rng) -> Self {
        let mut layers = Vec::with_capacity(hidden.len() + 1);
        let mut weights = Vec::new();
        let mut before = inputs;
        for &units in hidden.iter().chain(&[2]) {
            layers.push(Layer { inputs: before, units, first: weights.len() });
            let bound = 1.0 / (before.max(1) as f64).sqrt();
            weights.extend((0..units * (before + 1)).map(|_| ((2.0 * rng.unit() - 1.0) * bound) as f32));
            before = units;
        }
        if let Some(bias_of_deviation) = weights.last_mut() {
            *bias_of_deviation = libm::log(libm::expm1(1.0 - FLOOR)) as f32;
        }
        Self { layers, weights }
    }

    /// How many columns its rows have.
    pub(super) fn inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// All weights, layer after layer.
    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// All weights, to be changed.
    pub(super) fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Room for blocks of rows.
    pub(super) fn pass(&self) -> Pass {
        let none = [0.0; LANES];
        let deltas: Vec<Vec<Lanes>> = self.layers.iter().map(|layer| vec![none; layer.units]).collect();
        let mut units = vec![vec![none; self.inputs()]];
        units.extend(deltas.iter().cloned());
        let widest = self.layers.iter().map(|layer| layer.inputs.div_ceil(LANES)).max().unwrap_or(0);
        let turned = vec![[none; LANES]; widest];
        Pass { units, deltas, turned, slope: none, mean: none, deviation: none }
    }

    /// Sends the rows of a pass through.
    pub(super) fn forward(&self, pass: &mut Pass) {
        for (number, layer) in self.layers.iter().enumerate() {
            let (before, after) = pass.units.split_at_mut(number + 1);
            let (rows, biases) = layer.parts(&self.weights);
            let units = &mut after[0];
            affine(rows, biases, &before[number], units);
            if number + 1 < self.layers.len() {
                units.iter_mut().for_each(tanh);
            }
        }
        let outputs = &pass.units[self.layers.len()];
        pass.mean = outputs[0];
        for ((&s, deviation), slope) in outputs[1].iter().zip(&mut pass.deviation).zip(&mut pass.slope) {
            let s = f64::from(s);
            // Beyond this the rest is below the last digit.
            let power = elementary::exp((-s.abs()).clamp(-80.0, 0.0));
            *deviation = (s.max(0.0) + elementary::ln(1.0 + power) + FLOOR) as f32;
            *slope = (if s < 0.0 { power } else { 1.0 } / (1.0 + power)) as f32;
        }
    }

    /// Adds the derivative by each weight to `gradient`, given those by the outputs of the rows that went
    /// forward last.
    pub(super) fn backward(
        &self,
        pass: &mut Pass,
        by_mean: &Lanes,
        by_deviation: &Lanes,
        gradient: &mut [f32],
    ) {
        let last = self.layers.len() - 1;
        pass.deltas[last][0] = *by_mean;
        for (lane, delta) in pass.deltas[last][1].iter_mut().enumerate() {
            *delta = by_deviation[lane] * pass.slope[lane];
        }
        for (number, layer) in self.layers.iter().enumerate().rev() {
            let (earlier, later) = pass.deltas.split_at_mut(number);
            let (deltas, inputs) = (&later[0], &pass.units[number]);
            let (rows, biases) = layer.parts_mut(gradient);
            let turned = &mut pass.turned[..inputs.len().div_ceil(LANES)];
            turn(inputs, turned);
            add_products(deltas, turned, rows, biases);
            if let Some(before) = earlier.last_mut() {
                transposed(layer.parts(&self.weights).0, deltas, before);
                for (delta, unit) in before.iter_mut().zip(inputs) {
                    for lane in 0..LANES {
                        delta[lane] *= 1.0 - unit[lane] * unit[lane];
                    }
                }
            }
        }
    }
}

impl Layer {
    fn parts(self, weights: &[f32]) -> (&[f32], &[f32]) {
        weights[self.first..][..self.units * (self.inputs + 1)].split_at(self.units * self.inputs)
    }

    fn parts_mut(self, weights: &mut [f32]) -> (&mut [f32], &mut [f32]) {
        weights[self.first..][..self.units * (self.inputs + 1)].split_at_mut(self.units * self.inputs)
    }
}

impl Pass {
    /// Puts a row of inputs into a lane.
    pub(super) fn load(&mut self, lane: usize, row: &[f32]) {
        for (input, &value) in self.units[0].iter_mut().zip(row) {
            input[lane] = value;
        }
    }
}

/// Σ weight x for two weights of each x: with two sums the registers are full.
#[inline(always)]
fn two_sums(weights: impl Fn(usize) -> (f32, f32), x: &[Lanes]) -> (Lanes, Lanes) {
    let (mut one, mut other) = ([0.0; LANES], [0.0; LANES]);
    for (i, x) in x.iter().enumerate() {
        let weights = weights(i);
        for lane in 0..LANES {
            one[lane] += weights.0 * x[lane];
        }
        for lane in 0..LANES {
            other[lane] += weights.1 * x[lane];
        }
    }
    (one, other)
}

/// Numbers two by two; where they are odd in number the last is with itself.
fn in_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).step_by(2).map(move |first| (first, (first + 1).min(count - 1)))
}

/// out = rows x + biases.
fn affine(rows: &[f32], biases: &[f32], x: &[Lanes], out: &mut [Lanes]) {
    let width = x.len();
    for (first, second) in in_pairs(out.len()) {
        let (upper, lower) = (&rows[first * width..][..width], &rows[second * width..][..width]);
        let (mut one, mut other) = two_sums(|i| (upper[i], lower[i]), x);
        one.iter_mut().for_each(|lane| *lane += biases[first]);
        other.iter_mut().for_each(|lane| *lane += biases[second]);
        (out[first], out[second]) = (one, other);
    }
}

/// out = rowsᵀ deltas.
fn transposed(rows: &[f32], deltas: &[Lanes], out: &mut [Lanes]) {
    let width = out.len();
    for (first, second) in in_pairs(width) {
        (out[first], out[second]) = two_sums(|k| (rows[k * width + first], rows[k * width + second]), deltas);
    }
}

/// rows += deltas xᵀ, biases += deltas, both summed over lanes; `turned` holds x with a lane for each
/// unit of a group.
fn add_products(deltas: &[Lanes], turned: &[[Lanes; LANES]], rows: &mut [f32], biases: &mut [f32]) {
    for (delta, bias) in deltas.iter().zip(&mut *biases) {
        *bias += delta.iter().sum::<f32>();
    }
    let width = rows.len() / biases.len().max(1);
    for (first, second) in in_pairs(deltas.len()) {
        let (upper, lower) = (&deltas[first], &deltas[second]);
        for (group, x) in turned.iter().enumerate() {
            let units = group * LANES..width.min((group + 1) * LANES);
            let (one, other) = two_sums(|lane| (upper[lane], lower[lane]), x);
            add(&one, &mut rows[first * width..][units.clone()]);
            if second > first {
                add(&other, &mut rows[second * width..][units]);
            }
        }
    }
}

#[inline]
fn add(sum: &Lanes, out: &mut [f32]) {
    for (out, sum) in out.iter_mut().zip(sum) {
        *out += sum;
    }
}

/// Units by lanes become lanes by units, in groups of as many.
fn turn(units: &[Lanes], turned: &mut [[Lanes; LANES]]) {
    for (turned, units) in turned.iter_mut().zip(units.chunks(LANES)) {
        for (place, unit) in units.iter().enumerate() {
            for lane in 0..LANES {
                turned[lane][place] = unit[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(inputs: usize, hidden: &[usize], seed: u64) -> (Network, Pass, Vec<Vec<f32>>) {
        let mut rng = Rng::new(seed, "network test", 0);
        let network = Network::new(inputs, hidden, &mut rng);
        let mut pass = network.pass();
        let rows: Vec<Vec<f32>> =
            (0..LANES).map(|_| (0..inputs).map(|_| rng.unit() as f32).collect()).collect();
        rows.iter().enumerate().for_each(|(lane, row)| pass.load(lane, row));
        (network, pass, rows)
    }

    /// Both outputs by the formula, in double precision and with another tangent.
    fn plainly(network: &Network, weights: &[f64], row: &[f32]) -> [f64; 2] {
        let mut units: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        for (number, layer) in network.layers.iter().enumerate() {
            let own = &weights[layer.first..];
            let entering = |k: usize| {
                let products = units.iter().enumerate().map(|(i, x)| own[k * layer.inputs + i] * x);
                products.sum::<f64>() + own[layer.units * layer.inputs + k]
            };
            let next: Vec<f64> = (0..layer.units).map(entering).collect();
            let hidden = number + 1 < network.layers.len();
            units = next.into_iter().map(|x| if hidden { libm::tanh(x) } else { x }).collect();
        }
        [units[0], libm::log1p(libm::exp(units[1])) + FLOOR]
    }

    #[test]
    fn outputs_are_those_of_the_formula() {
        for (inputs, hidden) in [(1, vec![]), (3, vec![5]), (7, vec![50, 50, 50]), (76, vec![9, 17])] {
            let (network, mut pass, rows) = filled(inputs, &hidden, 1);
            network.forward(&mut pass);
            let weights: Vec<f64> = network.weights().iter().map(|&w| f64::from(w)).collect();
            for (lane, row) in rows.iter().enumerate() {
                let [mean, deviation] = plainly(&network, &weights, row);
                assert!((f64::from(pass.mean[lane]) - mean).abs() < 3e-6, "{hidden:?} {mean}");
                assert!((f64::from(pass.deviation[lane]) - deviation).abs() < 3e-6, "{hidden:?} {deviation}");
            }
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        for (inputs, hidden) in [(1, vec![]), (3, vec![5]), (4, vec![50, 50, 50]), (2, vec![9, 17])] {
            let (network, mut pass, rows) = filled(inputs, &hidden, 2);
            network.forward(&mut pass);
            let mut rng = Rng::new(3, "by outputs", 0);
            let by = [0, 1].map(|_| std::array::from_fn::<f32, LANES, _>(|_| rng.normal() as f32));
            let mut gradient = vec![0.0; network.weights().len()];
            network.backward(&mut pass, &by[0], &by[1], &mut gradient);
            let weights: Vec<f64> = network.weights().iter().map(|&w| f64::from(w)).collect();
            let objective = |weights: &[f64]| -> f64 {
                let lane = |(lane, row): (usize, &Vec<f32>)| {
                    let outputs = plainly(&network, weights, row);
                    f64::from(by[0][lane]) * outputs[0] + f64::from(by[1][lane]) * outputs[1]
                };
                rows.iter().enumerate().map(lane).sum()
            };
            // Some of each layer are enough for the large one.
            for at in (0..weights.len()).step_by(1 + weights.len() / 150) {
                let moved = |step: f64| {
                    let mut moved = weights.clone();
                    moved[at] += step;
                    objective(&moved)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let found = f64::from(gradient[at]);
                assert!(
                    (found - slope).abs() < 2e-5 * (1.0 + slope.abs()),
                    "{hidden:?} {at}: {found} {slope}"
                );
            }
        }
    }

    #[test]
    fn gradients_are_added_and_lanes_do_not_meet() {
        let (network, mut pass, rows) = filled(3, &[6, 4], 4);
        network.forward(&mut pass);
        let together = (pass.mean, pass.deviation);
        let mut all = vec![0.0; network.weights().len()];
        let one = [1.0; LANES];
        network.backward(&mut pass, &one, &one, &mut all);
        let mut again = all.clone();
        network.backward(&mut pass, &one, &one, &mut again);
        assert!(again.iter().zip(&all).all(|(two, one)| (two - 2.0 * one).abs() <= 1e-6 * (1.0 + one.abs())));
        let mut alone = network.pass();
        alone.load(0, &rows[11]);
        network.forward(&mut alone);
        assert_eq!((alone.mean[0], alone.deviation[0]), (together.0[11], together.1[11]));
    }

    #[test]
    fn deviations_begin_at_one_and_never_reach_nothing() {
        let (mut network, mut pass, _) = filled(5, &[50, 50, 50], 5);
        network.forward(&mut pass);
        assert!(pass.deviation.iter().all(|d| (0.3..2.5).contains(d)), "{:?}", pass.deviation);
        for (bias, least) in [(-200.0, 1e-4), (-1e30, 1e-4), (1e30, 1e30)] {
            *network.weights_mut().last_mut().unwrap() = bias;
            network.forward(&mut pass);
            assert!(pass.deviation.iter().all(|&d| d >= least * 0.999 && d.is_finite()), "{bias}");
        }
    }
}
