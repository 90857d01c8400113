//! The error on one fold as a row of the file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::rows;

pub(super) const HEAD: &str = "full,function,threshold,treatment,epochs,seed,fold,censored,rmse,cpu_seconds";

/// The readings to learn from, and the treatment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    /// Percentile above which all readings are censored.
    pub(super) full: u32,
    pub(super) function: String,
    /// Percentile above which readings may be censored.
    pub(super) threshold: u32,
    pub(super) treatment: String,
    pub(super) epochs: usize,
    /// Random seed for readings and networks.
    pub(super) seed: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) cell: Cell,
    pub(super) fold: usize,
    /// Share of censored readings.
    pub(super) censored: f64,
    pub(super) rmse: f64,
    /// CPU seconds of training.
    pub(super) seconds: f64,
}

impl Row {
    pub(super) fn line(&self) -> String {
        let Self { cell, fold, censored, rmse, seconds } = self;
        let Cell { full, function, threshold, treatment, epochs, seed } = cell;
        format!(
            "{full},{function},{threshold},{treatment},{epochs},{seed},{fold},{censored:.4},{rmse:.6},{seconds:.2}\n"
        )
    }

    pub(super) fn of_line(line: &str) -> Result<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [full, function, threshold, treatment, epochs, seed, fold, censored, rmse, seconds] = cells[..]
        else {
            bail!("`{line}` does not have {} cells", HEAD.split(',').count());
        };
        let number = |word: &str| word.parse::<f64>().with_context(|| format!("`{word}` is not a number"));
        let cell = Cell {
            full: full.parse()?,
            function: function.to_owned(),
            threshold: threshold.parse()?,
            treatment: treatment.to_owned(),
            epochs: epochs.parse()?,
            seed: seed.parse()?,
        };
        let (censored, rmse, seconds) = (number(censored)?, number(rmse)?, number(seconds)?);
        Ok(Self { cell, fold: fold.parse()?, censored, rmse, seconds })
    }
}

/// Reads all rows of a file; returns an empty list if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    rows::read(path, HEAD, Row::of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_a_round_trip() {
        let cell = Cell {
            full: 95,
            function: "branin".to_owned(),
            threshold: 40,
            treatment: "tobit".to_owned(),
            epochs: 500,
            seed: 1,
        };
        let row = Row { cell, fold: 3, censored: 0.25, rmse: 12.5, seconds: 1.25 };
        assert_eq!(Row::of_line(row.line().trim_end()).unwrap(), row);
        assert!(Row::of_line("95,branin,40").is_err(), "a truncated line");
    }
}
