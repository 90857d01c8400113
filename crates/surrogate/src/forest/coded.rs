//! Training rows as small integers, column by column.
//!
//! Trees split only between values that occur. So the values of a numeric column are grouped once into at
//! most 256 bins of nearly equal size, and every value is replaced by the index of its bin. Each category has
//! its own bin, and the inactive category has the last one. Bins store their smallest and largest value,
//! because a split point lies in the gap between two bins.

use space::INACTIVE;

use super::super::{Column, TrainingSet};

/// Maximum number of bins in a numeric column.
const MAX_BINS: usize = 256;

/// The index of a bin, as columns store it: in one or four bytes.
pub(super) trait Code: Copy {
    /// Converts the code to an index.
    fn index(self) -> usize;
}

impl Code for u8 {
    #[inline]
    fn index(self) -> usize {
        usize::from(self)
    }
}

impl Code for u32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// The bin of each row in one column.
#[derive(Clone, Debug)]
pub(super) enum Codes {
    /// Codes for at most 256 bins.
    Narrow(Vec<u8>),
    /// Codes for more bins, which only categorical columns have.
    Wide(Vec<u32>),
}

/// One column of the training rows.
#[derive(Clone, Debug)]
pub(super) struct CodedColumn {
    pub(super) column: Column,
    pub(super) codes: Codes,
    /// Smallest and largest value of each bin; for numbers only.
    pub(super) low: Vec<f32>,
    pub(super) high: Vec<f32>,
    /// Whether all rows have the same code.
    pub(super) constant: bool,
}

/// All training rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Coded {
    pub(super) columns: Vec<CodedColumn>,
    /// Values row by row, for walking down trees.
    pub(super) rows: Vec<f32>,
    pub(super) count: usize,
}

/// Returns a value in the form that trees compare: the position of a number, or the index of a category.
#[inline]
pub(super) fn tree_value(column: Column, value: f64) -> f32 {
    match column {
        Column::Number => value as f32,
        Column::Category(count) => Column::category(count, value) as f32,
    }
}

impl Coded {
    /// Adds the new points of a training set that begins with the points added before.
    pub(super) fn extend(&mut self, data: &TrainingSet<'_>) {
        let kinds = data.columns();
        for point in self.count..data.len() {
            let values = kinds.iter().zip(data.row(point));
            self.rows.extend(values.map(|(&column, value)| tree_value(column, value)));
        }
        if self.columns.is_empty() {
            self.columns = kinds.iter().map(|&column| CodedColumn::new(column)).collect();
        }
        let width = kinds.len();
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.extend(self.rows.iter().skip(index).step_by(width).copied(), self.count);
        }
        self.count = data.len();
    }
}

impl CodedColumn {
    fn new(column: Column) -> Self {
        let codes = match column {
            Column::Category(count) if count >= MAX_BINS => Codes::Wide(Vec::new()),
            _ => Codes::Narrow(Vec::new()),
        };
        Self { column, codes, low: Vec::new(), high: Vec::new(), constant: true }
    }

    /// Codes the values of the column, of which the first `known` are coded already.
    fn extend(&mut self, values: impl Iterator<Item = f32> + Clone, known: usize) {
        let fresh = values.clone().skip(known);
        match (&mut self.codes, self.column) {
            (Codes::Wide(codes), _) => codes.extend(fresh.map(|value| value as u32)),
            (Codes::Narrow(codes), Column::Category(_)) => codes.extend(fresh.map(|value| value as u8)),
            (Codes::Narrow(codes), Column::Number) => {
                for value in fresh {
                    let Some(bin) = bin(&self.low, &self.high, value) else { break };
                    codes.push(bin as u8);
                }
                let all = values.clone().count();
                if codes.len() < all {
                    codes.resize(all, 0);
                    (self.low, self.high) = cut(values, codes);
                }
            }
        }
        self.constant = match &self.codes {
            Codes::Narrow(codes) => codes.windows(2).all(|two| two[0] == two[1]),
            Codes::Wide(codes) => codes.windows(2).all(|two| two[0] == two[1]),
        };
    }
}

