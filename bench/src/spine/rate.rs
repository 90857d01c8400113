//! Measures the rate of trials that take about a millisecond: in a whole campaign with its store on disk, and
//! in the same number of threads that only call the runner. Both start the same commands with the same limits
//! on the same cores. Both alternate, so that a noisy machine disturbs them alike.
//!
//! CPU times are totals for this program, the guardian, the supervisors and the targets. If trials keep all
//! cores busy, the ratio of CPU times is the ratio of rates that an otherwise idle machine would show.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use campaign::budget::Budget;
use campaign::conduct::{Order, open, scenario_of_file};
use campaign::event::What;
use clap::Args;
use confine::{Control, PrivateFolder, dismiss_guardians};
use engine::{Cap, ConfigId, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};
use execution::ProcessTarget;
use execution::executor::slots;

use crate::clock::cpu_with_children;
use crate::confine::burner;
use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of trials in each campaign
    #[arg(long, default_value_t = 4000)]
    trials: u64,
    /// Number of campaigns for each program
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Number of workers
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Folder for the campaigns during the measurement [default: a new temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Trials per second, and CPU seconds per trial.
#[derive(Clone, Copy)]
struct Speed {
    rate: f64,
    cpu: f64,
}

/// Measurements of one campaign.
struct Measured {
    speed: Speed,
    /// The optimizer's share of wall time.
    deciding: f64,
    configurations: usize,
}

/// Measures each program and prints a row for it.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let this = std::env::current_exe()?;
    let this = this.to_str().context("the path of this program is not UTF-8")?;
    let programs = [
        ("/bin/true", "\"/bin/true\", \"{params}\", \"{seed}\"".to_owned()),
        (
            "1 ms of CPU time",
            format!("{this:?}, \"{}\", \"1\", \"0.001\", \"{{params}}\", \"{{seed}}\"", burner::VERB),
        ),
    ];
    println!(
        "| program | runner alone, trials/s | campaign, trials/s | share: minimum | median | maximum \
         | runner alone, CPU ms per trial | campaign, CPU ms per trial | share by CPU time \
         | optimizer's share of wall time | configurations |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let temporary = PrivateFolder::new()?;
    let folder = arguments.folder.as_deref().unwrap_or(temporary.path()).join("captune-rate");
    for (name, command) in programs {
        let mut rounds = Vec::new();
        for round in 0..arguments.rounds {
            // Creating the folder must fail if it exists, because the code below may remove only a folder
            // that was created here.
            std::fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
            let scenario = folder.join("rate.toml");
            std::fs::write(&scenario, text(&command, arguments))?;
            let alone = runner_alone(&scenario, arguments)?;
            rounds.push((alone, whole_campaign(&scenario, round as u64)?));
            std::fs::remove_dir_all(&folder)?;
        }
        let all = |figure: fn(&(Speed, Measured)) -> f64| Quantiles::of(rounds.iter().map(figure).collect());
        let share = all(|(alone, measured)| measured.speed.rate / alone.rate);
        println!(
            "| {name} | {:.0} | {:.0} | {:.1} % | {:.1} % | {:.1} % | {:.3} | {:.3} | {:.1} % | {:.1} % | {} |",
            all(|(alone, _)| alone.rate).median(),
            all(|(_, measured)| measured.speed.rate).median(),
            100.0 * share.at(0.0),
            100.0 * share.median(),
            100.0 * share.max(),
            1e3 * all(|(alone, _)| alone.cpu).median(),
            1e3 * all(|(_, measured)| measured.speed.cpu).median(),
            100.0 * all(|(alone, measured)| alone.cpu / measured.speed.cpu).median(),
            100.0 * all(|(_, measured)| measured.deciding).median(),
            all(|(_, measured)| measured.configurations as f64).median(),
        );
    }
    Ok(())
}

fn text(command: &str, arguments: &Arguments) -> String {
    format!(
        "[target]\ncommand = [{command}]\n[objective]\nminimise = \"cpu_time\"\ncutoff = \"5s\"\n[budget]\n\
         trials = {}\n[parallel]\nworkers = {}\n[space]\nx = {{ float = [0.0, 1.0], default = 0.5 }}\n",
        arguments.trials, arguments.workers
    )
}

/// Calls the runner in a loop on several threads.
fn runner_alone(scenario: &Path, arguments: &Arguments) -> Result<Speed> {
    let (_, scenario) = scenario_of_file(scenario)?;
    let target = ProcessTarget::new(Arc::new(scenario.clone()));
    let request = TrialRequest {
        id: TrialId(0),
        key: TrialKey { config: ConfigId(0), pair: Pair { instance: InstanceId(0), seed: Seed(1) } },
        configuration: scenario.space.default_configuration(),
        cap: Cap::at(5.0),
        why: Why::Incumbent,
    };
    let command = target.command_line(&request)?.command();
    let remaining = AtomicU64::new(arguments.trials);
    let (cpu, begin) = (cpu_with_children()?, Instant::now());
    std::thread::scope(|scope| -> Result<()> {
        let mut threads = Vec::new();
        for slot in slots(arguments.workers, 1)? {
            let (command, remaining) = (&command, &remaining);
            let limits = target.limits(request.cap, slot.cores.as_ref());
            threads.push(scope.spawn(move || -> Result<()> {
                while remaining
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1))
                    .is_ok()
                {
                    confine::run(command, &limits, &Control::new())?;
                }
                Ok(())
            }));
        }
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("the thread's panic is already printed"))
    })?;
    let rate = arguments.trials as f64 / begin.elapsed().as_secs_f64();
    // The guardian's CPU time is known only after it has ended.
    dismiss_guardians();
    Ok(Speed { rate, cpu: (cpu_with_children()? - cpu) / arguments.trials as f64 })
}

/// Runs a whole campaign. The returned rate does not include the validation.
fn whole_campaign(scenario: &Path, seed: u64) -> Result<Measured> {
    let order =
        Order { path: scenario.to_owned(), seed: Some(seed), budget: Budget::default(), ..Order::default() };
    let (cpu, mut stopped) = (cpu_with_children()?, f64::NAN);
    let outcome = open(&order)?.run(|_| {}, &mut |event| {
        if matches!(event.what, What::Stopped(_)) {
            stopped = event.at;
        }
    })?;
    dismiss_guardians();
    let (cpu, progress) = (cpu_with_children()? - cpu, outcome.progress);
    let trials: u64 = progress.counts.iter().sum();
    // The CPU time includes the few trials of the validation.
    Ok(Measured {
        speed: Speed { rate: trials as f64 / stopped, cpu: cpu / trials as f64 },
        deciding: progress.optimizer_share,
        configurations: progress.configurations,
    })
}
