//! Many samples and rows at once, column by column.
//!
//! Drawing one parameter for a block of configurations asks only once what sort of parameter it is;
//! drawing one configuration asks for every value. A block is small enough to stay in the cache.
//! Only rows that break a clause, and groups whose bounds depend on others, are treated one by one.

use math::Rng;

use super::condition::Group;
use super::encode::INACTIVE;
use super::parameter::Domain;
use super::range::Range;
use super::sample::SampleError;
use super::{Parameter, Space};

/// Values of a block, about: 64 kB of them.
const BLOCK: usize = 8192;
/// Longer columns gain nothing.
const MOST_ROWS: usize = 32;

impl Space {
    /// Writes the codes of many samples one after the other, without allocating: the law of
    /// [`sample_into`](Self::sample_into), but not the same draws.
    ///
    /// # Panics
    /// If the length of `codes` is not a multiple of the number of parameters.
    pub fn sample_many(&self, rng: &mut Rng, codes: &mut [f64]) -> Result<(), SampleError> {
        let width = self.row_length();
        assert!(codes.len().is_multiple_of(width), "whole configurations");
        codes.chunks_mut(width * rows_of(width)).try_for_each(|block| self.sample_block(rng, block))
    }

    fn sample_block(&self, rng: &mut Rng, block: &mut [f64]) -> Result<(), SampleError> {
        let width = self.row_length();
        for group in &self.data.batches {
            let by_columns =
                group.parameters.iter().all(|&p| has_own_values(&self.data.parameters[p as usize]));
            if by_columns {
                group.parameters.iter().for_each(|&p| self.draw_column(p as usize, rng, block));
            }
            if by_columns && group.clauses.is_empty() {
                continue;
            }
            for row in block.chunks_exact_mut(width) {
                if !by_columns || self.breaks_a_clause(group, row) {
                    self.sample_group(group, rng, row)?;
                }
            }
        }
        Ok(())
    }

    fn breaks_a_clause(&self, group: &Group, row: &[f64]) -> bool {
        group.clauses.violated(&self.data.forbidden, row).is_some()
    }

    /// Draws one parameter of every row, whose parents have been drawn.
    fn draw_column(&self, index: usize, rng: &mut Rng, block: &mut [f64]) {
        let width = self.row_length();
        let parameter = &self.data.parameters[index];
        let mut column = [0.0; MOST_ROWS];
        let column = &mut column[..block.len() / width];
        if let Some(code) = parameter.fixed {
            column.fill(code);
        } else {
            column.iter_mut().for_each(|place| *place = rng.unit());
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

    /// Writes the rows of many configurations given by their codes, without allocating: the same
    /// rows as [`encode_codes`](Self::encode_codes) gives.
    ///
    /// # Panics
    /// If the lengths differ or are no multiple of the number of parameters.
    pub fn encode_many(&self, codes: &[f64], rows: &mut [f64]) {
        let width = self.row_length();
        assert!(codes.len() == rows.len() && codes.len().is_multiple_of(width), "whole rows");
        let length = width * rows_of(width);
        for (codes, rows) in codes.chunks(length).zip(rows.chunks_mut(length)) {
            for index in 0..width {
                self.encode_column(index, codes, rows);
            }
        }
    }

    fn encode_column(&self, index: usize, codes: &[f64], rows: &mut [f64]) {
        let width = self.row_length();
        let mut places = [0.0; MOST_ROWS];
        let places = &mut places[..codes.len() / width];
        places.iter_mut().zip(codes.chunks_exact(width)).for_each(|(place, codes)| *place = codes[index]);
        match &self.data.parameters[index].domain {
            Domain::Choices(choices) => places.iter_mut().for_each(|place| *place = choices.encode(*place)),
            Domain::Range(Range { scale: Some(scale), .. }) => scale.encode_all(places),
            Domain::Range(_) => {
                let units = codes.chunks_exact(width).map(|codes| self.unit(index, codes));
                places.iter_mut().zip(units).for_each(|(place, unit)| *place = unit.unwrap_or(f64::NAN));
            }
        }
        // What has no value has no place: NaN all the way.
        for (row, place) in rows.chunks_exact_mut(width).zip(places) {
            row[index] = if place.is_nan() { INACTIVE } else { *place };
        }
    }
}

/// How many rows make a block.
fn rows_of(width: usize) -> usize {
    (BLOCK / width.max(1)).clamp(1, MOST_ROWS)
}

/// Whether its values do not depend on those of others.
fn has_own_values(parameter: &Parameter) -> bool {
    parameter.range().is_none_or(|range| range.scale.is_some())
}
