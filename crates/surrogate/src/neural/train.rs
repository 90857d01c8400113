//! Stochastic gradient descent with momentum and a one-cycle learning-rate schedule.
//!
//! ```text
//! g = clip(gradient of the mean loss of a batch, ±c) + λ w
//! v = m v + g,   w = w - η v
//!
//! η(t) = between(r/25, r, t/u)                          t < u = 0.3 T
//!        between(r, r/250000, (t - u)/(T - u))          t >= u
//! between(a, b, s) = a + (b - a) (1 - cos πs)/2
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | w, v | weights and their velocities |
//! | c, λ, m, r | [`clip`](NeuralSettings::clip), [`decay`](NeuralSettings::decay), [`momentum`](NeuralSettings::momentum), [`rate`](NeuralSettings::rate) |
//! | T | number of steps: epochs times whole batches |
//!
//! In each epoch, the points are put in a random order and cut into whole batches. Points that do not fill a
//! batch are left for another epoch. If there are fewer points than a batch holds, they form one batch. When
//! a weight becomes non-finite, training restarts with other initial weights and a tenth of the rate, and the
//! restart is counted.
//!
//! L. Smith, A disciplined approach to neural network hyper-parameters: Part 1, 2018.

use math::Rng;

use super::NeuralSettings;
use super::blocks::Aligned;
use super::loss::{gradient, loss};
use super::network::{Network, Pass, Receiver};
use super::tanh::clamped;
use crate::Reading;
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};
use crate::lanes::{LANES, Lanes, lines};

/// Smallest absolute value of a derivative of the loss; smaller derivatives count as 0.
const MIN_DERIVATIVE: f64 = 1e-12;

/// Number of restarts before training is given up.
pub(super) const MAX_RESTARTS: u32 = 8;

/// Training samples: inputs with their standardised readings.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Samples {
    /// The inputs, row by row.
    pub(super) rows: Vec<f32>,
    /// Number of inputs in a row.
    pub(super) width: usize,
    /// The reading of each row.
    pub(super) readings: Vec<Reading>,
}

/// The result of training one network.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trained {
    pub(super) network: Network,
    /// Mean loss over all samples.
    pub(super) loss: f64,
    /// Steps taken since the last restart; 0 if training was given up.
    pub(super) steps: u64,
    /// Number of restarts.
    pub(super) restarts: u32,
    /// Whether training finished; if not, the weights are random.
    pub(super) finished: bool,
}

impl Samples {
    /// Returns the rows, each padded to whole lanes.
    pub(super) fn lines(&self) -> Vec<Lanes> {
        let mut all = vec![Lanes::ZERO; self.readings.len() * lines(self.width)];
        for (row, out) in self.rows.chunks(self.width.max(1)).zip(all.chunks_mut(lines(self.width).max(1))) {
            for (part, out) in row.chunks(LANES).zip(out) {
                out.0[..part.len()].copy_from_slice(part);
            }
        }
        all
    }
}

/// The computation of a network's mean loss over all samples.
struct MeanLoss<'a> {
    samples: &'a Samples,
    rows: &'a [Lanes],
    network: &'a Network,
}

impl Work for MeanLoss<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> f64 {
        let width = lines(self.samples.width);
        let mut pass = self.network.pass();
        let mut sum = 0.0;
        for (block, readings) in self.samples.readings.chunks(LANES).enumerate() {
            let row = |lane: usize| &self.rows[(block * LANES + lane) * width..][..width];
            pass.load::<A>((0..readings.len()).map(row));
            self.network.forward::<A>(&mut pass);
            for (lane, &reading) in readings.iter().enumerate() {
                sum += loss(reading, f64::from(pass.mean.0[lane]), f64::from(pass.deviation.0[lane]));
            }
        }
        sum / self.samples.readings.len() as f64
    }
}

/// A training run of one network, a few epochs at a time. The result depends neither on the number of epochs
/// at a time nor on the instruction set.
pub(super) struct Training<'a> {
    instructions: Instructions,
    settings: &'a NeuralSettings,
    samples: &'a Samples,
    /// The padded rows of the samples; see [`Samples::lines`].
    rows: &'a [Lanes],
    rng: Rng,
    /// Peak learning rate.
    rate: f64,
    restarts: u32,
    run: Run,
}

/// The state of training since the last restart.
struct Run {
    network: Network,
    velocity: Aligned,
    /// The order of points in the last epoch.
    order: Vec<u32>,
    epochs: usize,
    steps: u64,
}

impl Run {
    fn new(settings: &NeuralSettings, samples: &Samples, rng: &mut Rng) -> Self {
        let network = Network::new(samples.width, &settings.layers, rng);
        let velocity = Aligned::zeros(network.weights().len());
        Self { network, velocity, order: (0..samples.readings.len() as u32).collect(), epochs: 0, steps: 0 }
    }
}

impl<'a> Training<'a> {
    /// Creates a training run that starts from random weights.
    pub(super) fn new(
        instructions: Instructions,
        settings: &'a NeuralSettings,
        samples: &'a Samples,
        rows: &'a [Lanes],
        mut rng: Rng,
    ) -> Self {
        let run = Run::new(settings, samples, &mut rng);
        Self { instructions, settings, samples, rows, rng, rate: settings.rate, restarts: 0, run }
    }

