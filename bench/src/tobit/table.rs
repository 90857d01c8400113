//! Measures the errors of ensembles on four functions, for each threshold, treatment and interpretation of
//! the paper's censoring.

use std::collections::VecDeque;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use targets::Function;

use super::data::Data;
use super::folds::{error, mean_and_deviation};
use super::row::{self, Cell, Row};
use super::{FOLDS, TREATMENTS, paper};
use crate::clock::cpu;
use crate::rows;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Functions [default: all]
    #[arg(long = "function", value_delimiter = ',')]
    functions: Vec<String>,
    /// Percentiles above which readings may be censored
    #[arg(long = "threshold", value_delimiter = ',', default_values_t = paper::THRESHOLDS)]
    thresholds: Vec<u32>,
    /// Percentiles above which all readings are censored
    #[arg(long = "full", value_delimiter = ',', default_values_t = [95, 80])]
    full: Vec<u32>,
    /// Treatments of censored readings [default: all]
    #[arg(long = "treatment", value_delimiter = ',')]
    treatments: Vec<String>,
    /// Number of training epochs
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// Random seed for readings and networks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folds to run at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// CSV file with one row per fold
    #[arg(long, default_value = "docs/results/tobit.csv")]
    rows: PathBuf,
    /// Run nothing; print the tables for the existing rows
    #[arg(long)]
    print: bool,
}

const FUNCTIONS: [(&str, Function); 4] = [
    ("branin", Function::Branin),
    ("camelback", Function::Camelback),
    ("hartmann3", Function::Hartmann3),
    ("hartmann6", Function::Hartmann6),
];

/// Returns the approximate time that one fold of a cell takes, relative to other cells.
fn effort(cell: &Cell) -> usize {
    let width = function(&cell.function).map_or(1, |function| function.domain().len());
    width * if cell.treatment == "mean" { 4 } else { 1 }
}

fn function(name: &str) -> Option<Function> {
    FUNCTIONS.into_iter().find(|(it, _)| *it == name).map(|(_, function)| function)
}

fn chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|it| it == name)
}

/// Runs the folds whose rows are missing from the file, the cheapest first, then prints all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let known = row::read(&arguments.rows)?;
    let mut jobs: Vec<(Cell, usize)> = Vec::new();
    let chosen_functions = FUNCTIONS.into_iter().filter(|(name, _)| chosen(&arguments.functions, name));
    let thresholds =
        || arguments.full.iter().flat_map(|&full| arguments.thresholds.iter().map(move |&it| (full, it)));
    for ((function, _), (full, threshold)) in
        chosen_functions.flat_map(|function| thresholds().map(move |it| (function, it)))
    {
        for (treatment, _) in TREATMENTS.into_iter().filter(|(name, _)| chosen(&arguments.treatments, name)) {
            let cell = Cell {
                full,
                function: function.to_owned(),
                threshold,
                treatment: treatment.to_owned(),
                epochs: arguments.epochs,
                seed: arguments.seed,
            };
            jobs.extend((0..FOLDS).map(|fold| (cell.clone(), fold)));
        }
    }
    jobs.retain(|(cell, fold)| known.iter().all(|row| row.cell != *cell || row.fold != *fold));
    jobs.sort_by_key(|(cell, _)| effort(cell));
    if !arguments.print {
        let lines = |(cell, fold): (Cell, usize)| Ok(run(cell, fold)?.line());
        rows::measure(VecDeque::from(jobs), arguments.threads, (&arguments.rows, row::HEAD), lines)?;
    }
    let rows = row::read(&arguments.rows)?;
    ensure!(!rows.is_empty(), "{} has no rows", arguments.rows.display());
    print(&rows);
    Ok(())
}

fn run(cell: Cell, fold: usize) -> Result<Row> {
    let function =
        function(&cell.function).with_context(|| format!("unknown function `{}`", cell.function))?;
    let treatment = TREATMENTS.into_iter().find(|(name, _)| *name == cell.treatment);
    let (_, treatment) = treatment.with_context(|| format!("unknown treatment `{}`", cell.treatment))?;
    let data = Data::draw(function, cell.threshold, cell.full, cell.seed);
    let begin = cpu();
    let rmse = error(&data, fold, treatment, cell.epochs, cell.seed)?;
    Ok(Row { fold, censored: data.censored(), rmse, seconds: cpu() - begin, cell })
}

/// Errors on one function and threshold: for each treatment, mean and standard deviation over folds, or
/// `None` if folds are missing.
struct Line {
    function: &'static str,
    threshold: u32,
    censored: f64,
    errors: [Option<(f64, f64)>; 4],
}

impl Line {
    fn of(rows: &[&Row], function: &'static str, threshold: u32) -> Option<Self> {
        let own = |row: &&&Row| row.cell.function == function && row.cell.threshold == threshold;
        let censored = rows.iter().find(own)?.censored;
        let errors = TREATMENTS.map(|(name, _)| {
            let errors: Vec<f64> = rows
                .iter()
                .filter(own)
                .filter(|row| row.cell.treatment == name)
                .map(|row| row.rmse)
                .collect();
            (errors.len() == FOLDS).then(|| mean_and_deviation(&errors))
        });
        Some(Self { function, threshold, censored, errors })
    }

    /// Returns the treatment with the smallest error, with its mean and standard deviation.
    fn best(&self) -> Option<(usize, f64, f64)> {
        let known = self.errors.iter().enumerate().filter_map(|(at, error)| Some((at, (*error)?)));
        let smallest = known.min_by(|(_, one), (_, other)| one.0.total_cmp(&other.0));
        smallest.map(|(at, (mean, deviation))| (at, mean, deviation))
    }

