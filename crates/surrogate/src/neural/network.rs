//! A network with two outputs: mean and standard deviation of a trial's cost.
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
//! | δ_l | the derivative with respect to the pre-activations of layer l |
//!
//! All weights are in one vector, layer by layer: a row of weights for each input of the layer and one row
//! for the biases, as if there were an input that is always 1. A row has an entry for each unit, padded to
//! whole lanes with weights that are and stay 0.
//!
//! Sixteen rows of inputs are evaluated together, one in each lane, so that every inner loop runs over lanes
//! and can be vectorised. Sums run over units and lanes in a fixed order, so their bits depend neither on the
//! platform nor on the other rows in the block.

use math::Rng;
use math::elementary;

use super::blocks::{Aligned, Blocks, add_products, each};
use super::tanh::tanh;
use crate::arithmetic::Arithmetic;
use crate::lanes::{LANES, Lanes, Square, lines};

/// Minimum standard deviation, on the scale of standardised targets.
pub(super) const FLOOR: f64 = 1e-4;

/// The position of a layer's weights.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Layer {
    inputs: usize,
    units: usize,
    /// Index of the first weight.
    first: usize,
    /// Length of a row: a multiple of the number of lanes.
    row: usize,
}

/// The weights and their layout.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Network {
    layers: Vec<Layer>,
    weights: Aligned,
}

/// Intermediate results for a block of rows; reused, so that no memory is allocated.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// The inputs, then the units of each layer, each with a 1 at the end for the biases.
    units: Vec<Vec<Lanes>>,
    /// Derivatives with respect to the pre-activations of each layer.
    deltas: Vec<Vec<Lanes>>,
    /// Transposes, with units in the lanes, of the current layer's deltas or of the rows of inputs being
    /// loaded.
    transposed: Vec<Square>,
    /// Derivative of the deviation with respect to its output unit.
    deviation_derivative: Lanes,
    /// The first output.
    pub(super) mean: Lanes,
    /// The second output.
    pub(super) deviation: Lanes,
}

/// A consumer of the gradient of a block.
pub(super) trait Receiver {
    /// Takes the derivatives with respect to the sixteen weights `16 * place..16 * place + 16`.
    fn take<A: Arithmetic>(&mut self, place: usize, weights: &mut [f32; LANES], gradient: Lanes);
}

impl Network {
    /// Creates a network with random weights, uniform between ±1/√inputs. The standard deviations that it
    /// predicts are about 1.
    pub(super) fn new(inputs: usize, hidden: &[usize], rng: &mut Rng) -> Self {
        let mut layers = Vec::with_capacity(hidden.len() + 1);
        let (mut before, mut first) = (inputs, 0);
        for &units in hidden.iter().chain(&[2]) {
            let layer = Layer { inputs: before, units, first, row: LANES * lines(units) };
            layers.push(layer);
            (before, first) = (units, first + layer.size());
        }
        let mut weights = Aligned::zeros(first);
        for layer in &layers {
            let bound = 1.0 / (layer.inputs.max(1) as f64).sqrt();
            for place in layer.places() {
                weights[place] = ((2.0 * rng.unit() - 1.0) * bound) as f32;
            }
        }
        let mut network = Self { layers, weights };
        *network.deviation_bias() = libm::log(libm::expm1(1.0 - FLOOR)) as f32;
        network
    }

    fn deviation_bias(&mut self) -> &mut f32 {
        let outputs = self.layers[self.layers.len() - 1];
        &mut self.weights[outputs.place(outputs.inputs, 1)]
    }

