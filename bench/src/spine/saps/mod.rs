//! Tunes SAPS on five quasigroups with holes and tests it on twenty others.
//!
//! The cost is the number of steps, the budget is the CPU time of the trials, and each trial stops itself at
//! its cap. After the search, the incumbent and the default run on the test formulas with new seeds.
//! Campaigns whose rows are already in the file are not run again, so a long series can be run in parts.

mod row;
mod table;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::event::What;
use campaign::{Campaign, Desk, Ledger, Search};
use clap::{Args, ValueEnum};
use engine::{Objective, Status, TrialRequest, Why};
use execution::executor::{Inbox, Local};
use execution::{FunctionTarget, Leash, Outcome, Slot};
use targets::saps::{Saps, solve, solve_while, space};
use targets::{Formula, Quasigroup};

use super::stage::settings;
use crate::rows;
use crate::seeds::range;
use row::Row;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Classes of formulas, as ORDER,HOLES
    #[arg(long = "class", default_values = ["25,225", "27,262"])]
    classes: Vec<String>,
    /// Kinds of campaigns
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Random])]
    kinds: Vec<Kind>,
    /// Random seeds for the campaigns, as FIRST-LAST
    #[arg(long, default_value = "1-10")]
    seeds: String,
    /// CPU seconds for each campaign's trials
    #[arg(long, default_value_t = 120.0)]
    cpu: f64,
    /// Largest number of steps in a trial
    #[arg(long, default_value_t = 1e7)]
    cutoff: f64,
    /// Generator seeds for the formulas to tune on, as FIRST-LAST
    #[arg(long, default_value = "1-5")]
    training: String,
    /// Generator seeds for the formulas to test on, as FIRST-LAST
    #[arg(long, default_value = "6-25")]
    test: String,
    /// Number of runs on each test formula
    #[arg(long, default_value_t = 3)]
    runs: u64,
    /// Campaigns to run at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// CSV file with one row per campaign
    #[arg(long, default_value = "docs/results/spine-saps.csv")]
    rows: PathBuf,
}

/// Kinds of campaigns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Kind {
    /// Random search.
    Random,
    /// Local search.
    Local,
    /// Random search, capped only at the cutoff.
    Uncapped,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Local => "local",
            Self::Uncapped => "uncapped",
        }
    }
}

/// Formulas of one class.
struct Class {
    name: String,
    training: Arc<Vec<Formula>>,
    test: Vec<Formula>,
}

impl Class {
    fn new(name: &str, arguments: &Arguments) -> Result<Self> {
        let formulas = |seeds: &str| -> Result<Vec<Formula>> {
            let formula = |seed| Ok(format!("qwh:{name},{seed}").parse::<Quasigroup>()?.formula());
            range(seeds)?.map(formula).collect()
        };
        Ok(Self {
            name: name.to_owned(),
            training: Arc::new(formulas(&arguments.training)?),
            test: formulas(&arguments.test)?,
        })
    }
}

/// Runs the campaigns whose rows are missing from the file, then prints the tables for all rows.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let known = row::read(&arguments.rows)?;
    let mut jobs = VecDeque::new();
    let classes: Vec<Class> =
        arguments.classes.iter().map(|class| Class::new(class, arguments)).collect::<Result<_>>()?;
    for &kind in &arguments.kinds {
        for seed in range(&arguments.seeds)? {
            for (index, class) in classes.iter().enumerate() {
                if !known.iter().any(|row| row.is_of(&class.name, kind.name(), seed)) {
                    jobs.push_back((index, kind, seed));
                }
            }
        }
    }
    // The default's costs do not depend on the campaign.
    let mut defaults = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        let known = known.iter().find(|row| row.class == class.name).map(|row| row.default_cost);
        let wanted = jobs.iter().any(|job| job.0 == index);
        defaults.push(known.or_else(|| wanted.then(|| test(class, &Saps::default(), arguments))));
    }
    let line = |(index, kind, seed): (usize, Kind, u64)| {
        let default_cost = defaults[index].context("the default was not tested for this class")?;
        Ok(Row { default_cost, ..run(&classes[index], kind, seed, arguments)? }.line())
    };
    rows::measure(jobs, arguments.threads, (&arguments.rows, row::HEAD), line)?;
    table::print(&row::read(&arguments.rows)?);
    Ok(())
}

