//! The network of the surrogate. It has residual layers with gates and is evaluated for all epochs at once.
//!
//! ```text
//! z       = (e_task, scaled inputs)
//! x_0     = A z + a
//! x_(l+1) = x_l + B_l (p * max(0, q)) + b_l          (p, q) = G_l x_l + g_l, split into halves
//! output  = sigmoid(H max(0, s * x + t) + h), scaled back
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | e_task | the embedding of the data set |
//! | A, a | first weights and biases |
//! | G_l, g_l; B_l, b_l | gate and back of layer l; the normalisation before the gate is part of G_l and g_l |
//! | s, t | scale and shift of the last normalisation |
//! | H, h | weights and biases of the head |
//!
//! Sums are computed in the order of the inputs, in 32 bits, so the outputs are the same on every machine.
//! All epochs are evaluated side by side, so each weight of the network is read only once.
//!
//! References: F. Pfisterer et al., "YAHPO Gym", 2022 (the surrogate); L. Zimmer et al., "Auto-PyTorch
//! Tabular", 2021 (LCBench).

use super::{EPOCHS, INPUTS, OUTPUTS};

/// One number for each epoch.
pub(super) type Lane = [f32; EPOCHS];

/// Offset that is added before taking logarithms, so that 0 is allowed. The surrogate was trained with the
/// same offset.
const SMALL: f32 = 1e-12;

/// The conversion between a value and the number that the network uses for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scale {
    pub(super) logarithmic: bool,
    pub(super) low: f32,
    pub(super) range: f32,
}

impl Scale {
    fn place(&self, value: f32) -> f32 {
        let value = if self.logarithmic { libm::logf(value + SMALL) } else { value };
        (value - self.low) / self.range
    }

    fn value(&self, logit: f32) -> f32 {
        let value = self.low + self.range * (1.0 / (1.0 + libm::expf(-logit)));
        if self.logarithmic { libm::expf(value) - SMALL } else { value }
    }
}

/// A linear layer. The weights are ordered by output, then by input.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) inputs: usize,
    pub(super) weights: Vec<f32>,
    pub(super) biases: Vec<f32>,
}

impl Linear {
    /// Computes the weighted sum of the inputs for each output and epoch.
    fn apply(&self, inputs: &[Lane], outputs: &mut Vec<Lane>) {
        outputs.clear();
        outputs.extend(self.weights.chunks_exact(self.inputs).zip(&self.biases).map(|(weights, &bias)| {
            let mut lane = [0.0; EPOCHS];
            let (first, second) = lane.split_at_mut(FIRST);
            first.copy_from_slice(&sums::<0, FIRST>(weights, bias, inputs));
            second.copy_from_slice(&sums::<FIRST, { EPOCHS - FIRST }>(weights, bias, inputs));
            lane
        }));
    }
}

/// Number of epochs in the first part. Epochs are summed in two parts, each small enough for its sums to stay
/// in registers.
const FIRST: usize = 28;

fn sums<const FROM: usize, const COUNT: usize>(weights: &[f32], bias: f32, inputs: &[Lane]) -> [f32; COUNT] {
    let mut sums = [bias; COUNT];
    for (&weight, lane) in weights.iter().zip(inputs) {
        for (sum, value) in sums.iter_mut().zip(&lane[FROM..FROM + COUNT]) {
            *sum += weight * value;
        }
    }
    sums
}

#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) gate: Linear,
    pub(super) back: Linear,
}

/// The surrogate for all its data sets.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) checksum: u64,
    /// The OpenML task of each row of the embedding.
    pub(super) tasks: Vec<u32>,
    pub(super) embedding: Vec<f32>,
    pub(super) inputs: Vec<Scale>,
    pub(super) outputs: Vec<Scale>,
    pub(super) first: Linear,
    pub(super) layers: Vec<Layer>,
    pub(super) last_scale: Vec<f32>,
    pub(super) last_shift: Vec<f32>,
    pub(super) head: Linear,
}

impl Network {
    /// Returns the checksum of the network's file.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Returns whether the network knows an OpenML task.
    pub fn has_task(&self, task: u32) -> bool {
        self.tasks.contains(&task)
    }

    /// Returns all outputs for every epoch, in order of epochs. The outputs are time, validation accuracy and
    /// four more. The settings are batch size, learning rate, momentum, weight decay, layers, units and
    /// dropout. Returns `None` for an unknown task.
    pub fn evaluate(&self, task: u32, settings: &[f32; INPUTS - 1]) -> Option<Vec<[f32; OUTPUTS]>> {
        let row = self.tasks.iter().position(|&known| known == task)?;
        let embedded = self.embedding.len() / self.tasks.len();
        let embedding = &self.embedding[row * embedded..(row + 1) * embedded];
        let mut inputs: Vec<Lane> = embedding.iter().map(|&value| [value; EPOCHS]).collect();
        inputs.push(std::array::from_fn(|epoch| self.inputs[0].place((epoch + 1) as f32)));
        let scales = &self.inputs[1..];
        inputs.extend(scales.iter().zip(settings).map(|(scale, &value)| [scale.place(value); EPOCHS]));

        let (mut state, mut gates, mut change) = (Vec::new(), Vec::new(), Vec::new());
        self.first.apply(&inputs, &mut state);
        for layer in &self.layers {
            layer.gate.apply(&state, &mut gates);
            let (open, gate) = gates.split_at_mut(layer.back.inputs);
            for (open, gate) in open.iter_mut().zip(&*gate) {
                open.iter_mut().zip(gate).for_each(|(open, gate)| *open *= gate.max(0.0));
            }
            layer.back.apply(open, &mut change);
            for (state, change) in state.iter_mut().zip(&change) {
                state.iter_mut().zip(change).for_each(|(state, change)| *state += change);
            }
        }
        for (lane, (scale, shift)) in state.iter_mut().zip(self.last_scale.iter().zip(&self.last_shift)) {
            lane.iter_mut().for_each(|value| *value = (*value * scale + shift).max(0.0));
        }
        self.head.apply(&state, &mut change);
        let output = |epoch: usize| std::array::from_fn(|it| self.outputs[it].value(change[it][epoch]));
        Some((0..EPOCHS).map(output).collect())
    }
}
