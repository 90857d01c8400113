//! `captune status`: where a campaign stands, also while it runs.

use std::path::PathBuf;

use campaign::budget::{Budget, Spent};
use campaign::progress::{self, Comparison, Standing};
use campaign::store::{Holder, Session, Store, StoredIncumbent, Summary};
use campaign::validation::Judged;
use clap::Args;
use engine::history::History;
use engine::stats::Basis;
use engine::{ConfigId, Configuration};
use scenario::are_kept;
use serde_json::{Value, json};

use crate::changes;
use crate::exit_code::ExitCode;
use crate::folds::{self, KeptFolds};
use crate::init;
use crate::kept::{Kept, is_failing, standing};
use crate::message;
use crate::progress::block::{name, trials, used};
use crate::progress::json as events;
use crate::run::verdict;
use crate::words::{Costs, clock, counted, harmless, number};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The campaign's folder, or its scenario
    #[arg(value_name = "DIR", default_value = init::FILE)]
    path: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints where the campaign stands.
pub(crate) fn status(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(folds) = KeptFolds::find(&arguments.path)? {
        return folds::status::print(&folds, arguments.json);
    }
    let kept = Kept::open(&arguments.path)?;
    let picture = Picture::of(&kept)?;
    if arguments.json {
        message::print(format!("{}\n", picture.json(&kept)).as_bytes())?;
    } else {
        message::show(&picture.text(&kept))?;
    }
    Ok(ExitCode::Done)
}

/// Whether a campaign runs.
#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    New,
    Running(Holder),
    Stopped { reason: String },
    Killed,
}

impl State {
    fn of(holder: Option<Holder>, last: Option<&Session>) -> Self {
        match (holder, last) {
            (Some(holder), _) => Self::Running(holder),
            (None, None) => Self::New,
            (None, Some(session)) => match &session.reason {
                Some(reason) => Self::Stopped { reason: reason.clone() },
                None => Self::Killed,
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::New => "not begun".to_owned(),
            Self::Running(Holder { pid, host }) => {
                let process = pid.map_or_else(String::new, |pid| format!(" as process {pid}"));
                let host = host.as_deref().map_or_else(String::new, |host| format!(" on {}", harmless(host)));
                format!("running{process}{host}")
            }
            Self::Stopped { reason } => format!("stopped: {}", harmless(reason)),
            Self::Killed => "killed; `captune run` goes on with it".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::New => json!({ "state": "new" }),
            Self::Running(Holder { pid, host }) => json!({ "state": "running", "pid": pid, "host": host }),
            Self::Stopped { reason } => json!({ "state": "stopped", "reason": reason }),
            Self::Killed => json!({ "state": "killed" }),
        }
    }
}

/// A campaign as it stands.
pub(crate) struct Picture {
    state: State,
    summary: Summary,
    config: ConfigId,
    configuration: Configuration,
    /// What needs the scenario, and why there is none if it can no longer be read.
    figures: Result<Figures, String>,
}

/// What is known of the costs.
struct Figures {
    costs: Costs,
    budget: Budget,
    best: Option<Standing>,
    default: Option<Standing>,
    compared: Option<Comparison>,
    verdict: Option<Judged>,
    /// The configurations of the incumbents.
    changes: Vec<String>,
    /// Whether the best has only failed.
    is_failing: bool,
}

impl Picture {
    pub(crate) fn of(kept: &Kept) -> anyhow::Result<Self> {
        let summary = kept.reader.summary()?;
        let state = State::of(Store::holder(&kept.folder)?, summary.sessions.last());
        let (config, configuration) = kept.best()?;
        let figures = match kept.scenario() {
            Ok(_) => Ok(Figures::of(kept, &summary, config)?),
            Err(error) => Err(format!("{error}").lines().next().unwrap_or_default().to_owned()),
        };
        Ok(Self { state, summary, config, configuration, figures })
    }

    /// Whether it runs, or why it does not.
    pub(crate) fn state(&self) -> String {
        self.state.text()
    }

