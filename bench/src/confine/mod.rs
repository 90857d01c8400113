//! Compares the runner's overhead with the goals for it. Each series of confined runs alternates with a
//! series of bare runs, so that a noisy machine disturbs both alike. All figures are in milliseconds.

pub(crate) mod burner;
mod leaks;
mod peer;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command as Bare, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use confine::{Command, Control, Finished, Folder, Limits, Tier};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Executable to start as the guardian [default: `captune` in the folder of this program]
    #[arg(long)]
    guardian: Option<PathBuf>,
    /// A runsolver executable to compare with
    #[arg(long)]
    runsolver: Option<PathBuf>,
    /// Use fewer repetitions, for a quick check
    #[arg(long)]
    quick: bool,
    /// Number of runs in the search for leaks
    #[arg(long, default_value_t = 10_000)]
    runs: usize,
}

/// Settings shared by all series.
struct Setting {
    guardian: PathBuf,
    this: PathBuf,
    tiers: Vec<Tier>,
    repetitions: usize,
}

/// Measures everything and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let guardian = match &arguments.guardian {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("captune"),
    };
    let repetitions = if arguments.quick { 50 } else { 400 };
    let mut setting = Setting { guardian, this: std::env::current_exe()?, tiers: Vec::new(), repetitions };
    let works = |&tier: &Tier| setting.run(tier, &setting.burn(1, 0.0), &Limits::default()).is_ok();
    setting.tiers = Tier::ALL.into_iter().filter(works).collect();
    overhead(&setting)?;
    wall_overshoot(&setting, Duration::from_millis(10), setting.repetitions / 2)?;
    wall_overshoot(&setting, Duration::from_secs(1), setting.repetitions / 20)?;
    cpu_overshoot(&setting)?;
    accuracy(&setting)?;
    if let Some(runsolver) = &arguments.runsolver {
        peer::compare(&setting, runsolver)?;
    }
    leaks::search(&setting, arguments.runs)
}

impl Setting {
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        Command::new(program).guardian(&self.guardian).folder(Folder::Given("/".into()))
    }

    /// Returns a command of this program that uses a known amount of CPU time.
    fn burn(&self, processes: u32, seconds: f64) -> Command {
        self.command(&self.this).args([burner::VERB, &processes.to_string(), &seconds.to_string()])
    }

    fn run(&self, tier: Tier, command: &Command, limits: &Limits) -> Result<Finished> {
        Ok(confine::run(&command.clone().tier(tier), limits, &Control::new())?)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Measures `/bin/true`, bare and confined.
fn overhead(setting: &Setting) -> Result<()> {
    let mut bare = Vec::new();
    let mut confined = vec![Vec::new(); setting.tiers.len()];
    let mut private = Vec::new();
    let target = setting.command("/bin/true");
    for _ in 0..setting.repetitions {
        let start = Instant::now();
        Bare::new("/bin/true").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        bare.push(milliseconds(start.elapsed()));
        for (&tier, series) in setting.tiers.iter().zip(&mut confined) {
            let start = Instant::now();
            setting.run(tier, &target, &Limits::default())?;
            series.push(milliseconds(start.elapsed()));
        }
        let start = Instant::now();
        setting.run(setting.tiers[0], &target.clone().folder(Folder::Private), &Limits::default())?;
        private.push(milliseconds(start.elapsed()));
    }
    let bare = Quantiles::of(bare);
    println!("\n## Start and end of /bin/true, {} runs each\n", setting.repetitions);
    println!("| runner | p50 | p99 | p50 minus bare |\n|---|---|---|---|");
    println!("| posix_spawn and wait | {:.2} | {:.2} | |", bare.median(), bare.at(0.99));
    let names = setting.tiers.iter().map(|tier| tier.to_string());
    let rows = names.zip(confined).chain([(format!("{}, private folder", setting.tiers[0]), private)]);
    for (name, series) in rows {
        let series = Quantiles::of(series);
        let over = series.median() - bare.median();
        println!("| {name} | {:.2} | {:.2} | {over:+.2} |", series.median(), series.at(0.99));
    }
    Ok(())
}

/// Measures the delay from a wall-time cap until the process tree is dead and reaped, compared with a bare
/// timer.
fn wall_overshoot(setting: &Setting, cap: Duration, repetitions: usize) -> Result<()> {
    let limits = Limits { wall: Some(cap), ..Limits::default() };
    let target = setting.command("/bin/sleep").arg("60");
    let mut waiter = Vec::new();
    let mut killer = Vec::new();
    let mut confined = vec![Vec::new(); setting.tiers.len()];
    for _ in 0..repetitions {
        waiter.push(milliseconds(bare_wait(cap)?));
        killer.push(milliseconds(bare_kill(cap)?));
        for (&tier, series) in setting.tiers.iter().zip(&mut confined) {
            let finished = setting.run(tier, &target, &limits)?;
            series.push(milliseconds(finished.wall.saturating_sub(cap)));
        }
    }
    println!("\n## Overshoot past a wall-time cap of {cap:?}, {repetitions} runs each\n");
    println!(
        "| runner | p50 | p99 | max | p50 minus bare timerfd | p99 / bare timerfd |\n|---|---|---|---|---|---|"
    );
    let waiter = Quantiles::of(waiter);
    println!("| bare timerfd | {:.3} | {:.3} | {:.3} | | |", waiter.median(), waiter.at(0.99), waiter.max());
    let names = setting.tiers.iter().map(|tier| tier.to_string());
    let rows = [("bare timerfd, kill and wait".to_owned(), killer)].into_iter().chain(names.zip(confined));
    for (name, series) in rows {
        let series = Quantiles::of(series);
        let (p50, p99) = (series.median(), series.at(0.99));
        let (over, times) = (p50 - waiter.median(), p99 / waiter.at(0.99));
        println!("| {name} | {p50:.3} | {p99:.3} | {:.3} | {over:+.3} | {times:.1} |", series.max());
    }
    Ok(())
}

/// Returns the delay of a timer alone, without a process to kill.
fn bare_wait(cap: Duration) -> Result<Duration> {
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
    let value = Timespec { tv_sec: cap.as_secs() as i64, tv_nsec: cap.subsec_nanos().into() };
    let start = Instant::now();
    timerfd_settime(&timer, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: zero, it_value: value })?;
    poll(&mut [PollFd::new(&timer, PollFlags::IN)], None)?;
    Ok(start.elapsed().saturating_sub(cap))
}