    /// Returns the number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// Returns all weights, including the padding.
    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Returns whether all weights are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.weights.iter().all(|weight| weight.is_finite())
    }

    /// Allocates a [`Pass`] for blocks of rows.
    pub(super) fn pass(&self) -> Pass {
        let none = Lanes::ZERO;
        let deltas: Vec<Vec<Lanes>> = self.layers.iter().map(|layer| vec![none; layer.units]).collect();
        let mut units = vec![vec![none; self.inputs()]];
        units.extend(deltas.iter().cloned());
        units.iter_mut().for_each(|units| units.push(Lanes::ONE));
        let widest = self.layers.iter().map(|layer| lines(layer.inputs).max(lines(layer.units))).max();
        let transposed = vec![[none; LANES]; widest.unwrap_or(0)];
        Pass { units, deltas, transposed, deviation_derivative: none, mean: none, deviation: none }
    }

    /// Evaluates the rows loaded into a pass.
    #[inline(always)]
    pub(super) fn forward<A: Arithmetic>(&self, pass: &mut Pass) {
        self.forward_from::<A>(0, pass);
    }

    #[inline(always)]
    fn forward_from<A: Arithmetic>(&self, first: usize, pass: &mut Pass) {
        for (number, &layer) in self.layers.iter().enumerate().skip(first) {
            let (before, after) = pass.units.split_at_mut(number + 1);
            let out = &mut after[0][..layer.units];
            let weights = layer.of(&self.weights);
            Affine { weights, row: layer.row, x: &before[number], out }.all::<A>(layer.units);
            if number + 1 < self.layers.len() {
                for unit in out {
                    tanh::<A>(unit);
                }
            }
        }
        pass.compute_outputs();
    }

    /// Returns the number of lines that [`partial_preactivations`](Self::partial_preactivations) writes for
    /// each row.
    pub(super) fn preactivation_lines(&self) -> usize {
        lines(self.layers[0].units)
    }

    /// Computes the contribution of some inputs to the pre-activations of the first layer. Each row consists
    /// of `width` inputs, beginning with input `first`.
    #[inline(always)]
    pub(super) fn partial_preactivations<A: Arithmetic>(
        &self,
        first: usize,
        rows: &[f32],
        width: usize,
        out: &mut [Lanes],
    ) {
        let row = self.layers[0].row;
        let weights = &self.weights[first * row..][..width * row];
        let count = (out.len() * LANES).checked_div(row).unwrap_or(0);
        PartialPreactivations { weights, row, rows: &rows[..count * width], width, out }.all::<A>(count);
    }

    /// Evaluates rows from the pre-activations of the first layer, which for each lane are the sum of two
    /// parts and the biases.
    #[inline(always)]
    pub(super) fn forward_from_preactivations<'a, A: Arithmetic>(
        &self,
        pass: &mut Pass,
        parts: impl ExactSizeIterator<Item = (&'a [Lanes], &'a [Lanes])>,
    ) {
        let layer = self.layers[0];
        let biases = self.weights[layer.inputs * layer.row..][..layer.row].as_chunks::<LANES>().0;
        let squares = &mut pass.transposed[..biases.len()];
        for (lane, (one, other)) in parts.enumerate() {
            for (line, square) in squares.iter_mut().enumerate() {
                square[lane] = one[line].sum(&other[line].0).sum(&biases[line]);
            }
        }
        for (units, square) in pass.units[1][..layer.units].chunks_mut(LANES).zip(squares) {
            for (unit, transposed) in units.iter_mut().zip(A::transposed(square)) {
                *unit = transposed;
                if self.layers.len() > 1 {
                    tanh::<A>(unit);
                }
            }
        }
        self.forward_from::<A>(1, pass);
    }

    /// Passes the gradient with respect to all weights to a receiver, given the derivatives with respect to
    /// the outputs of the rows evaluated last.
    #[inline(always)]
    pub(super) fn backward<A: Arithmetic>(
        &mut self,
        pass: &mut Pass,
        mean_derivatives: &Lanes,
        deviation_derivatives: &Lanes,
        receiver: &mut impl Receiver,
    ) {
        let last = self.layers.len() - 1;
        pass.deltas[last][0] = *mean_derivatives;
        for lane in 0..LANES {
            pass.deltas[last][1].0[lane] = deviation_derivatives.0[lane] * pass.deviation_derivative.0[lane];
        }
        for number in (0..=last).rev() {
            let layer = self.layers[number];
            let (earlier, later) = pass.deltas.split_at_mut(number);
            let (deltas, inputs) = (&later[0][..], &pass.units[number][..]);
            // This step must come before the receiver changes the weights.
            if let Some(before) = earlier.last_mut() {
                let weights = layer.of(&self.weights);
                let count = before.len();
                BackwardDeltas { weights, row: layer.row, deltas, units: inputs, out: before }
                    .all::<A>(count);
            }
            for (transposed, deltas) in pass.transposed.iter_mut().zip(deltas.chunks(LANES)) {
                *transposed = A::transposed(&square(deltas));
            }
            let transposed = &pass.transposed[..lines(layer.units)];
            let weights = layer.of_mut(&mut self.weights);
            WeightGradient { transposed, x: inputs, weights, first: layer.first, receiver }
                .all::<A>(inputs.len());
        }
    }
}

impl Layer {
    /// Returns the number of weights, including biases and padding.
    fn size(self) -> usize {
        (self.inputs + 1) * self.row
    }

    fn of(self, weights: &[f32]) -> &[f32] {
        &weights[self.first..][..self.size()]
    }

