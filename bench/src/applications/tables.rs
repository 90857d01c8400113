//! The tables of all rows, as Markdown.

use std::fmt::Write as _;

use super::data::DATA_SETS;
use super::row::Row;
use super::searches::{BUILT_IN, OTHERS};
use crate::statistics::{geometric_mean, mean};

const TASKS: [&str; 4] = ["lsh", "lsh-5", "svm-1", "svm-10"];

/// Rows of one task on one data set by one search.
fn of<'a>(rows: &'a [Row], task: &str, data_set: &str, search: &str) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.task == task && row.data_set == data_set && row.search == search).collect()
}

/// Formats mean ± standard deviation, with two decimals below 10, one below 100, and none above.
fn spread(values: &[f64]) -> String {
    if values.is_empty() {
        return "-".to_owned();
    }
    let middle = mean(values);
    let square = |value: &f64| (value - middle) * (value - middle);
    let deviation = (values.iter().map(square).sum::<f64>() / (values.len().max(2) - 1) as f64).sqrt();
    let digits = if middle < 10.0 { 2 } else { usize::from(middle < 100.0) };
    format!("{middle:.digits$} ± {deviation:.digits$}")
}

fn percent(values: &[f64]) -> String {
    let values: Vec<f64> = values.iter().map(|share| 100.0 * share).collect();
    if values.is_empty() { "-".to_owned() } else { format!("{} %", spread(&values)) }
}

/// Returns the speed-ups as the paper counts them. A search that saw nothing feasible must use the reference.
fn seen(rows: &[&Row]) -> Vec<f64> {
    rows.iter().map(|row| row.seen.unwrap_or(1.0)).collect()
}

fn counted(rows: &[&Row]) -> Vec<f64> {
    rows.iter().map(|row| row.counted()).collect()
}

/// Returns all tables.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    let searches: Vec<&str> = BUILT_IN.iter().chain(&OTHERS).copied().collect();
    let present: Vec<&str> =
        searches.into_iter().filter(|name| rows.iter().any(|row| row.search == *name)).collect();
    for task in TASKS {
        if rows.iter().any(|row| row.task == task) {
            as_in_the_paper(&mut text, rows, task);
            judged(&mut text, rows, task, &present);
        }
    }
    summary(&mut text, rows, &present);
    text
}

/// The paper's form: the fastest feasible evaluation of the constrained search and of uniform sampling.
fn as_in_the_paper(text: &mut String, rows: &[Row], task: &str) {
    let with_vectors = !task.starts_with("lsh");
    // With noise, the search of the paper evaluates each configuration once.
    let search = if with_vectors { "default" } else { "once" };
    let _ = write!(
        text,
        "\n### {task}, as in the paper\n\n| data set | speed-up: {search} | uniform | infeasible: {search} | uniform |"
    );
    text.push_str(if with_vectors {
        " vectors: default | uniform |\n|---|---|---|---|---|---|---|\n"
    } else {
        "\n|---|---|---|---|---|\n"
    });
    for data_set in DATA_SETS.map(|it| it.name) {
        let [own, uniform] = [search, "uniform"].map(|search| of(rows, task, data_set, search));
        if own.is_empty() && uniform.is_empty() {
            continue;
        }
        let infeasible = |rows: &[&Row]| percent(&rows.iter().map(|row| row.infeasible).collect::<Vec<_>>());
        let _ = write!(
            text,
            "| {data_set} | {} | {} | {} | {} |",
            spread(&seen(&own)),
            spread(&seen(&uniform)),
            infeasible(&own),
            infeasible(&uniform)
        );
        if with_vectors {
            let vectors = |rows: &[&Row]| {
                let found = rows.iter().filter(|row| row.seen.is_some());
                spread(&found.map(|row| row.vectors as f64).collect::<Vec<_>>())
            };
            let _ = write!(text, " {} | {} |", vectors(&own), vectors(&uniform));
        }
        text.push('\n');
    }
}

/// The recommended configurations: their mean cost over fresh seeds, and how many keep the bound there.
fn judged(text: &mut String, rows: &[Row], task: &str, searches: &[&str]) {
    let _ = write!(
        text,
        "\n### {task}, the recommended configurations judged with fresh seeds\n\n| data set | {} |\n|---|{}\n",
        searches.join(" | "),
        "---|".repeat(searches.len())
    );
    for data_set in DATA_SETS.map(|it| it.name) {
        if !rows.iter().any(|row| row.task == task && row.data_set == data_set) {
            continue;
        }
        let cell = |search: &&str| {
            let rows = of(rows, task, data_set, search);
            if rows.is_empty() {
                return "-".to_owned();
            }
            let feasible = rows.iter().filter(|row| row.feasible).count();
            // In percent of the bound; in percentage points where the bound is 0.
            let excess =
                |row: &&Row| 100.0 * (row.error - row.bound) / if row.bound > 0.0 { row.bound } else { 1.0 };
            let excess = mean(&rows.iter().map(excess).collect::<Vec<_>>());
            let in_time = geometric_mean(&rows.iter().map(|row| row.in_time).collect::<Vec<_>>());
            format!(
                "{}; feasible {feasible}/{}; error {excess:+.1} %; in time {in_time:.2}",
                spread(&counted(&rows)),
                rows.len()
            )
        };
        let cells: Vec<String> = searches.iter().map(cell).collect();
        let _ = writeln!(text, "| {data_set} | {} |", cells.join(" | "));
    }
}

