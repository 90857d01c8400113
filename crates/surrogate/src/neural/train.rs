//! Stochastic gradient descent with momentum, over one cycle of the learning rate.
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
//! An epoch is a random order of the points, cut into whole batches; what remains is left for another
//! epoch, and fewer points than a batch are one. Training that comes to numbers that are none begins
//! anew with other weights and a tenth of the rate, and says so.
//!
//! L. Smith, A disciplined approach to neural network hyper-parameters: Part 1, 2018.

use math::Rng;

use super::NeuralSettings;
use super::blocks::Aligned;
use super::loss::{loss, slopes};
use super::network::{Network, Pass, Receiver};
use super::tanh::within;
use crate::Reading;
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};
use crate::lanes::{LANES, Lanes, lines};

/// Slopes of the loss below this count as none.
const LEAST_SLOPE: f64 = 1e-12;

/// How often training begins anew before it is given up.
pub(super) const MOST_RESTARTS: u32 = 8;

/// Inputs with their readings, on the standard scale.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lessons {
    /// The inputs, row after row.
    pub(super) rows: Vec<f32>,
    /// How many inputs a row has.
    pub(super) width: usize,
    /// What was read.
    pub(super) readings: Vec<Reading>,
}

/// What training has come to.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trained {
    pub(super) network: Network,
    /// The mean loss over all lessons.
    pub(super) loss: f64,
    /// Steps taken by the training that came to an end.
    pub(super) steps: u64,
    /// How often it began anew.
    pub(super) restarts: u32,
    /// Whether it came to an end; if not, the weights are random.
    pub(super) finished: bool,
}

impl Lessons {
    /// The rows, each padded to whole lanes.
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

/// The mean loss of a network over all lessons.
struct MeanLoss<'a> {
    lessons: &'a Lessons,
    rows: &'a [Lanes],
    network: &'a Network,
}

impl Work for MeanLoss<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> f64 {
        let width = lines(self.lessons.width);
        let mut pass = self.network.pass();
        let mut sum = 0.0;
        for (block, readings) in self.lessons.readings.chunks(LANES).enumerate() {
            let row = |lane: usize| &self.rows[(block * LANES + lane) * width..][..width];
            pass.load::<A>((0..readings.len()).map(row));
            self.network.forward::<A>(&mut pass);
            for (lane, &reading) in readings.iter().enumerate() {
                sum += loss(reading, f64::from(pass.mean.0[lane]), f64::from(pass.deviation.0[lane]));
            }
        }
        sum / self.lessons.readings.len() as f64
    }
}

/// A network that is trained some epochs at a time. How many, and with which instructions, makes no difference to
/// what comes of it.
pub(super) struct Training<'a> {
    instructions: Instructions,
    settings: &'a NeuralSettings,
    lessons: &'a Lessons,
    /// Those of the lessons, see [`Lessons::lines`].
    rows: &'a [Lanes],
    rng: Rng,
    /// The highest rate.
    rate: f64,
    restarts: u32,
    run: Run,
}

/// How far one has come since it last began.
struct Run {
    network: Network,
    velocity: Aligned,
    /// The order of points in the last epoch.
    order: Vec<u32>,
    epochs: usize,
    steps: u64,
}

impl Run {
    fn new(settings: &NeuralSettings, lessons: &Lessons, rng: &mut Rng) -> Self {
        let network = Network::new(lessons.width, &settings.layers, rng);
        let velocity = Aligned::zeros(network.weights().len());
        Self { network, velocity, order: (0..lessons.readings.len() as u32).collect(), epochs: 0, steps: 0 }
    }
}

impl<'a> Training<'a> {
    /// Has random weights yet.
    pub(super) fn new(
        instructions: Instructions,
        settings: &'a NeuralSettings,
        lessons: &'a Lessons,
        rows: &'a [Lanes],
        mut rng: Rng,
    ) -> Self {
        let run = Run::new(settings, lessons, &mut rng);
        Self { instructions, settings, lessons, rows, rng, rate: settings.rate, restarts: 0, run }
    }

    /// Goes on for some epochs, or to the end; whether that is reached.
    pub(super) fn go_on(&mut self, epochs: usize) -> bool {
        let Self { instructions, settings, lessons, rows, rng, rate, run, .. } = self;
        let left = settings.epochs - run.epochs;
        let descent = Descent { settings, lessons, rows, epochs: epochs.min(left), rate: *rate, run, rng };
        if instructions.run(descent) {
            return self.run.epochs == self.settings.epochs;
        }
        self.restarts += 1;
        self.rate /= 10.0;
        self.run = Run::new(self.settings, self.lessons, &mut self.rng);
        self.has_given_up()
    }

    fn has_given_up(&self) -> bool {
        self.restarts > MOST_RESTARTS
    }

    /// What has come of it.
    pub(super) fn trained(self) -> Trained {
        let (finished, network) = (!self.has_given_up(), self.run.network);
        let loss =
            self.instructions.run(MeanLoss { lessons: self.lessons, rows: self.rows, network: &network });
        Trained {
            network,
            loss,
            steps: if finished { self.run.steps } else { 0 },
            restarts: self.restarts.min(MOST_RESTARTS),
            finished,
        }
    }
}

