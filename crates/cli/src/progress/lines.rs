//! Permanent lines, one per event.

use std::collections::BTreeSet;

use campaign::event::{Event, NewIncumbent, Warning, What};
use engine::propose::{Choice, Learner};
use engine::racing::{Drop, Requested};
use scenario::are_kept;
use scenario::shell::quoted;
use space::Values;
use view::PassCost;

use super::Facts;
use crate::bounds;
use crate::changes;
use crate::words::{clock, count, counted, harmless, name, seconds, share, span};

/// A permanent line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// Indentation of continuation lines.
    pub(crate) indent: usize,
    /// The bytes of the text that are coloured.
    pub(crate) first: std::ops::Range<usize>,
}

/// The kind of a line, which determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    NewBest,
    Warning,
    Plain,
}

/// Returns the line for an event, or `None` for the many events that have no line.
pub(crate) fn line(event: &Event, facts: &Facts) -> Option<Line> {
    let start = format!(" {}  ", clock(event.at));
    let new = |kind: Kind, mark: &str, text: &str| {
        // The part before the first gap, such as `new best`, or a mark.
        let first = if mark.is_empty() { text.find("  ").unwrap_or(0) } else { mark.trim_end().len() };
        let indent = start.len() + mark.len();
        Some(Line {
            kind,
            text: format!("{start}{mark}{text}"),
            indent,
            first: start.len()..start.len() + first,
        })
    };
    match &event.what {
        // A choice between two configurations of equal cost, such as two that crash, gets no line.
        What::NewIncumbent(best) if best.before.is_nan() => None,
        What::NewIncumbent(best) if is_tie(best) => None,
        What::NewIncumbent(best) => new(Kind::NewBest, "", &new_best(best, facts)),
        What::Warning(warning) => new(Kind::Warning, "! ", &warn(warning, facts)),
        What::WorkerJoined(worker) => {
            let (host, slots) = (harmless(&worker.host), counted(u64::from(worker.slots), "slot"));
            new(Kind::Plain, "", &format!("worker joined  {host} with {slots}, speed {:.0}", worker.speed))
        }
        What::WorkerLeft { host, why, .. } => {
            new(Kind::Plain, "", &format!("worker left  {}: {}", harmless(host), harmless(why)))
        }
        What::Chosen(choice) => new(Kind::NewBest, "", &chosen(choice)),
        What::Requested { config, values, requested } => {
            let changed = changed(facts, values);
            let text = match requested {
                Requested::Next => format!("Your configuration races next as #{config}: {changed}"),
                Requested::Underway => {
                    format!("Your configuration is already racing as #{config}: {changed}")
                }
                Requested::Incumbent => {
                    let name = name(config.0, facts.costs.against);
                    format!("Your configuration is already the best so far, {name}: {changed}")
                }
            };
            let text = text.trim_end().trim_end_matches(':');
            new(Kind::NewBest, "", text)
        }
        _ => None,
    }
}

/// Returns the line for the end of a race of a configuration that the user asked for.
pub(crate) fn lost(at: f64, config: u32, pairs: usize, why: Drop) -> Option<Line> {
    let why = match why {
        Drop::Sum | Drop::Batch => "it is worse than the best so far",
        Drop::Failure => "it fails where the best so far does not",
        Drop::Wrong => "it gave a wrong answer",
        Drop::Constraint => "it violates a bound",
        Drop::Lost => "its trials were lost several times in a row",
        Drop::Restart => return None,
    };
    let (start, pairs) = (format!(" {}  ", clock(at)), counted(pairs as u64, "pair"));
    let text = format!("{start}Your configuration #{config} has lost its race after {pairs}: {why}");
    Some(Line { kind: Kind::Plain, text, indent: start.len(), first: 0..0 })
}

/// The configurations that the user asked for and whose races have not ended.
#[derive(Debug, Default)]
pub(crate) struct Wanted(BTreeSet<u32>);

