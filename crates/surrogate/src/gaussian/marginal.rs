//! Predictions over all instances.
//!
//! ```text
//! μ = log10 mean_π 10^μ_π,   σ² = Σ_ππ' p_π p_π' cov_ππ',   p_π ∝ 10^μ_π
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | μ_π | predicted mean on instance π, including its effect h_π |
//! | cov | posterior covariances of f + h between instances |
//!
//! The covariances are those of f + h, because f alone would never become certain: readings cannot separate
//! its mean on an instance from the effect of that instance.
//!
//! Both formulas are exact to first order. If costs are not modelled by their logarithms, p is the same for
//! all instances, and both formulas are exact. If instances have no features, a point has only two
//! covariances with a configuration: one on its own instance, and one on any other. Predicting all instances
//! then takes little longer than predicting one.

use super::coordinates::{Compared, Coordinates, Table};
use super::fitted::Gaussian;
use super::likelihood::Hyperparameters;
use crate::{Scale, TrainingSet};

/// Data about the instances, as needed for predictions over all of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Instances {
    /// The coordinates of each instance.
    pub(super) coordinates: Vec<Vec<f64>>,
    /// Index in `coordinates` of each instance number in a table of points.
    places: Vec<Option<usize>>,
    /// Prior covariances of f + h between instances, for one configuration.
    between: Between,
}

#[derive(Clone, PartialEq, Debug)]
enum Between {
    /// Named instances: the squared distance between any two different instances.
    Names(f64),
    /// Instances with features: the covariance matrix, row by row.
    Features(Vec<f64>),
}

/// Buffers reused from one prediction to the next.
#[derive(Default)]
pub(super) struct Buffers {
    expected: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Instances {
    pub(super) fn of(
        data: &TrainingSet<'_>,
        coordinates: &Coordinates,
        table: &Table,
        hyperparameters: &Hyperparameters,
    ) -> Self {
        let of = |instance| {
            let mut own = Vec::new();
            coordinates.of_row(data.configuration_width(), data.instances().row(instance), &mut own);
            own
        };
        let all: Vec<Vec<f64>> = (0..data.instances().count()).map(of).collect();
        let first = coordinates.configuration_width();
        let kernel = &hyperparameters.kernel;
        let between = match kernel.weighted().skip(first).collect::<Vec<_>>()[..] {
            [(one, weight)] if one.compared == Compared::Names => Between::Names(weight),
            _ => {
                let pairs = all.iter().flat_map(|one| all.iter().map(move |other| (one, other)));
                let of = |(one, other): (&Vec<f64>, &Vec<f64>)| {
                    let effect = if one == other { hyperparameters.effect } else { 0.0 };
                    kernel.covariance(kernel.square(first, one, other)) + effect
                };
                Between::Features(pairs.map(of).collect())
            }
        };
        let mut instances = Self { coordinates: all, places: Vec::new(), between };
        instances.find(table);
        instances
    }

    /// Updates `places` if the table has points on instances that no earlier point was on.
    pub(super) fn find(&mut self, table: &Table) {
        if table.instance_count() > self.places.len() {
            self.places = vec![None; table.instance_count()];
            for (place, own) in self.coordinates.iter().enumerate() {
                if let Some(number) = table.instance(own) {
                    self.places[number as usize] = Some(place);
                }
            }
        }
    }
}

impl Gaussian {
    /// Returns a configuration's predicted mean over all instances and the prior variance of that mean.
    /// Writes the configuration's covariances with all points and, if `decays` is given, -∂k/∂ρ for each.
    pub(super) fn marginal(
        &self,
        own: &[f64],
        buffers: &mut Buffers,
        covariances: &mut [f64],
        decays: Option<&mut [f64]>,
    ) -> (f64, f64) {
        match &self.instances.between {
            Between::Names(apart) => self.over_names(own, *apart, buffers, covariances, decays),
            Between::Features(between) => self.over_features(own, between, buffers, covariances, decays),
        }
    }

