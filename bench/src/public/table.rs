//! Rows by scenario, budget and configurator.

use super::row::{CHECKPOINTS, Row};
use crate::quantiles::Quantiles;
use crate::statistics::{lowest_held_out, mean};

/// The cells of one configurator on one scenario with one budget.
pub(super) struct Group<'a> {
    pub(super) name: &'static str,
    pub(super) rows: Vec<&'a Row>,
}

impl Group<'_> {
    /// Returns the final cost of each cell.
    pub(super) fn costs(&self) -> Vec<f64> {
        self.rows.iter().map(|row| row.last()).collect()
    }

    pub(super) fn mean(&self) -> f64 {
        mean(&self.costs())
    }

    pub(super) fn median(&self) -> f64 {
        Quantiles::of(self.costs()).median()
    }

    /// Returns whether the configurator is captune, with any settings.
    pub(super) fn is_captune(&self) -> bool {
        self.name.starts_with("captune")
    }

    /// Returns the first checkpoint at which the mean cost of all cells is at most this cost.
    pub(super) fn trials_to(&self, cost: f64) -> Option<u64> {
        let at = |index: usize| mean(&self.rows.iter().map(|row| row.costs[index]).collect::<Vec<_>>());
        let checkpoints = self.rows.iter().map(|row| row.costs.len()).min().unwrap_or(0);
        (0..checkpoints).find(|&index| at(index) <= cost).map(|index| CHECKPOINTS[index])
    }
}

/// All cells on one scenario with one budget.
pub(super) struct Table<'a> {
    pub(super) scenario: &'a str,
    /// Configurators with rows, in the order of the list of names.
    pub(super) groups: Vec<Group<'a>>,
}

impl<'a> Table<'a> {
    pub(super) fn group(&self, name: &str) -> Option<&Group<'a>> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// Returns the configurator other than captune with the lowest mean.
    pub(super) fn best_peer(&self) -> Option<&Group<'a>> {
        let peers = self.groups.iter().filter(|group| !group.is_captune());
        peers.min_by(|a, b| a.mean().total_cmp(&b.mean()))
    }

    /// Returns the mean of the best peer over seeds that did not choose it.
    pub(super) fn held_out_best(&self) -> Option<f64> {
        let peers = self.groups.iter().filter(|group| !group.is_captune());
        lowest_held_out(&peers.map(Group::costs).collect::<Vec<_>>())
    }
}

/// Returns a table for each scenario that has rows with this budget.
pub(super) fn tables<'a>(
    rows: &'a [Row],
    budget: u64,
    scenarios: &[&'a str],
    names: &[&'static str],
) -> Vec<Table<'a>> {
    let table = |&scenario: &&'a str| {
        let group = |&name: &&'static str| {
            let is_own = |row: &&Row| {
                (row.scenario.as_str(), row.configurator.as_str(), row.budget) == (scenario, name, budget)
            };
            Group { name, rows: rows.iter().filter(is_own).collect() }
        };
        let groups: Vec<Group<'a>> = names.iter().map(group).filter(|group| !group.rows.is_empty()).collect();
        Table { scenario, groups }
    };
    scenarios.iter().map(table).filter(|table| !table.groups.is_empty()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a cell with these costs at the checkpoints.
    pub(in crate::public) fn row(scenario: &str, configurator: &str, seed: u64, costs: &[f64]) -> Row {
        Row {
            scenario: scenario.to_owned(),
            definition: String::new(),
            configurator: configurator.to_owned(),
            version: "1".to_owned(),
            budget: 100,
            seed,
            trials: 100,
            capped: 10,
            configurations: 20,
            cpu_seconds: Some(seed as f64),
            pairs: None,
            feasible: true,
            default_cost: 100.0,
            costs: costs.to_vec(),
            configuration: String::new(),
        }
    }

    #[test]
    fn groups_have_one_budget_and_peers_exclude_captune() {
        let mut rows = vec![
            row("a", "smac3", 1, &[9.0, 5.0, 4.0]),
            row("a", "smac3", 2, &[9.0, 7.0, 2.0]),
            row("a", "captune", 1, &[6.0, 3.0, 1.0]),
            row("a", "captune", 2, &[6.0, 2.0, 2.0]),
            row("a", "random", 1, &[6.0, 5.0, 3.5]),
            row("b", "random", 1, &[1.0, 1.0, 1.0]),
        ];
        rows.push(Row { budget: 400, ..row("a", "smac3", 3, &[0.0; 3]) });
        let tables = tables(&rows, 100, &["b", "a"], &["captune", "smac3", "irace", "random"]);
        let names = |table: &Table<'_>| table.groups.iter().map(|it| it.name).collect::<Vec<_>>().join(" ");
        assert_eq!(
            tables.iter().map(|it| (it.scenario, names(it))).collect::<Vec<_>>(),
            [("b", "random".to_owned()), ("a", "captune smac3 random".to_owned())]
        );
        let best = tables[1].best_peer().unwrap();
        assert_eq!((best.name, best.mean(), best.median()), ("smac3", 3.0, 3.0));
        let captune = tables[1].group("captune").unwrap();
        assert_eq!(
            [6.0, 3.0, 2.5, 1.5, 1.4].map(|cost| captune.trials_to(cost)),
            [Some(25), Some(50), Some(50), Some(100), None]
        );
    }
}
