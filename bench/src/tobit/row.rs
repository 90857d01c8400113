//! The error on one fold, as a line of a file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::rows;

pub(super) const HEAD: &str = "full,function,threshold,treatment,epochs,seed,fold,censored,rmse,cpu_seconds";

/// What is learned, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    /// The percentile from which on all readings are censored.
    pub(super) full: u32,
    pub(super) function: String,
    /// The percentile above which readings may be censored.
    pub(super) threshold: u32,
    pub(super) treatment: String,
    pub(super) epochs: usize,
    /// Of the readings and of the networks.
    pub(super) seed: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) cell: Cell,
    pub(super) fold: usize,
    /// The share of censored readings.
    pub(super) censored: f64,
    pub(super) rmse: f64,
    /// What training took.
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
            bail!("`{line}` has not {} cells", HEAD.split(',').count());
        };
        let number = |word: &str| word.parse::<f64>().with_context(|| format!("`{word}` is no number"));
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

/// All rows of a file; empty if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    rows::read(path, HEAD, Row::of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
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
        assert!(Row::of_line("95,branin,40").is_err(), "a line that was cut off");
    }
}
