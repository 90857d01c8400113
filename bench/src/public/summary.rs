//! Summarises the rows as Markdown, with a section per budget.
//!
//! | figure | applies to | definition |
//! |---|---|---|
//! | mean, median | a configurator on a scenario | mean or median of the cells' test costs |
//! | ratio | a configurator on a scenario | its mean (or median) divided by that of the best peer, the configurator other than captune with the lowest mean |
//! | held-out ratio | a configurator on a scenario | its mean divided by that of the best peer, chosen by half of the seeds and judged by the others |
//! | rank | a configurator on a scenario | rank of its mean; ties share the mean rank |
//! | p | two configurators on a scenario | permutation test on means, with Holm's correction over all tests in the table |
//! | trials to reach | a configurator on a scenario | the first checkpoint at which its mean is at most the best peer's final mean, also held out |
//! | left to gain | a configurator on a scenario | its mean divided by the lowest mean that any configurator has with any budget and at least [`ENOUGH_SEEDS`] seeds |
//! | trials of captune | a configurator on a scenario | the first checkpoint at which captune's mean is at most the configurator's final mean; the median over scenarios counts `never` as the largest |

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::row::Row;
use super::table::{Group, Table, tables};
use crate::figures::short;
use crate::statistics::{compared, geometric_mean, mean, ranks};

/// The configurator with which all others are compared.
const FIRST: &str = "captune";
/// Number of seeds from which a mean counts as one that can be reached.
const ENOUGH_SEEDS: usize = 3;

