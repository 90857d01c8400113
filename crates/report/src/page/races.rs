//! The races: who was dropped where, and at what cap.

use view::pages::{Race, Races};
use words::{Costs, counted, name};

use super::{cost_tick, figure, left_out, nothing, plain, time};
use crate::markup::Markup;
use crate::plot::{Chart, Scale, Size};

pub(super) fn draw(page: &Races, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    let all = &page.races.shown;
    if all.is_empty() {
        nothing(&mut out, "No configuration has raced against the incumbent yet.");
        return out;
    }
    out.raw("<div class=\"figures\">");
    let end = all.iter().map(at).fold(0.0, f64::max);
    let most = all.iter().map(|race| race.pairs as f64).fold(1.0, f64::max);
    let mut chart = Chart::new("races", Size::NORMAL, Scale::time(end), Scale::linear([0.0, most]));
    chart.axes(("time", &time), ("pairs", &plain));
    all.iter().for_each(|race| {
        let title = title(race, costs);
        match race.outcome {
            "won" => chart.dot((at(race), race.pairs as f64), "c3 big", &title),
            "open" => chart.arrow((at(race), race.pairs as f64), crate::plot::Direction::Up, "c2", &title),
            _ => chart.dot((at(race), race.pairs as f64), "c0 pale", &title),
        }
    });
    chart.legend(&[("c0", "dropped"), ("c3", "won"), ("c2", "still racing")]);
    let caption = format!(
        "One mark per race, at the time it ended; the height is the number of pairs on which the challenger's cost was \
         known. Most challengers should be dropped low: that is where racing saves time.{}",
        left_out(&page.races, "races")
    );
    figure(&mut out, "Races", &chart.finish(), &caption);
    caps(&mut out, all, end, costs);
    out.raw("</div>");
    outcomes(&mut out, page);
    out
}

fn at(race: &Race) -> f64 {
    race.ended.unwrap_or(race.opened)
}

fn title(race: &Race, costs: &Costs) -> String {
    let cap =
        race.cap.map_or_else(String::new, |cap| format!(", last cap {}", costs.show(costs.number(cap))));
    let pairs = counted(race.pairs as u64, "pair");
    format!(
        "{} ({}): {} after {pairs}{cap}",
        name(race.configuration, costs.against),
        race.origin,
        word(race.outcome)
    )
}

fn caps(out: &mut Markup, all: &[Race], end: f64, costs: &Costs) {
    let known: Vec<(&Race, f64)> = all.iter().filter_map(|race| Some((race, race.cap?))).collect();
    if known.is_empty() {
        nothing(out, "Trials of this campaign have no caps, because their cost is known only at the end.");
        return;
    }
    let y = Scale::positive(known.iter().map(|(_, cap)| *cap).collect::<Vec<_>>());
    let mut chart = Chart::new("caps", Size::NORMAL, Scale::time(end), y);
    chart.axes(("time", &time), ("last cap", &cost_tick(costs)));
    for (race, cap) in known {
        let class = if race.outcome == "won" { "c3 big" } else { "c0 pale" };
        chart.dot((at(race), cap), class, &title(race, costs));
    }
    let caption = "The cap of each challenger's last trial: the cost at which it was or would have been stopped. \
                   Caps fall as better incumbents are found.";
    figure(out, "Caps", &chart.finish(), caption);
}

fn outcomes(out: &mut Markup, page: &Races) {
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>outcome</th><th>races</th></tr></thead><tbody>");
    for (outcome, number) in &page.outcomes {
        out.open("tr", &[]);
        out.add("th", &[("scope", "row")], word(outcome));
        out.add("td", &[], &number.to_string());
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
}

fn word(outcome: &str) -> &'static str {
    match outcome {
        "won" => "won: became the incumbent",
        "open" => "still racing",
        "sum" => "dropped: its sum of costs exceeded the bound",
        "batch" => "dropped: worse than the incumbent at the end of a batch",
        "failure" => "dropped: failed where the incumbent did not",
        "wrong" => "dropped: gave a wrong answer",
        "constraint" => "dropped: violates a constraint",
        "restart" => "restarted: the incumbent gave a wrong answer",
        _ => "dropped: its trials were lost",
    }
}
