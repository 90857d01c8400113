//! The tables for a series of campaigns.

use super::row::Row;
use crate::quantiles::Quantiles;

/// Returns the median over campaigns.
fn median(rows: &[&Row], what: fn(&Row) -> f64) -> f64 {
    of(rows, what).median()
}

fn of(rows: &[&Row], what: fn(&Row) -> f64) -> Quantiles {
    Quantiles::of(rows.iter().map(|row| what(row)).collect())
}

/// Prints results and effort for every class and kind.
pub(super) fn print(rows: &[Row]) {
    let mut groups: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.class.as_str(), row.kind.as_str())).collect();
    groups.sort_unstable();
    groups.dedup();
    let of_group = |(class, kind): (&str, &str)| -> Vec<&Row> {
        rows.iter().filter(|row| row.class == class && row.kind == kind).collect()
    };
    println!(
        "| class | search | campaigns | default | incumbent, median | incumbent / default: best | median | worst |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &group in &groups {
        let all = of_group(group);
        let ratio = of(&all, |row| row.test_cost / row.default_cost);
        println!(
            "| {} | {} | {} | {:.0} k | {:.0} k | {:.3} | {:.3} | {:.3} |",
            group.0,
            group.1,
            all.len(),
            all[0].default_cost / 1e3,
            median(&all, |row| row.test_cost) / 1e3,
            ratio.at(0.0),
            ratio.median(),
            ratio.max(),
        );
    }
    println!(
        "\n| class | search | configurations | trials | capped | timeouts | incumbents \
         | pairs of the last incumbent: minimum | median | CPU share of incumbents |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for &group in &groups {
        let all = of_group(group);
        let share = |rows: &[&Row], what: fn(&Row) -> f64| 100.0 * median(rows, what);
        println!(
            "| {} | {} | {} | {} | {:.0} % | {} | {} | {} | {} | {:.0} % |",
            group.0,
            group.1,
            median(&all, |row| row.configurations as f64),
            median(&all, |row| row.trials as f64),
            share(&all, |row| row.capped as f64 / row.trials as f64),
            median(&all, |row| row.timeouts as f64),
            median(&all, |row| row.incumbents as f64),
            of(&all, |row| row.pairs as f64).at(0.0),
            median(&all, |row| row.pairs as f64),
            share(&all, |row| row.cpu_incumbents / row.cpu),
        );
    }
    println!();
    for &(class, _) in groups.iter().filter(|group| group.1 == "uncapped") {
        let tried = |kind| median(&of_group((class, kind)), |row| row.configurations as f64);
        if groups.contains(&(class, "random")) {
            let more = tried("random") / tried("uncapped");
            println!("{class}: {more:.1} times as many configurations with capping.");
        }
    }
}
