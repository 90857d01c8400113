//! One cell as a row of the file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::rows;

/// Shares of the budget after which incumbents are tested.
pub(super) const SHARES: [f64; 4] = [0.125, 0.25, 0.5, 1.0];

pub(super) const HEAD: &str = "scenario,definition,configurator,seed,trials,capped,configurations,default_par10,\
                    par10_at_1_8,par10_at_1_4,par10_at_1_2,par10_at_1,configuration";

/// Result of one cell.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) scenario: String,
    /// Digest of the scenario's entry in the list.
    pub(super) definition: String,
    pub(super) configurator: String,
    pub(super) seed: u64,
    pub(super) trials: u64,
    /// Number of trials stopped before the cutoff.
    pub(super) capped: u64,
    pub(super) configurations: u64,
    pub(super) default_cost: f64,
    /// Test costs after each of [`SHARES`].
    pub(super) costs: [f64; 4],
    /// The last incumbent.
    pub(super) configuration: String,
}

impl Row {
    /// Returns the scenario, configurator and seed, which together identify a row of a file.
    pub(super) fn cell(&self) -> (&str, &str, u64) {
        (&self.scenario, &self.configurator, self.seed)
    }

    /// Returns the final cost.
    pub(super) fn last(&self) -> f64 {
        self.costs[3]
    }

    pub(super) fn line(&self) -> String {
        let Self { scenario, definition, configurator, seed, trials, capped, configurations, .. } = self;
        let [a, b, c, d] = self.costs;
        let text = self.configuration.replace('"', "\"\"");
        format!(
            "{scenario},{definition},{configurator},{seed},{trials},{capped},{configurations},{},{a},{b},{c},{d},\"{text}\"\n",
            self.default_cost
        )
    }

    fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.splitn(13, ',').collect();
        let [
            scenario,
            definition,
            configurator,
            seed,
            trials,
            capped,
            configurations,
            default,
            a,
            b,
            c,
            d,
            text,
        ] = *words
        else {
            bail!("`{line}` has too few cells");
        };
        let number = |word: &str| word.parse::<f64>().with_context(|| format!("`{word}` is not a number"));
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        Ok(Self {
            scenario: scenario.to_owned(),
            definition: definition.to_owned(),
            configurator: configurator.to_owned(),
            seed: seed.parse()?,
            trials: trials.parse()?,
            capped: capped.parse()?,
            configurations: configurations.parse()?,
            default_cost: number(default)?,
            costs: [number(a)?, number(b)?, number(c)?, number(d)?],
            configuration: text
                .with_context(|| format!("`{line}` has no closing quote"))?
                .replace("\"\"", "\""),
        })
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
        let row = Row {
            scenario: "synthetic-76".to_owned(),
            definition: "00ff".to_owned(),
            configurator: "captune-local".to_owned(),
            seed: 3,
            trials: 1000,
            capped: 300,
            configurations: 70,
            default_cost: 1.0 / 3.0,
            costs: [4.0, 3.5, 0.1 + 0.2, 1e-9],
            configuration: "a=\"x, y\" b=2".to_owned(),
        };
        let line = row.line();
        assert_eq!(Row::of_line(line.trim_end()).unwrap(), row);
        assert!(Row::of_line(&line[..line.len() - 3]).is_err(), "a truncated line");
    }
}