    fn of_mut(self, weights: &mut [f32]) -> &mut [f32] {
        &mut weights[self.first..][..self.size()]
    }

    /// Returns the indices of all weights, unit by unit, and then of the biases; the padding is left out.
    fn places(self) -> impl Iterator<Item = usize> {
        let weights =
            (0..self.units).flat_map(move |unit| (0..self.inputs).map(move |input| self.place(input, unit)));
        weights.chain((0..self.units).map(move |unit| self.place(self.inputs, unit)))
    }

    fn place(self, input: usize, unit: usize) -> usize {
        self.first + input * self.row + unit
    }
}

impl Pass {
    /// Loads rows of inputs into the lanes, in order, and zeros into the other lanes. Each row is padded to
    /// whole lines.
    #[inline(always)]
    pub(super) fn load<'a, A: Arithmetic>(&mut self, rows: impl ExactSizeIterator<Item = &'a [Lanes]>) {
        let loaded = rows.len();
        for (lane, row) in rows.enumerate() {
            for (square, line) in self.transposed.iter_mut().zip(row) {
                square[lane] = *line;
            }
        }
        self.transposed.iter_mut().for_each(|square| square[loaded..].fill(Lanes::ZERO));
        let inputs = self.units[0].len() - 1;
        for (units, square) in self.units[0][..inputs].chunks_mut(LANES).zip(&self.transposed) {
            units.copy_from_slice(&A::transposed(square)[..units.len()]);
        }
    }

    /// Computes mean and deviation from the output units.
    #[inline(always)]
    fn compute_outputs(&mut self) {
        let outputs = &self.units[self.units.len() - 1];
        self.mean = outputs[0];
        for (lane, &s) in outputs[1].0.iter().enumerate() {
            let s = f64::from(s);
            // Below -80, the power is too small to affect the last digit.
            let power = elementary::exp((-s.abs()).clamp(-80.0, 0.0));
            self.deviation.0[lane] = (s.max(0.0) + elementary::ln(1.0 + power) + FLOOR) as f32;
            self.deviation_derivative.0[lane] = (if s < 0.0 { power } else { 1.0 } / (1.0 + power)) as f32;
        }
    }
}

/// Returns a square of the rows, padded with zeros.
#[inline(always)]
fn square(rows: &[Lanes]) -> Square {
    if let Some(whole) = rows.first_chunk() {
        return *whole;
    }
    let mut square = [Lanes::ZERO; LANES];
    square[..rows.len()].copy_from_slice(rows);
    square
}

/// out = weightsᵀ x.
struct Affine<'a> {
    weights: &'a [f32],
    row: usize,
    x: &'a [Lanes],
    out: &'a mut [Lanes],
}

impl Blocks for Affine<'_> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize) {
        let mut sums = [Lanes::ZERO; N];
        for (x, row) in self.x.iter().zip(self.weights.chunks_exact(self.row)) {
            let factors: [f32; N] = std::array::from_fn(|j| row[first + j]);
            add_products::<A, N>(&mut sums, &x.0, |j| factors[j]);
        }
        self.out[first..first + N].copy_from_slice(&sums);
    }
}

/// out = rows · weights, with units in the lanes.
struct PartialPreactivations<'a> {
    weights: &'a [f32],
    row: usize,
    rows: &'a [f32],
    width: usize,
    out: &'a mut [Lanes],
}

impl Blocks for PartialPreactivations<'_> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize) {
        let rows: [&[f32]; N] = std::array::from_fn(|j| &self.rows[(first + j) * self.width..][..self.width]);
        let (weights, lines) = (self.weights.as_chunks::<LANES>().0, self.row / LANES);
        for line in 0..lines {
            let mut sums = [Lanes::ZERO; N];
            for input in 0..self.width {
                add_products::<A, N>(&mut sums, &weights[input * lines + line], |j| rows[j][input]);
            }
            each!(j in N {
                self.out[(first + j) * lines + line] = sums[j];
            });
        }
    }
}

/// out = (weights deltas) (1 - units²).
struct BackwardDeltas<'a> {
    weights: &'a [f32],
    row: usize,
    deltas: &'a [Lanes],
    units: &'a [Lanes],
    out: &'a mut [Lanes],
}

