//! What was tuned, the verdict, the command to use, and where the budget went.

use space::Literal;
use view::Change;
use view::pages::{Overview, Pages};
use words::verdict::{Hosts, lines};
use words::{Costs, bounds, clock, counted, name, share, span};

use crate::markup::Markup;

pub(super) fn draw(pages: &Pages, costs: &Costs) -> Markup {
    let overview = &pages.overview;
    let mut out = Markup::new();
    verdict(&mut out, overview, costs);
    command(&mut out, overview, costs);
    changes(&mut out, overview, costs);
    facts(&mut out, overview, costs);
    spending(&mut out, overview);
    out
}

fn verdict(out: &mut Markup, overview: &Overview, costs: &Costs) {
    let Some(figures) = overview.picture.figures.known() else { return };
    let sentences = match (&figures.verdict, &figures.training) {
        (Some(verdict), _) => lines(verdict, costs, Hosts::Always),
        (None, Some(training)) => vec![
            format!("So far, in training: {}.", costs.in_training(training)),
            "No verdict yet: it needs trials on pairs that the search has not used.".to_owned(),
        ],
        (None, None) if overview.picture.best.is_none() => {
            vec!["Every trial of the best configuration failed, so there is nothing to compare.".to_owned()]
        }
        (None, None) => vec![format!("Nothing better than the {} has been found so far.", costs.against)],
    };
    for (place, sentence) in sentences.iter().enumerate() {
        let class = if place == 0 { "verdict" } else { "remark" };
        // Later sentences may begin with the name of an output.
        let text = if place == 0 { capitalised(sentence) } else { sentence.clone() };
        out.add("p", &[("class", class)], &text);
    }
    let infeasible = figures.best.as_ref().filter(|best| !best.feasible);
    if let Some(best) = infeasible {
        let text = bounds::nothing_feasible(best.configuration, &best.constraints, costs.against);
        out.add("p", &[("class", "remark")], &capitalised(&text));
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn command(out: &mut Markup, overview: &Overview, costs: &Costs) {
    let Some(command) = &overview.command else { return };
    let incumbent = overview.picture.incumbent;
    let title = if incumbent == 0 {
        format!("The command of the {}, which is still the best", costs.against)
    } else if overview
        .picture
        .figures
        .known()
        .and_then(|it| it.verdict.as_ref())
        .is_some_and(|it| !it.worth_using)
    {
        format!(
            "The best configuration in training, {}; the verdict advises against it",
            name(incumbent, costs.against)
        )
    } else {
        format!("The best configuration, {}", name(incumbent, costs.against))
    };
    out.add("h3", &[], &title);
    out.open("div", &[("class", "command")]);
    out.wrap("pre", &[], &Markup::element("code", &[], command));
    out.add("button", &[("type", "button"), ("data-copy", command), ("class", "scripted")], "Copy");
    out.close("div");
}

fn changes(out: &mut Markup, overview: &Overview, costs: &Costs) {
    if overview.changes.is_empty() {
        return;
    }
    out.add("h3", &[], &format!("Its differences from the {}", costs.against));
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>parameter</th>");
    out.add("th", &[], costs.against);
    out.raw("<th>best</th></tr></thead><tbody>");
    for Change { name, default, value } in &overview.changes {
        out.open("tr", &[]);
        out.add("th", &[("scope", "row")], name);
        for value in [default, value] {
            let text = value.as_ref().map_or_else(|| "inactive".to_owned(), Literal::to_string);
            out.add("td", &[], &text);
        }
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
}

fn facts(out: &mut Markup, overview: &Overview, costs: &Costs) {
    let (picture, tuned) = (&overview.picture, &overview.tuned);
    let mut rows = vec![
        ("state", words::state(&picture.state)),
        (
            "tuned",
            format!(
                "{} on {} and {} unseen",
                counted(tuned.parameters as u64, "parameter"),
                counted(tuned.train as u64, "training instance"),
                tuned.test
            ),
        ),
        ("objective", objective(overview, costs)),
        (
            "trials",
            format!(
                "{} of {}",
                counted(picture.tally.trials.all(), "trial"),
                counted(picture.tally.configurations, "configuration")
            ),
        ),
        ("time", format!("{} · CPU time of trials {}", clock(picture.spent.wall), clock(picture.spent.cpu))),
    ];
    if let Some(figures) = picture.figures.known() {
        rows.push(("budget", words::budget(&figures.budget)));
        if let Some(wanted) = bounds::wanted(&costs.bounds) {
            rows.push(("bounds", wanted));
        }
    }
    if let Some(workers) = tuned.workers {
        rows.push(("workers", workers.to_string()));
    }
    rows.push(("machines", picture.hosts.join(", ")));
    if overview.warnings > 0 {
        rows.push(("warnings", overview.warnings.to_string()));
    }
    rows.push(("seed", tuned.seed.to_string()));
    out.add("h3", &[], "The campaign");
    out.open("dl", &[]);
    for (label, text) in rows.iter().filter(|(_, text)| !text.is_empty()) {
        out.add("dt", &[], label);
        out.add("dd", &[], text);
    }
    out.add("dt", &[], costs.against);
    out.wrap("dd", &[], &Markup::element("code", &[], &tuned.command));
    out.close("dl");
}

fn objective(overview: &Overview, costs: &Costs) -> String {
    let verb = if costs.are_maximised() { "maximise" } else { "minimise" };
    let cutoff =
        overview.tuned.cutoff.map_or_else(String::new, |cutoff| format!(", cutoff {}", costs.show(cutoff)));
    format!("{verb} {} ({}{cutoff})", costs.noun, costs.mean)
}

fn spending(out: &mut Markup, overview: &Overview) {
    let total: f64 = overview.spending.iter().map(|one| one.seconds).sum();
    out.add("h3", &[], "Where the time went");
    if total <= 0.0 {
        super::nothing(out, "No trial has ended yet.");
        return;
    }
    out.raw(
        "<div class=\"bar\" aria-hidden=\"true\"><svg viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\">",
    );
    let mut from = 0.0;
    for one in &overview.spending {
        let width = 1000.0 * one.seconds / total;
        let (x, wide, class) = (format!("{from:.1}"), format!("{width:.1}"), format!("spent {}", one.what));
        out.empty("rect", &[("class", &class), ("x", &x), ("width", &wide), ("y", "0"), ("height", "24")]);
        from += width;
    }
    out.raw("</svg></div><div class=\"scroll\"><table class=\"plain\"><thead><tr><th>what</th><th>trials</th><th>time</th><th>share</th></tr></thead><tbody>");
    for one in &overview.spending {
        out.open("tr", &[]);
        out.open("th", &[("scope", "row")]);
        out.add("span", &[("class", &format!("swatch {}", one.what))], "");
        out.text(label(one.what));
        out.close("th");
        out.add("td", &[], &if one.trials > 0 { words::count(one.trials as u64) } else { String::new() });
        out.add("td", &[], &span(one.seconds));
        out.add("td", &[], &share(one.seconds / total));
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
    out.add("p", &[("class", "note")], "Wall time of all trials, summed over the workers. Capped trials cost only their cap, and still inform the model.");
}

fn label(what: &'static str) -> &'static str {
    match what {
        "finished" => "finished trials",
        "capped" => "trials stopped at a cap",
        "timeout" => "timeouts",
        "memory" => "stopped for memory",
        "crashed" => "crashed trials",
        "wrong" => "wrong answers",
        "aborted" => "aborted trials",
        "lost" => "lost or cancelled trials",
        "validation" => "validation",
        _ => "the optimizer itself",
    }
}
