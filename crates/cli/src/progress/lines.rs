//! Lines that stay: what happened, one line each.

use campaign::event::{Event, NewIncumbent, Warning, What};
use engine::propose::{Choice, Learner};
use engine::racing::Requested;
use scenario::are_kept;
use scenario::shell::quoted;
use space::Values;
use view::PassCost;

use super::Facts;
use crate::bounds;
use crate::changes;
use crate::words::{clock, count, counted, harmless, share, span};

/// What a line is, for painting it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    NewBest,
    Warning,
}

/// The line for an event; most have none.
pub(crate) fn line(event: &Event, facts: &Facts) -> Option<(Kind, String)> {
    let time = clock(event.at);
    match &event.what {
        // Between two that cost the same, such as a crash each, the choice is no news.
        What::NewIncumbent(new) if new.before.is_nan() => None,
        What::NewIncumbent(new) if new.cost == new.before && new.holdings == new.holdings_before => None,
        What::NewIncumbent(new) => Some((Kind::NewBest, format!(" {time}  {}", new_best(new, facts)))),
        What::Warning(warning) => Some((Kind::Warning, format!(" {time}  ! {}", warn(warning, facts)))),
        What::Chosen(choice) => Some((Kind::NewBest, format!(" {time}  {}", chosen(choice)))),
        What::Requested { config, values, requested } => {
            let changed = changed(facts, values);
            let text = match requested {
                Requested::Next => format!("trying yours, #{config}: {changed}"),
                Requested::Underway => format!("yours is racing already, #{config}: {changed}"),
                Requested::Incumbent => {
                    let name = super::block::name(config.0, facts.costs.against);
                    format!("yours is the best so far already, {name}: {changed}")
                }
            };
            let text = text.trim_end().trim_end_matches(':');
            Some((Kind::NewBest, format!(" {time}  {text}")))
        }
        _ => None,
    }
}

/// What one pass of the default takes.
pub(crate) fn pass(pass: &PassCost, facts: &Facts) -> String {
    let costs = &facts.costs;
    let timeouts = match pass.timeouts {
        0 => String::new(),
        timeouts => format!(" ({} timeouts)", share(timeouts as f64 / pass.trials as f64)),
    };
    let range = match pass.costs.map(|cost| costs.show(cost)) {
        [least, most] if least == most => least,
        [least, most] => format!("{least} to {most}"),
    };
    let pairs = counted(pass.trials, "pair");
    let mut parts = vec![format!("the {} {} {range} on {pairs}{timeouts}", costs.against, costs.verb())];
    let time = span(pass.wall);
    parts.push(match facts.instances {
        1 => format!("one trial {time}"),
        many => format!("one pass over {} {time}", counted(many, "instance")),
    });
    if let Some(passes) = pass.affordable {
        let shown = if passes < 10.0 { format!("{passes:.1}") } else { count(passes as u64) };
        parts.push(format!("the budget affords about {shown} of them, without capping"));
    }
    format!("plan: {}", parts.join(" · "))
}

/// Who proposes from now on, and why.
fn chosen(choice: &Choice) -> String {
    let Choice { trials, learner, forest, neural, gaussian } = *choice;
    let all = [
        (Learner::Forest, "a forest", Some(forest)),
        (Learner::Neural, "networks", Some(neural)),
        (Learner::Gaussian, "a Gaussian process", gaussian),
    ];
    let own = all.iter().find(|(one, ..)| *one == learner).and_then(|(_, _, score)| *score).unwrap_or(forest);
    let others = all.iter().filter(|(one, ..)| *one != learner);
    let gains: Vec<String> = others
        .filter_map(|(_, name, score)| Some(format!("{:.2} than with {name}", own - (*score)?)))
        .collect();
    let who = match learner {
        Learner::Neural => "networks propose",
        Learner::Gaussian => "a Gaussian process proposes",
        Learner::Forest | Learner::Auto | Learner::Own => "a forest proposes",
    };
    let gains = gains.join(", by ");
    format!("{who}: of {trials} trials, those held out are likelier (log, each) by {gains}")
}