    /// Trains for at most `epochs` epochs. Returns whether training has ended.
    pub(super) fn advance(&mut self, epochs: usize) -> bool {
        let Self { instructions, settings, samples, rows, rng, rate, run, .. } = self;
        let left = settings.epochs - run.epochs;
        let descent = Descent { settings, samples, rows, epochs: epochs.min(left), rate: *rate, run, rng };
        if instructions.run(descent) {
            return self.run.epochs == self.settings.epochs;
        }
        self.restarts += 1;
        self.rate /= 10.0;
        self.run = Run::new(self.settings, self.samples, &mut self.rng);
        self.has_given_up()
    }

    fn has_given_up(&self) -> bool {
        self.restarts > MAX_RESTARTS
    }

    /// Returns the result.
    pub(super) fn finish(self) -> Trained {
        let (finished, network) = (!self.has_given_up(), self.run.network);
        let loss =
            self.instructions.run(MeanLoss { samples: self.samples, rows: self.rows, network: &network });
        Trained {
            network,
            loss,
            steps: if finished { self.run.steps } else { 0 },
            restarts: self.restarts.min(MAX_RESTARTS),
            finished,
        }
    }
}

/// Returns the learning rate for a step.
fn one_cycle(peak: f64, step: u64, steps: u64) -> f64 {
    let between = |from: f64, to: f64, share: f64| {
        from + (to - from) * (1.0 - libm::cos(std::f64::consts::PI * share)) / 2.0
    };
    let (at, all) = (step as f64, steps as f64);
    let rise = (0.3 * all).max(1.0);
    if at < rise {
        return between(peak / 25.0, peak, at / rise);
    }
    between(peak, peak / 250_000.0, (at - rise) / (all - rise))
}

/// Some epochs of gradient descent. The output is true if all weights are still finite.
struct Descent<'a> {
    settings: &'a NeuralSettings,
    samples: &'a Samples,
    rows: &'a [Lanes],
    epochs: usize,
    rate: f64,
    run: &'a mut Run,
    rng: &'a mut Rng,
}

impl Work for Descent<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> bool {
        let Self { settings, samples, .. } = self;
        let Run { network, velocity, order, epochs, steps: taken } = self.run;
        let width = lines(samples.width);
        let batch = settings.batch.min(order.len());
        let steps = settings.epochs as u64 * (order.len() / batch) as u64;
        let mut pass = network.pass();
        // If a batch is a single block, its gradient is used directly.
        let blocks = batch.div_ceil(LANES);
        let mut gathered = Aligned::zeros(if blocks > 1 { velocity.len() } else { 0 });
        let mut step = Step {
            velocity: velocity.as_chunks_mut().0,
            gathered: gathered.as_chunks_mut().0,
            last: false,
            rate: 0.0,
            momentum: settings.momentum as f32,
            decay: settings.decay as f32,
            clip: settings.clip as f32,
        };
        for _ in 0..self.epochs {
            self.rng.shuffle(order);
            for points in order.chunks_exact(batch) {
                step.rate = one_cycle(self.rate, *taken, steps) as f32;
                for (number, block) in points.chunks(LANES).enumerate() {
                    step.last = number + 1 == blocks;
                    pass.load::<A>(block.iter().map(|&point| &self.rows[point as usize * width..][..width]));
                    network.forward::<A>(&mut pass);
                    let (mean_derivatives, deviation_derivatives) =
                        output_derivatives(&pass, samples, block, batch);
                    network.backward::<A>(&mut pass, &mean_derivatives, &deviation_derivatives, &mut step);
                }
                *taken += 1;
            }
            *epochs += 1;
            // A non-finite weight stays non-finite, so one check per epoch is enough.
            if !network.is_finite() {
                return false;
            }
        }
        true
    }
}

/// Returns the derivatives of the mean loss of a batch with respect to both outputs; 0 in lanes without a
/// point.
#[inline(always)]
fn output_derivatives(pass: &Pass, samples: &Samples, block: &[u32], batch: usize) -> (Lanes, Lanes) {
    let (mut mean_derivatives, mut deviation_derivatives) = (Lanes::ZERO, Lanes::ZERO);
    let count = batch as f64;
    for (lane, &point) in block.iter().enumerate() {
        let (mean, deviation) = (f64::from(pass.mean.0[lane]), f64::from(pass.deviation.0[lane]));
        let gradient = gradient(samples.readings[point as usize], mean, deviation);
        mean_derivatives.0[lane] = flush_tiny(gradient.mean / count);
        deviation_derivatives.0[lane] = flush_tiny(gradient.deviation / count);
    }
    (mean_derivatives, deviation_derivatives)
}

/// Returns a derivative, or 0 if it is too small to change a weight. For a bound far below the mean,
/// derivatives shrink like exp(-z²/2), and products with subnormal numbers take a processor ten times as
/// long.
#[inline(always)]
fn flush_tiny(derivative: f64) -> f32 {
    if derivative.abs() < MIN_DERIVATIVE { 0.0 } else { derivative as f32 }
}

