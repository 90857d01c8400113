//! Measures how long a proposal takes during a campaign (one ask and one tell), with the forest's default
//! settings.
//!
//! The target is a quadratic bowl over any number of parameters between 0 and 1. The target has one instance
//! and is deterministic, so every trial has a new configuration and needs a proposal. The trials of the
//! history have random configurations. The first ask after these trials grows two forests, and later forests
//! start from one of the two. A later ask grows a forest only if a twentieth of the trials is new.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use clap::Args;
use engine::history::History;
use engine::propose::{ModelSearch, ModelSettings, RandomSearch};
use engine::racing::CappedRacer;
use engine::{Ask, Configuration, Objective, Observation, Optimizer, Problem, Racing};
use space::format::{Format, read};

use crate::clock::cpu;
use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Numbers of parameters and of trials in the history, as PARAMETERS,TRIALS
    #[arg(long = "case", default_values = ["10,200", "76,200", "76,1000", "76,10000"])]
    cases: Vec<String>,
    /// Number of proposals to time
    #[arg(long, default_value_t = 60)]
    proposals: usize,
}

fn cost(configuration: &Configuration) -> f64 {
    1.0 + configuration.codes().iter().map(|code| (code - 0.3).powi(2)).sum::<f64>()
}

/// Returns the optimizer of a campaign after this number of random trials.
fn campaign(parameters: usize, trials: usize) -> Result<Optimizer> {
    let mut text = String::new();
    for number in 0..parameters {
        writeln!(text, "x{number} = {{ float = [0.0, 1.0], default = 0.9 }}")?;
    }
    let space = read(&text, "bowl", Format::Toml)?;
    let default = space.default_configuration();
    let objective = Objective::capped(100.0);
    let problem = Problem { space: space.clone(), default, objective, instances: 1, seed: 1 };
    let racing = Racing { deterministic: true, ..Racing::default() };
    let mut history = History::new();
    let racer = CappedRacer::new(problem.clone(), racing.clone(), &mut history);
    let random = RandomSearch::new(space, 1);
    let mut earlier = Optimizer::new(history, Box::new(racer), Box::new(random));
    while earlier.history().trials().len() < trials {
        step(&mut earlier)?;
    }
    let mut history = earlier.history().clone();
    let racer = CappedRacer::new(problem.clone(), racing, &mut history);
    let proposer = ModelSearch::new(problem, ModelSettings::default());
    Ok(Optimizer::new(history, Box::new(racer), Box::new(proposer)))
}

/// Runs one trial and returns the CPU seconds of its ask and its tell.
fn step(optimizer: &mut Optimizer) -> Result<f64> {
    let begin = cpu();
    let Ask::Run(request) = optimizer.ask(1) else { bail!("the optimizer has no trial to run") };
    let asked = cpu() - begin;
    let (cost, cap) = (cost(&request.configuration), request.cap.cost());
    let observation = if cost > cap { Observation::capped(cap) } else { Observation::finished(cost) };
    let begin = cpu();
    optimizer.tell(request.id, observation)?;
    Ok(asked + cpu() - begin)
}

/// Measures and prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    println!("| parameters | trials | mean, CPU ms | median | worst | worst / mean (goal: 10) |");
    println!("|---|---|---|---|---|---|");
    for case in &arguments.cases {
        let parsed = case.split_once(',').map(|(d, n)| (d.parse(), n.parse()));
        let Some((Ok(parameters), Ok(trials))) = parsed else { bail!("`{case}` is not PARAMETERS,TRIALS") };
        let mut optimizer = campaign(parameters, trials)?;
        let mut times = Vec::new();
        for _ in 0..arguments.proposals.max(1) {
            times.push(1e3 * step(&mut optimizer)?);
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let all = Quantiles::of(times);
        let (median, worst) = (all.median(), all.at(1.0));
        println!("| {parameters} | {trials} | {mean:.1} | {median:.1} | {worst:.1} | {:.1} |", worst / mean);
    }
    Ok(())
}
