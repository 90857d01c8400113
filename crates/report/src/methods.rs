//! The paragraph about a campaign for a paper: what was tuned, how, with what budget and with what result.

use view::pages::Pages;
use words::verdict::first_line;
use words::{Costs, bounds, chosen, counted, span};

/// Returns a paragraph of plain text.
pub fn methods(pages: &Pages, version: &str) -> String {
    let overview = &pages.overview;
    let (picture, tuned) = (&overview.picture, &overview.tuned);
    let Some(figures) = picture.figures.known() else { return String::new() };
    let costs = Costs::from(figures.costs.clone());
    let verb = if costs.are_maximised() { "maximise" } else { "minimise" };
    let cutoff =
        tuned.cutoff.map_or_else(String::new, |cutoff| format!(" with a cutoff of {}", costs.show(cutoff)));
    let mut text = format!(
        "We tuned {} of {} with captune {version} (random seed {}) to {verb} {}{cutoff} on {}.",
        counted(tuned.parameters as u64, "parameter"),
        picture.name,
        tuned.seed,
        costs.noun,
        counted(tuned.train as u64, "training instance")
    );
    if let Some(wanted) = bounds::wanted(&costs.bounds) {
        text += &format!(" Configurations had to satisfy {wanted}.");
    }
    let budget = words::budget(&figures.budget);
    let budget = if budget.is_empty() { chosen(picture.spent.wall) } else { budget };
    let workers = tuned
        .workers
        .map_or_else(String::new, |workers| format!(" on {}", counted(workers as u64, "worker")));
    let capped = picture.tally.trials.count(&[engine::Status::Capped]);
    text += &format!(
        " With a budget of {budget}{workers}, captune ran {} of {} in {}; {capped} of them were stopped at an adaptive \
         cap and used as right-censored observations.",
        counted(picture.tally.trials.all(), "trial"),
        counted(picture.tally.configurations, "configuration"),
        span(picture.spent.wall)
    );
    match &figures.verdict {
        Some(verdict) => {
            text += &format!(" On pairs that the search did not use: {}", first_line(verdict, &costs));
            bounds::both(&verdict.constraints, costs.against)
                .iter()
                .for_each(|line| text += &format!(" {line}"));
        }
        None => text += " The result has not been validated on unseen instances.",
    }
    if picture.hosts.len() > 1 {
        text += &format!(" Trials ran on {} machines.", picture.hosts.len());
    }
    text.push('\n');
    text
}
