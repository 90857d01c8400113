//! One cell as a row of a file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::rows;

/// Numbers of trials after which incumbents are tested, up to the budget.
pub(super) const CHECKPOINTS: [u64; 7] = [25, 50, 100, 200, 400, 800, 1500];

pub(super) const HEAD: &str = "scenario,definition,configurator,version,budget,seed,trials,capped,configurations,\
    cpu_seconds,pairs,feasible,default_cost,cost_at_25,cost_at_50,cost_at_100,cost_at_200,cost_at_400,cost_at_800,\
    cost_at_1500,configuration";

/// Result of one cell.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) scenario: String,
    /// Digest of the scenario's entry in the list.
    pub(super) definition: String,
    pub(super) configurator: String,
    pub(super) version: String,
    pub(super) budget: u64,
    pub(super) seed: u64,
    /// Number of trials run.
    pub(super) trials: u64,
    /// Number of trials stopped before the cutoff.
    pub(super) capped: u64,
    pub(super) configurations: u64,
    /// CPU time of the configurator itself, without its trials.
    pub(super) cpu_seconds: Option<f64>,
    /// Number of pairs that the last incumbent has run on.
    pub(super) pairs: Option<u64>,
    /// Whether the last incumbent is feasible on the test; true if there is no constraint.
    pub(super) feasible: bool,
    pub(super) default_cost: f64,
    /// Test costs after each of [`CHECKPOINTS`] within the budget.
    pub(super) costs: Vec<f64>,
    /// The last incumbent.
    pub(super) configuration: String,
}

/// Scenario, configurator, budget and seed, which together identify a row of a file.
pub(super) type Cell<'a> = (&'a str, &'a str, u64, u64);

impl Row {
    pub(super) fn cell(&self) -> Cell<'_> {
        (&self.scenario, &self.configurator, self.budget, self.seed)
    }

    /// Returns the final cost.
    pub(super) fn last(&self) -> f64 {
        self.costs.last().copied().unwrap_or(self.default_cost)
    }

    pub(super) fn line(&self) -> String {
        fn or_empty(value: Option<impl ToString>) -> String {
            value.map_or(String::new(), |value| value.to_string())
        }
        let mut words = vec![
            self.scenario.clone(),
            self.definition.clone(),
            self.configurator.clone(),
            self.version.clone(),
            self.budget.to_string(),
            self.seed.to_string(),
            self.trials.to_string(),
            self.capped.to_string(),
            self.configurations.to_string(),
            or_empty(self.cpu_seconds.map(|seconds| format!("{seconds:.2}"))),
            or_empty(self.pairs),
            self.feasible.to_string(),
            self.default_cost.to_string(),
        ];
        words.extend((0..CHECKPOINTS.len()).map(|index| or_empty(self.costs.get(index))));
        words.push(format!("\"{}\"\n", self.configuration.replace('"', "\"\"")));
        words.join(",")
    }

    fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.splitn(HEAD.split(',').count(), ',').collect();
        let [
            scenario,
            definition,
            configurator,
            version,
            budget,
            seed,
            trials,
            capped,
            configurations,
            cpu_seconds,
            pairs,
            feasible,
            default,
            ref costs @ ..,
            text,
        ] = *words
        else {
            bail!("`{line}` has too few cells");
        };
        if costs.len() != CHECKPOINTS.len() {
            bail!("`{line}` has too few cells");
        }
        let number = |word: &str| {
            word.parse::<f64>().with_context(|| format!("expected a number, got `{word}` in `{line}`"))
        };
        let count = |word: &str| {
            word.parse::<u64>().with_context(|| format!("expected a count, got `{word}` in `{line}`"))
        };
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        Ok(Self {
            scenario: scenario.to_owned(),
            definition: definition.to_owned(),
            configurator: configurator.to_owned(),
            version: version.to_owned(),
            budget: count(budget)?,
            seed: count(seed)?,
            trials: count(trials)?,
            capped: count(capped)?,
            configurations: count(configurations)?,
            cpu_seconds: if cpu_seconds.is_empty() { None } else { Some(number(cpu_seconds)?) },
            pairs: if pairs.is_empty() { None } else { Some(count(pairs)?) },
            feasible: feasible
                .parse()
                .with_context(|| format!("expected true or false, got `{feasible}`"))?,
            default_cost: number(default)?,
            costs: costs
                .iter()
                .filter(|word| !word.is_empty())
                .map(|word| number(word))
                .collect::<Result<_>>()?,
            configuration: text
                .with_context(|| format!("`{line}` has no closing quote"))?
                .replace("\"\"", "\""),
        })
    }
}

/// Reads all rows of a file; returns an empty list if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    rows::read_plain(path, HEAD, Row::of_line).with_context(|| format!("could not read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_a_round_trip() {
        let row = Row {
            scenario: "synthetic-76".to_owned(),
            definition: "00ff".to_owned(),
            configurator: "captune".to_owned(),
            version: "0123456789ab".to_owned(),
            budget: 100,
            seed: 3,
            trials: 99,
            capped: 30,
            configurations: 70,
            cpu_seconds: Some(1.25),
            pairs: Some(12),
            feasible: true,
            default_cost: 1.0 / 3.0,
            costs: vec![4.0, 0.1 + 0.2, 1e-9],
            configuration: "a=\"x, y\" b=2".to_owned(),
        };
        let line = row.line();
        assert_eq!(
            line.matches(',').count(),
            HEAD.matches(',').count() + 1,
            "one more comma in the configuration"
        );
        assert_eq!(Row::of_line(line.trim_end()).unwrap(), row);
        let without_reports = Row { cpu_seconds: None, pairs: None, feasible: false, ..row };
        assert_eq!(Row::of_line(without_reports.line().trim_end()).unwrap(), without_reports);
        assert!(Row::of_line(&line[..line.len() - 3]).is_err(), "a truncated line");
    }

    #[test]
    fn the_header_names_all_checkpoints() {
        let found: Vec<u64> =
            HEAD.split(',').filter_map(|name| name.strip_prefix("cost_at_")?.parse().ok()).collect();
        assert_eq!(found, CHECKPOINTS);
    }
}
