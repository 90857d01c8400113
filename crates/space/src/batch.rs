//! Sampling and encoding many configurations at once, column by column.
//!
//! Drawing one parameter for a block of configurations dispatches on the parameter's kind only once; drawing
//! one configuration at a time dispatches for every value. A block is small enough to stay in the cache. Only
//! rows that violate a clause, and groups whose bounds depend on other parameters, are handled row by row.

use math::Rng;

use super::condition::Group;
use super::encode::INACTIVE;
use super::parameter::Domain;
use super::range::Range;
use super::sample::SampleError;
use super::{Parameter, Space};

/// Approximate number of values in a block (64 kB).
const BLOCK: usize = 8192;
/// Maximum number of rows in a block; more rows gain nothing.
const MAX_ROWS: usize = 32;

impl Space {
    /// Writes the codes of many samples one after the other, without allocating. The distribution is the same
    /// as for [`sample_into`](Self::sample_into), but the individual draws differ.
    ///
    /// # Panics
    /// If the length of `codes` is not a multiple of the number of parameters.
    pub fn sample_many(&self, rng: &mut Rng, codes: &mut [f64]) -> Result<(), SampleError> {
        let width = self.row_length();
        assert!(codes.len().is_multiple_of(width), "the configurations must be complete");
        codes.chunks_mut(width * rows_of(width)).try_for_each(|block| self.sample_block(rng, block))
    }

    fn sample_block(&self, rng: &mut Rng, block: &mut [f64]) -> Result<(), SampleError> {
        let width = self.row_length();
        for group in &self.data.batches {
            let by_columns =
                group.parameters.iter().all(|&p| is_independent(&self.data.parameters[p as usize]));
            if by_columns {
                group.parameters.iter().for_each(|&p| self.draw_column(p as usize, rng, block));
            }
            if by_columns && group.clauses.is_empty() {
                continue;
            }
            for row in block.chunks_exact_mut(width) {
                if !by_columns || self.violates_clause(group, row) {
                    self.sample_group(group, rng, row)?;
                }
            }
        }
        Ok(())
    }

    fn violates_clause(&self, group: &Group, row: &[f64]) -> bool {
        group.clauses.violated(&self.data.forbidden, row).is_some()
    }

    /// Draws one parameter in every row; its parents must already have been drawn.
    fn draw_column(&self, index: usize, rng: &mut Rng, block: &mut [f64]) {
        let width = self.row_length();
        let parameter = &self.data.parameters[index];
        let mut column = [0.0; MAX_ROWS];
        let column = &mut column[..block.len() / width];
        if let Some(code) = parameter.fixed {
            column.fill(code);
        } else {
            column.iter_mut().for_each(|unit| *unit = rng.unit());
            match &parameter.domain {
                Domain::Choices(choices) => choices.draw_all(column),
                Domain::Range(Range { scale: Some(scale), .. }) => scale.decode_all(column),
                Domain::Range(_) => {}
            }
        }
        let rows = block.chunks_exact_mut(width).zip(column);
        match &self.data.conditions[index] {
            None => rows.for_each(|(row, code)| row[index] = *code),
            Some(condition) => rows.for_each(|(row, code)| {
                row[index] = if condition.holds(row) { *code } else { f64::NAN };
            }),
        }
    }

    /// Writes the rows for many configurations, given by their codes, without allocating. The rows are the
    /// same as those that [`encode_codes`](Self::encode_codes) writes.
    ///
    /// # Panics
    /// If the lengths differ or are not a multiple of the number of parameters.
    pub fn encode_many(&self, codes: &[f64], rows: &mut [f64]) {
        let width = self.row_length();
        assert!(
            codes.len() == rows.len() && codes.len().is_multiple_of(width),
            "codes and rows must be complete and of equal length"
        );
        let length = width * rows_of(width);
        for (codes, rows) in codes.chunks(length).zip(rows.chunks_mut(length)) {
            for index in 0..width {
                self.encode_column(index, codes, rows);
            }
        }
    }

    fn encode_column(&self, index: usize, codes: &[f64], rows: &mut [f64]) {
        let width = self.row_length();
        let mut column = [0.0; MAX_ROWS];
        let column = &mut column[..codes.len() / width];
        column.iter_mut().zip(codes.chunks_exact(width)).for_each(|(value, codes)| *value = codes[index]);
        match &self.data.parameters[index].domain {
            Domain::Choices(choices) => column.iter_mut().for_each(|value| *value = choices.encode(*value)),
            Domain::Range(Range { scale: Some(scale), .. }) => scale.encode_all(column),
            Domain::Range(_) => {
                let units = codes.chunks_exact(width).map(|codes| self.unit(index, codes));
                column.iter_mut().zip(units).for_each(|(value, unit)| *value = unit.unwrap_or(f64::NAN));
            }
        }
        // The code of an inactive parameter is NaN, and encoding keeps NaN.
        for (row, unit) in rows.chunks_exact_mut(width).zip(column) {
            row[index] = if unit.is_nan() { INACTIVE } else { *unit };
        }
    }
}

/// Returns the number of rows in a block.
fn rows_of(width: usize) -> usize {
    (BLOCK / width.max(1)).clamp(1, MAX_ROWS)
}

/// Returns whether a parameter's bounds are independent of other parameters.
fn is_independent(parameter: &Parameter) -> bool {
    parameter.range().is_none_or(|range| range.scale.is_some())
}
