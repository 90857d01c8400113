//! What one treatment has made of one campaign, as a line of a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::score::Score;

const HEAD: &str = "scene,search,slack,seed,points,censored,treatment,rmse,log_likelihood,covered";

/// One campaign: what it tunes, who proposes, where it stops trials, its seed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Cell {
    pub(super) scene: String,
    pub(super) search: String,
    pub(super) slack: f64,
    pub(super) seed: u64,
}

/// One treatment of its readings.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) cell: Cell,
    /// Points of the training set, and those of them that are censored.
    pub(super) points: usize,
    pub(super) censored: usize,
    pub(super) treatment: String,
    pub(super) score: Score,
}

impl Row {
    fn line(&self) -> String {
        let Self { cell: Cell { scene, search, slack, seed }, points, censored, treatment, score } = self;
        let Score { rmse, log_likelihood, covered } = score;
        format!(
            "{scene},{search},{slack},{seed},{points},{censored},{treatment},{rmse:.5},{log_likelihood:.5},{covered:.5}\n"
        )
    }

    fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [scene, search, slack, seed, points, censored, treatment, rmse, log_likelihood, covered] = *words
        else {
            bail!("`{line}` has not {} cells", HEAD.split(',').count());
        };
        let number = |word: &str| word.parse::<f64>().with_context(|| format!("`{word}` is no number"));
        let cell = Cell {
            scene: scene.to_owned(),
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

/// Adds the rows of a campaign to a file, in one write so that others may do the same.
pub(super) fn append(rows: &[Row], path: &Path) -> Result<()> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let mut file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    let head = if file.metadata()?.len() == 0 { format!("{HEAD}\n") } else { String::new() };
    let lines: String = rows.iter().map(Row::line).collect();
    file.write_all(format!("{head}{lines}").as_bytes())?;
    Ok(())
}

/// All rows of a file; none if there is no file.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let mut lines = text.lines();
    match lines.next() {
        None => Ok(Vec::new()),
        Some(HEAD) => lines.map(Row::of_line).collect(),
        Some(_) => bail!("{} has other columns: remove it, or name another file", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let cell =
            Cell { scene: "saps".to_owned(), search: "random".to_owned(), slack: f64::INFINITY, seed: 3 };
        let score = Score { rmse: 0.5, log_likelihood: -1.25, covered: 0.75 };
        let row = Row { cell, points: 90, censored: 40, treatment: "drop".to_owned(), score };
        let line = row.line();
        assert_eq!(Row::of_line(line.trim_end()).unwrap(), row);
        assert!(Row::of_line("saps,random,1.3").is_err(), "a line that was cut off");
    }
}
