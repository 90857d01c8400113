//! `captune status`: shows the state of a campaign, even while it runs.

mod folds;

use std::path::PathBuf;

use campaign::budget::Budget;
use clap::Args;
use serde_json::json;
use view::{Figured, Figures, Incumbent, Kept, KeptFolds, Picture, Standing};

use crate::bounds;
use crate::changes;
use crate::exit_code::ExitCode;
use crate::goal;
use crate::message;
use crate::progress::block::{trials, used};
use crate::verdict::{self, Hosts};
use crate::words::{self, Costs, clock, counted, harmless, name, number, share};
use crate::wrap;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the state of the campaign.
pub(crate) fn status(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(folds) = KeptFolds::find(&arguments.path)? {
        return folds::print(&folds, arguments.json);
    }
    let picture = Picture::of(&Kept::open(&arguments.path)?)?;
    if arguments.json {
        message::print(format!("{}\n", json!(picture)).as_bytes())?;
    } else {
        message::show(&text(&picture, wrap::stdout_width()))?;
    }
    warn_of_hosts(&picture.hosts);
    Ok(ExitCode::Done)
}

/// Warns if trials were run on several machines.
pub(crate) fn warn_of_hosts(hosts: &[String]) {
    if hosts.len() > 1 {
        message::say(&format!(
            "warning: trials were run on several machines, so times may not be comparable: {}",
            hosts.join(", ")
        ));
    }
}

fn text(picture: &Picture, width: Option<usize>) -> String {
    let mut text = format!("{}: {}\n", harmless(&picture.name), words::state(&picture.state));
    let mut rows = vec![("spent", spent(picture))];
    let tried = counted(picture.tally.configurations, "configuration");
    rows.push(("trials", format!("{} · {tried}", trials(&picture.tally))));
    rows.extend(crew(picture).map(|crew| ("workers", crew)));
    match &picture.figures {
        Figured::Known(figures) => rows.extend(self::rows(picture, figures)),
        Figured::Unknown { problem } => {
            rows.push(("best", name(picture.incumbent, "default")));
            rows.push(("costs", format!("not shown, because the scenario can no longer be read: {problem}")));
        }
    }
    text += &wrap::rows(&rows, width);
    if !picture.incumbents.is_empty() {
        text += &format!("history{}\n", trend(&picture.incumbents, picture.spent.wall));
    }
    let costs = picture.figures.known().map(|figures| Costs::from(figures.costs.clone()));
    for incumbent in &picture.incumbents {
        let line = format!("  {}", incumbent_line(incumbent, costs.as_ref()));
        text += &format!("{}\n", wrap::paragraph(&line, width, 4));
    }
    text
}

/// Number of bars in the plot of the trajectory.
const BARS: usize = 24;

/// Plots the incumbents' costs over the time of the campaign. Returns an empty text for fewer than three.
fn trend(incumbents: &[Incumbent], wall: f64) -> String {
    if incumbents.len() < 3 {
        return String::new();
    }
    let at = |bar: usize| {
        let time = wall * (bar as f64 + 1.0) / BARS as f64;
        let last = incumbents.iter().take_while(|one| one.wall <= time).last().or(incumbents.first());
        last.map_or(f64::NAN, |one| one.cost)
    };
    format!("  {}", words::sparkline(&(0..BARS).map(at).collect::<Vec<_>>()))
}

/// Formats what the campaign has used.
pub(crate) fn spent(picture: &Picture) -> String {
    let budget = picture.figures.known().map_or_else(Budget::default, |figures| figures.budget);
    format!("{} · CPU time of trials {}", used(&budget, &picture.spent), clock(picture.spent.cpu))
}

/// Describes the fleet, if the campaign has one.
fn crew(picture: &Picture) -> Option<String> {
    let workers = &picture.workers;
    let current: Vec<_> = workers.iter().filter(|worker| !worker.left).collect();
    let slots: u64 = current.iter().map(|worker| u64::from(worker.slots)).sum();
    let lost: u64 = workers.iter().map(|worker| worker.lost).sum();
    let busy: Vec<f64> = current.iter().filter_map(|worker| worker.utilisation).collect();
    let mut parts = vec![
        counted(current.len() as u64, "worker"),
        counted(slots, "slot"),
        counted(picture.hosts.len() as u64, "machine"),
    ];
    if !busy.is_empty() {
        parts.push(format!("{} busy", share(busy.iter().sum::<f64>() / busy.len() as f64)));
    }
    let gone = workers.len() - current.len();
    if gone > 0 {
        parts.push(format!("{gone} left"));
    }
    if lost > 0 {
        parts.push(format!("{} lost and repeated", counted(lost, "trial")));
    }
    (!workers.is_empty()).then(|| parts.join(" · "))
}

/// Formats one line of the history of incumbents.
fn incumbent_line(incumbent: &Incumbent, costs: Option<&Costs>) -> String {
    let (cost, against) = match costs {
        Some(costs) => (format!("{} {}", costs.mean, costs.show(incumbent.cost)), costs.against),
        None => (number(incumbent.cost), "default"),
    };
    let pairs = counted(u64::from(incumbent.pairs), "pair");
    let (time, name) = (clock(incumbent.wall), name(incumbent.configuration, against));
    let changes = changes::in_short(&incumbent.changes);
    format!("{time}  {name:<6} {cost} on {pairs}   {changes}").trim_end().to_owned()
}

/// Returns the rows about costs.
fn rows(picture: &Picture, figures: &Figures) -> Vec<(&'static str, String)> {
    let (costs, config) = (Costs::from(figures.costs.clone()), picture.incumbent);
    let against = costs.against;
    let mut rows = Vec::new();
    let shown = |standing: &Option<Standing>| {
        standing.as_ref().map_or_else(|| "not measured yet".to_owned(), |standing| costs.standing(standing))
    };
    if picture.best.is_none() {
        rows.push(("best", format!("none: every trial of {} failed", name(config, against))));
    } else if config == 0 {
        rows.push(("best", format!("the {against}: {}", shown(&figures.best))));
    } else {
        rows.push(("best", format!("{}  {}", name(config, against), shown(&figures.best))));
        // The column of labels is narrow.
        let label = if against == "starting point" { "start" } else { against };
        rows.push((label, shown(&figures.default)));
    }
    match &figures.best {
        Some(best) if !best.feasible => {
            rows.push(("bounds", bounds::nothing_feasible(config, &best.constraints, against)));
        }
        Some(best) if !best.constraints.is_empty() => rows.push(("bounds", bounds::line(&best.constraints))),
        _ => {}
    }
    let default = figures.default.as_ref().filter(|default| config != 0 && !default.feasible);
    if let Some(default) = default {
        rows.push(("", format!("the {against}: {}", bounds::line(&default.constraints))));
    }
    if let Some(training) = &figures.training {
        rows.push(("training", costs.in_training(training)));
    }
    if let Some(found) = &figures.verdict {
        let lines = verdict::lines(found, &costs, Hosts::Always).into_iter().enumerate();
        rows.extend(lines.map(|(number, line)| (if number == 0 { "verdict" } else { "" }, line)));
    }
    rows
}
