//! The search of neighbours by hashing: how many functions and tables are fastest without a larger error?
//!
//! The outcomes of all settings and seeds are computed once per data set and kept in a file, because a search
//! evaluates the same few settings again and again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, ensure};
use engine::Configuration;
use space::format::{Format, read};
use targets::neighbours::{Distances, Exact, Hashing, NEIGHBOURS, Outcome, Table, WIDTH};
use targets::points::Points;

use super::data::DataSet;
use super::task::{Evaluation, Target, Task};
use crate::clock;

/// Largest number of functions per table. With ten, even the most tables miss the exact error.
const FUNCTIONS: usize = 20;
/// Largest number of tables.
const TABLES: usize = 50;
/// Seeds of evaluations, from 0 on.
const SEEDS: usize = 32;
/// Further seeds, for the truth.
const FRESH: usize = 32;
const EVALUATIONS: u64 = 100;

struct Search {
    points: Points,
    width: f64,
    /// By seed, function and table.
    outcomes: Vec<Outcome>,
    exact_seconds: OnceLock<f64>,
    speed_ups: Mutex<BTreeMap<(usize, usize), f64>>,
}

fn numbers(configuration: &Configuration) -> (usize, usize) {
    let number = |name: &str| configuration.get(name).and_then(|it| it.to_string().parse().ok()).unwrap_or(1);
    (number("functions"), number("tables"))
}

impl Search {
    fn outcome(&self, seed: usize, (functions, tables): (usize, usize)) -> Outcome {
        self.outcomes[(seed * FUNCTIONS + functions - 1) * TABLES + tables - 1]
    }
}

fn evaluation(outcome: Outcome) -> Evaluation {
    Evaluation { cost: outcome.operations as f64, error: outcome.error() }
}

impl Target for Arc<Search> {
    fn evaluate(&self, configuration: &Configuration, seed: u64) -> Evaluation {
        evaluation(self.outcome(seed as usize % SEEDS, numbers(configuration)))
    }

    fn truth(&self, configuration: &Configuration) -> Evaluation {
        let setting = numbers(configuration);
        let (mut cost, mut wrong) = (0, 0);
        for seed in SEEDS..SEEDS + FRESH {
            let outcome = self.outcome(seed, setting);
            cost += outcome.operations;
            wrong += outcome.wrong;
        }
        let points = self.points.count();
        // Counts are summed, so that a mean that equals the bound is not above it by rounding.
        Evaluation { cost: cost as f64 / FRESH as f64, error: f64::from(wrong) / (FRESH * points) as f64 }
    }

    fn speed_up_in_time(&self, configuration: &Configuration) -> f64 {
        let setting = numbers(configuration);
        let known = self.speed_ups.lock().unwrap_or_else(PoisonError::into_inner).get(&setting).copied();
        known.unwrap_or_else(|| {
            let exact = *self.exact_seconds.get_or_init(|| seconds(|| Exact::of(&self.points).outcome));
            let hashing = Hashing { functions: setting.0, tables: setting.1, width: self.width };
            let ratio = exact / seconds(|| hashing.leave_one_out(&self.points, 1));
            self.speed_ups.lock().unwrap_or_else(PoisonError::into_inner).insert(setting, ratio);
            ratio
        })
    }

    fn size(&self, _configuration: &Configuration) -> u64 {
        0
    }
}

fn seconds(work: impl Fn() -> Outcome) -> f64 {
    let begin = clock::cpu();
    std::hint::black_box(work());
    clock::cpu() - begin
}

