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
//!
//! The inputs of a row are those of its configuration and those of its instance. What either part adds to
//! the first layer is computed once for all rows that have it, so that many configurations on many
//! instances cost little more than the layers after the first.

use math::elementary;

use super::inputs::Inputs;
use super::network::Network;
use super::targets::Standard;
use crate::arithmetic::Arithmetic;
use crate::dispatch::{Instructions, Work};
use crate::lanes::{LANES, Lanes};
use crate::{InstanceTable, Points, Prediction, Predictor, Scale};

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
        let own = self.own_columns();
        let mut said = Vec::new();
        for (block, out) in points.rows.chunks(ROWS * points.width).zip(out.chunks_mut(ROWS)) {
            let rows = || block.chunks_exact(points.width);
            let configurations = self.part(0, rows().map(|row| &row[..own]));
            let instances = self.part(own, rows().map(|row| &row[own..]));
            said.resize(out.len(), Said::default());
            let mut summary = Summary::new(out.len());
            for network in &self.networks {
                let (one, other) = (entering(network, &configurations), entering(network, &instances));
                self.ask(network, &one, &other, |at| (at, at), &mut said);
                summary.add(said.iter().map(|said| said.mean));
                if total {
                    summary.add_within(said.iter().map(|said| said.deviation * said.deviation));
                }
            }
            summary.write(out);
        }
    }

    /// How many columns are those of configurations.
    fn own_columns(&self) -> usize {
        self.inputs.columns() - self.instances.columns().len()
    }

    /// The inputs of rows that have some columns only, from the first given on.
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

    /// What a network says of rows, given what both parts add to its first layer and which of them a row
    /// has.
    fn ask(
        &self,
        network: &Network,
        configurations: &[Lanes],
        instances: &[Lanes],
        parts: impl Fn(usize) -> (usize, usize),
        said: &mut [Said],
    ) {
        let standard = self.standard;
        Instructions::best().run(Ask { network, configurations, instances, parts, standard, said });
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

/// Inputs of rows, without those before the first and after the last.
struct Part {
    first: usize,
    width: usize,
    count: usize,
    inputs: Vec<f32>,
}

/// What the inputs add to the first layer of a network.
fn entering(network: &Network, part: &Part) -> Vec<Lanes> {
    Instructions::best().run(Enter { network, part })
}

struct Enter<'a> {
    network: &'a Network,
    part: &'a Part,
}

impl Work for Enter<'_> {
    type Output = Vec<Lanes>;

    #[inline(always)]
    fn run<A: Arithmetic>(self) -> Vec<Lanes> {
        let Self { network, part } = self;
        let mut out = vec![Lanes::ZERO; part.count * network.entering_lines()];
        network.entering::<A>(part.first, &part.inputs, part.width, &mut out);
        out
    }
}

/// See [`Ensemble::ask`].
struct Ask<'a, P> {
    network: &'a Network,
    configurations: &'a [Lanes],
    instances: &'a [Lanes],
    parts: P,
    standard: Standard,
    said: &'a mut [Said],
}

impl<P: Fn(usize) -> (usize, usize)> Work for Ask<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let lines = self.network.entering_lines();
        let mut pass = self.network.pass();
        for (block, said) in self.said.chunks_mut(LANES).enumerate() {
            let parts = |lane: usize| {
                let (configuration, instance) = (self.parts)(block * LANES + lane);
                let one = &self.configurations[configuration * lines..][..lines];
                (one, &self.instances[instance * lines..][..lines])
            };
            self.network.forward_entered::<A>(&mut pass, (0..said.len()).map(parts));
            for (lane, said) in said.iter_mut().enumerate() {
                let mean = self.standard.stretch(pass.mean.0[lane]);
                *said = Said { mean, deviation: self.standard.spread * f64::from(pass.deviation.0[lane]) };
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
        let own = self.own_columns();
        assert_eq!(configurations.width(), own, "the columns of configurations");
        let count = self.instances.count();
        let together = (ROWS / count).max(1);
        let instances = self.part(own, (0..count).map(|instance| self.instances.row(instance)));
        let instances: Vec<_> = self.networks.iter().map(|network| entering(network, &instances)).collect();
        let mut said = Vec::new();
        for (block, out) in configurations.rows.chunks(together * own).zip(out.chunks_mut(together)) {
            let part = self.part(0, block.chunks_exact(own));
            said.resize(out.len() * count, Said::default());
            let mut summary = Summary::new(out.len());
            for (network, instances) in self.networks.iter().zip(&instances) {
                let rows = |at: usize| (at / count, at % count);
                self.ask(network, &entering(network, &part), instances, rows, &mut said);
                summary.add(said.chunks_exact(count).map(|said| self.over_instances(said)));
            }
            summary.write(out);
        }
    }
}
