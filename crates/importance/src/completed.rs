//! Rows without inactive values, for models that are analysed over the whole space.
//!
//! The value of an inactive parameter does not matter: any value gives the same cost. If a model is fitted to
//! rows in which inactive parameters have random values, it learns exactly this. It cannot mistake "this
//! parameter is inactive" for an effect of the parameter itself: only the parent that deactivates it can
//! explain the difference. All columns are then independent and uniform, and every combination is possible.

use math::Rng;
use space::{Configuration, Space};
use surrogate::TrainingSet;

/// Gives the inactive parameters of all configurations random values.
#[must_use]
pub fn completed(data: TrainingSet<'_>, seed: u64) -> TrainingSet<'_> {
    data.with_rows(|index, row| {
        let mut rng = Rng::new(seed, "inactive", index as u64);
        for value in row.iter_mut().filter(|value| **value < 0.0) {
            *value = rng.unit();
        }
    })
}

/// Returns the row of a configuration, with inactive parameters in the middle of their ranges.
pub fn completed_row(space: &Space, configuration: &Configuration) -> Vec<f64> {
    space.encode(configuration).into_iter().map(|value| if value < 0.0 { 0.5 } else { value }).collect()
}

#[cfg(test)]
mod tests {
    use surrogate::{Column, InstanceTable, Reading, Scale};

    use super::*;

    #[test]
    fn only_inactive_values_are_replaced_and_differently_in_each_row() {
        let instances = InstanceTable::alike();
        let mut data =
            TrainingSet::new(&[Column::Number, Column::Category(3)], &instances, Scale::Linear, None);
        for row in [[0.25, -1.0], [-1.0, 0.5], [0.75, -1.0]] {
            let number = data.push_configuration(&row);
            data.push(number, 0, Reading::Exact(1.0));
        }
        let found = completed(data.clone(), 4);
        let rows = found.configuration_rows();
        assert_eq!((rows[0], rows[3], rows[4]), (0.25, 0.5, 0.75));
        assert!(rows.iter().all(|value| (0.0..=1.0).contains(value)), "{rows:?}");
        assert_ne!(rows[1], rows[5]);
        assert_eq!(rows, completed(data, 4).configuration_rows(), "the same seed gives the same rows");
    }
}