/// Returns the bin that contains a number; `None` if the number is in a gap between bins.
fn bin(low: &[f32], high: &[f32], value: f32) -> Option<usize> {
    let bin = high.partition_point(|&high| high < value);
    (low.get(bin).is_some_and(|&low| low <= value)).then_some(bin)
}

/// Cuts numbers into bins and codes them. Equal numbers share a bin, and so do all inactive values. Returns
/// the smallest and the largest value of each bin.
fn cut(values: impl Iterator<Item = f32>, codes: &mut [u8]) -> (Vec<f32>, Vec<f32>) {
    // Integers sort fastest: the value in the upper bits, its row in the lower bits.
    let mut sorted: Vec<u64> =
        values.zip(0_u64..).map(|(value, row)| u64::from(to_ordered(value)) << 32 | row).collect();
    sorted.sort_unstable();
    let value = |place: usize| from_ordered((sorted[place] >> 32) as u32);
    let count = sorted.len();
    let distinct = 1 + (1..count).filter(|&place| value(place - 1) != value(place)).count();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let mut start = 0;
    while start < count {
        let bins_left = MAX_BINS.saturating_sub(low.len()).max(1);
        let alone = distinct <= MAX_BINS || value(start) == INACTIVE as f32;
        let share = if alone { 1 } else { (count - start).div_ceil(bins_left) };
        let mut end = (start + share).min(count);
        while end < count && value(end) == value(end - 1) {
            end += 1;
        }
        for &key in &sorted[start..end] {
            codes[key as u32 as usize] = low.len() as u8;
        }
        low.push(value(start));
        high.push(value(end - 1));
        start = end;
    }
    (low, high)
}

/// Maps a value to an integer, so that integers sort in the same order as their values.
fn to_ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// Returns the value that [`to_ordered`] mapped to this integer.
fn from_ordered(number: u32) -> f32 {
    f32::from_bits(if number >> 31 == 1 { number & !(1 << 31) } else { !number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use math::Rng;

    fn coded(values: &[f32]) -> CodedColumn {
        let mut column = CodedColumn::new(Column::Number);
        column.extend(values.iter().copied(), 0);
        column
    }

    fn codes(column: &CodedColumn) -> Vec<usize> {
        match &column.codes {
            Codes::Narrow(codes) => codes.iter().map(|&code| usize::from(code)).collect(),
            Codes::Wide(codes) => codes.iter().map(|&code| code as usize).collect(),
        }
    }

    #[test]
    fn many_numbers_share_ordered_bins_of_similar_size() {
        let mut rng = Rng::new(1, "codes", 0);
        let mut values: Vec<f32> = (0..5000).map(|_| rng.unit() as f32).collect();
        values.extend([INACTIVE as f32; 100]);
        let column = coded(&values);
        let codes = codes(&column);
        assert!(column.low.len() <= MAX_BINS && column.low.len() > 200);
        assert_eq!((column.low[0], column.high[0]), (-1.0, -1.0), "inactive has its own bin");
        let mut sizes = vec![0; column.low.len()];
        for (value, &code) in values.iter().zip(&codes) {
            assert!(column.low[code] <= *value && *value <= column.high[code]);
            sizes[code] += 1;
        }
        assert!(sizes[1..].iter().all(|&size| (10..40).contains(&size)), "{sizes:?}");
        assert!(column.low.windows(2).all(|two| two[0] < two[1]));
    }

    #[test]
    fn few_numbers_have_a_bin_each_and_a_new_value_cuts_the_bins_again() {
        let mut column = coded(&[0.5, 0.25, 0.5, 0.75]);
        assert_eq!(codes(&column), [1, 0, 1, 2]);
        column.extend([0.5, 0.25, 0.5, 0.75, 0.25].into_iter(), 4);
        assert_eq!(codes(&column), [1, 0, 1, 2, 0]);
        column.extend([0.5, 0.25, 0.5, 0.75, 0.25, 0.3].into_iter(), 5);
        assert_eq!(codes(&column), [2, 0, 2, 3, 0, 1]);
        assert!(!column.constant && coded(&[0.5, 0.5]).constant);
    }
}
