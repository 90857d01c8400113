//! Units of costs and of constrained outputs.

use scenario::{Bounded, Measure};
use serde::Serialize;

/// The unit of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// An unknown unit, as for outputs.
    Plain,
}

impl Unit {
    pub(crate) fn of(measure: Measure) -> Self {
        match measure {
            Measure::CpuTime | Measure::WallTime => Self::Seconds,
            Measure::Memory => Self::Bytes,
            Measure::Output(_) => Self::Plain,
        }
    }

    pub(crate) fn of_bounded(bounded: Bounded) -> Self {
        match bounded {
            Bounded::Measure(measure) => Self::of(measure),
            Bounded::Solved => Self::Plain,
        }
    }
}
