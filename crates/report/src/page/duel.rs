//! The default against the best configuration: pair by pair, solved pairs over cost, and survival.

use view::pages::{Duel, DuelPair, Side, Solving};
use words::{Costs, counted, name, times};

use super::{better, cost_tick, figure, nothing, reading};
use crate::markup::Markup;
use crate::plot::{Chart, Direction, Scale, Size};

/// Number of regressions that are listed.
const REGRESSIONS: usize = 8;

pub(super) fn draw(page: &Duel, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.best == 0 {
        nothing(
            &mut out,
            &format!(
                "The {} is still the best configuration, so there is nothing to compare it with.",
                costs.against
            ),
        );
        return out;
    }
    if page.pairs.is_empty() {
        nothing(&mut out, "Both configurations have not been tried on the same pair yet.");
        return out;
    }
    out.raw("<div class=\"figures\">");
    scatter(&mut out, page, costs);
    cactus(&mut out, page, costs);
    survival(&mut out, page, costs);
    out.raw("</div>");
    regressions(&mut out, page, costs);
    out
}

/// Returns where a side is drawn: its cost, or the rim for a timeout or a failure.
fn place(side: &Side, rim: Option<f64>) -> Option<f64> {
    match (side.cost, side.status) {
        (_, "timeout") | (None, _) => rim.or(side.cost),
        (cost, _) => cost,
    }
}

fn scatter(out: &mut Markup, page: &Duel, costs: &Costs) {
    let known = page.pairs.iter().flat_map(|pair| [pair.default.cost, pair.best.cost]).flatten();
    let known: Vec<f64> = known.chain(page.cutoff).collect();
    let highest = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Timeouts and failures lie on the rim, above all exact costs.
    let rim = (highest > 0.0).then_some(highest * if costs.are_maximised() { 1.0 } else { 1.5 });
    let scale = Scale::positive(known.iter().copied().chain(rim).collect::<Vec<_>>());
    let best = name(page.best, costs.against);
    let mut chart = Chart::new("costs pair by pair", Size { width: 480.0, height: 460.0 }, scale, scale);
    let (x, y) =
        (format!("{} with the {}", costs.noun, costs.against), format!("{} with {best}", costs.noun));
    chart.axes((&x, &cost_tick(costs)), (&y, &cost_tick(costs)));
    let low = scale
        .ticks()
        .first()
        .copied()
        .unwrap_or(0.0)
        .min(known.iter().copied().fold(f64::INFINITY, f64::min));
    chart.guide((low, low), (scale.high(), scale.high()), "equal", "");
    if let Some(cutoff) = page.cutoff {
        chart.guide((low, cutoff), (scale.high(), cutoff), "rim", "cutoff");
        chart.guide((cutoff, low), (cutoff, scale.high()), "rim", "");
    }
    for pair in &page.pairs {
        let (Some(x), Some(y)) = (place(&pair.default, rim), place(&pair.best, rim)) else { continue };
        let class = if pair.unseen { "c0" } else { "c1" };
        let title = format!(
            "{} (seed {}): {} {}, {best} {}",
            pair.instance,
            pair.seed,
            costs.against,
            reading(costs, pair.default.cost, pair.default.censored),
            reading(costs, pair.best.cost, pair.best.censored)
        );
        let open = |side: &Side| side.censored || side.cost.is_none();
        match (open(&pair.default), open(&pair.best)) {
            (false, false) => chart.dot((x, y), class, &title),
            (true, false) => chart.arrow((x, y), Direction::Right, class, &title),
            (false, true) => chart.arrow((x, y), Direction::Up, class, &title),
            (true, true) => chart.arrow((x, y), Direction::Both, class, &title),
        }
    }
    let unseen = page.pairs.iter().filter(|pair| pair.unseen).count();
    let trained = page.pairs.len() - unseen;
    let mut keys = Vec::new();
    if unseen > 0 {
        keys.push(("c0", "unseen"));
    }
    if trained > 0 {
        keys.push(("c1", "training"));
    }
    chart.legend(&keys);
    let side = if costs.are_maximised() { "above" } else { "below" };
    let caption = format!(
        "One mark per pair ({} unseen, {} of the search). Marks {side} the diagonal are pairs on which {best} is better. \
         An open arrow is a trial that was stopped: the true cost lies in its direction. Timeouts and failures lie on \
         the rim beyond the cutoff.",
        unseen, trained
    );
    figure(out, "Pair by pair", &chart.finish(), &caption);
}

fn solved_points(solving: &Solving) -> Vec<(f64, f64)> {
    solving.solved.iter().enumerate().map(|(place, &cost)| (cost, (place + 1) as f64)).collect()
}