    fn over_names(
        &self,
        own: &[f64],
        apart: f64,
        buffers: &mut Buffers,
        covariances: &mut [f64],
        decays: Option<&mut [f64]>,
    ) -> (f64, f64) {
        let Buffers { expected, first: squares, second: near } = buffers;
        let (kernel, n) = (&self.hyperparameters.kernel, self.table.len());
        squares.resize(n, 0.0);
        near.resize(n, 0.0);
        kernel.squares(&self.table, own, squares);
        kernel.covariances_at(squares, 0.0, near);
        kernel.covariances_at(squares, apart, covariances);
        expected.clear();
        expected.resize(self.instances.coordinates.len(), self.expectation(covariances));
        let each = self.table.instances().iter().zip(&self.alpha).zip(near.iter().zip(&*covariances));
        for ((&instance, alpha), (near, far)) in each {
            if let Some(place) = self.instances.places[instance as usize] {
                expected[place] += alpha * (near + self.hyperparameters.effect - far);
            }
        }
        let mean = self.shares(expected);
        let share = |instance: &u32| self.instances.places[*instance as usize].map_or(0.0, |at| expected[at]);
        let mix = |near: &[f64], far: &mut [f64]| {
            for ((far, near), instance) in far.iter_mut().zip(near).zip(self.table.instances()) {
                *far += share(instance) * (near - *far);
            }
        };
        near.iter_mut().for_each(|near| *near += self.hyperparameters.effect);
        mix(near, covariances);
        if let Some(decays) = decays {
            kernel.decays_at(squares, 0.0, near);
            kernel.decays_at(squares, apart, decays);
            mix(near, decays);
        }
        let alike: f64 = expected.iter().map(|share| share * share).sum();
        (mean, alike * self.hyperparameters.variance() + (1.0 - alike) * kernel.covariance(apart))
    }

    fn over_features(
        &self,
        own: &[f64],
        between: &[f64],
        buffers: &mut Buffers,
        covariances: &mut [f64],
        mut decays: Option<&mut [f64]>,
    ) -> (f64, f64) {
        let Buffers { expected, first: each, second: each_decay } = buffers;
        let (n, count) = (self.table.len(), self.instances.coordinates.len());
        each.resize(n * count, 0.0);
        each_decay.resize(if decays.is_some() { n * count } else { 0 }, 0.0);
        expected.clear();
        let mut point = own.to_vec();
        for (at, instance) in self.instances.coordinates.iter().enumerate() {
            point.truncate(own.len());
            point.extend_from_slice(instance);
            let range = at * n..(at + 1) * n;
            let covariances = &mut each[range.clone()];
            if decays.is_some() {
                let decays = &mut each_decay[range];
                self.hyperparameters.kernel.covariances_and_decays(
                    &self.table,
                    0,
                    &point,
                    covariances,
                    decays,
                );
            } else {
                self.hyperparameters.kernel.covariances(&self.table, 0, &point, covariances);
            }
            self.hyperparameters.add_effect(
                self.table.instances(),
                self.table.instance(instance),
                covariances,
            );
            expected.push(self.expectation(covariances));
        }
        let mean = self.shares(expected);
        weighted_sum(expected, each, covariances);
        if let Some(decays) = &mut decays {
            weighted_sum(expected, each_decay, decays);
        }
        let row = |at: usize| -> f64 {
            between[at * count..(at + 1) * count].iter().zip(&*expected).map(|(k, share)| k * share).sum()
        };
        (mean, (0..count).map(|at| expected[at] * row(at)).sum())
    }

    /// Replaces the expected cost on each instance by the instance's share p. Returns μ over all of them.
    fn shares(&self, expected: &mut [f64]) -> f64 {
        let count = expected.len() as f64;
        match self.scale {
            // If the spread is zero, all expected costs are equal.
            scale if scale == Scale::Linear || self.standard.spread == 0.0 => {
                let mean = expected.iter().sum::<f64>() / count;
                expected.fill(1.0 / count);
                mean
            }
            _ => {
                // For standardised y, 10^y is exp(unit y).
                let unit = self.standard.spread * std::f64::consts::LN_10;
                let most = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                expected.iter_mut().for_each(|y| *y = libm::exp(unit * (*y - most)));
                let sum: f64 = expected.iter().sum();
                expected.iter_mut().for_each(|share| *share /= sum);
                most + libm::log(sum / count) / unit
            }
        }
    }
}

/// Computes the sum of columns weighted by the shares: Σ_π p_π column_π.
fn weighted_sum(shares: &[f64], columns: &[f64], sum: &mut [f64]) {
    sum.fill(0.0);
    for (share, column) in shares.iter().zip(columns.chunks_exact(sum.len())) {
        sum.iter_mut().zip(column).for_each(|(sum, x)| *sum += share * x);
    }
}
