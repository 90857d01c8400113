//! The status block: three lines that show the state of a campaign.

use campaign::budget::{Budget, Spent};
use campaign::progress;
use engine::Status;
use view::{Progress, Tally};

use super::Facts;
use crate::bounds;
use crate::words::{clock, count, counted, name, share, times};

/// Width of the progress bar in characters.
const BAR: usize = 10;

/// Returns the lines of the block, which may be wider than the terminal.
pub(crate) fn block(progress: &progress::Progress, facts: &Facts) -> Vec<String> {
    let progress = &Progress::of(progress, &facts.costs);
    vec![spent(progress, facts), standing(progress, facts), racing(progress, facts)]
}

/// Returns the lines of the block during a validation.
pub(crate) fn validation(done: usize, of: usize, against: &str) -> Vec<String> {
    let part = done as f64 / of.max(1) as f64;
    vec![format!(" {} validating the best against the {against}: {done} of {of} trials", bar(part))]
}

/// Returns the line shown during an ablation.
pub(crate) fn ablation(trials: u64, steps: usize, open: usize) -> String {
    let (trials, steps) = (counted(trials, "trial"), counted(steps as u64, "step"));
    format!(" ablation: {trials} · {steps} decided · {} left", counted(open as u64, "change"))
}

fn spent(progress: &Progress, facts: &Facts) -> String {
    let mut parts = vec![format!("{}/{} busy", progress.out.min(progress.workers), progress.workers)];
    parts.push(trials(&progress.tally));
    parts.push(format!("optimizer {}", share(progress.optimizer_share)));
    format!(" {} {} {}", used(&facts.budget, &progress.spent), bar(progress.fraction), parts.join(" · "))
}

/// Formats the elapsed time, and the use of the budget that will run out first.
pub(crate) fn used(budget: &Budget, spent: &Spent) -> String {
    let time = clock(spent.wall);
    let part = |limit: Option<f64>, used: f64| limit.map_or(-1.0, |limit| used / limit);
    let (wall, cpu) = (part(budget.wall, spent.wall), part(budget.cpu, spent.cpu));
    let trials = part(budget.trials.map(|trials| trials as f64), spent.trials as f64);
    match (budget.wall, budget.cpu, budget.trials) {
        (Some(limit), ..) if wall >= cpu.max(trials) => format!("{time} of {}", clock(limit)),
        (_, Some(limit), _) if cpu >= trials => {
            format!("{time} · CPU {} of {}", clock(spent.cpu), clock(limit))
        }
        (.., Some(limit)) => format!("{time} · {} of {} trials", count(spent.trials), count(limit)),
        _ => time,
    }
}

/// Draws a progress bar with a resolution of an eighth of a character.
fn bar(part: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let text = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
    let empty = BAR - text.chars().count();
    text + &"░".repeat(empty)
}

/// Formats the number of trials and the shares that were capped, timed out, crashed, wrong or lost.
pub(crate) fn trials(tally: &Tally) -> String {
    let all = tally.trials.all();
    let of_all = |number: u64| (number > 0).then(|| share(number as f64 / all as f64));
    let part = |statuses: &[Status]| of_all(tally.trials.count(statuses));
    let shares = [
        (part(&[Status::Capped]), "capped"),
        (part(&[Status::Timeout]), "timeout"),
        (part(&[Status::Crashed, Status::Memory, Status::Aborted]), "crashed"),
        (part(&[Status::Wrong]), "wrong"),
        (of_all(tally.lost), "lost"),
    ];
    let shares: Vec<String> =
        shares.into_iter().filter_map(|(share, word)| Some(format!("{} {word}", share?))).collect();
    let colon = if shares.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", counted(all, "trial"), shares.join(", "))
}

fn standing(progress: &Progress, facts: &Facts) -> String {
    let best = &progress.best;
    if best.pairs == 0 {
        return format!("   best: the {} (being measured)", facts.costs.against);
    }
    let mut line =
        format!("   best {}  {}", name(best.configuration, facts.costs.against), facts.costs.standing(best));
    line += &bounds::in_short(&best.constraints);
    if best.configuration != 0
        && let Some(compared) = progress.training
    {
        let pairs = compared.pairs as u64;
        let infeasible = if progress.default_is_feasible { "" } else { ", infeasible" };
        let default = format!("{} {}", facts.costs.against, facts.costs.show(compared.default));
        line += &if compared.has_enough_pairs {
            let gain = facts.costs.in_short(&compared);
            format!(" · training {gain} ({default} on {}{infeasible})", counted(pairs, "pair"))
        } else {
            let best = facts.costs.show(compared.best);
            format!(" · {default}, best {best} on {}{infeasible}", counted(pairs, "common pair"))
        };
    }
    line
}

fn racing(progress: &Progress, facts: &Facts) -> String {
    let mut parts = Vec::new();
    if let Some(racing) = &progress.racing {
        let cap = racing.cap.is_finite().then(|| format!(", cap {}", facts.costs.show(racing.cap)));
        let others = match progress.others {
            0 => String::new(),
            others => format!(" (+{others} more)"),
        };
        let (met, of) = (racing.met, progress.best.pairs);
        parts.push(format!(
            "racing #{} on {met}/{of}{}{others}",
            racing.configuration,
            cap.unwrap_or_default()
        ));
    } else {
        parts.push("no challenger".to_owned());
    }
    if progress.saved > 1.005 {
        parts.push(format!("capping saved {}", times(progress.saved)));
    }
    parts.push("Ctrl-C stops, the same command resumes".to_owned());
    format!("   {}", parts.join(" · "))
}

/// Returns the heartbeat: the most important figures in one line.
pub(crate) fn heartbeat(progress: &progress::Progress, facts: &Facts) -> String {
    let progress = &Progress::of(progress, &facts.costs);
    let mut parts = vec![used(&facts.budget, &progress.spent), trials(&progress.tally)];
    let best = &progress.best;
    if best.pairs > 0 {
        let bounds = bounds::in_short(&best.constraints);
        let name = name(best.configuration, facts.costs.against);
        parts.push(format!("best {name} {}{bounds}", facts.costs.standing(best)));
    }
    let compared = progress.training.filter(|both| both.has_enough_pairs);
    if let (Some(compared), true) = (compared, best.configuration != 0) {
        parts.push(format!("{} (training)", facts.costs.in_short(&compared)));
    }
    parts.join(" · ")
}

/// Cuts a line to the width of the terminal. The cut is between two words.
pub(crate) fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    let words = kept.trim_end().rsplit_once(' ').map_or(kept.as_str(), |(words, _)| words);
    let words = if words.trim().is_empty() { &kept } else { words };
    format!("{} …", words.trim_end_matches([' ', '·']))
}