/// Returns the tasks on a data set: no more errors than the exact search, and at most 5 % more. Computes the table
/// of outcomes if the folder does not contain it.
pub(super) fn tasks(data_set: &DataSet, all: &Points, tables: &Path) -> Result<Vec<Task>> {
    let points = data_set.for_neighbours(all);
    let text = format!(
        "functions = {{ integer = [1, {FUNCTIONS}], default = {} }}\ntables = {{ integer = [1, {TABLES}], default = {} }}\n",
        FUNCTIONS / 2,
        TABLES / 2
    );
    let path = tables.join(format!("{}.outcomes.csv", data_set.name));
    let head = format!(
        "functions,tables,seed,wrong,operations # {} points, {} coordinates, {NEIGHBOURS} neighbours, width {WIDTH}",
        points.count(),
        points.dimension()
    );
    let exact = Exact::of(&points);
    let width = WIDTH * exact.nearest;
    let outcomes = match known(&path, &head, points.count())? {
        Some(outcomes) => outcomes,
        None => {
            let outcomes = computed(&points, width);
            write(&path, &head, &outcomes)?;
            outcomes
        }
    };
    let remark = format!(
        "{} points, {} coordinates, exact error {:.4}",
        points.count(),
        points.dimension(),
        exact.outcome.error()
    );
    let search = Arc::new(Search {
        points,
        width,
        outcomes,
        exact_seconds: OnceLock::new(),
        speed_ups: Mutex::default(),
    });
    let task = |(kind, slack): (&'static str, f64)| {
        Ok(Task {
            kind,
            data_set: data_set.name,
            space: read(&text, "lsh", Format::Toml)?,
            deterministic: false,
            budget: EVALUATIONS,
            reference: exact.outcome.operations as f64,
            bound: (1.0 + slack) * exact.outcome.error(),
            remark: remark.clone(),
            target: Box::new(search.clone()),
        })
    };
    [("lsh", 0.0), ("lsh-5", 0.05)].into_iter().map(task).collect()
}

/// Computes the outcomes of all seeds, on two threads.
fn computed(points: &Points, width: f64) -> Vec<Outcome> {
    let distances = Distances::of(points);
    let most = Hashing { functions: FUNCTIONS, tables: TABLES, width };
    let of_seeds = |seeds: std::ops::Range<usize>| -> Vec<Outcome> {
        let of_seed = |seed: usize| {
            let table = Table::of(points, &distances, most, seed as u64);
            let settings =
                (1..=FUNCTIONS).flat_map(|functions| (1..=TABLES).map(move |tables| (functions, tables)));
            settings.map(|(functions, tables)| table.get(functions, tables)).collect::<Vec<_>>()
        };
        seeds.flat_map(of_seed).collect()
    };
    let middle = (SEEDS + FRESH) / 2;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| of_seeds(middle..SEEDS + FRESH));
        let mut all = of_seeds(0..middle);
        all.extend(second.join().expect("the thread's panic is already printed"));
        all
    })
}

fn write(path: &Path, head: &str, outcomes: &[Outcome]) -> Result<()> {
    let mut text = format!("{head}\n");
    for (place, outcome) in outcomes.iter().enumerate() {
        let (functions, tables) = (place / TABLES % FUNCTIONS + 1, place % TABLES + 1);
        // Writing to a string cannot fail.
        let seed = place / TABLES / FUNCTIONS;
        let _ = writeln!(text, "{functions},{tables},{seed},{},{}", outcome.wrong, outcome.operations);
    }
    std::fs::write(path, text).with_context(|| format!("could not write {}", path.display()))
}

/// Reads the outcomes of a file; `None` if it does not exist or describes another data set.
fn known(path: &Path, head: &str, points: usize) -> Result<Option<Vec<Outcome>>> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    let mut lines = text.lines();
    if lines.next() != Some(head) {
        return Ok(None);
    }
    let parse = |(line, content): (usize, &str)| {
        let mut words = content.rsplit(',');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let (operations, wrong) = (number(), number());
        let place =
            || format!("{}, line {line}: expected five whole numbers; remove the file", path.display());
        let (operations, wrong) = operations.zip(wrong).with_context(place)?;
        Ok(Outcome { wrong: wrong as u32, points: points as u32, operations })
    };
    let outcomes = (2..).zip(lines).map(parse).collect::<Result<Vec<_>>>()?;
    let expected = (SEEDS + FRESH) * FUNCTIONS * TABLES;
    ensure!(
        outcomes.len() == expected,
        "{} has {} outcomes instead of {expected}; remove the file",
        path.display(),
        outcomes.len()
    );
    Ok(Some(outcomes))
}