    fn text(&self, kept: &Kept) -> String {
        let Summary { counts, configurations, incumbents, .. } = &self.summary;
        let mut text = format!("{}: {}\n", harmless(&kept.charter.name), self.state.text());
        let mut rows = vec![("spent", self.spent())];
        let tried = counted(*configurations, "configuration");
        rows.push(("trials", format!("{} · {tried}", trials(counts, self.summary.lost))));
        match &self.figures {
            Ok(figures) => rows.extend(figures.rows(self.config)),
            Err(why) => {
                rows.push(("best", name(self.config, "default")));
                rows.push(("costs", format!("not shown, since the scenario no longer reads: {why}")));
            }
        }
        text += &rows.iter().map(|(label, row)| format!("{label:<9}{row}\n")).collect::<String>();
        if !incumbents.is_empty() {
            text += "history\n";
        }
        for (place, incumbent) in incumbents.iter().enumerate() {
            text += &format!("  {}\n", self.crowned(place, incumbent));
        }
        text
    }

    /// What it has used.
    pub(crate) fn spent(&self) -> String {
        let spent = &self.summary.spent;
        let spent = Spent { wall: spent.wall, cpu: spent.cpu, trials: self.summary.trials };
        let budget = self.figures.as_ref().map_or_else(|_| Budget::default(), |figures| figures.budget);
        format!("{} · CPU time of trials {}", used(&budget, &spent), clock(spent.cpu))
    }

    fn crowned(&self, place: usize, incumbent: &StoredIncumbent) -> String {
        let cost = match &self.figures {
            Ok(figures) => format!("{} {}", figures.costs.mean, figures.costs.show(incumbent.cost)),
            Err(_) => number(incumbent.cost),
        };
        let against = self.figures.as_ref().map_or("default", |figures| figures.costs.against);
        let changes = self.figures.as_ref().ok().and_then(|figures| figures.changes.get(place));
        let pairs = counted(u64::from(incumbent.pairs), "pair");
        let (time, name) = (clock(incumbent.spent.wall), name(incumbent.config, against));
        let line = format!("{time}  {name:<6} {cost} on {pairs}   {}", changes.map_or("", String::as_str));
        line.trim_end().to_owned()
    }

    pub(crate) fn json(&self, kept: &Kept) -> Value {
        let summary = &self.summary;
        let counts =
            engine::Status::ALL.map(|status| (status.name().to_owned(), json!(summary.count(status))));
        let shown = |cost: f64| self.figures.as_ref().map_or(cost, |figures| figures.costs.number(cost));
        let incumbent = |incumbent: &StoredIncumbent| {
            json!({
                "configuration": incumbent.config.0,
                "pairs": incumbent.pairs,
                "cost": shown(incumbent.cost),
                "wall": incumbent.spent.wall,
                "cpu": incumbent.spent.cpu,
                "after": incumbent.after,
            })
        };
        let is_failing = self.figures.as_ref().is_ok_and(|figures| figures.is_failing);
        let best = (!is_failing).then(
            || json!({ "configuration": self.config.0, "values": events::values(&self.configuration) }),
        );
        let mut object = json!({
            "name": kept.charter.name,
            "folder": kept.folder.to_string_lossy(),
            "spent": { "wall": summary.spent.wall, "cpu": summary.spent.cpu, "trials": summary.trials },
            "trials": Value::Object(counts.into_iter().collect()),
            "lost": summary.lost,
            "configurations": summary.configurations,
            "best": best,
            "incumbents": summary.incumbents.iter().map(incumbent).collect::<Vec<_>>(),
            "sessions": summary.sessions.len(),
        });
        let figures = match &self.figures {
            Ok(figures) => figures.json(),
            Err(why) => json!({ "problem": why }),
        };
        for part in [self.state.json(), figures] {
            if let (Value::Object(object), Value::Object(part)) = (&mut object, part) {
                object.extend(part);
            }
        }
        object
    }
}

impl Figures {
    fn of(kept: &Kept, summary: &Summary, config: ConfigId) -> anyhow::Result<Self> {
        let settings = kept.settings()?;
        let history: History = kept.reader.load()?.history;
        let known = |config: ConfigId| config.index() < history.configurations().len();
        let compared = (config != ConfigId(0) && known(config))
            .then(|| progress::compare(&history, &settings, ConfigId(0), config))
            .flatten();
        let default = kept.default()?;
        let change = |incumbent: &StoredIncumbent| {
            let known = known(incumbent.config).then(|| history.configuration(incumbent.config));
            known.map_or_else(String::new, |configuration| changes::in_short(&default, configuration))
        };
        Ok(Self {
            costs: Costs::of(kept.scenario()?),
            budget: kept.budget()?,
            best: standing(&history, &settings, config),
            default: standing(&history, &settings, ConfigId(0)),
            compared,
            verdict: kept.verdict(&history, config)?,
            is_failing: is_failing(&history, config),
            changes: summary.incumbents.iter().map(change).collect(),
        })
    }

