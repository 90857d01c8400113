//! One campaign as a row of the file.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::rows;

/// Numbers of trials after which incumbents are tested; the last is the budget.
pub(super) const CHECKPOINTS: [u64; 4] = [50, 100, 200, 400];

pub(super) const HEAD: &str = "scenario,variant,seed,tried,pairs,cpu_seconds,best_tried,\
    cost_at_50,cost_at_100,cost_at_200,cost_at_400";

/// Result of one campaign. Costs are test costs, divided by the best possible cost where that is known.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) variant: String,
    pub(super) seed: u64,
    /// Number of configurations tried.
    pub(super) tried: f64,
    /// Number of pairs that the last incumbent has run on.
    pub(super) pairs: f64,
    /// CPU seconds that the campaign itself used, without its trials.
    pub(super) own_cpu: f64,
    /// Lowest cost among all configurations tried.
    pub(super) best_tried: f64,
    /// Cost of the incumbent after each of [`CHECKPOINTS`].
    pub(super) costs: [f64; 4],
}

impl Row {
    pub(super) fn line(&self) -> String {
        let Self { scenario, variant, seed, tried, pairs, own_cpu, best_tried, costs } = self;
        let costs = costs.map(|cost| cost.to_string()).join(",");
        // On the command line, commas separate settings, but in this file they separate cells.
        let variant = variant.replace(',', ";");
        format!("{scenario},{variant},{seed},{tried},{pairs},{own_cpu:.2},{best_tried},{costs}\n")
    }

    fn of_line(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split(',').collect();
        let [scenario, variant, seed, ref numbers @ ..] = *words else { bail!("`{line}` has too few cells") };
        let numbers = numbers.iter().map(|word| word.parse::<f64>());
        let numbers = numbers.collect::<Result<Vec<f64>, _>>().with_context(|| format!("in `{line}`"))?;
        let [tried, pairs, own_cpu, best_tried, ref costs @ ..] = *numbers else {
            bail!("`{line}` has too few cells")
        };
        Ok(Self {
            scenario: scenario.to_owned(),
            variant: variant.replace(';', ","),
            seed: seed.parse().with_context(|| format!("in `{line}`"))?,
            tried,
            pairs,
            own_cpu,
            best_tried,
            costs: costs.try_into().with_context(|| format!("some costs are missing from `{line}`"))?,
        })
    }
}

/// Reads all rows of a file; returns an empty list if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    rows::read(path, HEAD, Row::of_line).with_context(|| format!("could not read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_a_round_trip() {
        let row = Row {
            scenario: "noisy-12".to_owned(),
            variant: "late=1,slack=1.5".to_owned(),
            seed: 3,
            tried: 104.0,
            pairs: 12.0,
            own_cpu: 1.25,
            best_tried: 1.0 / 3.0,
            costs: [4.0, 0.1 + 0.2, 1e-9, 7.0],
        };
        let line = row.line();
        assert_eq!(line.matches(',').count(), HEAD.matches(',').count());
        assert_eq!(Row::of_line(line.trim_end()).unwrap(), row);
        assert!(Row::of_line(&line[..line.len() - 5]).is_err(), "a truncated line");
        let found: Vec<u64> =
            HEAD.split(',').filter_map(|name| name.strip_prefix("cost_at_")?.parse().ok()).collect();
        assert_eq!(found, CHECKPOINTS);
    }
}