    /// Returns whether the error of `tobit` is at most one standard deviation (over folds) above the smallest
    /// error.
    fn tobit_is_among_the_best(&self) -> Option<bool> {
        let ([_, _, _, tobit], (_, mean, deviation)) = (self.errors, self.best()?);
        Some(tobit?.0 <= mean + deviation)
    }

    fn ignore_is_worst(&self) -> Option<bool> {
        let [ignore, others @ ..] = self.errors;
        let (ignore, _) = ignore?;
        Some(others.iter().flatten().all(|(mean, _)| *mean < ignore))
    }

    fn print(&self) {
        let Self { function, threshold, censored, errors } = self;
        let best = self.best().map(|(at, ..)| at);
        // The Hartmann functions have values between -4 and 0, the others up to hundreds.
        let digits = if function.starts_with("hartmann") { 3 } else { 1 };
        let paper = paper::errors(function, *threshold);
        let cells = (0..TREATMENTS.len()).map(|at| {
            let ours = errors[at].map_or("-".to_owned(), |(mean, deviation)| {
                let mark = if best == Some(at) { "**" } else { "" };
                format!("{mark}{mean:.digits$}{mark} ± {deviation:.digits$}")
            });
            format!("{ours} | {}", paper.map_or("-".to_owned(), |paper| format!("{:.1}", paper[at])))
        });
        println!(
            "| {function} | {threshold} | {:.1} | {} |",
            100.0 * censored,
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

fn print(rows: &[Row]) {
    let mut groups: Vec<(usize, u32, u64)> =
        rows.iter().map(|row| (row.cell.epochs, row.cell.full, row.cell.seed)).collect();
    groups.sort_unstable_by(|one, other| (one.0, other.1, one.2).cmp(&(other.0, one.1, other.2)));
    groups.dedup();
    for (epochs, full, seed) in groups {
        let own = |row: &&Row| (row.cell.epochs, row.cell.full, row.cell.seed) == (epochs, full, seed);
        let own: Vec<&Row> = rows.iter().filter(own).collect();
        println!("\n## All readings above percentile {full} censored, {epochs} epochs, seed {seed}\n");
        let names = TREATMENTS.map(|(name, _)| format!("{name} | paper")).join(" | ");
        println!("| function | threshold | censored, % | {names} |");
        println!("|---|---|---|{}", "---|---|".repeat(TREATMENTS.len()));
        let lines: Vec<Line> = FUNCTIONS
            .iter()
            .flat_map(|(name, _)| paper::THRESHOLDS.map(|threshold| (name, threshold)))
            .filter_map(|(name, threshold)| Line::of(&own, name, threshold))
            .collect();
        lines.iter().for_each(Line::print);
        let complete: Vec<&Line> =
            lines.iter().filter(|line| line.errors.iter().all(Option::is_some)).collect();
        let count = |lines: &[&Line], is: &dyn Fn(&Line) -> Option<bool>| {
            lines.iter().filter(|line| is(line) == Some(true)).count()
        };
        let without_mean: Vec<&Line> =
            lines.iter().filter(|line| [0, 1, 3].iter().all(|&at| line.errors[at].is_some())).collect();
        for (all, of) in [(&complete, "all treatments"), (&without_mean, "all treatments, or all but `mean`")]
        {
            println!(
                "\nOf {} cells with {of}: `tobit` is best in {}, best or within one standard deviation (over folds) of the \
                 best in {}; `ignore` is worst in {}.",
                all.len(),
                count(all, &|line| Some(line.best()?.0 == 3)),
                count(all, &Line::tobit_is_among_the_best),
                count(all, &Line::ignore_is_worst),
            );
        }
    }
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    println!("\n{} rows, {:.0} s of CPU time.", rows.len(), seconds);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(errors: [Option<(f64, f64)>; 4]) -> Line {
        Line { function: "branin", threshold: 40, censored: 0.5, errors }
    }

    #[test]
    fn a_tie_is_one_standard_deviation_of_the_best() {
        let some = |mean, deviation| Some((mean, deviation));
        let near = line([some(9.0, 1.0), some(5.0, 0.5), some(6.0, 9.0), some(5.4, 0.1)]);
        assert_eq!((near.best().unwrap().0, near.tobit_is_among_the_best()), (1, Some(true)));
        assert_eq!(near.ignore_is_worst(), Some(true));
        let far = line([some(3.0, 1.0), some(5.0, 0.5), None, some(5.4, 3.0)]);
        assert_eq!((far.best().unwrap().0, far.tobit_is_among_the_best()), (0, Some(false)));
        assert_eq!(far.ignore_is_worst(), Some(false));
        assert_eq!(line([None; 4]).tobit_is_among_the_best(), None);
    }

    #[test]
    fn cells_with_missing_folds_have_no_error() {
        let row = |fold, rmse| Row {
            cell: Cell {
                full: 95,
                function: "branin".to_owned(),
                threshold: 40,
                treatment: "drop".to_owned(),
                epochs: 5,
                seed: 1,
            },
            fold,
            censored: 0.5,
            rmse,
            seconds: 1.0,
        };
        let mut rows: Vec<Row> = (0..4).map(|fold| row(fold, 2.0)).collect();
        let of = |rows: &[Row]| Line::of(&rows.iter().collect::<Vec<_>>(), "branin", 40).unwrap().errors;
        assert_eq!(of(&rows), [None; 4]);
        rows.push(row(4, 7.0));
        assert_eq!(of(&rows), [None, Some((3.0, 2.0)), None, None]);
    }
}
