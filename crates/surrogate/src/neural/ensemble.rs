//! Trained networks and their joint predictions.
//!
//! ```text
//! mean = 1/M Σ μ_m(x),   variance = 1/M Σ (μ_m(x) - mean)²  [+ 1/M Σ σ_m(x)², if total]
//! over instances:  μ_m(θ) = log10( 1/n Σ_i 10^μ_m(θ, i) )   or the plain mean on a linear scale
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | M | number of networks |
//! | μ_m, σ_m | outputs of network m, on the scale of the readings |
//! | n | number of instances |
//!
//! The inputs for a row are those for its configuration and those for its instance. The contribution of each
//! part to the first layer is computed once for all rows that share the part. Predicting many configurations
//! on many instances then takes little more time than evaluating the layers after the first.

use math::elementary;

use super::inputs::Inputs;
use super::network::Network;
use super::targets::Standard;
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};
use crate::lanes::{LANES, Lanes};
use crate::{InstanceTable, Points, Prediction, Predictor, Scale};

/// Number of rows whose inputs are written together.
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

/// The output of one network for a point, on the scale of the readings.
#[derive(Clone, Copy, Default)]
struct NetworkOutput {
    mean: f64,
    deviation: f64,
}

impl Ensemble {
    /// Returns the number of networks.
    pub fn members(&self) -> usize {
        self.networks.len()
    }

    fn predict_points(&self, points: Points<'_>, total: bool, out: &mut [Prediction]) {
        assert_eq!(out.len(), points.len(), "`out` must have one entry per point");
        assert_eq!(
            points.width(),
            self.inputs.columns(),
            "the rows must have the columns of the training set"
        );
        let own = self.own_columns();
        let mut outputs = Vec::new();
        for (block, out) in points.rows.chunks(ROWS * points.width).zip(out.chunks_mut(ROWS)) {
            let rows = || block.chunks_exact(points.width);
            let configurations = self.part(0, rows().map(|row| &row[..own]));
            let instances = self.part(own, rows().map(|row| &row[own..]));
            outputs.resize(out.len(), NetworkOutput::default());
            let mut summary = Summary::new(out.len());
            for network in &self.networks {
                let (one, other) = (
                    partial_preactivations(network, &configurations),
                    partial_preactivations(network, &instances),
                );
                self.evaluate(network, &one, &other, |at| (at, at), &mut outputs);
                summary.add(outputs.iter().map(|output| output.mean));
                if total {
                    summary.add_within(outputs.iter().map(|output| output.deviation * output.deviation));
                }
            }
            summary.write(out);
        }
    }

    /// Returns the number of configuration columns.
    fn own_columns(&self) -> usize {
        self.inputs.columns() - self.instances.columns().len()
    }

    /// Returns the inputs for rows that have only the configuration columns (`first` is 0) or only the
    /// instance columns, which begin at `first`.
    fn part<'a>(&self, first: usize, rows: impl ExactSizeIterator<Item = &'a [f64]>) -> Part {
        let begin = self.inputs.width_of(first);
        let end = if first == 0 { self.inputs.width_of(self.own_columns()) } else { self.inputs.width() };
        let (width, count) = (end - begin, rows.len());
        let mut inputs = vec![0.0; count * width];
        for (at, row) in rows.enumerate() {
            self.inputs.write_from(first, row.iter().copied(), &mut inputs[at * width..(at + 1) * width]);
        }
        Part { first: begin, width, count, inputs }
    }

    /// Evaluates a network for many rows, given the contributions of both parts to its first layer. `parts`
    /// returns the indices of a row's configuration and instance.
    fn evaluate(
        &self,
        network: &Network,
        configurations: &[Lanes],
        instances: &[Lanes],
        parts: impl Fn(usize) -> (usize, usize),
        outputs: &mut [NetworkOutput],
    ) {
        let standard = self.standard;
        Instructions::best().run(Evaluate { network, configurations, instances, parts, standard, outputs });
    }

    /// Returns the cost over all instances, given the outputs for each instance.
    fn over_instances(&self, outputs: &[NetworkOutput]) -> f64 {
        let count = outputs.len() as f64;
        let means = || outputs.iter().map(|output| output.mean);
        match self.scale {
            Scale::Linear => means().sum::<f64>() / count,
            Scale::Log10 { .. } => {
                let largest = means().fold(f64::NEG_INFINITY, f64::max);
                // A cost 250 decades below the largest cost does not change the sum.
                let power =
                    |mean: f64| elementary::exp(((mean - largest) * std::f64::consts::LN_10).max(-575.0));
                let sum = means().map(power).sum::<f64>();
                largest + elementary::ln(sum / count) * std::f64::consts::LOG10_E
            }
        }
    }
}