/// The learning rate of a step.
fn one_cycle(peak: f64, step: u64, steps: u64) -> f64 {
    let between = |from: f64, to: f64, way: f64| {
        from + (to - from) * (1.0 - libm::cos(std::f64::consts::PI * way)) / 2.0
    };
    let (at, all) = (step as f64, steps as f64);
    let rise = (0.3 * all).max(1.0);
    if at < rise {
        return between(peak / 25.0, peak, at / rise);
    }
    between(peak, peak / 250_000.0, (at - rise) / (all - rise))
}

/// Some epochs of a network on its way down; whether its weights are numbers still.
struct Descent<'a> {
    settings: &'a NeuralSettings,
    lessons: &'a Lessons,
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
        let Self { settings, lessons, .. } = self;
        let Run { network, velocity, order, epochs, steps: taken } = self.run;
        let width = lines(lessons.width);
        let batch = settings.batch.min(order.len());
        let steps = settings.epochs as u64 * (order.len() / batch) as u64;
        let mut pass = network.pass();
        // Where a batch is one block its gradient is used as it comes.
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
                    let (by_mean, by_deviation) = by_outputs(&pass, lessons, block, batch);
                    network.backward::<A>(&mut pass, &by_mean, &by_deviation, &mut step);
                }
                *taken += 1;
            }
            *epochs += 1;
            // A weight that is no number stays so, hence once in an epoch is enough.
            if !network.is_finite() {
                return false;
            }
        }
        true
    }
}

/// Derivatives of the mean loss of a batch by both outputs; lanes without a point add nothing.
#[inline(always)]
fn by_outputs(pass: &Pass, lessons: &Lessons, block: &[u32], batch: usize) -> (Lanes, Lanes) {
    let (mut by_mean, mut by_deviation) = (Lanes::ZERO, Lanes::ZERO);
    let count = batch as f64;
    for (lane, &point) in block.iter().enumerate() {
        let (mean, deviation) = (f64::from(pass.mean.0[lane]), f64::from(pass.deviation.0[lane]));
        let slopes = slopes(lessons.readings[point as usize], mean, deviation);
        by_mean.0[lane] = noticeable(slopes.mean / count);
        by_deviation.0[lane] = noticeable(slopes.deviation / count);
    }
    (by_mean, by_deviation)
}

/// A derivative, or nothing where it is too small to move a weight: a bound far below the mean has slopes like
/// exp(-z²/2), and products of numbers with few digits left take a processor ten times as long.
#[inline(always)]
fn noticeable(slope: f64) -> f32 {
    if slope.abs() < LEAST_SLOPE { 0.0 } else { slope as f32 }
}

/// One step of all weights, as their derivatives come.
struct Step<'a> {
    velocity: &'a mut [[f32; LANES]],
    /// Of the blocks of a batch before the last; empty where a batch is one block.
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
    fn take<A: Arithmetic>(&mut self, place: usize, weights: &mut [f32; LANES], mut slopes: Lanes) {
        if let Some(gathered) = self.gathered.get_mut(place) {
            slopes = slopes.sum(gathered);
            *gathered = if self.last { [0.0; LANES] } else { slopes.0 };
        }
        if !self.last {
            return;
        }
        let velocity = &mut self.velocity[place];
        for lane in 0..LANES {
            let pull = A::fused(self.decay, weights[lane], within(slopes.0[lane], self.clip));
            velocity[lane] = A::fused(self.momentum, velocity[lane], pull);
            weights[lane] = A::fused(-self.rate, velocity[lane], weights[lane]);
        }
    }
}

/// Trains a network from random weights, at one go.
#[cfg(test)]
pub(super) fn train_with(
    instructions: Instructions,
    settings: &NeuralSettings,
    lessons: &Lessons,
    rng: Rng,
) -> Trained {
    let rows = lessons.lines();
    let mut training = Training::new(instructions, settings, lessons, &rows, rng);
    while !training.go_on(settings.epochs) {}
    training.trained()
}

/// The same with the best instructions.
#[cfg(test)]
pub(super) fn train(settings: &NeuralSettings, lessons: &Lessons, rng: Rng) -> Trained {
    train_with(Instructions::best(), settings, lessons, rng)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings so far out that every gradient is too large.
    fn far_out(n: usize) -> Lessons {
        Lessons { rows: vec![1.0; n], width: 1, readings: vec![Reading::Exact(1e5); n] }
    }

    #[test]
    fn a_bound_far_below_moves_nothing_and_one_near_does() {
        for (slope, kept) in [(1e-40, false), (-9e-13, false), (1.1e-12, true), (-0.5, true)] {
            assert_eq!(noticeable(slope) != 0.0, kept, "{slope}");
        }
        assert!(noticeable(f64::NAN).is_nan(), "what is no number is not hidden");
    }

    #[test]
    fn the_rate_rises_to_its_peak_and_ends_near_nothing() {
        let rate = |step| one_cycle(0.5, step, 1000);
        assert!((rate(0) - 0.02).abs() < 1e-12 && (rate(300) - 0.5).abs() < 1e-12);
        assert!((1..=300).all(|t| rate(t) > rate(t - 1)) && (301..1000).all(|t| rate(t) < rate(t - 1)));
        assert!(rate(999) > 0.0 && rate(999) < 1e-5, "{}", rate(999));
        assert_eq!(one_cycle(0.5, 0, 1), 0.02, "a single step is a careful one");
    }

    #[test]
    fn no_gradient_is_larger_than_the_clip() {
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
        // With nothing left of the gradient, two steps are known.
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
        // One point remains for another epoch.
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
