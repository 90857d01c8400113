//! Measures how long a Gaussian process takes to fit given data, and to suggest a point under a constraint.
//!
//! The data are read from a file, so that other programs can use the same data. Each line is one point: its
//! coordinates, its cost and its constrained output, separated by commas. Times are CPU times of one thread,
//! the minimum of several repetitions. `bench/scripts/gaussian-peers.py` runs this and other programs in
//! turn.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use engine::history::{History, Trial};
use engine::problem::{Constraint, Over};
use engine::propose::{Learner, ModelSearch, ModelSettings, Proposer as _};
use engine::{
    Cap, ConfigId, InstanceId, Objective, Observation, Pair, Problem, Reading, Seed, TrialId, TrialKey, Why,
};
use space::format::{Format, read};
use surrogate::gaussian::{GaussianSettings, GaussianTrainer};
use surrogate::{Column, InstanceTable, Scale, TrainingSet};

use crate::clock::cpu;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Fit the costs in a file; print the CPU seconds and the log likelihood
    Fit(Given),
    /// Suggest points after the trials in a file; print the CPU seconds for the first, and the mean over
    /// later ones
    Suggest(Given),
}

#[derive(Args)]
struct Given {
    /// File with the data
    file: PathBuf,
    /// Number of repetitions of the fit, or of suggestions after the first
    #[arg(long, default_value_t = 5)]
    repetitions: usize,
}

/// Points, costs and constrained outputs.
struct Data {
    rows: Vec<Vec<f64>>,
    width: usize,
}

impl Data {
    fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let row =
            |line: &str| line.split(',').map(|word| Ok(word.trim().parse()?)).collect::<Result<Vec<f64>>>();
        let rows = text.lines().map(row).collect::<Result<Vec<_>>>()?;
        let width = rows.first().context("the file is empty")?.len();
        ensure!(
            width > 2 && rows.iter().all(|row| row.len() == width),
            "every line must have the same number of values, at least three"
        );
        Ok(Self { rows, width: width - 2 })
    }
}

fn fit(data: &Data, repetitions: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    let mut set = TrainingSet::new(&vec![Column::Number; data.width], &alike, Scale::Linear, None);
    for row in &data.rows {
        let number = set.push_configuration(&row[..data.width]);
        set.push(number, 0, Reading::Exact(row[data.width]));
    }
    let (mut minimum, mut likelihood) = (f64::INFINITY, f64::NAN);
    for _ in 0..repetitions.max(1) {
        let begin = cpu();
        let fitted = GaussianTrainer::new(GaussianSettings::default(), 1).fit(&set)?;
        minimum = minimum.min(cpu() - begin);
        likelihood = fitted.log_evidence();
    }
    println!("{minimum:.6} {likelihood:.4}");
    Ok(())
}

fn suggest(data: &Data, suggestions: usize) -> Result<()> {
    let mut text = String::new();
    for number in 0..data.width {
        writeln!(text, "x{number} = {{ float = [0.0, 1.0] }}")?;
    }
    let space = read(&text, "cube", Format::Toml)?;
    let mut objective = Objective::uncapped();
    objective.constraints.push(Constraint::new(0.0, Over::Mean));
    let problem = Problem { default: space.default_configuration(), space, objective, instances: 1, seed: 1 };
    let mut history = History::new();
    let add = |history: &mut History, row: &[f64]| -> Result<()> {
        let config = history.intern(&problem.space.decode(&row[..data.width])?);
        let pair = Pair { instance: InstanceId(0), seed: Seed(1) };
        let observation = Observation::finished(row[data.width])
            .with_constraints([Some(Reading::Exact(row[data.width + 1]))]);
        let (id, key) = (TrialId(history.trials().len() as u64), TrialKey { config, pair });
        history.push(Trial { id, key, cap: Cap::NONE, why: Why::Challenge, observation });
        Ok(())
    };
    let (first, later) = data.rows.split_at(data.rows.len().saturating_sub(suggestions));
    first.iter().try_for_each(|row| add(&mut history, row))?;
    // Every proposal comes from the model; no proposal is random.
    let settings = ModelSettings { random_every: usize::MAX, ..ModelSettings::of(Learner::Gaussian) };
    let mut model = ModelSearch::new(problem.clone(), settings);
    let mut times = Vec::new();
    for row in later.iter().map(Some).chain([None]) {
        let begin = cpu();
        if model.propose(&history, ConfigId(0)).is_none() {
            bail!("the model suggested nothing");
        }
        times.push(cpu() - begin);
        if let Some(row) = row {
            add(&mut history, row)?;
        }
    }
    let mean = times[1..].iter().sum::<f64>() / times[1..].len().max(1) as f64;
    println!("{:.6} {mean:.6}", times[0]);
    Ok(())
}

/// Measures one part and prints its numbers.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    match &arguments.part {
        Part::Fit(given) => fit(&Data::read(&given.file)?, given.repetitions),
        Part::Suggest(given) => suggest(&Data::read(&given.file)?, given.repetitions),
    }
}