/// Geometric means over all tasks, relative to uniform sampling and to the best search of each task.
fn summary(text: &mut String, rows: &[Row], searches: &[&str]) {
    text.push_str(
        "\n### All tasks\n\nGeometric means of speed-ups, divided by those of uniform sampling; in brackets the smallest.\n\n\
         | search | tasks | as seen / uniform | judged / uniform | judged / best of all | feasible | CPU seconds |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let tasks: Vec<(&str, &str)> = TASKS
        .into_iter()
        .flat_map(|task| DATA_SETS.map(|data_set| (task, data_set.name)))
        .filter(|(task, data_set)| !of(rows, task, data_set, "uniform").is_empty())
        .collect();
    for search in searches {
        let own = |&(task, data_set): &(&str, &str)| !of(rows, task, data_set, search).is_empty();
        let tasks: Vec<(&str, &str)> = tasks.iter().copied().filter(own).collect();
        let ratios = |values: fn(&[&Row]) -> Vec<f64>| -> Vec<f64> {
            let ratio = |&(task, data_set): &(&str, &str)| {
                let of = |search: &str| geometric_mean(&values(&of(rows, task, data_set, search)));
                of(search) / of("uniform")
            };
            tasks.iter().map(ratio).collect()
        };
        let to_best = tasks.iter().map(|(task, data_set)| {
            let of = |search: &str| geometric_mean(&counted(&of(rows, task, data_set, search)));
            let all = searches.iter().map(|search| of(search)).filter(|mean| mean.is_finite());
            of(search) / all.fold(0.0, f64::max)
        });
        let shown = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            format!("{:.2} ({least:.2})", geometric_mean(values))
        };
        let all: Vec<&Row> = rows.iter().filter(|row| row.search == *search).collect();
        let feasible = all.iter().filter(|row| row.feasible).count();
        let cpu = mean(&all.iter().map(|row| row.cpu).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "| {search} | {} | {} | {} | {} | {feasible}/{} | {cpu:.1} |",
            tasks.len(),
            shown(&ratios(seen)),
            shown(&ratios(counted)),
            shown(&to_best.collect::<Vec<_>>()),
            all.len()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(search: &str, seen: f64, speed_up: f64, feasible: bool) -> Row {
        Row {
            task: "lsh".to_owned(),
            data_set: "usps".to_owned(),
            search: search.to_owned(),
            version: "1".to_owned(),
            seed: 1,
            evaluations: 100,
            infeasible: 0.5,
            seen: Some(seen),
            choice: String::new(),
            vectors: 0,
            speed_up,
            error: 0.0,
            bound: 0.0,
            feasible,
            in_time: 2.0,
            cpu: 1.0,
        }
    }

    #[test]
    fn ratios_are_geometric_and_infeasible_choices_count_as_the_reference() {
        let rows = [
            row("once", 8.0, 9.0, true),
            row("once", 2.0, 4.0, true),
            row("uniform", 2.0, 4.0, true),
            row("uniform", 2.0, 9.0, false),
        ];
        let text = text(&rows);
        assert!(
            text.contains("| usps | 5.00 ± 4.24 | 2.00 ± 0.00 | 50.0 ± 0.0 % | 50.0 ± 0.0 % |"),
            "{text}"
        );
        assert!(
            text.contains(
                "| 6.50 ± 3.54; feasible 2/2; error +0.0 %; in time 2.00 | 2.50 ± 2.12; feasible 1/2;"
            ),
            "{text}"
        );
        // As seen: sqrt(8 * 2) / 2 = 2. Judged: sqrt(9 * 4) / sqrt(4 * 1) = 3.
        assert!(
            text.contains("| once | 1 | 2.00 (2.00) | 3.00 (3.00) | 1.00 (1.00) | 2/2 | 1.0 |"),
            "{text}"
        );
        assert!(
            text.contains("| uniform | 1 | 1.00 (1.00) | 1.00 (1.00) | 0.33 (0.33) | 1/2 | 1.0 |"),
            "{text}"
        );
    }
}