/// Returns the delay until the end of a process that is killed when such a timer expires.
fn bare_kill(cap: Duration) -> Result<Duration> {
    let start = Instant::now();
    let mut child = Bare::new("/bin/sleep").arg("60").stdin(Stdio::null()).spawn()?;
    bare_wait(cap.saturating_sub(start.elapsed()))?;
    child.kill()?;
    child.wait()?;
    Ok(start.elapsed().saturating_sub(cap))
}

/// Measures the CPU time beyond a cap of 100 ms, with one busy process and with two.
fn cpu_overshoot(setting: &Setting) -> Result<()> {
    let cap = Duration::from_millis(100);
    let limits = Limits { cpu: Some(cap), ..Limits::default() };
    let repetitions = setting.repetitions / 8;
    println!("\n## Overshoot past a CPU cap of 100 ms, {repetitions} runs each\n");
    println!("| tier | one busy process p50 | max | two busy processes p50 | max |\n|---|---|---|---|---|");
    for &tier in &setting.tiers {
        let mut cells = String::new();
        for processes in [1, 2] {
            let target = setting.burn(processes, 60.0);
            let over = |_| {
                let cpu = setting.run(tier, &target, &limits)?.cpu.context("no CPU time")?;
                Ok(milliseconds(cpu.total()) - milliseconds(cap))
            };
            let series = Quantiles::of((0..repetitions).map(over).collect::<Result<_>>()?);
            cells += &format!(" {:.2} | {:.2} |", series.median(), series.max());
        }
        println!("| {tier} |{cells}");
    }
    Ok(())
}

/// Measures the difference between reported and used CPU time. The difference consists of the time to start
/// the processes and the measurement error.
fn accuracy(setting: &Setting) -> Result<()> {
    let repetitions = (setting.repetitions / 40).max(5);
    println!("\n## CPU time reported minus CPU time used, {repetitions} runs each\n");
    println!("| tier | 0.1 s | 2 x 0.1 s | 1 s | 2 x 1 s |\n|---|---|---|---|---|");
    for &tier in &setting.tiers {
        let mut cells = String::new();
        for (processes, seconds) in [(1, 0.1), (2, 0.1), (1, 1.0), (2, 1.0)] {
            let target = setting.burn(processes, seconds);
            let error = |_| {
                let cpu = setting.run(tier, &target, &Limits::default())?.cpu.context("no CPU time")?;
                Ok(milliseconds(cpu.total()) - f64::from(processes) * seconds * 1e3)
            };
            let series = Quantiles::of((0..repetitions).map(error).collect::<Result<_>>()?);
            cells += &format!(" {:+.2} to {:+.2} |", series.at(0.0), series.max());
        }
        println!("| {tier} |{cells}");
    }
    Ok(())
}