/// What a configuration changes of the default, in a few words.
fn changed(facts: &Facts, values: &Values) -> String {
    let configuration = values.in_space(facts.default.space());
    configuration.map_or_else(|_| String::new(), |it| changes::in_short(&view::changes(&facts.default, &it)))
}

fn new_best(new: &NewIncumbent, facts: &Facts) -> String {
    let costs = &facts.costs;
    let name = super::block::name(new.config.0, costs.against);
    let pairs = counted(new.pairs as u64, "pair");
    let (before, cost) = (costs.show(costs.number(new.before)), costs.show(costs.number(new.cost)));
    let gain = format!("{} {before} -> {cost} on {pairs}", costs.mean);
    let changed = changed(facts, &new.values);
    if new.holdings.is_empty() {
        return format!("new best  {name}  {gain}   {changed}").trim_end().to_owned();
    }
    // Where nothing is feasible, what is found is no best.
    let what = if are_kept(&new.holdings) { "new best" } else { "closest " };
    let before = match (are_kept(&new.holdings), are_kept(&new.holdings_before)) {
        (true, false) => ", feasible unlike the one before",
        _ => "",
    };
    let bounds = bounds::in_short(&costs.held(&new.holdings));
    format!("{what}  {name}  {gain}{bounds}{before}   {changed}").trim_end().to_owned()
}

/// A warning, and what to do about it.
pub(crate) fn warn(warning: &Warning, facts: &Facts) -> String {
    let (folder, against) = (&facts.folder, facts.costs.against);
    match warning {
        Warning::MostlyTimeouts { timeouts, pairs } => format!(
            "the best so far times out on {timeouts} of {pairs} pairs: only a larger cutoff or easier \
             instances tell good settings from bad ones"
        ),
        Warning::SmallBudget { passes } if facts.instances == 1 => {
            format!("the budget affords about {passes:.0} trials, where 20 are little: give it more")
        }
        Warning::SmallBudget { passes } => format!(
            "the budget affords about {passes:.1} passes over the instances, where 20 are little: give it more, or \
             fewer instances",
        ),
        Warning::AlmostNoCpu { share: part } => format!(
            "trials use CPU for {} of their time: the work happens elsewhere, so minimise wall_time instead",
            share(*part)
        ),
        Warning::Dethroned { config, by } => format!(
            "{}, the best so far, gave a wrong answer and is out for good: {} takes its place",
            super::block::name(config.0, against),
            super::block::name(by.0, against)
        ),
        Warning::Teardown { id, reason } => format!(
            "trial {id} was not taken down: {}; its result counts, and no process of it is left, but files may be",
            harmless(reason.lines().next().unwrap_or_default())
        ),
        Warning::LeftBehind { id, path } => format!(
            "could not remove the folder of trial {id}, {}: remove such folders yourself, or they fill the disk",
            quoted(&path.to_string_lossy())
        ),
        Warning::Server { id, reason } => {
            format!("trial {id}: {}; its result counts", harmless(reason.lines().next().unwrap_or_default()))
        }
        Warning::Unmeasured { id, constraint } => format!(
            "trial {id} told no finite number as {}: of what it bounds nothing is known there",
            harmless(facts.costs.name_of_bound(*constraint))
        ),
        Warning::RequestRefused { file, why } => format!(
            "what you want tried is no configuration of the space: {} (kept as {})",
            harmless(why),
            quoted(file)
        ),
        Warning::Lost { id, reason } => format!(
            "trial {id} was lost: {}; it says nothing of the configuration, and is run again",
            harmless(reason.lines().next().unwrap_or_default())
        ),
        Warning::Failure { id, reason } => format!(
            "trial {id} failed: {} (captune failures {} shows all)",
            harmless(reason.lines().next().unwrap_or_default()),
            quoted(folder)
        ),
    }
}
