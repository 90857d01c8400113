//! `captune compare`: shows campaigns side by side.

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
use crate::progress::block::used;
use crate::verdict::{self, Hosts};
use crate::words::name;
use crate::words::{Costs, ENOUGH_PAIRS, counted, harmless, probability, times};
use crate::wrap;

#[derive(Args, Debug)]
#[command(after_help = "\
Costs are compared on the pairs of instance and seed that all validations have
in common. If there are none, training pairs are used, where the costs are
optimistic: each campaign chose its best configuration by them. Campaigns whose
objective or instances differ from those of the first campaign are shown but
not ranked. The campaigns may be running.

To run several campaigns of one scenario, give each its own seed and folder:
  captune run x.toml --seed 1 --dir 1.campaign
The last lines name the campaign with the largest gain in training, and show
the verdict on its best configuration. The choice does not use the validations,
so it does not bias the verdict. The table does not rank such campaigns: with
another seed, they have other pairs. To rank settings of the search, give each
campaign the same seed.")]
pub(crate) struct Arguments {
    /// Folders of the campaigns, or their scenarios
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
        message::show(&text(&compared, wrap::stdout_width()))?;
    }
    Ok(ExitCode::Done)
}

fn text(compared: &Compared, width: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let gains = gains_against(&compared.campaigns);
    let mut header = vec!["campaign", "spent", "best", "cost", gains.as_str()];
    if compared.ranked {
        header.extend(["on common pairs", "against the first"]);
    }
    table.set_header(header);
    let pairs = compared.on.as_ref().map_or(0, |on| on.pairs);
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
            row.push(match side.against_first {
                None => "-".to_owned(),
                Some(_) if pairs < ENOUGH_PAIRS => "too few pairs".to_owned(),
                Some(found) => against_first(&found, &costs),
            });
        }
        table.add_row(row);
    }
    wrap::fit(&mut table, width);
    let text: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let mut remarks = match &compared.on {
        Some(on) => {
            let pairs = counted(on.pairs as u64, "pair");
            match on.ground {
                Ground::Validation => format!("compared on {pairs} from the validations\n"),
                Ground::Training => {
                    format!(
                        "compared on {pairs} from training; these costs are optimistic, because each campaign chose its \
                         best configuration by them\n"
                    )
                }
            }
        }
        None if compared.campaigns.iter().all(|side| side.obstacles.is_empty()) => {
            "not ranked: no common pairs; campaigns need the same `seed` to use the same pairs\n".to_owned()
        }
        None => String::new(),
    };
    for side in &compared.campaigns {
        for obstacle in &side.obstacles {
            remarks +=
                &format!("not ranked: {} {}\n", harmless(&side.folder), harmless(&obstacle.to_string()));
        }
    }
    remarks += &choice(compared).unwrap_or_default();
    text + &wrap::text(&remarks, width)
}

/// Names the campaign whose best configuration should be used, with the verdict on it.
fn choice(compared: &Compared) -> Option<String> {
    let side = compared.campaigns.get(compared.chosen?)?;
    let costs = Costs::from(side.costs.clone());
    let (all, folder) = (compared.campaigns.len(), harmless(&side.folder));
    let mut text =
        format!("\nbest of {all}: {folder}, with the largest gain over the {} in training\n", costs.against);
    let verdict = side.verdict.as_ref().map(|verdict| verdict::lines(verdict, &costs, Hosts::IfOther));
    for (number, line) in verdict.unwrap_or_default().into_iter().enumerate() {
        text += &format!("{}{line}\n", if number == 0 { "verdict: " } else { "         " });
    }
    Some(text)
}

/// Describes what may be claimed about the best configuration of a campaign.
fn claim(side: &Side, costs: &Costs) -> String {
    if side.standing.as_ref().is_some_and(|standing| !standing.feasible) {
        return "nothing feasible".to_owned();
    }
    let Some(verdict) = &side.verdict else {
        let nothing = side.best.configuration == 0;
        return if nothing { format!("the {}", costs.against) } else { "training only".to_owned() };
    };
    let enough = verdict.pairs >= ENOUGH_PAIRS;
    let gain = || verdict::gain(verdict, costs);
    match verdict.finding {
        _ if verdict.basis == Basis::TrainingOnly => "training only".to_owned(),
        Finding::NothingReliable => "nothing reliable".to_owned(),
        Finding::Wrong => "wrong answers".to_owned(),
        Finding::Infeasible | Finding::NeitherFeasible => "violates its bounds".to_owned(),
        Finding::OnlyFeasible if enough => format!("{}, and the only one within its bounds", gain()),
        Finding::OnlyFeasible => "the only one within its bounds".to_owned(),
        Finding::Faster | Finding::Slower => gain(),
    }
}

/// Returns the heading of the gains column.
fn gains_against(sides: &[Side]) -> String {
    let names = ["default", "baseline", "starting point"];
    let used: Vec<&str> =
        names.into_iter().filter(|name| sides.iter().any(|side| side.costs.against == *name)).collect();
    format!("against {} {}", if used.len() == 1 { "the" } else { "its" }, used.join(" or "))
}

fn against_first(found: &AgainstFirst, costs: &Costs) -> String {
    let interval = found.interval.map_or_else(String::new, |[low, high]| {
        // If the campaign is worse than the first, the ratio is shown as the factor by which it is worse. The
        // interval must then be inverted too.
        let (low, high) = if found.ratio < 1.0 { (high.recip(), low.recip()) } else { (low, high) };
        format!(" [{}, {}]", times(low), times(high))
    });
    format!("{}{interval}, {}", costs.gain(found.ratio), probability(found.p))
}
