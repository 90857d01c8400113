//! What was read, standardised; exact readings of one configuration and instance as one.
//!
//! ```text
//! k readings of mean ȳ and squared deviations S:
//! ln p(y | f) = ln N(ȳ | f, σ²/k) - (k-1)/2 ln 2πσ² - S/2σ² - ln(k)/2
//! ```

use std::collections::HashMap;

use super::Treatment;
use super::coordinates::{Coordinates, Table};
use crate::Reading;
use crate::{Point, TrainingSet};

/// What is known of a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Read {
    /// The mean of so many exact readings, and the sum of their squared deviations from it.
    Mean { value: f64, count: f64, squares: f64 },
    /// A bound.
    AtLeast(f64),
}

impl Read {
    pub(super) fn exact(value: f64) -> Self {
        Self::Mean { value, count: 1.0, squares: 0.0 }
    }

    /// The mean, or the bound.
    pub(super) fn value(self) -> f64 {
        match self {
            Self::Mean { value, .. } | Self::AtLeast(value) => value,
        }
    }

    fn and(self, other: f64) -> Self {
        let Self::Mean { value, count, squares } = self else { return self };
        let count = count + 1.0;
        let off = other - value;
        let mean = value + off / count;
        Self::Mean { value: mean, count, squares: squares + off * (other - mean) }
    }
}

/// From readings to standardised ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Standard {
    pub(super) center: f64,
    pub(super) spread: f64,
}

impl Standard {
    fn of(data: &TrainingSet<'_>) -> Self {
        let readings = data.readings();
        // The first one is taken off, so that equal readings have themselves for a mean.
        let (unit, first) = (data.unit(), readings[0].lower_bound());
        let off = readings.iter().map(|reading| reading.lower_bound() / unit - first / unit).sum::<f64>();
        let center = (first / unit + off / readings.len() as f64) * unit;
        let spread = data.spread();
        // Readings that differ by rounding alone are one value: nothing is uncertain unless some are bounds.
        let flat = spread <= 1e-12 * center.abs();
        let certain = readings.iter().all(|reading| !reading.is_censored());
        Self {
            center,
            spread: if !flat {
                spread
            } else if certain {
                0.0
            } else {
                1.0
            },
        }
    }

    pub(super) fn standardised(self, reading: Reading) -> Reading {
        // Halves, since the difference of two huge values may be none.
        let halved = |value: f64| (value / 2.0 - self.center / 2.0) / (self.spread / 2.0);
        let one = |value: f64| if self.spread > 0.0 { halved(value) } else { 0.0 };
        match reading {
            Reading::Exact(value) => Reading::Exact(one(value)),
            Reading::AtLeast(value) => Reading::AtLeast(one(value)),
        }
    }
}

/// All that was read.
pub(super) struct Readings {
    pub(super) standard: Standard,
    pub(super) table: Table,
    pub(super) reads: Vec<Read>,
    /// The point of each reading of the set; `None` of bounds, and of those left out.
    pub(super) exact_places: Vec<Option<usize>>,
}

impl Readings {
    /// What standardising adds to the logarithm of their density.
    pub(super) fn log_units(&self) -> f64 {
        let counts = self.reads.iter().map(|read| match read {
            Read::Mean { count, .. } => *count,
            Read::AtLeast(_) => 0.0,
        });
        if self.standard.spread > 0.0 { counts.sum::<f64>() * libm::log(self.standard.spread) } else { 0.0 }
    }

    /// Some of the points, in their order.
    pub(super) fn only(&self, mut places: Vec<usize>) -> Self {
        places.sort_unstable();
        let mut table = Table::new(self.table.width(), self.table.configuration_width());
        places.iter().for_each(|&at| table.push(&self.table.point(at)));
        let place = |place: &Option<usize>| place.and_then(|place| places.binary_search(&place).ok());
        Self {
            standard: self.standard,
            table,
            reads: places.iter().map(|&at| self.reads[at]).collect(),
            exact_places: self.exact_places.iter().map(place).collect(),
        }
    }

    /// What a training set says; it is not empty.
    pub(super) fn of(data: &TrainingSet<'_>, coordinates: &Coordinates, treatment: Treatment) -> Self {
        let standard = Standard::of(data);
        let mut all = Self {
            standard,
            table: coordinates.table(),
            reads: Vec::new(),
            exact_places: vec![None; data.len()],
        };
        let mut places: HashMap<Point, usize> = HashMap::new();
        let any_exact = data.readings().iter().any(|reading| !reading.is_censored());
        let (mut row, mut point) = (Vec::new(), Vec::new());
        for (at, &reading) in data.readings().iter().enumerate() {
            let read = match (standard.standardised(reading), treatment) {
                (Reading::Exact(value), _) => Read::exact(value),
                (Reading::AtLeast(_), Treatment::Drop) if any_exact => continue,
                (Reading::AtLeast(bound), Treatment::Likelihood) => Read::AtLeast(bound),
                (Reading::AtLeast(bound), _) => Read::exact(bound),
            };
            if let Read::Mean { value, .. } = read {
                let next = all.reads.len();
                let place = *places.entry(data.points()[at]).or_insert(next);
                all.exact_places[at] = (!reading.is_censored()).then_some(place);
                if place < next {
                    all.reads[place] = all.reads[place].and(value);
                    continue;
                }
            }
            row.clear();
            row.extend(data.row(at));
            point.clear();
            coordinates.of_row(0, &row, &mut point);
            all.table.push(&point);
            all.reads.push(read);
        }
        all
    }
}
