//! `captune doctor`: tests which limits this machine can enforce.

pub(crate) mod exhibit;

use std::io::Write;
use std::time::Duration;

use clap::Args;
use confine::quantity::{show_duration, show_size};
use confine::{Command, Control, Cores, End, Finished, LaunchError, Limit, Limits, Tier};

use crate::exit_code::ExitCode;
use crate::limits::LimitArguments;
use exhibit::What;

#[derive(Args, Debug)]
#[command(after_help = "\
If limits or a tier are given, doctor also runs a program under them. The exit
code is 4 if this machine cannot enforce them.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    limits: LimitArguments,
}

/// Tests the machine and prints the results.
pub(crate) fn doctor(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let found = Tier::ALL.map(|tier| (tier, works(tier)));
    let wanted = |tier: Tier| arguments.limits.tier.is_none_or(|forced| forced == tier);
    let used = found.iter().find(|(tier, works)| works.is_ok() && wanted(*tier)).map(|(tier, _)| *tier);
    line("tiers (ways to control a process tree), best first:");
    for (tier, works) in &found {
        let verdict = match works {
            Ok(how) => format!("works: {how}"),
            Err(error) => format!("does not work: {}", why(error)),
        };
        line(&format!("{} {tier:<10} {verdict}", if used == Some(*tier) { "*" } else { " " }));
    }
    if let Some(tier) = used {
        print_limits(tier);
    }
    // Finally, run with exactly the limits and the tier given on the command line, as `exec` would.
    let tried = confine::run(
        &with_tier(What::Nothing, arguments.limits.tier),
        &arguments.limits.limits(),
        &Control::new(),
    );
    tried.map(|_| ExitCode::Done).map_err(Into::into)
}

fn why(error: &LaunchError) -> String {
    match error {
        LaunchError::Tier { why, .. } => why.clone(),
        other => other.to_string(),
    }
}

/// Starts a process that leaves its session, in this tier, and reports whether the process was found.
fn works(tier: Tier) -> Result<String, LaunchError> {
    let limits = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
    let finished = confine::run(&with_tier(What::Escape, Some(tier)), &limits, &Control::new())?;
    Ok(match finished.stragglers {
        Some(1..) => "a process that left its session was found and killed".into(),
        Some(0) => "a process that left its session was not found".into(),
        None => "a process that leaves its session can escape".into(),
    })
}

/// A test of one limit.
struct TryOut {
    limit: Limit,
    what: What,
    limits: Limits,
    asked: String,
}

fn print_limits(tier: Tier) {
    line("");
    line(&format!("limits in the {tier} tier, each tested on a program that would never stop:"));
    for tried in try_outs() {
        let verdict = match confine::run(&with_tier(tried.what, Some(tier)), &tried.limits, &Control::new()) {
            Ok(finished) => judge(&tried, &finished),
            Err(error) => format!("does not hold: {}", why(&error)),
        };
        line(&format!("  {:<10} {:<8} {verdict}", tried.limit.to_string(), tried.asked));
    }
    let cores =
        Cores::allowed().map_or_else(|error| error.to_string(), |cores| format!("{cores} are available"));
    line(&format!("  {:<10} {:<8} {cores}", "cores", ""));
}

fn try_outs() -> Vec<TryOut> {
    let time = Duration::from_millis(50);
    let size = 64 << 20;
    let safe = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
    let sized = |bytes| show_size(bytes).to_string();
    vec![
        TryOut {
            limit: Limit::Cpu,
            what: What::Burn,
            limits: Limits { cpu: Some(time), ..safe.clone() },
            asked: show_duration(time).to_string(),
        },
        TryOut {
            limit: Limit::Wall,
            what: What::Sleep,
            limits: Limits { wall: Some(time), ..safe.clone() },
            asked: show_duration(time).to_string(),
        },
        TryOut {
            limit: Limit::Memory,
            what: What::Grow,
            limits: Limits { memory: Some(size), ..safe.clone() },
            asked: sized(size),
        },
        TryOut {
            limit: Limit::Output,
            what: What::Flood,
            limits: Limits { output: Some(1 << 20), ..safe.clone() },
            asked: sized(1 << 20),
        },
        TryOut {
            limit: Limit::FileSize,
            what: What::Fill,
            limits: Limits { file_size: Some(1 << 20), ..safe.clone() },
            asked: sized(1 << 20),
        },
        TryOut {
            limit: Limit::Processes,
            what: What::Crowd,
            limits: Limits { processes: Some(10), ..safe },
            asked: "10".into(),
        },
    ]
}

fn judge(tried: &TryOut, finished: &Finished) -> String {
    let used = match tried.limit {
        Limit::Cpu => finished.cpu.map(|cpu| format!("{:.1}ms of CPU time", cpu.total().as_secs_f64() * 1e3)),
        Limit::Wall => Some(format!("{:.1}ms", finished.wall.as_secs_f64() * 1e3)),
        Limit::Memory => finished.peak_memory.map(|bytes| show_size(bytes).to_string()),
        Limit::Output => Some(show_size(finished.stdout.written).to_string()),
        Limit::Processes | Limit::FileSize => None,
    };
    let at = used.map(|used| format!(" at {used}")).unwrap_or_default();
    match finished.end() {
        End::Stopped(limit) if limit == tried.limit => format!("holds: stopped{at}"),
        End::Signalled(signal) if tried.limit == Limit::Memory => {
            format!("holds: more memory was refused{at}, and the program ended with signal {signal}")
        }
        other => format!("does not hold: {other:?}"),
    }
}

/// Returns a command that ends at once. This command is used to test whether limits can be enforced.
pub(crate) fn nothing() -> Command {
    with_tier(What::Nothing, None)
}

fn with_tier(what: What, tier: Option<Tier>) -> Command {
    let command = Command::new("/proc/self/exe").args([exhibit::VERB, &what.name()]);
    match tier {
        Some(tier) => command.tier(tier),
        None => command,
    }
}

fn line(text: &str) {
    // An error is ignored, because a closed pipe is not a failure.
    writeln!(std::io::stdout(), "{text}").ok();
}
