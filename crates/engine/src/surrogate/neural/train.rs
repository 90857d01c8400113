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

use super::NeuralSettings;
use super::loss::{loss, slopes};
use super::network::{LANES, Network, Pass};
use crate::reading::Reading;
use crate::rng::Rng;

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
    fn row(&self, at: usize) -> &[f32] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// The mean loss of a network.
    fn loss(&self, network: &Network) -> f64 {
        let mut pass = network.pass();
        let mut sum = 0.0;
        for first in (0..self.readings.len()).step_by(LANES) {
            let block = &self.readings[first..self.readings.len().min(first + LANES)];
            (0..block.len()).for_each(|lane| pass.load(lane, self.row(first + lane)));
            network.forward(&mut pass);
            for (lane, &reading) in block.iter().enumerate() {
                sum += loss(reading, f64::from(pass.mean[lane]), f64::from(pass.deviation[lane]));
            }
        }
        sum / self.readings.len() as f64
    }
}

/// Trains a network from random weights.
pub(super) fn train(settings: &NeuralSettings, lessons: &Lessons, rng: &mut Rng) -> Trained {
    let batch = settings.batch.min(lessons.readings.len());
    let steps = settings.epochs as u64 * (lessons.readings.len() / batch) as u64;
    let mut rate = settings.rate;
    for restarts in 0..=MOST_RESTARTS {
        let network = Network::new(lessons.width, &settings.layers, rng);
        let mut descent = Descent::new(network, lessons);
        if descent.run(settings, batch, rate, rng) {
            let loss = lessons.loss(&descent.network);
            return Trained { network: descent.network, loss, steps, restarts, finished: true };
        }
        rate /= 10.0;
    }
    let network = Network::new(lessons.width, &settings.layers, rng);
    let loss = lessons.loss(&network);
    Trained { network, loss, steps: 0, restarts: MOST_RESTARTS, finished: false }
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

/// A network on its way down.
struct Descent<'a> {
    lessons: &'a Lessons,
    network: Network,
    pass: Pass,
    gradient: Vec<f32>,
    velocity: Vec<f32>,
}

impl<'a> Descent<'a> {
    fn new(network: Network, lessons: &'a Lessons) -> Self {
        let weights = network.weights().len();
        let pass = network.pass();
        Self { lessons, network, pass, gradient: vec![0.0; weights], velocity: vec![0.0; weights] }
    }

    /// Takes all steps; whether the weights are numbers still.
    fn run(&mut self, settings: &NeuralSettings, batch: usize, rate: f64, rng: &mut Rng) -> bool {
        let mut order: Vec<u32> = (0..self.lessons.readings.len() as u32).collect();
        let steps = settings.epochs as u64 * (order.len() / batch) as u64;
        let mut step = 0;
        for _ in 0..settings.epochs {
            rng.shuffle(&mut order);
            for points in order.chunks_exact(batch) {
                self.gather(points);
                self.step(settings, one_cycle(rate, step, steps));
                step += 1;
            }
            // A weight that is no number stays so, hence once in an epoch is enough.
            if self.network.weights().iter().any(|weight| !weight.is_finite()) {
                return false;
            }
        }
        true
    }

    /// The gradient of the mean loss of a batch.
    fn gather(&mut self, points: &[u32]) {
        self.gradient.fill(0.0);
        let count = points.len() as f64;
        for block in points.chunks(LANES) {
            for (lane, &point) in block.iter().enumerate() {
                self.pass.load(lane, self.lessons.row(point as usize));
            }
            self.network.forward(&mut self.pass);
            // Lanes without a point add nothing.
            let (mut by_mean, mut by_deviation) = ([0.0; LANES], [0.0; LANES]);
            for (lane, &point) in block.iter().enumerate() {
                let (mean, deviation) =
                    (f64::from(self.pass.mean[lane]), f64::from(self.pass.deviation[lane]));
                let slopes = slopes(self.lessons.readings[point as usize], mean, deviation);
                by_mean[lane] = (slopes.mean / count) as f32;
                by_deviation[lane] = (slopes.deviation / count) as f32;
            }
            self.network.backward(&mut self.pass, &by_mean, &by_deviation, &mut self.gradient);
        }
    }

    fn step(&mut self, settings: &NeuralSettings, rate: f64) {
        let (rate, clip) = (rate as f32, settings.clip as f32);
        let (momentum, decay) = (settings.momentum as f32, settings.decay as f32);
        let weights = self.network.weights_mut();
        for ((weight, velocity), gradient) in weights.iter_mut().zip(&mut self.velocity).zip(&self.gradient) {
            *velocity = momentum * *velocity + (clipped(*gradient, clip) + decay * *weight);
            *weight -= rate * *velocity;
        }
    }
}

/// Like `clamp`, without its check of the bounds, which would keep the loop from being vectorised; what
/// is not a number stays so.
#[inline]
fn clipped(gradient: f32, most: f32) -> f32 {
    let above = if gradient < -most { -most } else { gradient };
    if above > most { most } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings so far out that every gradient is too large.
    fn far_out(n: usize) -> Lessons {
        Lessons { rows: vec![1.0; n], width: 1, readings: vec![Reading::Exact(1e5); n] }
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
        let mut rng = Rng::new(1, "clip", 0);
        let before = Network::new(1, &settings.layers, &mut rng.clone());
        let after = train(&settings, &far_out(16), &mut rng).network;
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
        let mut rng = Rng::new(2, "decay", 0);
        let before = Network::new(1, &settings.layers, &mut rng.clone());
        // One point remains for another epoch.
        let trained = train(&settings, &far_out(33), &mut rng);
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
