//! Standardised readings, with exact readings of the same configuration and instance merged.
//!
//! ```text
//! k readings with mean ȳ and sum of squared deviations S:
//! ln p(y | f) = ln N(ȳ | f, σ²/k) - (k-1)/2 ln 2πσ² - S/2σ² - ln(k)/2
//! ```

use std::collections::HashMap;

use super::Treatment;
use super::coordinates::{Coordinates, Table};
use crate::Reading;
use crate::{Point, TrainingSet};

/// The merged readings of a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum PointReading {
    /// The mean of `count` exact readings, and the sum of their squared deviations from it.
    Mean { value: f64, count: f64, squares: f64 },
    /// A lower bound.
    AtLeast(f64),
}

impl PointReading {
    pub(super) fn exact(value: f64) -> Self {
        Self::Mean { value, count: 1.0, squares: 0.0 }
    }

    /// Returns the mean or the bound.
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

/// The standardisation of readings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Standard {
    pub(super) center: f64,
    pub(super) spread: f64,
}

impl Standard {
    fn of(data: &TrainingSet<'_>) -> Self {
        let readings = data.readings();
        // The first reading is subtracted, so that the mean of equal readings is exact.
        let (unit, first) = (data.unit(), readings[0].lower_bound());
        let off = readings.iter().map(|reading| reading.lower_bound() / unit - first / unit).sum::<f64>();
        let center = (first / unit + off / readings.len() as f64) * unit;
        let spread = data.spread();
        // Readings that differ only by rounding count as equal; then only bounds leave any uncertainty.
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
        // Values are halved first, because the difference of two huge values may be infinite.
        let halved = |value: f64| (value / 2.0 - self.center / 2.0) / (self.spread / 2.0);
        let one = |value: f64| if self.spread > 0.0 { halved(value) } else { 0.0 };
        match reading {
            Reading::Exact(value) => Reading::Exact(one(value)),
            Reading::AtLeast(value) => Reading::AtLeast(one(value)),
        }
    }
}

/// All readings of a training set.
pub(super) struct Readings {
    pub(super) standard: Standard,
    pub(super) table: Table,
    pub(super) point_readings: Vec<PointReading>,
    /// Index of the point for each reading in the training set; `None` for bounds and for readings left out.
    pub(super) exact_places: Vec<Option<usize>>,
}

impl Readings {
    /// Returns the amount that standardising adds to the log density of the readings.
    pub(super) fn log_units(&self) -> f64 {
        let counts = self.point_readings.iter().map(|reading| match reading {
            PointReading::Mean { count, .. } => *count,
            PointReading::AtLeast(_) => 0.0,
        });
        if self.standard.spread > 0.0 { counts.sum::<f64>() * libm::log(self.standard.spread) } else { 0.0 }
    }

    /// Returns only the points at `places`, in their original order.
    pub(super) fn only(&self, mut places: Vec<usize>) -> Self {
        places.sort_unstable();
        let mut table = Table::new(self.table.width(), self.table.configuration_width());
        places.iter().for_each(|&at| table.push(&self.table.point(at)));
        let place = |place: &Option<usize>| place.and_then(|place| places.binary_search(&place).ok());
        Self {
            standard: self.standard,
            table,
            point_readings: places.iter().map(|&at| self.point_readings[at]).collect(),
            exact_places: self.exact_places.iter().map(place).collect(),
        }
    }

    /// Merges the readings of a training set, which must not be empty.
    pub(super) fn of(data: &TrainingSet<'_>, coordinates: &Coordinates, treatment: Treatment) -> Self {
        let standard = Standard::of(data);
        let mut all = Self {
            standard,
            table: coordinates.table(),
            point_readings: Vec::new(),
            exact_places: vec![None; data.len()],
        };
        let mut places: HashMap<Point, usize> = HashMap::new();
        let any_exact = data.readings().iter().any(|reading| !reading.is_censored());
        let (mut row, mut point) = (Vec::new(), Vec::new());
        for (at, &reading) in data.readings().iter().enumerate() {
            let merged = match (standard.standardised(reading), treatment) {
                (Reading::Exact(value), _) => PointReading::exact(value),
                (Reading::AtLeast(_), Treatment::Drop) if any_exact => continue,
                (Reading::AtLeast(bound), Treatment::Likelihood) => PointReading::AtLeast(bound),
                (Reading::AtLeast(bound), _) => PointReading::exact(bound),
            };
            if let PointReading::Mean { value, .. } = merged {
                let next = all.point_readings.len();
                let place = *places.entry(data.points()[at]).or_insert(next);
                all.exact_places[at] = (!reading.is_censored()).then_some(place);
                if place < next {
                    all.point_readings[place] = all.point_readings[place].and(value);
                    continue;
                }
            }
            row.clear();
            row.extend(data.row(at));
            point.clear();
            coordinates.of_row(0, &row, &mut point);
            all.table.push(&point);
            all.point_readings.push(merged);
        }
        all
    }
}
