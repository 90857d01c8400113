//! Trained networks and what they say together.
//!
//! ```text
//! mean = 1/M Σ μ_m(x),   variance = 1/M Σ (μ_m(x) - mean)²  [+ 1/M Σ σ_m(x)², if total]
//! over instances:  μ_m(θ) = log10( 1/n Σ_i 10^μ_m(θ, i) )   or the plain mean on a linear scale
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | M | how many networks |
//! | μ_m, σ_m | outputs of one, on the scale of the readings |
//! | n | how many instances |

use super::inputs::Inputs;
use super::network::{LANES, Network};
use super::targets::Standard;
use crate::elementary;
use crate::surrogate::{InstanceTable, Points, Prediction, Predictor, Scale};

/// Rows whose inputs are written together.
const ROWS: usize = 1024;

/// Fitted networks.
#[derive(Clone, Debug)]
pub struct Ensemble {
    pub(super) networks: Vec<Network>,
    pub(super) inputs: Inputs,
    pub(super) standard: Standard,
    pub(super) scale: Scale,
    pub(super) instances: InstanceTable,
}

/// What one network says of a point, on the scale of the readings.
#[derive(Clone, Copy, Default)]
struct Said {
    mean: f64,
    deviation: f64,
}

impl Ensemble {
    /// How many networks it has.
    pub fn members(&self) -> usize {
        self.networks.len()
    }

    fn predict_points(&self, points: Points<'_>, total: bool, out: &mut [Prediction]) {
        assert_eq!(out.len(), points.len(), "a prediction for each point");
        assert_eq!(points.width(), self.inputs.columns(), "the columns of the training set");
        let mut said = Vec::new();
        for (block, out) in points.rows.chunks(ROWS * points.width).zip(out.chunks_mut(ROWS)) {
            let rows = block.chunks_exact(points.width).map(|row| row.iter().copied());
            let inputs = self.inputs_of(rows);
            said.resize(out.len(), Said::default());
            let mut summary = Summary::new(out.len());
            for network in &self.networks {
                self.ask(network, &inputs, &mut said);
                summary.add(said.iter().map(|said| said.mean));
                if total {
                    summary.add_within(said.iter().map(|said| said.deviation * said.deviation));
                }
            }
            summary.write(out);
        }
    }

    /// The inputs of rows, one after the other.
    fn inputs_of(&self, rows: impl ExactSizeIterator<Item = impl Iterator<Item = f64>>) -> Vec<f32> {
        let width = self.inputs.width();
        let mut inputs = vec![0.0; rows.len() * width];
        for (at, row) in rows.enumerate() {
            self.inputs.write(row, &mut inputs[at * width..(at + 1) * width]);
        }
        inputs
    }

    /// What a network says of each row of inputs.
    fn ask(&self, network: &Network, rows: &[f32], said: &mut [Said]) {
        let width = network.inputs();
        let mut pass = network.pass();
        for (block, said) in said.chunks_mut(LANES).enumerate() {
            for lane in 0..said.len() {
                pass.load(lane, &rows[(block * LANES + lane) * width..][..width]);
            }
            network.forward(&mut pass);
            for (lane, said) in said.iter_mut().enumerate() {
                let mean = self.standard.stretch(pass.mean[lane]);
                *said = Said { mean, deviation: self.standard.spread * f64::from(pass.deviation[lane]) };
            }
        }
    }

    /// The cost over instances of what was said of each.
    fn over_instances(&self, said: &[Said]) -> f64 {
        let count = said.len() as f64;
        let means = || said.iter().map(|said| said.mean);
        match self.scale {
            Scale::Linear => means().sum::<f64>() / count,
            Scale::Log10 { .. } => {
                let largest = means().fold(f64::NEG_INFINITY, f64::max);
                // What lies 250 decades below the largest cost adds nothing to a sum.
                let power =
                    |mean: f64| elementary::exp(((mean - largest) * std::f64::consts::LN_10).max(-575.0));
                let sum = means().map(power).sum::<f64>();
                largest + elementary::ln(sum / count) * std::f64::consts::LOG10_E
            }
        }
    }
}

/// Mean and variance over members.
struct Summary {
    /// Of each point what each member has said, member after member.
    values: Vec<f64>,
    within: Vec<f64>,
}

impl Summary {
    fn new(points: usize) -> Self {
        Self { values: Vec::new(), within: vec![0.0; points] }
    }

    fn add(&mut self, values: impl Iterator<Item = f64>) {
        self.values.extend(values);
    }

    fn add_within(&mut self, variances: impl Iterator<Item = f64>) {
        self.within.iter_mut().zip(variances).for_each(|(sum, variance)| *sum += variance);
    }

    fn write(&self, out: &mut [Prediction]) {
        let points = out.len();
        let members = (self.values.len() / points.max(1)) as f64;
        for (point, out) in out.iter_mut().enumerate() {
            let own = || self.values.iter().skip(point).step_by(points);
            let mean = own().sum::<f64>() / members;
            let squares = own().map(|value| (value - mean) * (value - mean)).sum::<f64>();
            *out = Prediction { mean, variance: (squares + self.within[point]) / members };
        }
    }
}

impl Predictor for Ensemble {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict_points(points, false, out);
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict_points(points, true, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(out.len(), configurations.len(), "a prediction for each configuration");
        let own = self.inputs.columns() - self.instances.columns().len();
        assert_eq!(configurations.width(), own, "the columns of configurations");
        let count = self.instances.count();
        let together = (ROWS / count).max(1);
        let mut said = Vec::new();
        for (block, out) in configurations.rows.chunks(together * own).zip(out.chunks_mut(together)) {
            let on = |at: usize| {
                let row = &block[at / count * own..(at / count + 1) * own];
                row.iter().chain(self.instances.row(at % count)).copied()
            };
            let inputs = self.inputs_of((0..out.len() * count).map(on));
            said.resize(out.len() * count, Said::default());
            let mut summary = Summary::new(out.len());
            for network in &self.networks {
                self.ask(network, &inputs, &mut said);
                summary.add(said.chunks_exact(count).map(|said| self.over_instances(said)));
            }
            summary.write(out);
        }
    }
}
