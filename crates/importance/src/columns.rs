//! The distribution of each column that an analysis of the whole space assumes.
//!
//! Columns are independent. An active number is uniform on [0, 1], the unit scale of its range; an active
//! category is uniform too. An inactive parameter has a value of its own, as in the encoding, and its
//! probability is the share of random configurations in which it is inactive.

use math::Rng;
use space::{SampleError, Space};
use surrogate::{Column, configuration_columns};

/// Number of random configurations from which probabilities of being inactive are estimated.
const DRAWS: usize = 1000;

/// The distribution of one column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ColumnMeasure {
    /// The kind of the column.
    pub column: Column,
    /// Probability that the parameter is inactive.
    pub inactive: f64,
}

impl ColumnMeasure {
    /// Returns the distribution of a column whose parameter is always active.
    pub fn active(column: Column) -> Self {
        Self { column, inactive: 0.0 }
    }

    /// Returns the distribution of every column of a space.
    pub fn of_space(space: &Space) -> Result<Vec<Self>, SampleError> {
        let columns = configuration_columns(space);
        let mut inactive = vec![0.0; columns.len()];
        if space.ids().any(|id| space.is_conditional(id)) {
            let mut codes = vec![0.0; DRAWS * columns.len()];
            space.sample_many(&mut Rng::new(0, "importance", 0), &mut codes)?;
            for row in codes.chunks_exact(columns.len()) {
                for (share, code) in inactive.iter_mut().zip(row) {
                    *share += f64::from(u8::from(code.is_nan())) / DRAWS as f64;
                }
            }
        }
        let both = columns.into_iter().zip(inactive);
        Ok(both.map(|(column, inactive)| Self { column, inactive }).collect())
    }

    /// Returns the probability that an active number is in `above..=up_to`.
    pub(crate) fn between(&self, above: f64, up_to: f64) -> f64 {
        (1.0 - self.inactive) * (up_to.min(1.0) - above.max(0.0)).max(0.0)
    }
}
