//! `captune compare`: campaigns side by side.

use std::path::PathBuf;

use campaign::Settings;
use campaign::budget::{Budget, Spent};
use campaign::compare::{self, Common, Contestant, Ground, Obstacle};
use campaign::progress::Standing;
use campaign::store::{StoredValidation, Summary};
use campaign::validation::{Finding, Judged};
use clap::Args;
use comfy_table::{Table, presets};
use engine::history::History;
use engine::{ConfigId, Configuration};
use serde_json::{Value, json};

use crate::exit_code::ExitCode;
use crate::kept::{Kept, standing};
use crate::message;
use crate::progress::block::{name, used};
use crate::progress::json as events;
use crate::status::verdict_json;
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

/// One campaign, read whole.
struct Side {
    kept: Kept,
    settings: Settings,
    summary: Summary,
    history: History,
    validations: Vec<StoredValidation>,
    best: (ConfigId, Configuration),
    standing: Option<Standing>,
    verdict: Option<Judged>,
    costs: Costs,
    budget: Budget,
}

impl Side {
    fn of(path: &std::path::Path) -> anyhow::Result<Self> {
        let kept = Kept::open(path)?;
        let (settings, summary) = (kept.settings()?, kept.reader.summary()?);
        let history = kept.reader.load()?.history;
        let best = kept.best()?;
        Ok(Self {
            standing: standing(&history, &settings, best.0),
            verdict: kept.verdict(&history, best.0)?,
            validations: kept.reader.validations()?,
            costs: Costs::of(kept.scenario()?),
            budget: kept.budget()?,
            settings,
            summary,
            history,
            best,
            kept,
        })
    }

    fn contestant(&self) -> anyhow::Result<Contestant<'_>> {
        Ok(Contestant {
            scenario: self.kept.scenario()?,
            settings: &self.settings,
            instances: &self.kept.charter.instances,
            history: &self.history,
            validations: &self.validations,
            best: self.best.0,
        })
    }

    fn spent(&self) -> Spent {
        let spent = &self.summary.spent;
        Spent { wall: spent.wall, cpu: spent.cpu, trials: self.summary.trials }
    }

    /// What may be claimed of its best.
    fn claim(&self) -> String {
        if self.standing.as_ref().is_some_and(|standing| !standing.is_feasible()) {
            return "nothing feasible".to_owned();
        }
        let Some(verdict) = &self.verdict else {
            let nothing = self.best.0 == ConfigId(0);
            return if nothing { format!("the {}", self.costs.against) } else { "training only".to_owned() };
        };
        let gain = || self.costs.gain(verdict.verdict.comparison.ratio);
        match verdict.finding() {
            Finding::NothingReliable => "nothing reliable".to_owned(),
            Finding::Wrong => "wrong answers".to_owned(),
            Finding::Infeasible | Finding::NeitherFeasible => "violates its bounds".to_owned(),
            Finding::OnlyFeasible => format!("{}, and alone keeps its bounds", gain()),
            Finding::Faster | Finding::Slower => gain(),
        }
    }
}

