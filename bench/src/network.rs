//! Measures how long networks take: for a training step, for training an ensemble, and for predictions for
//! many configurations on many instances.
//!
//! The rows are synthetic, and half of the readings are censored. Networks have three layers of fifty units,
//! and are trained in batches of 16. Unless stated otherwise, times are CPU times of one thread, the minimum
//! of several repetitions. `bench/scripts/network-peers.py` runs this and other programs in turn.

use anyhow::Result;
use clap::{Args, ValueEnum};
use engine::{Reading, Rng};
use std::time::Instant;
use surrogate::neural::{Ensemble, NeuralSettings, instructions};
use surrogate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use crate::clock::cpu;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Repetitions of each measurement
    #[arg(long, default_value_t = 40)]
    repetitions: usize,
    /// Training epochs of the ensemble
    #[arg(long, default_value_t = 10_000)]
    epochs: usize,
    /// Parts to measure
    #[arg(long, value_delimiter = ',', default_value = "step,ensemble,ask")]
    only: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// One training step of one network
    Step,
    /// Training of five networks on two threads
    Ensemble,
    /// Predictions for 5000 configurations on 100 instances
    Ask,
}

const WIDTHS: [usize; 3] = [4, 7, 76];
const POINTS: usize = 600;
const BATCH: usize = 16;
const UNITS: usize = 50;
const CONFIGURATIONS: usize = 5000;
const INSTANCES: usize = 100;

/// Draws random rows, half of them censored.
fn draw(d: usize, instances: &InstanceTable) -> TrainingSet<'_> {
    let mut rng = Rng::new(1, "network rows", 0);
    let columns = vec![Column::Number; d];
    let mut set = TrainingSet::new(&columns, instances, Scale::Log10 { grain: 1e-3 }, None);
    for point in 0..POINTS {
        let row: Vec<f64> = (0..d).map(|_| rng.unit()).collect();
        let configuration = set.push_configuration(&row);
        let cost = 10f64.powf(rng.normal());
        let reading = if rng.below(2) == 0 { Reading::AtLeast(cost) } else { Reading::Exact(cost) };
        set.push(configuration, point % instances.count(), reading);
    }
    set
}

fn train(settings: &NeuralSettings, set: &TrainingSet<'_>) -> Result<(Ensemble, u64)> {
    let (ensemble, effort) = settings.train(set, &mut Rng::new(1, "bench", 0))?;
    Ok((ensemble, effort.steps))
}

/// Returns the number of multiplications and additions of a step: the forward pass, the backward pass through
/// all layers but the first, and the gradient of each weight at each point. Activations, losses and weight
/// updates are not counted.
fn operations(d: usize) -> usize {
    let weights = d * UNITS + 2 * UNITS * UNITS + 2 * UNITS;
    2 * BATCH * (3 * weights - d * UNITS)
}

/// Measures and prints tables in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    for part in &arguments.only {
        match part {
            Part::Step => step(arguments.repetitions)?,
            Part::Ensemble => ensemble(arguments.epochs)?,
            Part::Ask => ask(arguments.repetitions.min(5))?,
        }
        println!();
    }
    Ok(())
}

fn step(repetitions: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    let sets = WIDTHS.map(|d| draw(d, &alike));
    let settings = NeuralSettings { epochs: 10, members: 1, batch: BATCH, ..NeuralSettings::default() };
    let mut minimum = [f64::INFINITY; WIDTHS.len()];
    // The widths alternate, so that a noisy machine disturbs all of them alike.
    for _ in 0..repetitions {
        for (set, minimum) in sets.iter().zip(&mut minimum) {
            let begin = cpu();
            let (_, steps) = train(&settings, set)?;
            *minimum = minimum.min((cpu() - begin) / steps as f64);
        }
    }
    println!("| {}, d | us per step | GFLOP/s |", instructions());
    println!("|---|---|---|");
    for (d, minimum) in WIDTHS.into_iter().zip(minimum) {
        let speed = operations(d) as f64 / minimum;
        println!("| {d} | {:.2} | {:.1} |", minimum * 1e6, speed / 1e9);
    }
    Ok(())
}

fn ensemble(epochs: usize) -> Result<()> {
    let alike = InstanceTable::alike();
    let set = draw(7, &alike);
    let settings = NeuralSettings { epochs, threads: 2, ..NeuralSettings::default() };
    let begin = Instant::now();
    let (ensemble, steps) = train(&settings, &set)?;
    let elapsed = begin.elapsed().as_secs_f64();
    println!("| networks | epochs | n | d | steps | two threads, elapsed s |");
    println!("|---|---|---|---|---|---|");
    println!("| {} | {epochs} | {POINTS} | 7 | {steps} | {elapsed:.1} |", ensemble.members());
    Ok(())
}

fn ask(repetitions: usize) -> Result<()> {
    println!("| d | instances | configurations | networks | s |");
    println!("|---|---|---|---|---|");
    let named = InstanceTable::named(INSTANCES);
    for d in WIDTHS {
        let (ensemble, _) =
            train(&NeuralSettings { epochs: 1, ..NeuralSettings::default() }, &draw(d, &named))?;
        let mut rng = Rng::new(2, "network rows", 0);
        let rows: Vec<f64> = (0..CONFIGURATIONS * d).map(|_| rng.unit()).collect();
        let mut out = vec![Prediction::default(); CONFIGURATIONS];
        let mut minimum = f64::INFINITY;
        for _ in 0..repetitions {
            let begin = cpu();
            ensemble.predict_marginal(Points::new(&rows, d), &mut out);
            minimum = minimum.min(cpu() - begin);
        }
        println!("| {d} | {INSTANCES} | {CONFIGURATIONS} | {} | {minimum:.3} |", ensemble.members());
    }
    Ok(())
}