impl Wanted {
    /// Returns the line for the end of such a race.
    pub(crate) fn after(&mut self, event: &Event) -> Option<Line> {
        match &event.what {
            What::Requested { config, requested: Requested::Next | Requested::Underway, .. } => {
                self.0.insert(config.0);
                None
            }
            What::NewIncumbent(best) => {
                self.0.remove(&best.config.0);
                None
            }
            What::RaceDropped { config, pairs, why } if self.0.contains(&config.0) => {
                let line = lost(event.at, config.0, *pairs, *why)?;
                self.0.remove(&config.0);
                Some(line)
            }
            _ => None,
        }
    }
}

/// Returns the plan: the time that the default takes for one pass over the instances, and the number of
/// passes that the budget covers.
pub(crate) fn pass(pass: &PassCost, facts: &Facts) -> Line {
    let costs = &facts.costs;
    let timeout = if pass.is_timeout { " (a timeout)" } else { "" };
    let (verb, cost) = (costs.verb(), costs.show(pass.cost));
    let invented = if costs.against == "starting point" {
        " (where no default is given: the middle of the range, or the first choice)"
    } else {
        ""
    };
    let mut parts = vec![format!("the {}{invented} {verb} {cost} on its first pair{timeout}", costs.against)];
    let time = span(pass.wall);
    parts.push(match facts.instances {
        1 => format!("one trial takes {time}"),
        many => format!("one pass over {} takes {time}", counted(many, "instance")),
    });
    if let Some(passes) = pass.affordable {
        let shown = if passes < 10.0 { format!("{passes:.1}") } else { count(passes.round() as u64) };
        let what = if facts.instances == 1 { "trials" } else { "passes" };
        parts.push(format!("the budget covers about {shown} {what} without capping"));
    }
    Line { kind: Kind::Plain, text: format!("plan: {}", parts.join(" · ")), indent: 6, first: 0..0 }
}

/// Explains which learner proposes from now on, and why.
fn chosen(choice: &Choice) -> String {
    let Choice { learner, forest, neural, gaussian, .. } = *choice;
    let all = [
        (Learner::Forest, "the forest's", Some(forest)),
        (Learner::Neural, "the networks'", Some(neural)),
        (Learner::Gaussian, "the Gaussian process's", gaussian),
    ];
    let own = all.iter().find(|(one, ..)| *one == learner).and_then(|(_, _, score)| *score).unwrap_or(forest);
    let others = all.iter().filter(|(one, ..)| *one != learner);
    let gains: Vec<String> = others
        .filter_map(|(_, name, score)| Some(format!("{:.2} better than {name}", own - (*score)?)))
        .collect();
    let who = match learner {
        Learner::Neural => "networks",
        Learner::Gaussian => "a Gaussian process",
        Learner::Forest | Learner::Auto | Learner::Own => "a forest",
    };
    format!("Switched to {who}: held-out log-likelihood per trial is {}", gains.join(" and "))
}

/// Lists the differences between a configuration and the default in a few words.
fn changed(facts: &Facts, values: &Values) -> String {
    let configuration = values.in_space(facts.default.space());
    configuration.map_or_else(|_| String::new(), |it| changes::in_short(&view::changes(&facts.default, &it)))
}

/// Returns whether both incumbents are equally good: their costs are equal, and both satisfy every constraint or have
/// equal constrained outputs.
fn is_tie(new: &NewIncumbent) -> bool {
    let both_are_feasible = are_kept(&new.holdings) && are_kept(&new.holdings_before);
    new.cost == new.before && (both_are_feasible || new.holdings == new.holdings_before)
}

fn new_best(new: &NewIncumbent, facts: &Facts) -> String {
    let costs = &facts.costs;
    let name = name(new.config.0, costs.against);
    let pairs = counted(new.pairs as u64, "pair");
    let (before, cost) = (costs.show(costs.number(new.before)), costs.show(costs.number(new.cost)));
    let gain = format!("{} {before} -> {cost} on {pairs}", costs.mean);
    let changed = changed(facts, &new.values);
    if new.holdings.is_empty() {
        return format!("new best  {name}  {gain}   {changed}").trim_end().to_owned();
    }
    // An infeasible configuration is not called the best.
    let what = if are_kept(&new.holdings) { "new best" } else { "closest " };
    let before = match (are_kept(&new.holdings), are_kept(&new.holdings_before)) {
        (true, false) => ", feasible (the previous one was not)",
        _ => "",
    };
    let bounds = bounds::in_short(&costs.held(&new.holdings));
    format!("{what}  {name}  {gain}{bounds}{before}   {changed}").trim_end().to_owned()
}

