//! Rows of a training set as network inputs.
//!
//! | column | inputs | inactive or missing |
//! |---|---|---|
//! | number | 1: its position in [-1, 1] if numbers are centred, otherwise in [0, 1] | 0 or 1/2, the middle |
//! | n > 1 categories | n, one-hot: 1 for the category, 0 for the others | all 0 |
//! | a single category | none | |
//! | additionally, for any column that is inactive in a training row | 1: whether it is active | 0 |
//!
//! A column that was never inactive in training has no such flag, because the flag's weights could not be
//! learned.

use crate::{Column, TrainingSet};

/// The inputs of one column.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Part {
    column: Column,
    flagged: bool,
}

/// The conversion of rows to inputs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Inputs {
    parts: Vec<Part>,
    width: usize,
    centred: bool,
}

impl Inputs {
    /// Creates the conversion for rows like those of a training set.
    pub(super) fn of(data: &TrainingSet<'_>, centred: bool) -> Self {
        let mut flagged = vec![false; data.columns().len()];
        for point in 0..data.len() {
            for (flagged, value) in flagged.iter_mut().zip(data.row(point)) {
                *flagged |= value < 0.0;
            }
        }
        let parts: Vec<Part> =
            data.columns().iter().zip(flagged).map(|(&column, flagged)| Part { column, flagged }).collect();
        let width = parts.iter().map(|part| part.width()).sum();
        Self { parts, width, centred }
    }

    /// Returns the number of inputs for a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of columns of a row.
    pub(super) fn columns(&self) -> usize {
        self.parts.len()
    }

    /// Returns the number of inputs for the first `columns` columns.
    pub(super) fn width_of(&self, columns: usize) -> usize {
        self.parts[..columns].iter().map(|part| part.width()).sum()
    }

    /// Writes the inputs of a row.
    pub(super) fn write(&self, row: impl Iterator<Item = f64>, out: &mut [f32]) {
        self.write_from(0, row, out);
    }

    /// Writes the inputs of a row that begins at column `first`.
    pub(super) fn write_from(&self, first: usize, row: impl Iterator<Item = f64>, out: &mut [f32]) {
        let mut rest = out;
        for (part, value) in self.parts[first..].iter().zip(row) {
            let (values, after) = rest.split_at_mut(part.values());
            match part.column {
                Column::Number => {
                    let position = if value < 0.0 { 0.5 } else { value as f32 };
                    values[0] = if self.centred { 2.0 * position - 1.0 } else { position };
                }
                Column::Category(count) => {
                    values.fill(0.0);
                    if let Some(own) = values.get_mut(Column::category(count, value)) {
                        *own = 1.0;
                    }
                }
            }
            rest = after;
            if part.flagged {
                let (flag, after) = rest.split_at_mut(1);
                flag[0] = if value < 0.0 { 0.0 } else { 1.0 };
                rest = after;
            }
        }
    }
}

impl Part {
    fn width(self) -> usize {
        self.values() + usize::from(self.flagged)
    }

    fn values(self) -> usize {
        match self.column {
            Column::Number => 1,
            Column::Category(1) => 0,
            Column::Category(count) => count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading;
    use crate::{InstanceTable, Scale};
    use space::INACTIVE;

    #[test]
    fn categories_have_an_input_each_and_inactive_columns_a_flag() {
        let named = InstanceTable::named(2);
        let columns = [Column::Number, Column::Category(3), Column::Category(1), Column::Number];
        let mut data = TrainingSet::new(&columns, &named, Scale::Linear, None);
        for row in [[0.25, 0.5, 0.5, 0.75], [0.125, INACTIVE, 0.5, INACTIVE]] {
            let configuration = data.push_configuration(&row);
            data.push(configuration, 1, Reading::Exact(1.0));
        }
        let inputs = Inputs::of(&data, false);
        assert_eq!((inputs.columns(), inputs.width()), (5, 1 + 4 + 2 + 2));
        let written = |row: &[f64]| {
            let mut out = vec![7.0; inputs.width()];
            inputs.write(row.iter().copied(), &mut out);
            out
        };
        let row = |point| data.row(point).collect::<Vec<f64>>();
        assert_eq!(written(&row(0)), [0.25, 0.0, 1.0, 0.0, 1.0, 0.75, 1.0, 0.0, 1.0]);
        assert_eq!(written(&row(1)), [0.125, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0]);
        // The first column was never inactive in training.
        assert_eq!(written(&[INACTIVE, 0.9, 0.5, 1.0, 0.2])[..4], [0.5, 0.0, 0.0, 1.0]);
        let centred = Inputs::of(&data, true);
        let mut out = vec![7.0; centred.width()];
        centred.write(data.row(0), &mut out);
        assert_eq!(out, [-0.5, 0.0, 1.0, 0.0, 1.0, 0.5, 1.0, 0.0, 1.0]);
        centred.write([INACTIVE, 0.9, 0.5, 1.0, 0.2].into_iter(), &mut out);
        assert_eq!(out[..4], [0.0, 0.0, 0.0, 1.0]);
    }
}
