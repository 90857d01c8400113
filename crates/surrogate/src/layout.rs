//! The columns of a training set: configuration columns first, then instance columns.
//!
//! | column | value in a row | inactive or missing |
//! |---|---|---|
//! | number | its position in [0, 1] | [`INACTIVE`] |
//! | category i of n | (i + 1/2) / n | [`INACTIVE`], treated as a separate category |

use space::{INACTIVE, Kind, Space};

use crate::{Points, Prediction};

/// The kind of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// Ordered numbers.
    Number,
    /// One of this many unordered categories.
    Category(usize),
}

impl Column {
    /// Returns the index of the category with this value in a row; `count` if it is inactive.
    pub(crate) fn category(count: usize, value: f64) -> usize {
        // The cast would turn a negative value into 0, so negative values are handled first.
        if value < 0.0 { count } else { ((value * count as f64) as usize).min(count - 1) }
    }
}

/// Returns the columns of a space's rows.
pub fn configuration_columns(space: &Space) -> Vec<Column> {
    let column = |parameter: &space::Parameter| match (parameter.kind(), parameter.choices()) {
        (Kind::Categorical, Some(choices)) => Column::Category(choices.count()),
        _ => Column::Number,
    };
    space.parameters().iter().map(column).collect()
}

/// The instances as a model sees them: one row for each.
#[derive(Clone, PartialEq, Debug)]
pub struct InstanceTable {
    columns: Vec<Column>,
    rows: Vec<f64>,
    count: usize,
}

impl InstanceTable {
    /// Returns a table that does not distinguish instances.
    pub fn alike() -> Self {
        Self { columns: Vec::new(), rows: Vec::new(), count: 1 }
    }

    /// Returns a shared static copy of [`alike`](Self::alike).
    pub fn unknown() -> &'static Self {
        static UNKNOWN: InstanceTable = InstanceTable { columns: Vec::new(), rows: Vec::new(), count: 1 };
        &UNKNOWN
    }

    /// Returns a table that only tells instances apart.
    pub fn named(count: usize) -> Self {
        assert!(count > 0, "at least one instance is needed");
        let rows = (0..count).map(|i| (i as f64 + 0.5) / count as f64).collect();
        Self { columns: vec![Column::Category(count)], rows, count }
    }

    /// Returns a table of numeric features, given row by row with NaN for missing values. Each column is
    /// scaled to [0, 1].
    ///
    /// # Panics
    /// If there are no columns or no rows, or the last row is incomplete.
    pub fn of_features(features: &[f64], width: usize) -> Self {
        assert!(
            width > 0 && !features.is_empty() && features.len().is_multiple_of(width),
            "the rows must be complete"
        );
        let mut rows = features.to_vec();
        for column in 0..width {
            let known = || features.iter().skip(column).step_by(width).copied().filter(|x| x.is_finite());
            let (low, high) =
                known().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            // Halved first, because the difference of two huge numbers may be infinite.
            let spread = high / 2.0 - low / 2.0;
            for place in rows.iter_mut().skip(column).step_by(width) {
                *place = match *place {
                    x if !x.is_finite() => INACTIVE,
                    x if spread > 0.0 => ((x / 2.0 - low / 2.0) / spread).clamp(0.0, 1.0),
                    _ => 0.5,
                };
            }
        }
        Self { columns: vec![Column::Number; width], count: rows.len() / width, rows }
    }

    /// Returns the number of instances that the table distinguishes; 1 if all are alike.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Predicts configurations over all instances: means and variances are averages of the predictions for
    /// the single instances. `predict` gets the columns of a configuration followed by those of an instance.
    /// For models that have no better way to implement
    /// [`predict_marginal`](crate::Predictor::predict_marginal).
    pub fn average(
        &self,
        configurations: Points<'_>,
        out: &mut [Prediction],
        predict: impl Fn(&[f64]) -> Prediction,
    ) {
        let count = self.count as f64;
        let mut row = vec![0.0; configurations.width() + self.columns.len()];
        for (out, configuration) in out.iter_mut().zip(configurations.iter()) {
            *out = Prediction::default();
            row[..configurations.width()].copy_from_slice(configuration);
            for instance in 0..self.count {
                row[configurations.width()..].copy_from_slice(self.row(instance));
                let found = predict(&row);
                out.mean += found.mean / count;
                out.variance += found.variance / count;
            }
        }
    }

    /// Returns the row of an instance.
    pub fn row(&self, instance: usize) -> &[f64] {
        let width = self.columns.len();
        if width == 0 { &[] } else { &self.rows[instance * width..(instance + 1) * width] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_scaled_to_the_unit_interval() {
        let table = InstanceTable::of_features(&[10.0, 5.0, f64::NAN, 5.0, 30.0, 5.0, 15.0, 5.0], 2);
        assert_eq!(table.count(), 4);
        assert_eq!(
            [table.row(0), table.row(1), table.row(2), table.row(3)],
            [[0.0, 0.5], [INACTIVE, 0.5], [1.0, 0.5], [0.25, 0.5]]
        );
    }

    #[test]
    fn category_indices_survive_a_round_trip() {
        let table = InstanceTable::named(1000);
        for i in 0..1000 {
            assert_eq!(Column::category(1000, table.row(i)[0]), i);
        }
        assert_eq!(Column::category(3, INACTIVE), 3);
        assert_eq!(InstanceTable::alike().row(0), &[] as &[f64]);
    }
}