fn cactus(out: &mut Markup, page: &Duel, costs: &Costs) {
    let all = || [&page.of_default, &page.of_best].into_iter().flat_map(|one| one.solved.iter().copied());
    if all().next().is_none() {
        nothing(out, "Neither configuration finished a trial on these pairs.");
        return;
    }
    let x = Scale::positive(all().chain(page.cutoff).collect::<Vec<_>>());
    let most = page.of_default.pairs.max(page.of_best.pairs) as f64;
    let mut chart = Chart::new("solved pairs", Size::NORMAL, x, Scale::linear([0.0, most]));
    chart.axes((&costs.noun, &cost_tick(costs)), ("pairs", &super::plain));
    let best = name(page.best, costs.against);
    for (solving, class) in [(&page.of_default, "c1"), (&page.of_best, "c0")] {
        chart.steps(&solved_points(solving), class);
    }
    chart.legend(&[("c1", costs.against), ("c0", &best)]);
    let caption = if costs.are_maximised() {
        format!("Number of pairs with at most this {}: the lower curve is better.", costs.noun)
    } else {
        "Number of pairs solved within a cost: the higher and further left a curve, the better.".to_owned()
    };
    figure(out, "Solved pairs", &chart.finish(), &caption);
}

fn survival(out: &mut Markup, page: &Duel, costs: &Costs) {
    if page.of_best.survival.is_empty() || page.of_default.survival.is_empty() {
        nothing(out, "A survival curve needs costs that are not negative.");
        return;
    }
    let all = [&page.of_default, &page.of_best].into_iter().flat_map(|one| one.survival.iter());
    let times: Vec<f64> = all.map(|step| step.time).collect();
    let x = Scale::positive(times.iter().copied().filter(|&time| time > 0.0).collect::<Vec<_>>());
    let mut chart = Chart::new("survival", Size::NORMAL, x, Scale::exact(0.0, 1.0));
    chart.axes((&costs.noun, &cost_tick(costs)), ("share that takes longer", &super::plain));
    let start = times.iter().copied().filter(|&time| time > 0.0).fold(f64::INFINITY, f64::min) / 1.1;
    for (solving, class) in [(&page.of_default, "c1"), (&page.of_best, "c0")] {
        let steps = &solving.survival;
        let mut band = Vec::new();
        let mut last = [1.0, 1.0];
        for step in steps {
            band.push((step.time, last));
            last = [step.low, step.high];
            band.push((step.time, last));
        }
        chart.band(&band, class);
        let points: Vec<(f64, f64)> =
            std::iter::once((start, 1.0)).chain(steps.iter().map(|step| (step.time, step.share))).collect();
        chart.steps(&points, class);
        for step in steps.iter().filter(|step| step.censored) {
            chart.arrow((step.time, step.share), Direction::Right, class, "stopped here");
        }
    }
    let best = name(page.best, costs.against);
    chart.legend(&[("c1", costs.against), ("c0", &best)]);
    let caption = format!(
        "Estimated share of pairs that cost more than a value (Kaplan and Meier), with its 95 % band; {}. Open arrows \
         mark stopped trials: they count as running until then, and not afterwards.",
        if costs.are_maximised() { "the higher curve is better" } else { "the lower curve is better" }
    );
    figure(out, "Survival", &chart.finish(), &caption);
}

fn regressions(out: &mut Markup, page: &Duel, costs: &Costs) {
    let worse = |pair: &DuelPair| {
        let (default, best) = (pair.default.cost?, pair.best.cost.or(page.cutoff)?);
        let factor = if costs.are_maximised() { default / best } else { best / default };
        // If the default was stopped, it may have taken longer still.
        (factor.is_finite() && factor > 1.0 && !pair.default.censored).then_some(factor)
    };
    let mut all: Vec<(f64, &DuelPair)> =
        page.pairs.iter().filter_map(|pair| Some((worse(pair)?, pair))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    out.add("h3", &[], "Worst regressions");
    if all.is_empty() {
        nothing(out, &format!("The best configuration is not worse than the {} on any pair.", costs.against));
        return;
    }
    let best = name(page.best, costs.against);
    out.raw(
        "<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>instance</th><th>seed</th><th>pair</th>",
    );
    for head in [costs.against, &best, costs.worse().as_str()] {
        out.add("th", &[], head);
    }
    out.raw("</tr></thead><tbody>");
    for (factor, pair) in all.iter().take(REGRESSIONS) {
        out.open("tr", &[]);
        out.add("th", &[("scope", "row"), ("class", "wide")], &pair.instance);
        out.add("td", &[], &pair.seed.to_string());
        out.add("td", &[], if pair.unseen { "unseen" } else { "training" });
        out.add("td", &[], &reading(costs, pair.default.cost, pair.default.censored));
        out.add("td", &[], &reading(costs, pair.best.cost, pair.best.censored));
        let least = if pair.best.censored || pair.best.cost.is_none() { "at least " } else { "" };
        out.add("td", &[], &format!("{least}{}", times(*factor)));
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
    let more = if all.len() > REGRESSIONS {
        format!(", the worst {REGRESSIONS} of {}", all.len())
    } else {
        String::new()
    };
    let text = format!(
        "Pairs on which {best} is worse{more}, of {}; {}.",
        counted(page.pairs.len() as u64, "pair"),
        better(costs)
    );
    out.add("p", &[("class", "note")], &text);
}