/// One step for all weights; each weight changes as soon as its derivative arrives.
struct Step<'a> {
    velocity: &'a mut [[f32; LANES]],
    /// Gradient of the earlier blocks of a batch; empty if a batch is a single block.
    gathered: &'a mut [[f32; LANES]],
    /// Whether the block is the last of its batch.
    last: bool,
    rate: f32,
    momentum: f32,
    decay: f32,
    clip: f32,
}

impl Receiver for Step<'_> {
    #[inline(always)]
    fn take<A: Arithmetic>(&mut self, place: usize, weights: &mut [f32; LANES], mut gradient: Lanes) {
        if let Some(gathered) = self.gathered.get_mut(place) {
            gradient = gradient.sum(gathered);
            *gathered = if self.last { [0.0; LANES] } else { gradient.0 };
        }
        if !self.last {
            return;
        }
        let velocity = &mut self.velocity[place];
        for lane in 0..LANES {
            let change = A::fused(self.decay, weights[lane], clamped(gradient.0[lane], self.clip));
            velocity[lane] = A::fused(self.momentum, velocity[lane], change);
            weights[lane] = A::fused(-self.rate, velocity[lane], weights[lane]);
        }
    }
}

/// Trains a network from random weights in one call.
#[cfg(test)]
pub(super) fn train_with(
    instructions: Instructions,
    settings: &NeuralSettings,
    samples: &Samples,
    rng: Rng,
) -> Trained {
    let rows = samples.lines();
    let mut training = Training::new(instructions, settings, samples, &rows, rng);
    while !training.advance(settings.epochs) {}
    training.finish()
}

/// Like [`train_with`], with the best instruction set.
#[cfg(test)]
pub(super) fn train(settings: &NeuralSettings, samples: &Samples, rng: Rng) -> Trained {
    train_with(Instructions::best(), settings, samples, rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns samples with readings so extreme that every gradient is clipped.
    fn far_out(n: usize) -> Samples {
        Samples { rows: vec![1.0; n], width: 1, readings: vec![Reading::Exact(1e5); n] }
    }

    #[test]
    fn tiny_derivatives_become_zero_and_others_are_kept() {
        for (derivative, kept) in [(1e-40, false), (-9e-13, false), (1.1e-12, true), (-0.5, true)] {
            assert_eq!(flush_tiny(derivative) != 0.0, kept, "{derivative}");
        }
        assert!(flush_tiny(f64::NAN).is_nan(), "NaN is not hidden");
    }

    #[test]
    fn the_rate_rises_to_its_peak_and_ends_near_zero() {
        let rate = |step| one_cycle(0.5, step, 1000);
        assert!((rate(0) - 0.02).abs() < 1e-12 && (rate(300) - 0.5).abs() < 1e-12);
        assert!((1..=300).all(|t| rate(t) > rate(t - 1)) && (301..1000).all(|t| rate(t) < rate(t - 1)));
        assert!(rate(999) > 0.0 && rate(999) < 1e-5, "{}", rate(999));
        assert_eq!(one_cycle(0.5, 0, 1), 0.02, "a single step is a small one");
    }

    #[test]
    fn gradients_are_clipped() {
        let settings = NeuralSettings { layers: vec![3], epochs: 1, decay: 0.0, ..NeuralSettings::default() };
        let rng = Rng::new(1, "clip", 0);
        let before = Network::new(1, &settings.layers, &mut rng.clone());
        let after = train(&settings, &far_out(16), rng).network;
        let most = settings.rate / 25.0 * settings.clip;
        let moved = before.weights().iter().zip(after.weights()).map(|(a, b)| f64::from((a - b).abs()));
        let moved: Vec<f64> = moved.collect();
        assert!(moved.iter().all(|moved| *moved < 1.01 * most), "{moved:?} {most}");
        assert!(moved.iter().any(|moved| *moved > 0.99 * most), "{moved:?} {most}");
    }

    #[test]
    fn velocity_is_kept_and_weights_decay() {
        // With the gradient clipped to 0, two steps can be computed by hand.
        let settings = NeuralSettings {
            layers: vec![2],
            epochs: 1,
            rate: 0.4,
            decay: 0.5,
            clip: 0.0,
            ..NeuralSettings::default()
        };
        let rng = Rng::new(2, "decay", 0);
        let before = Network::new(1, &settings.layers, &mut rng.clone());
        // One point does not fit into the batches and is left for another epoch.
        let trained = train(&settings, &far_out(33), rng);
        assert_eq!(trained.steps, 2);
        for (&start, &end) in before.weights().iter().zip(trained.network.weights()) {
            let start = f64::from(start);
            let velocity = 0.5 * start;
            let middle = start - one_cycle(0.4, 0, 2) * velocity;
            let right = middle - one_cycle(0.4, 1, 2) * (0.9 * velocity + 0.5 * middle);
            assert!((f64::from(end) - right).abs() < 1e-6, "{end} {right}");
        }
    }
}