/// Returns the mean cost on the test formulas; a run that reaches the cutoff counts as ten times the cutoff.
fn test(class: &Class, saps: &Saps, arguments: &Arguments) -> f64 {
    let mut costs = Vec::new();
    for formula in &class.test {
        // Campaigns use only seeds below 2^31, so these are new.
        for seed in (1 << 40)..(1 << 40) + arguments.runs {
            let outcome = solve(formula, saps, seed, arguments.cutoff as u64);
            costs.push(match outcome.solved {
                Some(_) => outcome.steps as f64,
                None => 10.0 * arguments.cutoff,
            });
        }
    }
    costs.iter().sum::<f64>() / costs.len() as f64
}

fn run(class: &Class, kind: Kind, seed: u64, arguments: &Arguments) -> Result<Row> {
    let objective = Objective { grain: 1.0, ..Objective::capped(arguments.cutoff) };
    let mut settings = settings(&space(), class.training.len() as u32, objective, seed);
    settings.budget = Budget { cpu: Some(arguments.cpu), ..Budget::default() };
    match kind {
        Kind::Random => {}
        Kind::Local => settings.search = Search::Local,
        Kind::Uncapped => settings.racing.slack = f64::INFINITY,
    }
    let formulas = class.training.clone();
    let trial = move |request: &TrialRequest, leash: &Leash| {
        let pair = request.key.pair;
        let saps = Saps::from_configuration(&request.configuration);
        let max_steps = request.cap.cost().ceil() as u64;
        let goes_on = |steps: u64| !leash.is_cancelled() && (steps as f64) < leash.cap().cost();
        let seed = u64::from(pair.seed.0);
        let outcome = solve_while(&formulas[pair.instance.index()], &saps, seed, max_steps, goes_on);
        match outcome.solved {
            Some(_) => Outcome::Finished(outcome.steps as f64),
            None => Outcome::Stopped(outcome.steps as f64),
        }
    };
    let target = Arc::new(FunctionTarget::new(Some(arguments.cutoff), trial));
    let inbox = Inbox::new();
    let executor = Local::new(target, vec![Slot::default()], 0.0, &inbox.bell())?;
    let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), Ledger::in_memory(), None)?;
    let (mut cpu, mut cpu_incumbents, mut incumbents) = (0.0, 0.0, 0);
    campaign.search(&mut |event| match &event.what {
        What::TrialEnded(trial) => {
            let used = trial.detail.cpu.unwrap_or(0.0);
            cpu += used;
            if trial.trial.why == Why::Incumbent {
                cpu_incumbents += used;
            }
        }
        What::NewIncumbent(_) => incumbents += 1,
        _ => {}
    })?;
    let progress = campaign.progress();
    let history = campaign.optimizer().history();
    let saps = Saps::from_configuration(history.configuration(progress.best.config));
    drop(campaign);
    Ok(Row {
        class: class.name.clone(),
        kind: kind.name().to_owned(),
        seed,
        configurations: progress.configurations as u64,
        trials: progress.counts.iter().sum(),
        capped: progress.count(Status::Capped),
        timeouts: progress.count(Status::Timeout),
        incumbents,
        pairs: progress.best.pairs as u64,
        cpu,
        cpu_incumbents,
        saps: [saps.alpha, saps.rho, saps.ps, saps.wp],
        training_cost: progress.best.mean,
        test_cost: test(class, &saps, arguments),
        default_cost: f64::NAN,
    })
}
