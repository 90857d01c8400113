//! Summarises the rows: per scenario, over all scenarios, and with significance tests.
//!
//! | figure | applies to | definition |
//! |---|---|---|
//! | ratio | a cell | its PAR10 on the test divided by the default's |
//! | score | a cell | 100 (worst - cost) / (worst - best), where best and worst are the lowest and the highest final cost of all cells on the scenario |
//! | rank | a configurator on a scenario | rank of its median cost; ties share the mean rank |
//! | p, probability | two configurators on a scenario | Mann-Whitney test on the costs |
//! | p | two configurators on all scenarios | sign-flip test on the differences between ratios, with scenarios as units |

use anyhow::Result;
use engine::stats::{Measured, compare};
use engine::{InstanceId, Rng};
use math::mann_whitney;
use report::plot::{BoxGroup, BoxedValues};

use super::Study;
use super::row::Row;
use crate::figures::short;
use crate::quantiles::Quantiles;
use crate::statistics::{mean, ranks};

/// Rows of one scenario, grouped by configurator.
struct Table<'a> {
    scenario: &'a str,
    groups: Vec<(&'static str, Vec<&'a Row>)>,
}

/// Groups the rows, in the order of the lists; scenarios and configurators without rows are left out.
fn tables<'a>(rows: &'a [Row], study: &Study) -> Vec<Table<'a>> {
    let of_scenario = |scenario: &'static str| {
        let groups = study.configurators.iter().map(|it| {
            let is_own = |row: &&Row| row.scenario == scenario && row.configurator == it.name();
            let mut own: Vec<&Row> = rows.iter().filter(is_own).collect();
            own.sort_by_key(|row| row.seed);
            (it.name(), own)
        });
        Table { scenario, groups: groups.filter(|(_, rows)| !rows.is_empty()).collect() }
    };
    let all = study.scenarios.iter().map(|it| of_scenario(it.name));
    all.filter(|table| !table.groups.is_empty()).collect()
}

fn ratio(row: &Row) -> f64 {
    row.last() / row.default_cost
}

fn costs(rows: &[&Row]) -> Vec<f64> {
    rows.iter().map(|row| row.last()).collect()
}

impl Table<'_> {
    fn extremes(&self) -> (f64, f64) {
        let all = self.groups.iter().flat_map(|(_, rows)| costs(rows));
        all.fold((f64::INFINITY, 0.0), |(best, worst), cost| (best.min(cost), worst.max(cost)))
    }

    fn score(&self, row: &Row) -> f64 {
        let (best, worst) = self.extremes();
        if worst > best { 100.0 * (worst - row.last()) / (worst - best) } else { 100.0 }
    }

    /// Returns the rank of each group.
    fn ranks(&self) -> Vec<f64> {
        let medians: Vec<f64> =
            self.groups.iter().map(|(_, rows)| Quantiles::of(costs(rows)).median()).collect();
        ranks(&medians)
    }
}

/// Prints all tables as Markdown.
pub(super) fn print(rows: &[Row], study: &Study) -> Result<()> {
    let tables = tables(rows, study);
    println!("\n## Test cost (PAR10) by scenario\n");
    println!(
        "| scenario | configurator | cells | default | lower quartile | median | upper quartile | median at 1/8 of the budget \
         | at 1/4 | at 1/2 | median score | configurations | trials | stopped early |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for table in &tables {
        for (name, rows) in &table.groups {
            let of = |what: &dyn Fn(&Row) -> f64| Quantiles::of(rows.iter().map(|row| what(row)).collect());
            let last = of(&|row| row.last());
            println!(
                "| {} | {name} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.0} | {:.0} | {:.0} % |",
                table.scenario,
                rows.len(),
                short(rows[0].default_cost),
                short(last.at(0.25)),
                short(last.median()),
                short(last.at(0.75)),
                short(of(&|row| row.costs[0]).median()),
                short(of(&|row| row.costs[1]).median()),
                short(of(&|row| row.costs[2]).median()),
                of(&|row| table.score(row)).median(),
                of(&|row| row.configurations as f64).median(),
                of(&|row| row.trials as f64).median(),
                of(&|row| 100.0 * row.capped as f64 / row.trials.max(1) as f64).median(),
            );
        }
    }
    print_overall(&tables, study);
    print_tests(&tables, study)
}

