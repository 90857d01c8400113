//! Summarises the rows: per scenario, over all scenarios, and with significance tests.
//!
//! | figure | applies to | definition |
//! |---|---|---|
//! | ratio | a cell | its PAR10 on the test divided by the default's |
//! | score | a cell | 100 (worst - cost) / (worst - best), where best and worst are the lowest and the highest final cost of all cells on the scenario |
//! | rank | a configurator on a scenario | rank of its mean cost; ties share the mean rank |
//! | A / B, p | two configurators on a scenario | mean cost of A divided by that of B; permutation test of means, with Holm's correction over all tests in the table |

use std::fmt::Write as _;

use report::plot::{BoxGroup, BoxedValues};

use super::row::Row;
use super::{Pairs, Study};
use crate::figures::short;
use crate::quantiles::Quantiles;
use crate::statistics::{compared, geometric_mean, mean, ranks};

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
        let means: Vec<f64> = self.groups.iter().map(|(_, rows)| mean(&costs(rows))).collect();
        ranks(&means)
    }
}

/// Returns all tables as Markdown.
pub(super) fn text(rows: &[Row], study: &Study) -> String {
    let tables = tables(rows, study);
    by_scenario(&tables) + &overall(&tables, study) + &tests(&tables, study)
}

fn by_scenario(tables: &[Table<'_>]) -> String {
    let mut text = "\n## Test cost (PAR10) by scenario\n\n| scenario | configurator | cells | default | mean \
                    | lower quartile | median | upper quartile | median at 1/8 of the budget | at 1/4 | at 1/2 \
                    | median score | configurations | trials | stopped early |\n"
        .to_owned();
    let _ = writeln!(text, "|{}", "---|".repeat(15));
    for table in tables {
        for (name, rows) in &table.groups {
            let of = |what: &dyn Fn(&Row) -> f64| Quantiles::of(rows.iter().map(|row| what(row)).collect());
            let last = of(&|row| row.last());
            let _ = writeln!(
                text,
                "| {} | {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.0} | {:.0} | {:.0} % |",
                table.scenario,
                rows.len(),
                short(rows[0].default_cost),
                short(mean(&costs(rows))),
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
    text
}

fn overall(tables: &[Table<'_>], study: &Study) -> String {
    let mut text = "\n## Over all scenarios\n\n| configurator | scenarios | mean rank | mean of median scores \
                    | geometric mean of mean ratios | geometric mean of median ratios |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for it in study.configurators {
        let (mut ranks, mut scores, mut means, mut medians) = (vec![], vec![], vec![], vec![]);
        for table in tables {
            let Some(position) = table.groups.iter().position(|(name, _)| *name == it.name()) else {
                continue;
            };
            let rows = &table.groups[position].1;
            let ratios: Vec<f64> = rows.iter().map(|row| ratio(row)).collect();
            ranks.push(table.ranks()[position]);
            scores.push(Quantiles::of(rows.iter().map(|row| table.score(row)).collect()).median());
            means.push(mean(&ratios));
            medians.push(Quantiles::of(ratios).median());
        }
        if ranks.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.1} | {:.4} | {:.4} |",
            it.name(),
            ranks.len(),
            mean(&ranks),
            mean(&scores),
            geometric_mean(&means),
            geometric_mean(&medians)
        );
    }
    text
}

fn tests(tables: &[Table<'_>], study: &Study) -> String {
    let names: Vec<&str> = study.configurators.iter().map(|it| it.name()).collect();
    let mut samples = Vec::new();
    for table in tables {
        for (number, (first, own)) in table.groups.iter().enumerate() {
            for (second, other) in &table.groups[number + 1..] {
                if study.pairs == Pairs::All || *first == names[0] {
                    samples.push(((table.scenario, *first, *second), [costs(own), costs(other)]));
                }
            }
        }
    }
    if samples.is_empty() {
        return String::new();
    }
    let mut text = format!("\n## Ratio of means (p, corrected for {} tests)\n\n| scenario |", samples.len());
    let words = compared(samples);
    let pairs = names.iter().flat_map(|first| names.iter().map(move |second| (*first, *second)));
    let is_tested = |pair: &(&str, &str)| words.keys().any(|&(_, first, second)| (first, second) == *pair);
    let pairs: Vec<(&str, &str)> = pairs.filter(is_tested).collect();
    for (first, second) in &pairs {
        let _ = write!(text, " {first} / {second} |");
    }
    let _ = writeln!(text, "\n|{}", "---|".repeat(pairs.len() + 1));
    for table in tables {
        let cell = |&(first, second): &(&'static str, &'static str)| {
            words.get(&(table.scenario, first, second)).map_or("-", String::as_str)
        };
        let cells: Vec<&str> = pairs.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", table.scenario, cells.join(" | "));
    }
    text
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
    use super::super::{LEARNERS, SEARCHES};
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
        assert_eq!(first.summary, [0.2, 0.25, 0.3, 0.4, 0.5]);
    }

    #[test]
    fn tables_match_a_calculation_by_hand() {
        let of = |configurator: &str, costs: [f64; 4]| {
            (1..=4).zip(costs).map(|(seed, cost)| row(configurator, seed, cost)).collect::<Vec<_>>()
        };
        let mut rows = [
            of("captune-forest", [1.0, 2.0, 3.0, 8.0]),
            of("captune-auto", [1.0, 2.0, 3.0, 8.0]),
            of("captune-random", [11.0, 12.0, 13.0, 20.0]),
        ]
        .concat();
        rows.push(Row { scenario: "saps-qwh-easy".to_owned(), ..row("captune-forest", 1, 3.0) });
        rows.push(Row { scenario: "saps-qwh-easy".to_owned(), ..row("captune-random", 1, 4.0) });
        let compared = text(&rows, &SEARCHES);
        for line in [
            // The mean is 3.5, the median 2.5. The quartiles are interpolated.
            "| synthetic-76 | captune-forest | 4 | 10.00 | 3.50 | 1.75 | 2.50 | 4.25 | 10.00 | 9.00 | 8.00 | 92.1 | 1 | 1 | 0 % |",
            // Over two scenarios; on the other one, the ratios are 0.3 and 0.4.
            "| captune-forest | 2 | 1.25 | 96.1 | 0.3240 | 0.2739 |",
            "| captune-random | 2 | 2.50 | 19.7 | 0.7483 | 0.7071 |",
            // Equal means, and 2 of 70 splits as extreme as the observed one. The correction is for three tests.
            "## Ratio of means (p, corrected for 3 tests)",
            "| scenario | captune-forest / captune-auto | captune-forest / captune-random |",
            "| saps-qwh-easy | - | 0.750 (1.0000) |",
            "| synthetic-76 | 1.000 (1.0000) | 0.250 (0.0857) |",
        ] {
            assert!(compared.lines().any(|it| it == line), "no `{line}` in\n{compared}");
        }
        // Between learners, all pairs are tested. Two of the three have a p-value of 2/70.
        let learners: Vec<Row> =
            rows.into_iter().map(|row| Row { scenario: "saps-qwh-med".to_owned(), ..row }).take(12).collect();
        let learners = text(&learners, &LEARNERS);
        let heads = ["auto / captune-forest", "auto / captune-random", "forest / captune-random"];
        let heads = heads.map(|head| format!(" captune-{head} |")).concat();
        let cells = "1.000 (1.0000) | 0.250 (0.0857) | 0.250 (0.0857) |";
        for line in [format!("| scenario |{heads}"), format!("| saps-qwh-med | {cells}")] {
            assert!(learners.lines().any(|it| it == line), "no `{line}` in\n{learners}");
        }
    }
}
