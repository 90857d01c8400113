//! Measures how long it takes to resume a campaign with many trials: to read its store, to make the first
//! proposals, and to react to an interruption during a proposal.
//!
//! The first proposal fits three forests to the history: two to the costs, one of which is the start of later
//! fits, and one to the failures. The costs of the trials are random, which makes the trees as large as
//! possible.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use campaign::resume::Resumed;
use clap::Args;
use engine::history::History;
use engine::propose::{ModelSearch, ModelSettings};
use engine::racing::{CappedRacer, Snapshot};
use engine::{Ask, Interrupt, Objective, Observation, Optimizer, Problem, Racing};
use space::format::{Format, read};
use store::{Charter, Store};

use crate::quantiles::Quantiles;
use crate::store::{INSTANCES, fill};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of trials in the store
    #[arg(long, default_value_t = 1_000_000)]
    trials: u64,
    /// Number of parameters
    #[arg(long, default_value_t = 76)]
    parameters: usize,
    /// Number of proposals to time, and number of interruptions
    #[arg(long, default_value_t = 8)]
    proposals: usize,
    /// Folder to create the store in [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Measures and prints a table in Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let place = arguments.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folder = place.join(format!("captune-bench-resume-{}", std::process::id()));
    // Creating the folder must fail if it exists, because the code below may remove only a folder that was
    // created here.
    std::fs::create_dir(&folder)?;
    let measured = resume(arguments, &folder.join("campaign"));
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn resume(arguments: &Arguments, folder: &Path) -> Result<()> {
    let mut text = String::new();
    for number in 0..arguments.parameters {
        writeln!(text, "x{number} = {{ float = [0.0, 1.0], default = 0.9 }}")?;
    }
    let space = read(&text, "bench", Format::Toml)?;
    let charter = Charter {
        name: "bench".to_owned(),
        scenario: String::new(),
        folder: "bench".into(),
        space: space.clone(),
        instances: (0..INSTANCES).map(|number| number.to_string()).collect(),
        seed: 1,
    };
    fill(folder, &charter, arguments.trials, None)?;
    let begin = Instant::now();
    let Resumed { history, snapshot, .. } = Resumed::of_store(Store::open(folder)?.load()?)?;
    let reading = begin.elapsed().as_secs_f64();
    let default = history.configurations().first().context("the store is empty")?.clone();
    let problem =
        Problem { space, default, objective: Objective::capped(30.0), instances: INSTANCES, seed: 1 };
    let snapshot = snapshot.context("the store has no incumbent")?;

    let mut optimizer = optimizer_of(&problem, &snapshot, &history);
    let times =
        (0..arguments.proposals.max(2)).map(|_| propose(&mut optimizer)).collect::<Result<Vec<_>>>()?;
    let first = times[0];
    let mut waits = Vec::new();
    for number in 0..arguments.proposals {
        let after = first * (number as f64 + 0.5) / arguments.proposals as f64;
        waits.push(interrupted(optimizer_of(&problem, &snapshot, &history), after)?);
    }
    println!("| measurement | goal | s |\n|---|---|---|");
    println!("| reading the store | 3 | {reading:.2} |");
    println!("| first proposal | 5 | {first:.2} |");
    let later = Quantiles::of(times[1..].to_vec());
    println!("| later proposals, median | | {:.2} |", later.median());
    println!(
        "| interruption to the end of the first proposal, worst | 1 | {:.2} |",
        Quantiles::of(waits).at(1.0)
    );
    Ok(())
}

fn optimizer_of(problem: &Problem, snapshot: &Snapshot, history: &History) -> Optimizer {
    let racer = CappedRacer::restore(problem.clone(), Racing::default(), snapshot.clone(), history);
    let proposer = ModelSearch::new(problem.clone(), ModelSettings::default());
    Optimizer::new(history.clone(), Box::new(racer), Box::new(proposer))
}

/// Asks until the optimizer proposes a new configuration, and returns the seconds of the longest ask. Each
/// requested trial ends at once.
fn propose(optimizer: &mut Optimizer) -> Result<f64> {
    let known = optimizer.history().configurations().len();
    let mut longest = 0.0_f64;
    while optimizer.history().configurations().len() == known {
        let begin = Instant::now();
        let ask = optimizer.ask(1);
        longest = longest.max(begin.elapsed().as_secs_f64());
        match ask {
            Ask::Run(request) => optimizer.tell(request.id, Observation::capped(request.cap.cost()))?,
            Ask::Tighten(..) | Ask::Cancel(_) => {}
            Ask::Wait | Ask::Done(_) => bail!("the optimizer has no trial to run"),
        }
    }
    Ok(longest)
}

/// Interrupts the first proposal after `after` seconds, and returns the seconds from the interruption to the
/// end of the proposal.
fn interrupted(mut optimizer: Optimizer, after: f64) -> Result<f64> {
    let interrupt = Interrupt::default();
    optimizer.watch_interrupt(&interrupt);
    std::thread::scope(|scope| {
        let raised = scope.spawn(|| {
            std::thread::sleep(Duration::from_secs_f64(after));
            interrupt.raise();
            Instant::now()
        });
        propose(&mut optimizer)?;
        let ended = Instant::now();
        let Ok(raised) = raised.join() else { bail!("the interrupting thread panicked") };
        Ok(ended.saturating_duration_since(raised).as_secs_f64())
    })
}
