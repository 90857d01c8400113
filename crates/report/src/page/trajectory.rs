//! The incumbents over time and over trials.

use view::pages::{Takeover, Trajectory};
use words::{Costs, clock, counted, name};

use super::{cost_tick, figure, left_out, nothing, plain, time};
use crate::markup::Markup;
use crate::plot::{Chart, Scale, Size};

pub(super) fn draw(page: &Trajectory, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.takeovers.is_empty() {
        nothing(&mut out, "No incumbent yet. The first one appears when a trial of the default has ended.");
        return out;
    }
    let thinned = view::pages::Thinned::evenly(page.takeovers.clone(), 500);
    out.raw("<div class=\"figures\">");
    let caption = format!(
        "Each dot is a new incumbent: its {} on the pairs known then. The faint line comes from the previous \
         incumbent's cost on the same pairs. Pairs are added over time, so a later dot may lie higher.{}",
        costs.mean,
        left_out(&thinned, "incumbents")
    );
    let over_time = chart(&thinned.shown, costs, "time", page.wall, &time, &|one| one.incumbent.wall);
    figure(&mut out, "Incumbent over time", &over_time, &caption);
    let over_trials =
        chart(&thinned.shown, costs, "trials that have ended", page.trials as f64, &plain, &|one| {
            one.incumbent.after as f64
        });
    figure(
        &mut out,
        "Incumbent over trials",
        &over_trials,
        "The same incumbents, by the number of trials before each.",
    );
    unseen(&mut out, page, costs);
    out.raw("</div>");
    table(&mut out, &thinned.shown, costs);
    out
}

fn chart(
    all: &[Takeover],
    costs: &Costs,
    label: &str,
    end: f64,
    tick: &dyn Fn(f64) -> String,
    at: &dyn Fn(&Takeover) -> f64,
) -> Markup {
    let values = all.iter().flat_map(|one| [Some(one.incumbent.cost), one.before]).flatten();
    let y = Scale::positive(values.filter(|cost| cost.is_finite()).collect::<Vec<_>>());
    let mut chart = Chart::new(
        "incumbents",
        Size::NORMAL,
        if label == "time" { Scale::time(end) } else { Scale::exact(0.0, end) },
        y,
    );
    chart.axes((label, tick), (&costs.mean, &cost_tick(costs)));
    for one in all {
        if let Some(before) = one.before {
            chart.line(&[(at(one), before), (at(one), one.incumbent.cost)], "c0 faint");
        }
    }
    let mut points: Vec<(f64, f64)> = all.iter().map(|one| (at(one), one.incumbent.cost)).collect();
    points.extend(points.last().map(|&(_, cost)| (end, cost)));
    chart.steps(&points, "c0");
    for one in all {
        let title = format!(
            "{}: {} on {}",
            name(one.incumbent.configuration, costs.against),
            costs.show(one.incumbent.cost),
            counted(u64::from(one.incumbent.pairs), "pair")
        );
        chart.dot((at(one), one.incumbent.cost), "c0", &title);
    }
    chart.finish()
}

fn unseen(out: &mut Markup, page: &Trajectory, costs: &Costs) {
    let known: Vec<_> = page.unseen.iter().filter(|one| one.configuration != 0).collect();
    if known.is_empty() {
        let text = match page.left_out {
            0 => "No incumbent has been measured on unseen pairs yet. captune does that when the search has ended."
                .to_owned(),
            some => format!("No incumbent has been measured on the pairs of the verdict. {}", others(some)),
        };
        nothing(out, &text);
        return;
    }
    let values = known.iter().flat_map(|one| [one.cost, one.default]).collect::<Vec<_>>();
    let last = known.len() as f64;
    let mut chart =
        Chart::new("unseen pairs", Size::NORMAL, Scale::exact(0.0, last), Scale::positive(values));
    chart.axes(("configuration", &|_| String::new()), (&costs.mean, &cost_tick(costs)));
    let mut names = Vec::new();
    for (place, one) in known.iter().enumerate() {
        let x = place as f64 + 0.5;
        chart.line(&[(x, one.default), (x, one.cost)], "c0 faint");
        let on = counted(one.pairs as u64, "pair");
        chart.dot((x, one.default), "c1", &format!("{}: {} on {on}", costs.against, costs.show(one.default)));
        let own = name(one.configuration, costs.against);
        chart.dot((x, one.cost), "c0", &format!("{own}: {} on {on}", costs.show(one.cost)));
        names.push((x / last, own));
    }
    chart.names_below(&names);
    chart.legend(&[("c1", costs.against), ("c0", "configuration")]);
    let caption = format!(
        "Measured after the search on the pairs of the verdict: {} of the {} and of each configuration, in the same \
         validation. The verdict on the best configuration is based on these measurements.{}",
        costs.mean,
        costs.against,
        match page.left_out {
            0 => String::new(),
            some => format!(" {}", others(some)),
        }
    );
    figure(out, "On unseen pairs", &chart.finish(), &caption);
}

/// Says which validation trials the verdict does not use.
fn others(left_out: usize) -> String {
    format!(
        "Left out: {} on other pairs or another machine, measured again later, or without a counterpart yet.",
        counted(left_out as u64, "validation trial")
    )
}

fn table(out: &mut Markup, all: &[Takeover], costs: &Costs) {
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>time</th><th>trials</th><th>incumbent</th>");
    out.add("th", &[], &costs.mean);
    out.raw("<th>pairs</th><th>changes</th></tr></thead><tbody>");
    for Takeover { incumbent, .. } in all {
        out.open("tr", &[]);
        out.add("td", &[], &clock(incumbent.wall));
        out.add("td", &[], &words::count(incumbent.after));
        out.add("td", &[], &name(incumbent.configuration, costs.against));
        out.add("td", &[], &costs.show(incumbent.cost));
        out.add("td", &[], &incumbent.pairs.to_string());
        out.add("td", &[("class", "wide")], &words::changes::in_short(&incumbent.changes));
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
}
