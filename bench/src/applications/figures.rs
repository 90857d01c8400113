//! The plots: where the searches evaluated the search of neighbours, and the fastest feasible evaluation so far.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use anyhow::{Context, Result};
use engine::Configuration;
use report::plot::{Field, Frame, Mark, panels};
use space::Literal;

use super::searches::find;
use super::task::{Evaluation, Task};

/// The searches that are drawn.
const SEARCHES: [&str; 2] = ["once", "uniform"];
/// Seed of the searches that are drawn.
const SEED: u64 = 1;

/// Draws both figures of the paper on the tasks of neighbours that are there.
pub(super) fn draw(tasks: &[Arc<Task>], prefix: &str) -> Result<()> {
    let find = |name: &str| tasks.iter().find(|task| task.kind == "lsh" && task.data_set == name);
    if let Some(task) = find("usps") {
        write(&format!("{prefix}-settings.svg"), &settings(task)?)?;
    }
    let traced: Vec<&Arc<Task>> = ["coil20", "adult"].into_iter().filter_map(find).collect();
    if !traced.is_empty() {
        write(&format!("{prefix}-traces.svg"), &traces(&traced)?)?;
    }
    Ok(())
}

fn write(path: &str, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("could not write {path}"))
}

/// Runs a search once more and returns its evaluations.
fn evaluations(task: &Arc<Task>, name: &str) -> Result<Vec<(Configuration, Evaluation)>> {
    let named = find(name, None, Path::new(""))?;
    let (_, log) = super::search(task, &named, SEED)?;
    Ok(log.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Returns functions and tables of a configuration.
fn point(configuration: &Configuration) -> (f64, f64) {
    let row: Vec<f64> =
        configuration.iter().filter_map(|(_, value)| value.to_string().parse().ok()).collect();
    (row[0], row[1])
}

/// Draws functions against tables: evaluations, lines of equal cost, and the infeasible region.
fn settings(task: &Arc<Task>) -> Result<String> {
    let [functions, tables] = largest(task)?;
    let truth = |j: u32, l: u32| {
        let values =
            [("functions", j), ("tables", l)].map(|(name, it)| (name, Literal::Integer(i64::from(it))));
        let configuration = task.space.configuration(values.to_vec())?;
        anyhow::Ok(task.target.truth(&configuration))
    };
    let mut grid = Vec::new();
    for j in 1..=functions {
        grid.push((1..=tables).map(|l| truth(j, l)).collect::<Result<Vec<_>>>()?);
    }
    let mut background = vec![(2, Mark::Band(infeasible(task, &grid)))];
    for speed_up in [1.0, 2.0, 3.0, 5.0, 8.0] {
        background.push((4, Mark::Line(equal_cost(task, &grid, speed_up))));
    }
    let mut fields = Vec::new();
    for name in SEARCHES {
        let all = evaluations(task, name)?;
        let of = |feasible: bool| -> Vec<(f64, f64)> {
            let kept = all.iter().filter(|(_, evaluation)| task.is_feasible(*evaluation) == feasible);
            kept.map(|(configuration, _)| point(configuration)).collect()
        };
        let mut marks: Vec<(usize, Mark)> =
            background.iter().map(|(colour, mark)| (*colour, copy(mark))).collect();
        marks.push((1, Mark::Dots(of(false))));
        marks.push((0, Mark::Dots(of(true))));
        fields.push(Field { title: format!("{}, {name}", task.data_set), marks });
    }
    let names = ["feasible", "infeasible", "infeasible on average", "", "1, 2, 3, 5, 8 times as fast"];
    Ok(panels(
        &Frame {
            names: names.map(str::to_owned).to_vec(),
            labels: ["functions".to_owned(), "tables".to_owned()],
            ranges: [[1.0, f64::from(functions)], [0.0, f64::from(tables)]],
            columns: 2,
        },
        &fields,
    ))
}

/// Returns the largest numbers of functions and tables.
fn largest(task: &Task) -> Result<[u32; 2]> {
    let (functions, tables) = point(&task.space.decode(&[1.0, 1.0])?);
    Ok([functions as u32, tables as u32])
}

fn copy(mark: &Mark) -> Mark {
    match mark {
        Mark::Line(points) => Mark::Line(points.clone()),
        Mark::Band(points) => Mark::Band(points.clone()),
        Mark::Dots(points) => Mark::Dots(points.clone()),
    }
}

/// Returns for each number of functions the tables up to the last infeasible number.
fn infeasible(task: &Task, grid: &[Vec<Evaluation>]) -> Vec<(f64, [f64; 2])> {
    let last = |column: &Vec<Evaluation>| {
        column.iter().rposition(|it| !task.is_feasible(*it)).map_or(0, |it| it + 1)
    };
    (1..).zip(grid).map(|(j, column)| (f64::from(j), [0.0, last(column) as f64])).collect()
}

/// Returns for each number of functions the number of tables with this speed-up, if there is one. Costs grow
/// with the number of tables.
fn equal_cost(task: &Task, grid: &[Vec<Evaluation>], speed_up: f64) -> Vec<(f64, f64)> {
    let at = |(j, column): (u32, &Vec<Evaluation>)| {
        let after = column.iter().position(|it| task.speed_up(*it) < speed_up)?;
        let before = after.checked_sub(1)?;
        let [high, low] = [before, after].map(|place| task.speed_up(column[place]));
        Some((f64::from(j), after as f64 + (high - speed_up) / (high - low)))
    };
    (1..).zip(grid).filter_map(at).collect()
}

/// Draws the fastest feasible evaluation so far.
fn traces(tasks: &[&Arc<Task>]) -> Result<String> {
    let (mut fields, mut highest) = (Vec::new(), 1.0f64);
    for task in tasks {
        let mut marks = Vec::new();
        for (colour, name) in SEARCHES.into_iter().enumerate() {
            let (mut best, mut line, mut dots) = (1.0f64, Vec::new(), Vec::new());
            for (number, (_, evaluation)) in (1..).zip(evaluations(task, name)?) {
                if task.is_feasible(evaluation) {
                    best = best.max(task.speed_up(evaluation));
                    dots.push((f64::from(number), best));
                }
                line.push((f64::from(number), best));
            }
            highest = highest.max(best);
            marks.push((colour, Mark::Line(line)));
            marks.push((colour, Mark::Dots(dots)));
        }
        fields.push(Field { title: task.data_set.to_owned(), marks });
    }
    let last = tasks.iter().map(|task| task.budget).max().unwrap_or(1) as f64;
    Ok(panels(
        &Frame {
            names: SEARCHES.map(str::to_owned).to_vec(),
            labels: ["evaluations".to_owned(), "speed-up".to_owned()],
            ranges: [[0.0, last], [1.0, 1.05 * highest]],
            columns: 2,
        },
        &fields,
    ))
}
