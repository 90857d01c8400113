//! One treatment of one campaign's readings as a row of the file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::score::Score;
use crate::rows;

pub(super) const HEAD: &str = "scene,search,slack,seed,points,censored,treatment,rmse,log_likelihood,covered";

/// One campaign: its target, its search, its slack and its seed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Cell {
    pub(super) target: String,
    pub(super) search: String,
    pub(super) slack: f64,
    pub(super) seed: u64,
}

/// One treatment of the readings of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) cell: Cell,
    /// Number of points in the training set.
    pub(super) points: usize,
    /// Number of points that are censored.
    pub(super) censored: usize,
    pub(super) treatment: String,
    pub(super) score: Score,
}

impl Row {
    pub(super) fn line(&self) -> String {
        let Self { cell: Cell { target, search, slack, seed }, points, censored, treatment, score } = self;
        let Score { rmse, log_likelihood, covered } = score;
        format!(
            "{target},{search},{slack},{seed},{points},{censored},{treatment},{rmse:.5},{log_likelihood:.5},{covered:.5}\n"
        )
    }

    fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [target, search, slack, seed, points, censored, treatment, rmse, log_likelihood, covered] =
            *words
        else {
            bail!("`{line}` does not have {} cells", HEAD.split(',').count());
        };
        let number = |word: &str| word.parse::<f64>().with_context(|| format!("`{word}` is not a number"));
        let cell = Cell {
            target: target.to_owned(),
            search: search.to_owned(),
            slack: number(slack)?,
            seed: seed.parse()?,
        };
        let score =
            Score { rmse: number(rmse)?, log_likelihood: number(log_likelihood)?, covered: number(covered)? };
        let treatment = treatment.to_owned();
        Ok(Self { cell, points: points.parse()?, censored: censored.parse()?, treatment, score })
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
        let cell =
            Cell { target: "saps".to_owned(), search: "random".to_owned(), slack: f64::INFINITY, seed: 3 };
        let score = Score { rmse: 0.5, log_likelihood: -1.25, covered: 0.75 };
        let row = Row { cell, points: 90, censored: 40, treatment: "drop".to_owned(), score };
        let line = row.line();
        assert_eq!(Row::of_line(line.trim_end()).unwrap(), row);
        assert!(Row::of_line("saps,random,1.3").is_err(), "a truncated line");
    }
}
