//! `captune doctor`: what this machine can enforce, shown by really confining something.

pub(crate) mod exhibit;

use std::time::Duration;

use clap::{Args, ValueEnum};
use confine::quantity::{show_duration, show_size};
use confine::{Command, Control, Cores, End, Finished, LaunchError, Limit, Limits, Tier};

use crate::exit_code::ExitCode;
use crate::limits::LimitArguments;
use exhibit::What;

#[derive(Args, Debug)]
#[command(after_help = "\
With limits or a tier given, also tells whether this machine can enforce them: exit code 4 if not.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    limits: LimitArguments,
}

/// Examines the machine and prints what it found.
pub(crate) fn doctor(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let wished = arguments.limits.limits();
    let best = arguments.limits.tier.or_else(|| Tier::ALL.into_iter().find(|&tier| works(tier).is_ok()));
    print_tiers(best);
    if let Some(tier) = best {
        print_limits(tier);
    }
    // The wish itself, as `exec` would meet it.
    confine::run(&with_tier(What::Nothing, arguments.limits.tier), &wished, &Control::new())?;
    Ok(ExitCode::Done)
}

fn print_tiers(best: Option<Tier>) {
    line("tiers: how a process tree is held together, best first");
    for tier in Tier::ALL {
        let found = match works(tier) {
            Ok(how) => format!("works: {how}"),
            Err(error) => format!("no: {}", why(&error)),
        };
        let mark = if best == Some(tier) { "*" } else { " " };
        line(&format!("{mark} {tier:<10} {found}"));
    }
}

fn why(error: &LaunchError) -> String {
    match error {
        LaunchError::Tier { why, .. } => why.clone(),
        other => other.to_string(),
    }
}

/// Lets a process escape from its session in this tier, and says what became of it.
fn works(tier: Tier) -> Result<String, LaunchError> {
    let limits = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
    let finished = confine::run(&with_tier(What::Escape, Some(tier)), &limits, &Control::new())?;
    Ok(match finished.stragglers {
        Some(1..) => "a process that left its session was found and killed".into(),
        Some(0) => "a process that left its session was not found".into(),
        None => "but a process that leaves its session escapes".into(),
    })
}

/// One limit, tried.
struct Trial {
    limit: Limit,
    what: What,
    limits: Limits,
    asked: String,
}

fn print_limits(tier: Tier) {
    line("");
    line(&format!("limits in the {tier} tier, each tried on a program that would go on for ever"));
    for trial in trials() {
        let verdict = match confine::run(&with_tier(trial.what, Some(tier)), &trial.limits, &Control::new()) {
            Ok(finished) => judge(&trial, &finished),
            Err(error) => format!("no: {}", why(&error)),
        };
        line(&format!("  {:<10} {:<8} {verdict}", trial.limit.to_string(), trial.asked));
    }
    let cores =
        Cores::allowed().map_or_else(|error| error.to_string(), |cores| format!("choose among {cores}"));
    line(&format!("  {:<10} {:<8} {cores}", "cores", ""));
}

fn trials() -> Vec<Trial> {
    let time = Duration::from_millis(50);
    let size = 64 << 20;
    let safe = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
    let sized = |bytes| show_size(bytes).to_string();
    vec![
        Trial {
            limit: Limit::Cpu,
            what: What::Burn,
            limits: Limits { cpu: Some(time), ..safe.clone() },
            asked: show_duration(time).to_string(),
        },
        Trial {
            limit: Limit::Wall,
            what: What::Sleep,
            limits: Limits { wall: Some(time), ..safe.clone() },
            asked: show_duration(time).to_string(),
        },
        Trial {
            limit: Limit::Memory,
            what: What::Grow,
            limits: Limits { memory: Some(size), ..safe.clone() },
            asked: sized(size),
        },
        Trial {
            limit: Limit::Output,
            what: What::Flood,
            limits: Limits { output: Some(1 << 20), ..safe.clone() },
            asked: sized(1 << 20),
        },
        Trial {
            limit: Limit::FileSize,
            what: What::Fill,
            limits: Limits { file_size: Some(1 << 20), ..safe.clone() },
            asked: sized(1 << 20),
        },
        Trial {
            limit: Limit::Processes,
            what: What::Crowd,
            limits: Limits { processes: Some(10), ..safe },
            asked: "10".into(),
        },
    ]
}

fn judge(trial: &Trial, finished: &Finished) -> String {
    let used = match trial.limit {
        Limit::Cpu => finished.cpu.map(|cpu| format!("{:.1}ms of CPU time", cpu.total().as_secs_f64() * 1e3)),
        Limit::Wall => Some(format!("{:.1}ms", finished.wall.as_secs_f64() * 1e3)),
        Limit::Memory => finished.peak_memory.map(|bytes| show_size(bytes).to_string()),
        Limit::Output => Some(show_size(finished.stdout.written).to_string()),
        Limit::Processes | Limit::FileSize => None,
    };
    let at = used.map(|used| format!(" at {used}")).unwrap_or_default();
    match finished.end() {
        End::Stopped(limit) if limit == trial.limit => format!("holds: stopped{at}"),
        End::Signalled(signal) if trial.limit == Limit::Memory => {
            format!("holds: refused more{at}, upon which the program ended itself by signal {signal}")
        }
        other => format!("no: {other:?}"),
    }
}

fn with_tier(what: What, tier: Option<Tier>) -> Command {
    let name = what.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let command = Command::new("/proc/self/exe").args([exhibit::VERB, &name]);
    match tier {
        Some(tier) => command.tier(tier),
        None => command,
    }
}

#[expect(clippy::print_stdout, reason = "the examination is the data asked for")]
fn line(text: &str) {
    println!("{text}");
}