impl Blocks for BackwardDeltas<'_> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize) {
        let mut sums = [Lanes::ZERO; N];
        let (weights, lines) = (self.weights.as_chunks::<LANES>().0, self.row / LANES);
        for (line, deltas) in self.deltas.chunks(LANES).enumerate() {
            // Copied into one array, so that all factors are addressed from one base.
            let factors: [[f32; LANES]; N] = std::array::from_fn(|j| weights[(first + j) * lines + line]);
            for (unit, delta) in deltas.iter().enumerate().take(LANES) {
                add_products::<A, N>(&mut sums, &delta.0, |j| factors[j][unit]);
            }
        }
        let units = &self.units[first..first + N];
        each!(j in N {
            for lane in 0..LANES {
                sums[j].0[lane] *= A::fused(-units[j].0[lane], units[j].0[lane], 1.0);
            }
        });
        self.out[first..first + N].copy_from_slice(&sums);
    }
}

/// Gradient with respect to the weights: x deltasᵀ, summed over lanes.
struct WeightGradient<'a, L> {
    transposed: &'a [Square],
    x: &'a [Lanes],
    weights: &'a mut [f32],
    /// Index of the layer's first weight.
    first: usize,
    receiver: &'a mut L,
}

impl<L: Receiver> Blocks for WeightGradient<'_, L> {
    #[inline(always)]
    fn block<A: Arithmetic, const N: usize>(&mut self, first: usize) {
        let lines = self.transposed.len();
        let x = &self.x[first..first + N];
        let weights = self.weights.as_chunks_mut::<LANES>().0;
        for (line, deltas) in self.transposed.iter().enumerate() {
            let mut sums = [Lanes::ZERO; N];
            for (lane, delta) in deltas.iter().enumerate() {
                add_products::<A, N>(&mut sums, &delta.0, |j| x[j].0[lane]);
            }
            each!(j in N {
                let place = (first + j) * lines + line;
                self.receiver.take::<A>(self.first / LANES + place, &mut weights[place], sums[j]);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Instructions, Work};

    /// A receiver that adds up gradients and changes no weights.
    struct Gather(Vec<f32>);

    impl Receiver for Gather {
        #[inline(always)]
        fn take<A: Arithmetic>(&mut self, place: usize, _: &mut [f32; LANES], gradient: Lanes) {
            let sums = &mut self.0[place * LANES..][..LANES];
            sums.iter_mut().zip(gradient.0).for_each(|(sum, derivative)| *sum += derivative);
        }
    }

    /// A forward pass, and a backward pass if there are derivatives.
    struct Through<'a> {
        network: &'a mut Network,
        pass: &'a mut Pass,
        rows: &'a [Vec<f32>],
        output_derivatives: Option<[Lanes; 2]>,
        gradient: &'a mut Gather,
    }

    impl Work for Through<'_> {
        type Output = ();

        #[inline(always)]
        fn run<A: Arithmetic>(self) {
            let padded: Vec<Vec<Lanes>> = self.rows.iter().map(|row| in_lines(row)).collect();
            self.pass.load::<A>(padded.iter().map(|row| &row[..]));
            self.network.forward::<A>(self.pass);
            if let Some([mean_derivatives, deviation_derivatives]) = &self.output_derivatives {
                self.network.backward::<A>(self.pass, mean_derivatives, deviation_derivatives, self.gradient);
            }
        }
    }

    fn in_lines(row: &[f32]) -> Vec<Lanes> {
        let line = |part: &[f32]| Lanes(std::array::from_fn(|lane| part.get(lane).copied().unwrap_or(0.0)));
        row.chunks(LANES).map(line).collect()
    }

    /// Returns the pass and the gradient.
    fn through(
        set: Instructions,
        network: &mut Network,
        rows: &[Vec<f32>],
        output_derivatives: Option<[Lanes; 2]>,
    ) -> (Pass, Vec<f32>) {
        let mut pass = network.pass();
        let mut gradient = Gather(vec![0.0; network.weights().len()]);
        set.run(Through { network, pass: &mut pass, rows, output_derivatives, gradient: &mut gradient });
        (pass, gradient.0)
    }

    fn random_network(inputs: usize, hidden: &[usize], seed: u64) -> (Network, Vec<Vec<f32>>) {
        let mut rng = Rng::new(seed, "network test", 0);
        let network = Network::new(inputs, hidden, &mut rng);
        let row = |_| (0..inputs).map(|_| rng.unit() as f32).collect();
        (network, (0..LANES).map(row).collect())
    }

    /// Returns both outputs computed with the formula, in double precision and with another hyperbolic
    /// tangent.
    fn reference_outputs(network: &Network, weights: &[f64], row: &[f32]) -> [f64; 2] {
        let mut units: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        for (number, layer) in network.layers.iter().enumerate() {
            let entering = |k: usize| {
                let products = units.iter().enumerate().map(|(i, x)| weights[layer.place(i, k)] * x);
                products.sum::<f64>() + weights[layer.place(layer.inputs, k)]
            };
            let next: Vec<f64> = (0..layer.units).map(entering).collect();
            let hidden = number + 1 < network.layers.len();
            units = next.into_iter().map(|x| if hidden { libm::tanh(x) } else { x }).collect();
        }
        [units[0], libm::log1p(libm::exp(units[1])) + FLOOR]
    }

    fn doubles(network: &Network) -> Vec<f64> {
        network.weights().iter().map(|&w| f64::from(w)).collect()
    }

    #[test]
    fn outputs_match_the_formula() {
        for (inputs, hidden) in [(1, vec![]), (3, vec![5]), (7, vec![50, 50, 50]), (76, vec![9, 17])] {
            let (mut network, rows) = random_network(inputs, &hidden, 1);
            for set in Instructions::all() {
                let (pass, _) = through(set, &mut network, &rows, None);
                let weights = doubles(&network);
                for (lane, row) in rows.iter().enumerate() {
                    let right = reference_outputs(&network, &weights, row);
                    let found = [pass.mean, pass.deviation].map(|lanes| f64::from(lanes.0[lane]));
                    let off = (found[0] - right[0]).abs().max((found[1] - right[1]).abs());
                    assert!(off < 3e-6, "{set:?} {hidden:?} {found:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        for (inputs, hidden) in [(1, vec![]), (3, vec![5]), (4, vec![50, 50, 50]), (2, vec![9, 17])] {
            let (mut network, rows) = random_network(inputs, &hidden, 2);
            let mut rng = Rng::new(3, "by outputs", 0);
            let output_derivatives = [0, 1].map(|_| Lanes(std::array::from_fn(|_| rng.normal() as f32)));
            let gradients: Vec<Vec<f32>> = Instructions::all()
                .into_iter()
                .map(|set| through(set, &mut network, &rows, Some(output_derivatives)).1)
                .collect();
            let weights = doubles(&network);
            let objective = |weights: &[f64]| -> f64 {
                let lane = |(lane, row): (usize, &Vec<f32>)| {
                    let outputs = reference_outputs(&network, weights, row);
                    f64::from(output_derivatives[0].0[lane]) * outputs[0]
                        + f64::from(output_derivatives[1].0[lane]) * outputs[1]
                };
                rows.iter().enumerate().map(lane).sum()
            };
            // For the large network, some weights of each layer are enough.
            for at in (0..weights.len()).step_by(1 + weights.len() / 150) {
                let moved = |step: f64| {
                    let mut moved = weights.clone();
                    moved[at] += step;
                    objective(&moved)
                };
                let derivative = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                for gradient in &gradients {
                    let found = f64::from(gradient[at]);
                    let near = (found - derivative).abs() < 2e-5 * (1.0 + derivative.abs());
                    assert!(near, "{hidden:?} {at}: {found} {derivative}");
                }
            }
        }
    }

    #[test]
    fn lanes_are_independent_and_padding_learns_nothing() {
        let (mut network, rows) = random_network(3, &[6, 4], 4);
        for set in Instructions::all() {
            let ones = [Lanes::ONE; 2];
            let (together, gradient) = through(set, &mut network, &rows, Some(ones));
            let (alone, _) = through(set, &mut network, &rows[11..12], None);
            let both = |pass: &Pass, lane: usize| (pass.mean.0[lane], pass.deviation.0[lane]);
            assert_eq!(both(&alone, 0), both(&together, 11), "{set:?}");
            let used: Vec<usize> = network.layers.iter().flat_map(|layer| layer.places()).collect();
            for place in (0..gradient.len()).filter(|place| !used.contains(place)) {
                assert_eq!((gradient[place], network.weights()[place]), (0.0, 0.0), "{set:?} {place}");
            }
        }
    }

    #[test]
    fn deviations_begin_near_one_and_never_reach_zero() {
        let (mut network, rows) = random_network(5, &[50, 50, 50], 5);
        let mut deviations = |bias: Option<f32>| {
            bias.into_iter().for_each(|bias| *network.deviation_bias() = bias);
            through(Instructions::best(), &mut network, &rows, None).0.deviation.0
        };
        let begin = deviations(None);
        assert!(begin.iter().all(|d| (0.3..2.5).contains(d)), "{begin:?}");
        for (bias, least) in [(-200.0, 1e-4), (-1e30, 1e-4), (1e30, 1e30)] {
            assert!(deviations(Some(bias)).iter().all(|&d| d >= least * 0.999 && d.is_finite()), "{bias}");
        }
    }
}