/// Some of the inputs of each row.
struct Part {
    /// The first input, and the number of inputs.
    first: usize,
    width: usize,
    /// Number of rows.
    count: usize,
    inputs: Vec<f32>,
}

/// Returns the contribution of some inputs to the pre-activations of a network's first layer.
fn partial_preactivations(network: &Network, part: &Part) -> Vec<Lanes> {
    Instructions::best().run(PartialPreactivations { network, part })
}

struct PartialPreactivations<'a> {
    network: &'a Network,
    part: &'a Part,
}

impl Work for PartialPreactivations<'_> {
    type Output = Vec<Lanes>;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> Vec<Lanes> {
        let Self { network, part } = self;
        let mut out = vec![Lanes::ZERO; part.count * network.preactivation_lines()];
        network.partial_preactivations::<A>(part.first, &part.inputs, part.width, &mut out);
        out
    }
}

/// See [`Ensemble::evaluate`].
struct Evaluate<'a, P> {
    network: &'a Network,
    configurations: &'a [Lanes],
    instances: &'a [Lanes],
    parts: P,
    standard: Standard,
    outputs: &'a mut [NetworkOutput],
}

impl<P: Fn(usize) -> (usize, usize)> Work for Evaluate<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let lines = self.network.preactivation_lines();
        let mut pass = self.network.pass();
        for (block, outputs) in self.outputs.chunks_mut(LANES).enumerate() {
            let parts = |lane: usize| {
                let (configuration, instance) = (self.parts)(block * LANES + lane);
                let one = &self.configurations[configuration * lines..][..lines];
                (one, &self.instances[instance * lines..][..lines])
            };
            self.network.forward_from_preactivations::<A>(&mut pass, (0..outputs.len()).map(parts));
            for (lane, output) in outputs.iter_mut().enumerate() {
                let mean = self.standard.restore(pass.mean.0[lane]);
                *output = NetworkOutput {
                    mean,
                    deviation: self.standard.spread * f64::from(pass.deviation.0[lane]),
                };
            }
        }
    }
}

/// Mean and variance over members.
struct Summary {
    /// The mean that each member predicts for each point, member by member.
    values: Vec<f64>,
    /// Sum over members of the noise variance of each point.
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
        assert_eq!(out.len(), configurations.len(), "`out` must have one entry per configuration");
        let own = self.own_columns();
        assert_eq!(configurations.width(), own, "the rows must have the configuration columns");
        let count = self.instances.count();
        let together = (ROWS / count).max(1);
        let instances = self.part(own, (0..count).map(|instance| self.instances.row(instance)));
        let instances: Vec<_> =
            self.networks.iter().map(|network| partial_preactivations(network, &instances)).collect();
        let mut outputs = Vec::new();
        for (block, out) in configurations.rows.chunks(together * own).zip(out.chunks_mut(together)) {
            let part = self.part(0, block.chunks_exact(own));
            outputs.resize(out.len() * count, NetworkOutput::default());
            let mut summary = Summary::new(out.len());
            for (network, instances) in self.networks.iter().zip(&instances) {
                let rows = |at: usize| (at / count, at % count);
                self.evaluate(
                    network,
                    &partial_preactivations(network, &part),
                    instances,
                    rows,
                    &mut outputs,
                );
                summary.add(outputs.chunks_exact(count).map(|outputs| self.over_instances(outputs)));
            }
            summary.write(out);
        }
    }
}
