//! Configurations as rows of numbers, and back.
//!
//! | layout | columns of a parameter | inactive |
//! |---|---|---|
//! | row | 1: its position on the unit scale of its current bounds | [`INACTIVE`] |
//! | one-hot, float, integer, ordinal or boolean | 1: its position in [0, 1] | 1/2, the middle |
//! | one-hot, categorical of n > 1 choices | n: 1 for its choice, 0 for the others | all 0 |
//! | one-hot, constant, fixed or single-valued | none | |
//! | one-hot, conditional, in addition | 1: whether it is active | 0 |
//!
//! In a row, the choice with index i of n is encoded as (i + 1/2) / n. Integers are encoded the same
//! way, so that rounding never moves a value into a neighbouring interval.

use super::parameter::{Domain, Kind};
use super::range::{Extent, Range};
use super::settle::{Slot, Violation};
use super::{Configuration, ConfigurationError, ParameterId, Space};

/// Value of an inactive parameter in a row: outside [0, 1], so that trees can split on it.
pub const INACTIVE: f64 = -1.0;

impl Space {
    /// Returns the length of a row: one column per parameter, in order.
    pub fn row_length(&self) -> usize {
        self.parameters().len()
    }

    /// Returns the row for a configuration.
    pub fn encode(&self, configuration: &Configuration) -> Vec<f64> {
        let mut row = vec![0.0; self.row_length()];
        self.encode_codes(configuration.codes(), &mut row);
        row
    }

    /// Writes the row for a configuration, given by its codes, without allocating.
    ///
    /// # Panics
    /// If the length of a slice is not the number of parameters.
    pub fn encode_codes(&self, codes: &[f64], row: &mut [f64]) {
        assert!(
            codes.len() == self.row_length() && row.len() == codes.len(),
            "there must be one column per parameter"
        );
        for (index, out) in row.iter_mut().enumerate() {
            *out = self.unit(index, codes).unwrap_or(INACTIVE);
        }
    }

    /// Returns the position of a parameter's value in [0, 1]; `None` if it is inactive.
    pub(crate) fn unit(&self, index: usize, codes: &[f64]) -> Option<f64> {
        let code = codes[index];
        if code.is_nan() {
            return None;
        }
        match &self.data.parameters[index].domain {
            Domain::Choices(choices) => Some(choices.encode(code)),
            Domain::Range(Range { scale: Some(scale), .. }) => Some(scale.encode(code)),
            Domain::Range(range) => match range.extent(codes) {
                Extent::Scale(scale) => Some(scale.encode(code)),
                _ => None,
            },
        }
    }

    /// Returns the configuration that a row encodes. Positions are clamped to [0, 1]. The column of a
    /// parameter that turns out to be inactive is ignored; a parameter that is marked as inactive but turns
    /// out to be active takes its default.
    pub fn decode(&self, row: &[f64]) -> Result<Configuration, ConfigurationError> {
        let mut codes = vec![f64::NAN; self.row_length()];
        self.decode_into(row, &mut codes)?;
        Ok(Configuration::new(self.clone(), codes))
    }

    /// Like [`decode`](Self::decode), but writes codes without allocating.
    pub fn decode_into(&self, row: &[f64], codes: &mut [f64]) -> Result<(), ConfigurationError> {
        let count = self.row_length();
        if row.len() != count || codes.len() != count {
            return Err(ConfigurationError::Length(row.len().min(codes.len()), count));
        }
        for group in &self.data.batches {
            let outcome = self.data.settle(group, codes, |index, slot: Slot<'_>, _| {
                let unit = row[index];
                // NaN also means inactive.
                if unit >= 0.0 { slot.decode(unit) } else { slot.default(&self.data.parameters[index]) }
            });
            outcome.map_err(|violation| match violation {
                Violation::Forbidden(clause) => {
                    ConfigurationError::Forbidden(self.clause_text(clause as usize))
                }
                Violation::Empty(id) | Violation::Outside(id) => {
                    ConfigurationError::Outside(self.parameter(id).name().to_owned())
                }
            })?;
        }
        Ok(())
    }

    /// Returns the one-hot layout of this space.
    pub fn one_hot(&self) -> OneHot {
        let mut columns = Vec::with_capacity(self.parameters().len());
        let mut length = 0;
        for id in self.ids() {
            let parameter = self.parameter(id);
            let values = match (parameter.kind(), parameter.choices()) {
                _ if !parameter.is_variable() => 0,
                (Kind::Categorical, Some(choices)) => choices.count(),
                _ => 1,
            };
            let column = Column { start: length, values, flag: self.is_conditional(id) };
            length += values + usize::from(column.flag);
            columns.push(column);
        }
        OneHot { space: self.clone(), columns, length }
    }
}

/// A one-hot layout with activity flags; see the table in the module documentation.
#[derive(Clone, Debug)]
pub struct OneHot {
    space: Space,
    columns: Vec<Column>,
    length: usize,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    start: usize,
    values: usize,
    flag: bool,
}

impl OneHot {
    /// Returns the number of columns.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the columns that hold a parameter's value.
    pub fn columns(&self, id: ParameterId) -> std::ops::Range<usize> {
        let column = self.columns[id.index()];
        column.start..column.start + column.values
    }

    /// Returns the column that flags whether a parameter is active; `None` if it always is.
    pub fn flag(&self, id: ParameterId) -> Option<usize> {
        let column = self.columns[id.index()];
        column.flag.then_some(column.start + column.values)
    }

    /// Returns the encoded configuration.
    pub fn encode(&self, configuration: &Configuration) -> Vec<f64> {
        let mut row = vec![0.0; self.length];
        self.encode_codes(configuration.codes(), &mut row);
        row
    }

    /// Writes the encoding of a configuration, given by its codes, without allocating.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn encode_codes(&self, codes: &[f64], row: &mut [f64]) {
        assert!(
            codes.len() == self.columns.len() && row.len() == self.length,
            "slice lengths must match the layout"
        );
        row.fill(0.0);
        for (index, column) in self.columns.iter().enumerate() {
            let unit = self.space.unit(index, codes);
            match column.values {
                0 => {}
                1 => row[column.start] = unit.unwrap_or(0.5),
                _ if unit.is_some() => row[column.start + codes[index] as usize] = 1.0,
                _ => {}
            }
            if column.flag {
                row[column.start + column.values] = f64::from(u8::from(unit.is_some()));
            }
        }
    }
}