/// Returns all tables.
pub(super) fn text(rows: &[Row], scenarios: &[&str], names: &[&'static str]) -> String {
    let mut budgets: Vec<u64> = rows.iter().map(|row| row.budget).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let mut text = String::new();
    let lowest = lowest_means(rows, &budgets, scenarios, names);
    for budget in budgets {
        let tables = tables(rows, budget, scenarios, names);
        let names: Vec<&'static str> = names
            .iter()
            .copied()
            .filter(|name| tables.iter().any(|table| table.group(name).is_some()))
            .collect();
        let _ = writeln!(text, "\n## {budget} trials");
        text += &costs(&tables, &names);
        text += &overall(&tables, &names);
        text += &tests(&tables, &names);
        text += &left_to_gain(&tables, &names, &lowest);
        text += &trials("Trials to reach the best peer's final mean", &tables, &names, |table| {
            table.best_peer().map(|best| (format!("{}, {}", best.name, short(best.mean())), best.mean()))
        });
        let title = "Trials to reach the final mean of the best peer, chosen by half of the seeds and judged by the others";
        text +=
            &trials(title, &tables, &names, |table| table.held_out_best().map(|mean| (short(mean), mean)));
        text += &own_trials(&tables, &names);
    }
    text
}

/// Returns a table with a row per scenario and a column per configurator.
fn grid(
    title: &str,
    before: &str,
    tables: &[Table<'_>],
    names: &[&'static str],
    words: impl Fn(&Table<'_>) -> (String, Vec<String>),
) -> String {
    let mut text = format!("\n### {title}\n\n| scenario | {before} | {} |\n", names.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(names.len() + 2));
    for table in tables {
        let (first, words) = words(table);
        let _ = writeln!(text, "| {} | {first} | {} |", table.scenario, words.join(" | "));
    }
    text
}

fn costs(tables: &[Table<'_>], names: &[&'static str]) -> String {
    let of = |title: &str, figure: fn(&Group<'_>) -> f64| {
        grid(title, "default", tables, names, |table| {
            let best = table.groups.iter().map(figure).fold(f64::INFINITY, f64::min);
            let word = |name: &&'static str| match table.group(name).map(|group| (figure(group), group)) {
                Some((value, group)) => {
                    let infeasible = group.rows.iter().filter(|row| !row.feasible).count();
                    let note =
                        if infeasible > 0 { format!(" ({infeasible} infeasible)") } else { String::new() };
                    let strong = if value == best { "**" } else { "" };
                    format!("{strong}{}{strong}{note}", short(value))
                }
                None => "-".to_owned(),
            };
            let default = table.groups.first().map_or(f64::NAN, |group| group.rows[0].default_cost);
            (short(default), names.iter().map(word).collect())
        })
    };
    of("Mean test cost", |group| group.mean()) + &of("Median test cost", |group| group.median())
}

fn overall(tables: &[Table<'_>], names: &[&'static str]) -> String {
    let mut text = "\n### Over all scenarios\n\n| configurator | scenarios | cells | mean rank | mean cost / best \
                    peer's, geometric mean | the same, held out | median cost / best peer's, geometric mean | own \
                    CPU time, mean, s |\n"
        .to_owned();
    text += "|---|---|---|---|---|---|---|---|\n";
    for name in names {
        let (mut all_ranks, mut of_means, mut held_out) = (vec![], vec![], vec![]);
        let (mut of_medians, mut cpu) = (vec![], vec![]);
        let mut cells = 0;
        for table in tables {
            let Some(group) = table.group(name) else { continue };
            let means: Vec<f64> = table.groups.iter().map(Group::mean).collect();
            let own = table.groups.iter().position(|it| it.name == *name);
            all_ranks.extend(own.map(|position| ranks(&means)[position]));
            if let Some(best) = table.best_peer() {
                of_means.push(group.mean() / best.mean());
                of_medians.push(group.median() / best.median());
            }
            held_out.extend(table.held_out_best().map(|best| group.mean() / best));
            cpu.extend(group.rows.iter().filter_map(|row| row.cpu_seconds));
            cells += group.rows.len();
        }
        let or_none = |values: &[f64], figure: fn(&[f64]) -> f64, digits: usize| {
            if values.is_empty() { "-".to_owned() } else { format!("{:.digits$}", figure(values)) }
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {cells} | {} | {} | {} | {} | {} |",
            all_ranks.len(),
            or_none(&all_ranks, mean, 2),
            or_none(&of_means, geometric_mean, 3),
            or_none(&held_out, geometric_mean, 3),
            or_none(&of_medians, geometric_mean, 3),
            or_none(&cpu, mean, 1)
        );
    }
    text
}

/// Compares the first configurator with all others: ratio of means, and p.
fn tests(tables: &[Table<'_>], names: &[&'static str]) -> String {
    let others: Vec<&'static str> = names.iter().copied().filter(|name| *name != FIRST).collect();
    let mut samples = Vec::new();
    for table in tables {
        let Some(own) = table.group(FIRST) else { continue };
        for other in table.groups.iter().filter(|group| group.name != FIRST) {
            samples.push(((table.scenario, other.name), [own.costs(), other.costs()]));
        }
    }
    if samples.is_empty() {
        return String::new();
    }
    let title =
        format!("{FIRST} against the others: ratio of means (p, corrected for {} tests)", samples.len());
    let words = compared(samples);
    grid(&title, "cells", tables, &others, |table| {
        let word =
            |name: &&'static str| words.get(&(table.scenario, *name)).map_or("-", String::as_str).to_owned();
        let cells = table.group(FIRST).map_or(0, |group| group.rows.len());
        (cells.to_string(), others.iter().map(word).collect())
    })
}

/// Returns the lowest mean on each scenario, with the configurator and the budget.
fn lowest_means<'a>(
    rows: &'a [Row],
    budgets: &[u64],
    scenarios: &[&'a str],
    names: &[&'static str],
) -> BTreeMap<&'a str, (f64, String)> {
    let mut lowest = BTreeMap::new();
    for &budget in budgets {
        for table in tables(rows, budget, scenarios, names) {
            for group in table.groups.iter().filter(|group| group.rows.len() >= ENOUGH_SEEDS) {
                let found = (group.mean(), format!("{}, {budget} trials", group.name));
                let known = lowest.entry(table.scenario).or_insert_with(|| found.clone());
                if found.0 < known.0 {
                    *known = found;
                }
            }
        }
    }
    lowest
}

fn left_to_gain(
    tables: &[Table<'_>],
    names: &[&'static str],
    lowest: &BTreeMap<&str, (f64, String)>,
) -> String {
    grid("Means relative to the lowest mean with any budget", "lowest mean", tables, names, |table| {
        let Some((mean, found)) = lowest.get(table.scenario) else {
            return ("-".to_owned(), vec!["-".to_owned(); names.len()]);
        };
        let word = |name: &&'static str| {
            table.group(name).map_or("-".to_owned(), |group| format!("{:.2}", group.mean() / mean))
        };
        (format!("{}, {found}", short(*mean)), names.iter().map(word).collect())
    })
}

fn trials(
    title: &str,
    tables: &[Table<'_>],
    names: &[&'static str],
    best: impl Fn(&Table<'_>) -> Option<(String, f64)>,
) -> String {
    grid(title, "best peer", tables, names, |table| {
        let Some((word, mean)) = best(table) else {
            return ("-".to_owned(), vec!["-".to_owned(); names.len()]);
        };
        let reached = |name: &&'static str| {
            table.group(name).map_or("-".to_owned(), |group| or_never(group.trials_to(mean)))
        };
        (word, names.iter().map(reached).collect())
    })
}

/// Compares the first configurator with one peer at a time, while [`trials`] compares each with the best of all.
fn own_trials(tables: &[Table<'_>], names: &[&'static str]) -> String {
    let others: Vec<&'static str> = names.iter().copied().filter(|name| *name != FIRST).collect();
    let reach = |table: &Table<'_>, name: &str| {
        let (own, other) = (table.group(FIRST)?, table.group(name)?);
        Some(own.trials_to(other.mean()))
    };
    let title = format!("Trials with which {FIRST} reaches the final mean of each configurator");
    let mut text = grid(&title, "cells", tables, &others, |table| {
        let word = |name: &&'static str| reach(table, name).map_or("-".to_owned(), or_never);
        let cells = table.group(FIRST).map_or(0, |group| group.rows.len());
        (cells.to_string(), others.iter().map(word).collect())
    });
    let medians = others.iter().map(|name| {
        let mut reached: Vec<_> = tables.iter().filter_map(|table| reach(table, name)).collect();
        reached.sort_unstable_by_key(|trials| trials.unwrap_or(u64::MAX));
        // Of an even number of scenarios, the upper one of the two in the middle is taken, because they may be
        // a number and `never`.
        reached.get(reached.len() / 2).map_or("-".to_owned(), |&median| or_never(median))
    });
    let _ = writeln!(text, "| median | | {} |", medians.collect::<Vec<_>>().join(" | "));
    text
}

fn or_never(trials: Option<u64>) -> String {
    trials.map_or("never".to_owned(), |trials| trials.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::row;
    use super::*;

    #[test]
    fn tables_match_a_calculation_by_hand() {
        let mut rows = Vec::new();
        for seed in 1..=4 {
            let more = seed as f64;
            rows.push(row("a", "captune", seed, &[8.0, 4.0, more]));
            rows.push(row("a", "smac3", seed, &[40.0, 30.0, 4.0 + more]));
            rows.push(row("b", "captune", seed, &[40.0, 40.0, 20.0]));
            rows.push(row("b", "smac3", seed, &[10.0, 10.0, 10.0]));
        }
        rows[3].feasible = false;
        let text = text(&rows, &["b", "a"], &["captune", "irace", "smac3"]);
        for line in [
            "## 100 trials",
            "| scenario | default | captune | smac3 |",
            // The mean of 1 to 4 is 2.5, that of 5 to 8 is 6.5.
            "| a | 100 | **2.50** | 6.50 |",
            "| b | 100 | 20.00 | **10.00** (1 infeasible) |",
            // The geometric mean of 2.5 / 6.5 and 2.
            "| captune | 2 | 8 | 1.50 | 0.877 | 0.877 | 0.877 | 2.5 |",
            "| smac3 | 2 | 8 | 1.50 | 1.000 | 1.000 | 1.000 | 2.5 |",
            "| a | 2.50, captune, 100 trials | 1.00 | 2.60 |",
            "| b | 10.00, smac3, 100 trials | 2.00 | 1.00 |",
            // In both tests, 2 of 70 splits are as extreme as the observed one. The correction is for two
            // tests.
            "| a | 4 | 0.385 (0.0571) |",
            "| b | 4 | 2.000 (0.0571) |",
            "| a | smac3, 6.50 | 50 | 100 |",
            "| b | smac3, 10.00 | never | 25 |",
            "| a | 4 | 50 |",
            "| b | 4 | never |",
            "| median | | never |",
        ] {
            assert!(text.lines().any(|it| it == line), "no `{line}` in\n{text}");
        }
    }
}
