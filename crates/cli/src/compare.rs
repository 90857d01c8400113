//! `captune compare`: campaigns side by side.

use std::path::PathBuf;

use campaign::validation::Finding;
use clap::Args;
use comfy_table::{Table, presets};
use engine::stats::Basis;
use serde_json::json;
use view::Kept;
use view::compare::{self, AgainstFirst, Compared, Ground, Side};

use crate::exit_code::ExitCode;
use crate::message;
use crate::progress::block::{name, used};
use crate::words::{Costs, counted, harmless, probability, times};

#[derive(Args, Debug)]
#[command(after_help = "\
Costs are compared on the pairs of instance and seed that all campaigns have met: those of their
validations or, if they have none in common, those of their training, which flatters each by its own luck.
Campaigns that measure something else, or on other instances, are shown but not ranked. They may run
meanwhile.")]
pub(crate) struct Arguments {
    /// The campaigns' folders, or their scenarios
    #[arg(value_name = "DIR", num_args = 2.., required = true)]
    paths: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Shows campaigns side by side.
pub(crate) fn compare(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = arguments.paths.iter().map(|path| Kept::open(path)).collect::<Result<Vec<_>, _>>()?;
    let compared = compare::compare(&kept)?;
    if arguments.json {
        message::print(format!("{}\n", json!(compared)).as_bytes())?;
    } else {
        message::show(&text(&compared))?;
    }
    Ok(ExitCode::Done)
}

fn text(compared: &Compared) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["campaign", "spent", "best", "cost", gains_against(&compared.campaigns)];
    if compared.ranked {
        header.extend(["on common pairs", "against the first"]);
    }
    table.set_header(header);
    for side in &compared.campaigns {
        let costs = Costs::from(side.costs.clone());
        let cost = side.standing.as_ref().map_or_else(|| "-".to_owned(), |one| costs.standing(one));
        let mut row = vec![
            harmless(&side.folder),
            used(&side.budget, &side.spent),
            name(side.best.configuration, costs.against),
            cost,
            claim(side, &costs),
        ];
        if let Some(cost) = side.common_cost {
            row.push(costs.show(cost));
            row.push(
                side.against_first.map_or_else(|| "-".to_owned(), |found| against_first(&found, &costs)),
            );
        }
        table.add_row(row);
    }
    let mut text: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text += &match &compared.on {
        Some(on) => {
            let pairs = counted(on.pairs as u64, "pair");
            match on.ground {
                Ground::Validation => format!("common: {pairs} of their validations\n"),
                Ground::Training => {
                    format!("common: {pairs} of their training, which flatters each by its own luck\n")
                }
            }
        }
        None if compared.campaigns.iter().all(|side| side.obstacles.is_empty()) => {
            "not ranked: they have no pair in common; campaigns with the same `seed` meet the same pairs\n"
                .to_owned()
        }
        None => String::new(),
    };
    for side in &compared.campaigns {
        for obstacle in &side.obstacles {
            text += &format!("not ranked: {} {}\n", harmless(&side.folder), harmless(&obstacle.to_string()));
        }
    }
    text
}

/// What may be claimed of the best of a campaign.
fn claim(side: &Side, costs: &Costs) -> String {
    if side.standing.as_ref().is_some_and(|standing| !standing.feasible) {
        return "nothing feasible".to_owned();
    }
    let Some(verdict) = &side.verdict else {
        let nothing = side.best.configuration == 0;
        return if nothing { format!("the {}", costs.against) } else { "training only".to_owned() };
    };
    let gain = || costs.gain(verdict.ratio);
    match verdict.finding {
        _ if verdict.basis == Basis::TrainingOnly => "training only".to_owned(),
        Finding::NothingReliable => "nothing reliable".to_owned(),
        Finding::Wrong => "wrong answers".to_owned(),
        Finding::Infeasible | Finding::NeitherFeasible => "violates its bounds".to_owned(),
        Finding::OnlyFeasible => format!("{}, and alone keeps its bounds", gain()),
        Finding::Faster | Finding::Slower => gain(),
    }
}

/// What the column of gains is called.
fn gains_against(sides: &[Side]) -> &'static str {
    let has = |against: &str| sides.iter().any(|side| side.costs.against == against);
    match (has("default"), has("baseline")) {
        (true, true) => "against its default or baseline",
        (false, true) => "against the baseline",
        _ => "against the default",
    }
}

fn against_first(found: &AgainstFirst, costs: &Costs) -> String {
    let interval = found.interval.map_or_else(String::new, |[low, high]| {
        let bare = |ratio: f64| times(ratio).trim_end_matches('x').to_owned();
        // As the ratio itself is told: how many times worse.
        let (low, high) = if found.ratio < 1.0 { (high.recip(), low.recip()) } else { (low, high) };
        format!(" [{}, {}]", bare(low), bare(high))
    });
    format!("{}{interval}, {}", costs.gain(found.ratio), probability(found.p))
}