/// Shows campaigns side by side.
pub(crate) fn compare(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sides = arguments.paths.iter().map(|path| Side::of(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let all = sides.iter().map(Side::contestant).collect::<anyhow::Result<Vec<_>>>()?;
    let obstacles: Vec<Vec<Obstacle>> = all.iter().map(|other| compare::obstacles(&all[0], other)).collect();
    let comparable = obstacles.iter().all(Vec::is_empty);
    let common = comparable.then(|| compare::common(&all)).flatten();
    if arguments.json {
        message::print(format!("{}\n", as_json(&sides, &obstacles, common.as_ref())).as_bytes())?;
    } else {
        message::show(&as_text(&sides, &obstacles, common.as_ref()))?;
    }
    Ok(ExitCode::Done)
}

fn as_text(sides: &[Side], obstacles: &[Vec<Obstacle>], common: Option<&Common>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["campaign", "spent", "best", "cost", gains_against(sides)];
    if common.is_some() {
        header.extend(["on common pairs", "against the first"]);
    }
    table.set_header(header);
    for (place, side) in sides.iter().enumerate() {
        let cost = side.standing.as_ref().map_or_else(|| "-".to_owned(), |one| side.costs.standing(one));
        let mut row = vec![
            harmless(&side.kept.folder.to_string_lossy()),
            used(&side.budget, &side.spent()),
            name(side.best.0, side.costs.against),
            cost,
            side.claim(),
        ];
        if let Some(common) = common {
            row.push(side.costs.show(common.means[place]));
            row.push(against_first(common, place, &side.costs));
        }
        table.add_row(row);
    }
    let mut text: String = table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text += &match common {
        Some(common) => {
            let pairs = counted(common.pairs as u64, "pair");
            match common.ground {
                Ground::Validation => format!("common: {pairs} of their validations\n"),
                Ground::Training => {
                    format!("common: {pairs} of their training, which flatters each by its own luck\n")
                }
            }
        }
        None if obstacles.iter().all(Vec::is_empty) => {
            "not ranked: they have no pair in common; campaigns with the same `seed` meet the same pairs\n"
                .to_owned()
        }
        None => String::new(),
    };
    for (side, obstacles) in sides.iter().zip(obstacles) {
        for obstacle in obstacles {
            let folder = harmless(&side.kept.folder.to_string_lossy());
            text += &format!("not ranked: {folder} {}\n", worded(obstacle));
        }
    }
    text
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

fn against_first(common: &Common, place: usize, costs: &Costs) -> String {
    let Some(found) = &common.against_first[place] else { return "-".to_owned() };
    let interval = found.interval.map_or_else(String::new, |interval| {
        let bare = |ratio: f64| times(ratio).trim_end_matches('x').to_owned();
        let (low, high) = (interval.low, interval.high);
        // As the ratio itself is told: how many times worse.
        let (low, high) = if found.ratio < 1.0 { (high.recip(), low.recip()) } else { (low, high) };
        format!(" [{}, {}]", bare(low), bare(high))
    });
    format!("{}{interval}, {}", costs.gain(found.ratio), probability(found.p))
}

fn worded(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Objective { key, first, other } => {
            format!("has `{key}` {}, the first has {}", harmless(other), harmless(first))
        }
        Obstacle::Instances { only_first, only_other, example } => format!(
            "is tuned on other instances than the first: {only_other} more, {only_first} fewer, such as {}",
            harmless(example)
        ),
    }
}

fn as_json(sides: &[Side], obstacles: &[Vec<Obstacle>], common: Option<&Common>) -> Value {
    let side = |(place, side): (usize, &Side)| {
        let spent = side.spent();
        let against = common.and_then(|common| common.against_first[place].as_ref());
        json!({
            "folder": side.kept.folder.to_string_lossy(),
            "name": side.kept.charter.name,
            "budget": { "wall": side.budget.wall, "cpu": side.budget.cpu, "trials": side.budget.trials },
            "spent": { "wall": spent.wall, "cpu": spent.cpu, "trials": spent.trials },
            "best": { "configuration": side.best.0.0, "values": events::values(&side.best.1) },
            "best_standing": side.standing.as_ref().map(|one| events::standing(one, &side.costs)),
            "verdict": side.verdict.as_ref().map(|one| verdict_json(one, &side.costs)),
            "obstacles": obstacles[place].iter().map(worded).collect::<Vec<_>>(),
            "common_cost": common.map(|common| side.costs.number(common.means[place])),
            "against_first": against.map(|found| json!({
                "ratio": found.ratio,
                "interval": found.interval.map(|interval| [interval.low, interval.high]),
                "p": found.p,
            })),
        })
    };
    json!({
        "campaigns": sides.iter().enumerate().map(side).collect::<Vec<_>>(),
        "ranked": common.is_some(),
        "common": common.map(|common| json!({
            "pairs": common.pairs,
            "ground": match common.ground { Ground::Validation => "validation", Ground::Training => "training" },
        })),
    })
}