    fn rows(&self, config: ConfigId) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        let shown = |standing: &Option<Standing>| {
            standing
                .as_ref()
                .map_or_else(|| "not measured yet".to_owned(), |standing| self.costs.standing(standing))
        };
        if self.is_failing {
            let name = name(config, self.costs.against);
            rows.push(("best", format!("none: every trial of {name} has failed")));
        } else if config == ConfigId(0) {
            rows.push(("best", format!("the {}: {}", self.costs.against, shown(&self.best))));
        } else {
            rows.push(("best", format!("{}  {}", name(config, self.costs.against), shown(&self.best))));
            rows.push((self.costs.against, shown(&self.default)));
        }
        let bounds = &self.costs.bounds;
        if let Some(best) = self.best.as_ref().filter(|best| !best.is_feasible()) {
            rows.push(("bounds", bounds.nothing_feasible(config, &best.holdings, self.costs.against)));
        } else if let Some(best) = self.best.as_ref().filter(|best| !best.holdings.is_empty()) {
            rows.push(("bounds", bounds.line(&best.holdings)));
        }
        let default = self.default.as_ref().filter(|default| config != ConfigId(0) && !default.is_feasible());
        if let Some(default) = default {
            rows.push(("", format!("the {}: {}", self.costs.against, bounds.line(&default.holdings))));
        }
        if let Some(compared) = &self.compared {
            rows.push(("training", self.costs.in_training(compared)));
        }
        if let Some(found) = &self.verdict {
            let lines = verdict::lines(found, &self.costs).into_iter().enumerate();
            rows.extend(lines.map(|(number, line)| (if number == 0 { "verdict" } else { "" }, line)));
        }
        rows
    }

    fn json(&self) -> Value {
        let costs = &self.costs;
        json!({
            "budget": { "wall": self.budget.wall, "cpu": self.budget.cpu, "trials": self.budget.trials },
            "best_standing": self.best.as_ref().map(|standing| events::standing(standing, costs)),
            "default_standing": self.default.as_ref().map(|standing| events::standing(standing, costs)),
            "training": self.compared.map(|compared| json!({
                "pairs": compared.pairs, "default": costs.number(compared.default),
                "best": costs.number(compared.incumbent), "ratio": compared.telling_ratio(),
            })),
            "verdict": self.verdict.as_ref().map(|verdict| verdict_json(verdict, costs)),
        })
    }
}

/// A verdict as JSON.
pub(crate) fn verdict_json(judged: &Judged, costs: &Costs) -> Value {
    let Judged { verdict, holdings, .. } = judged;
    let found = &verdict.comparison;
    json!({
        "claim": judged.finding().word(),
        "basis": match verdict.basis {
            Basis::UnseenInstances => "unseen_instances",
            Basis::FreshSeeds => "fresh_seeds",
            Basis::MeasuredAgain => "measured_again",
            Basis::TrainingOnly => "training_only",
        },
        "pairs": found.pairs,
        "instances": found.instances,
        "default": costs.number(found.default),
        "best": costs.number(found.tuned),
        "ratio": found.ratio,
        "interval": found.interval.map(|interval| [interval.low, interval.high]),
        "p": found.p,
        "solved": { "before": verdict.solved.before, "after": verdict.solved.after, "lost": verdict.solved.lost },
        "wrong": verdict.wrong,
        "unseen_timeouts": judged.unseen_timeouts.map(|unseen| json!({
            "units": unseen.units, "share": unseen.share, "ratio": unseen.ratio, "break_even": unseen.break_even,
        })),
        "training_ratio": verdict.training_ratio,
        "gain_does_not_carry_over": verdict.gain_does_not_carry_over,
        "feasible": { "default": are_kept(&holdings.default), "best": are_kept(&holdings.tuned) },
        "constraints": {
            "default": costs.bounds.json(&holdings.default),
            "best": costs.bounds.json(&holdings.tuned),
        },
    })
}
