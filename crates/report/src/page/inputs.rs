//! The training instances: hardness and agreement.

use std::collections::BTreeMap;

use view::pages::{Input, Inputs};
use words::Costs;

use super::{cost_tick, figure, nothing, plain, reading};
use crate::markup::Markup;
use crate::plot::{Chart, Direction, Scale, Size, colour};

/// Largest number of rows in the table.
const ROWS: usize = 300;

pub(super) fn draw(page: &Inputs, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    let tried: Vec<&Input> = page.instances.iter().filter(|one| one.trials > 0).collect();
    if tried.is_empty() {
        nothing(&mut out, "No instance has been tried yet.");
        return out;
    }
    out.raw("<div class=\"figures\">");
    hardness(&mut out, &tried, costs);
    agreement(&mut out, page, &tried);
    out.raw("</div>");
    table(&mut out, page, costs);
    out
}

fn families<'a>(tried: &[&'a Input]) -> BTreeMap<&'a str, usize> {
    let mut all = BTreeMap::new();
    for one in tried.iter().filter_map(|one| one.family.as_deref()) {
        let next = all.len();
        all.entry(one).or_insert(next);
    }
    all
}

fn hardness(out: &mut Markup, tried: &[&Input], costs: &Costs) {
    let mut known: Vec<(&Input, f64, bool)> =
        tried.iter().filter_map(|one| one.default.map(|(cost, bound)| (*one, cost, bound))).collect();
    if known.is_empty() {
        nothing(out, &format!("The {} has not been measured on any instance yet.", costs.against));
        return;
    }
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let families = families(tried);
    let y = Scale::positive(known.iter().map(|(_, cost, _)| *cost).collect::<Vec<_>>());
    let mut chart = Chart::new("hardness", Size::NORMAL, Scale::exact(0.0, known.len() as f64 + 1.0), y);
    let label = format!("instances by the {}'s cost", costs.against);
    chart.axes((&label, &|_| String::new()), (&costs.noun, &cost_tick(costs)));
    for (place, (one, cost, bound)) in known.iter().enumerate() {
        let class =
            one.family.as_deref().and_then(|family| families.get(family)).map_or("c0", |&at| colour(at));
        let title = format!("{}: {}", one.name, reading(costs, Some(*cost), *bound));
        let at = (place as f64 + 1.0, *cost);
        if *bound { chart.arrow(at, Direction::Up, class, &title) } else { chart.dot(at, class, &title) }
    }
    if families.len() > 1 {
        let keys: Vec<(&str, &str)> =
            families.iter().map(|(family, &at)| (colour(at), *family)).take(5).collect();
        chart.legend(&keys);
    }
    let text = format!(
        "Each training instance by the {}'s mean cost on it{}. Open arrows are lower bounds: it was stopped there.",
        costs.against,
        if families.len() > 1 { ", coloured by family" } else { "" }
    );
    figure(out, "Hardness", &chart.finish(), &text);
}

fn agreement(out: &mut Markup, page: &Inputs, tried: &[&Input]) {
    let mut known: Vec<(&Input, f64)> = tried.iter().filter_map(|one| Some((*one, one.agreement?))).collect();
    let Some(mean) = page.agreement.filter(|_| known.len() > 1) else {
        nothing(
            out,
            "Agreement between instances needs at least two instances with five configurations each.",
        );
        return;
    };
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut chart = Chart::new(
        "agreement",
        Size::NORMAL,
        Scale::exact(0.0, known.len() as f64 + 1.0),
        Scale::exact(-1.0, 1.0),
    );
    chart.axes(("instances by agreement", &|_| String::new()), ("rank correlation", &plain));
    chart.guide((0.0, 0.0), (known.len() as f64 + 1.0, 0.0), "equal", "");
    for (place, (one, value)) in known.iter().enumerate() {
        chart.dot((place as f64 + 1.0, *value), "c0", &format!("{}: {value:.2}", one.name));
    }
    let text = format!(
        "Rank correlation of the configurations' costs on each instance with their mean ranks on all others; the mean is \
         {mean:.2}. Near 1, the instances agree on what is fast; near 0 or below, what helps one may hurt another, and \
         splitting the instances may help. Stopped trials count with their lower bound."
    );
    figure(out, "Agreement", &chart.finish(), &text);
}

fn table(out: &mut Markup, page: &Inputs, costs: &Costs) {
    let has_families = page.instances.iter().any(|one| one.family.is_some());
    out.raw("<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th>instance</th>");
    if has_families {
        out.raw("<th>family</th>");
    }
    out.raw("<th data-n>trials</th><th data-n>finished</th>");
    out.add("th", &[("data-n", "")], costs.against);
    out.raw("<th data-n>best</th><th data-n>agreement</th></tr></thead><tbody>");
    for one in page.instances.iter().take(ROWS) {
        out.open("tr", &[]);
        out.add("th", &[("scope", "row"), ("class", "wide")], &one.name);
        if has_families {
            out.add("td", &[], one.family.as_deref().unwrap_or(""));
        }
        out.add("td", &[], &one.trials.to_string());
        out.add("td", &[], &one.finished.to_string());
        for side in [one.default, one.best] {
            match side {
                Some((cost, bound)) => {
                    out.add("td", &[("data-s", &cost.to_string())], &reading(costs, Some(cost), bound));
                }
                None => out.add("td", &[("data-s", "")], ""),
            }
        }
        out.add("td", &[], &one.agreement.map_or_else(String::new, |value| format!("{value:.2}")));
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
    if page.instances.len() > ROWS {
        out.add("p", &[("class", "note")], &format!("Shown: {ROWS} of {} instances.", page.instances.len()));
    }
}