/// Returns a warning, with advice on what to do about it.
pub(crate) fn warn(warning: &Warning, facts: &Facts) -> String {
    let (folder, against) = (&facts.folder, facts.costs.against);
    match warning {
        Warning::MostlyTimeouts { timeouts, pairs } => format!(
            "The best so far times out on {timeouts} of {pairs} pairs; raise the cutoff or use easier instances"
        ),
        Warning::SmallBudget { passes } if facts.instances == 1 => {
            format!("The budget covers about {} trials; fewer than 20 is rarely enough", few(*passes))
        }
        Warning::SmallBudget { passes } => format!(
            "The budget covers about {} passes over the instances; fewer than 20 is rarely enough",
            few(*passes)
        ),
        Warning::AlmostNoCpu { share: part } => format!(
            "Trials use the CPU for only {} of their time: the work happens elsewhere; minimise wall_time instead",
            share(*part)
        ),
        Warning::WallLimit { id, cpu, wall } => format!(
            "Trial {id} was stopped after {} of wall time, at {} of CPU time, and counts as a timeout: the machine is \
             overloaded, or the target waits; raise `limits.wall` or use fewer workers",
            seconds(*wall),
            seconds(*cpu)
        ),
        Warning::Dethroned { config, by } => format!(
            "The best so far, {}, gave a wrong answer and is barred; {} replaces it",
            the(config.0, against),
            the(by.0, against)
        ),
        Warning::Teardown { id, reason } => format!(
            "The teardown of trial {id} failed: {}; the trial counts and its processes ended, but files may remain",
            first_line(reason).trim_start_matches("teardown: ")
        ),
        Warning::LeftBehind { id, path } => format!(
            "Could not remove the folder of trial {id}, {}; remove such folders by hand before they fill the disk",
            quoted(&path.to_string_lossy())
        ),
        Warning::Server { id, reason } => {
            format!("Trial {id}: {}; the result of the trial counts", first_line(reason))
        }
        Warning::Unmeasured { id, constraint } => format!(
            "Trial {id} reported a non-finite `{}`; its constraint is unknown",
            harmless(facts.costs.name_of_bound(*constraint))
        ),
        Warning::RequestRefused { file, why } => {
            format!("Your configuration is not in the space: {} (kept as {})", harmless(why), quoted(file))
        }
        Warning::Lost { id, reason } => {
            format!("Trial {id} was lost: {}; it does not count and is run again", first_line(reason))
        }
        Warning::NoWorkers => {
            format!("Waiting for workers; `captune worker {}` starts one", quoted(&facts.folder))
        }
        Warning::UnequalMachines { slowest: (slow, less), fastest: (fast, more) } => format!(
            "The machines differ in speed: {} {less:.0}, {} {more:.0}. Times measured on them are not comparable; use \
             equal machines",
            harmless(slow),
            harmless(fast)
        ),
        Warning::Failure { id, reason } => {
            format!("Trial {id} failed: {} (see `captune failures {}`)", first_line(reason), quoted(folder))
        }
    }
}

/// Returns the name of a configuration in a sentence: `the default`, `#7`.
fn the(config: u32, against: &str) -> String {
    if config == 0 { format!("the {against}") } else { name(config, against) }
}

/// Returns the first line of a text from another program.
fn first_line(text: &str) -> String {
    harmless(text.lines().next().unwrap_or_default())
}

/// Formats a number of passes that is below the recommended 20.
fn few(passes: f64) -> String {
    if passes < 1.0 { format!("{passes:.1}") } else { format!("{:.0}", passes.min(19.0)) }
}