fn print_overall(tables: &[Table<'_>], study: &Study) {
    println!("\n## Over all scenarios\n");
    println!(
        "| configurator | scenarios | mean rank | mean of median scores | geometric mean of median ratios |"
    );
    println!("|---|---|---|---|---|");
    for it in study.configurators {
        let (mut ranks, mut scores, mut logarithms) = (Vec::new(), Vec::new(), Vec::new());
        for table in tables {
            let Some(position) = table.groups.iter().position(|(name, _)| *name == it.name()) else {
                continue;
            };
            let rows = &table.groups[position].1;
            ranks.push(table.ranks()[position]);
            scores.push(Quantiles::of(rows.iter().map(|row| table.score(row)).collect()).median());
            logarithms.push(Quantiles::of(rows.iter().map(|row| ratio(row)).collect()).median().ln());
        }
        if ranks.is_empty() {
            continue;
        }
        println!(
            "| {} | {} | {:.2} | {:.1} | {:.4} |",
            it.name(),
            ranks.len(),
            mean(&ranks),
            mean(&scores),
            mean(&logarithms).exp()
        );
    }
}

fn print_tests(tables: &[Table<'_>], study: &Study) -> Result<()> {
    let Some(first) = study.configurators.first().map(|it| it.name()) else { return Ok(()) };
    println!("\n## {first} against the others\n");
    println!("| scenario | against | probability of being better | p (Mann-Whitney) |");
    println!("|---|---|---|---|");
    let mut paired: Vec<(&str, Vec<Measured>)> = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let Some((_, own)) = table.groups.iter().find(|(name, _)| *name == first) else { continue };
        for (name, others) in table.groups.iter().filter(|(name, _)| *name != first) {
            if let Some(found) = mann_whitney(&costs(own), &costs(others)) {
                println!("| {} | {name} | {:.2} | {:.4} |", table.scenario, found.chance, found.p);
            }
            if !paired.iter().any(|(known, _)| known == name) {
                paired.push((name, Vec::new()));
            }
            let pairs =
                own.iter().flat_map(|a| others.iter().filter(|b| b.seed == a.seed).map(move |b| (a, b)));
            for (a, b) in pairs {
                let measured =
                    Measured { instance: InstanceId(number as u32), default: ratio(b), tuned: ratio(a) };
                paired.iter_mut().filter(|it| it.0 == *name).for_each(|it| it.1.push(measured));
            }
        }
    }
    println!("\n| against | paired cells | its mean ratio | mean ratio of {first} | p (sign flips) |");
    println!("|---|---|---|---|---|");
    for (name, measured) in paired.iter().filter(|(_, measured)| !measured.is_empty()) {
        let found = compare(measured, &mut Rng::new(1, "compare", 0))?;
        println!("| {name} | {} | {:.4} | {:.4} | {:.4} |", found.pairs, found.default, found.tuned, found.p);
    }
    Ok(())
}

/// Returns the boxes of the plot: the ratios of all cells, by scenario and configurator.
pub(super) fn boxes(rows: &[Row], study: &Study) -> Vec<BoxGroup> {
    let group = |table: &Table<'_>| {
        let boxed = |(name, rows): &(&'static str, Vec<&Row>)| {
            let values: Vec<f64> = rows.iter().map(|row| ratio(row)).collect();
            let quantiles = Quantiles::of(values.clone());
            let summary = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantiles.at(share));
            BoxedValues { name: (*name).to_owned(), values, summary }
        };
        BoxGroup { title: table.scenario.to_owned(), boxes: table.groups.iter().map(boxed).collect() }
    };
    tables(rows, study).iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::super::SEARCHES;
    use super::*;

    fn row(configurator: &str, seed: u64, last: f64) -> Row {
        Row {
            scenario: "synthetic-76".to_owned(),
            definition: String::new(),
            configurator: configurator.to_owned(),
            seed,
            trials: 1,
            capped: 0,
            configurations: 1,
            default_cost: 10.0,
            costs: [10.0, 9.0, 8.0, last],
            configuration: String::new(),
        }
    }

    #[test]
    fn scores_and_ranks_match_a_calculation_by_hand() {
        let rows = [
            row("plain-random", 1, 6.0),
            row("captune-local", 2, 2.0),
            row("captune-local", 1, 3.0),
            row("captune-local", 3, 5.0),
            row("plain-random", 2, 4.0),
        ];
        let tables = tables(&rows, &SEARCHES);
        let table = &tables[0];
        assert_eq!(
            table.groups.iter().map(|it| (it.0, it.1.len())).collect::<Vec<_>>(),
            [("captune-local", 3), ("plain-random", 2)]
        );
        assert_eq!([2.0, 4.0, 6.0].map(|last| table.score(&row("", 1, last))), [100.0, 50.0, 0.0]);
        assert_eq!(table.ranks(), [1.0, 2.0]);
        let first = &boxes(&rows, &SEARCHES)[0].boxes[0];
        assert_eq!(first.values, [0.3, 0.2, 0.5], "ratios to the default, ordered by seed");
        assert_eq!(first.summary, [0.2, 0.2, 0.3, 0.5, 0.5]);
    }
}
