//! Every trial over time, the values tried over time, and relative costs by value.

use view::pages::{Dimension, Search, SearchTrial};
use words::{Costs, counted, name};

use super::{better, cost_tick, figure, left_out, nothing, parallel, predicted, ratio, reading, small, time};
use crate::markup::Markup;
use crate::plot::{Chart, Direction, Scale, Size, colour};

/// Largest number of parameters with a picture of their own.
const PARAMETERS: usize = 24;
/// Largest number of characters in a list of choices.
const LISTED: usize = 24;

pub(super) fn draw(page: &Search, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.trials.shown.is_empty() {
        nothing(&mut out, "No trial has ended yet.");
        return out;
    }
    trials(&mut out, page, costs);
    out.push(&parallel::draw(page, costs));
    marginals(&mut out, page, costs);
    grids(&mut out, page, costs);
    predicted::draw(&mut out, page, costs);
    sampling(&mut out, page);
    out
}

fn trials(out: &mut Markup, page: &Search, costs: &Costs) {
    let all = &page.trials.shown;
    let end = all.iter().map(|one| one.at).fold(0.0, f64::max);
    let y = Scale::positive(all.iter().filter_map(|one| one.cost).collect::<Vec<_>>());
    let mut chart = Chart::new("all trials", Size { width: 960.0, height: 360.0 }, Scale::time(end), y);
    chart.axes(("time", &time), (&costs.noun, &cost_tick(costs)));
    let title = |one: &SearchTrial| {
        format!(
            "trial {} of {} ({}): {}",
            one.trial,
            name(one.configuration, costs.against),
            page.origins.get(one.origin).map_or("", String::as_str),
            reading(costs, one.cost, one.censored)
        )
    };
    for one in all {
        match one.cost {
            Some(cost) if one.censored => {
                chart.arrow((one.at, cost), Direction::Up, colour(one.origin), &title(one));
            }
            Some(cost) => chart.dot((one.at, cost), colour(one.origin), &title(one)),
            None => chart.cross((one.at, y.high()), colour(one.origin), &title(one)),
        }
    }
    let keys: Vec<(&str, &str)> =
        page.origins.iter().enumerate().map(|(place, origin)| (colour(place), origin.as_str())).collect();
    chart.legend(&keys);
    let caption = format!(
        "One mark per trial, coloured by what proposed its configuration. A filled dot is a finished trial, an open \
         arrow one that was stopped and would have cost more, a cross at the top one that failed.{}{}",
        // The search may propose a configuration that an ablation has tried before.
        if page.origins.iter().any(|origin| origin == "ablation") {
            " Configurations with the origin \"ablation\" were first tried by an ablation; its own trials are not shown."
        } else {
            ""
        },
        left_out(&page.trials, "trials")
    );
    out.raw("<div class=\"broad\">");
    figure(out, "Every trial", &chart.finish(), &caption);
    out.raw("</div>");
}

/// Returns the relative costs that all small charts use.
fn relatives(page: &Search) -> Vec<f64> {
    let bins = page.dimensions.iter().take(PARAMETERS).flat_map(|one| &one.bins);
    bins.flat_map(|bin| bin.quartiles.into_iter().flatten().chain(bin.mean)).chain([1.0]).collect()
}

fn marginals(out: &mut Markup, page: &Search, costs: &Costs) {
    out.add("h3", &[], "One parameter at a time");
    if page.tried.shown.iter().filter(|one| one.relative.is_some()).count() < 3 {
        nothing(out, "Fewer than three configurations were tried on the same pairs as the default.");
        return;
    }
    let y = Scale::positive(relatives(page));
    out.raw("<div class=\"small\">");
    for dimension in page.dimensions.iter().take(PARAMETERS) {
        let mut chart = Chart::new(&dimension.name, Size::SMALL, Scale::exact(0.0, 1.0), y);
        chart.axes(("", &|_| String::new()), ("", &ratio));
        chart.guide((0.0, 1.0), (1.0, 1.0), "equal", "");
        let known: Vec<(f64, f64, Option<[f64; 2]>, usize)> = dimension
            .bins
            .iter()
            .filter_map(|bin| Some(((bin.from + bin.to) / 2.0, bin.mean?, bin.quartiles, bin.configurations)))
            .collect();
        if dimension.categorical {
            for bin in &dimension.bins {
                let Some([low, high]) = bin.quartiles else { continue };
                let width = (bin.to - bin.from) * 0.2;
                chart.cell((bin.from + width, low), (bin.to - width, high), "band c0", "");
            }
        } else {
            let band: Vec<(f64, [f64; 2])> =
                known.iter().map(|&(x, mean, quartiles, _)| (x, quartiles.unwrap_or([mean, mean]))).collect();
            chart.band(&band, "c0");
            chart.line(&known.iter().map(|&(x, mean, ..)| (x, mean)).collect::<Vec<_>>(), "c0");
        }
        for &(x, mean, _, count) in &known {
            chart.dot((x, mean), "c0", &format!("{}: mean of {count} configurations", ratio(mean)));
        }
        chart.names_below(&dimension.ticks);
        small(out, &dimension.name, &chart.finish());
    }
    out.raw("</div>");
    let (against, noun) = (costs.against, &costs.noun);
    let unrelated = match page.unrelated {
        0 => String::new(),
        some => format!(" {some} configurations share no pair with the {against} and are left out."),
    };
    let caption = format!(
        "Mean {noun} relative to the {against}'s on the same pairs, by the value of each parameter; {}. The line at 1x \
         is the {against}, dots are geometric means over configurations, and the band contains the middle half of \
         them. Stopped trials count with their lower bound. Parameters whose values differ most between good and other \
         configurations come first{}.{unrelated}",
        better(costs),
        shown(page)
    );
    out.add("p", &[("class", "note")], &caption);
}

fn shown(page: &Search) -> String {
    if page.dimensions.len() > PARAMETERS {
        format!("; shown are {PARAMETERS} of {}", page.dimensions.len())
    } else {
        String::new()
    }
}

/// Returns the name of a parameter with its values: the ends of a range or of ordered choices, otherwise all
/// choices or their number.
fn with_values(dimension: &Dimension) -> String {
    let Dimension { name, ticks, ordered, .. } = dimension;
    let (Some((_, first)), Some((_, last))) = (ticks.first(), ticks.last()) else { return name.clone() };
    if *ordered {
        return format!("{name}: {first} to {last}");
    }
    let all = ticks.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ");
    if all.chars().count() <= LISTED {
        format!("{name}: {all}")
    } else {
        format!("{name}: {}", counted(ticks.len() as u64, "choice"))
    }
}

fn sampling(out: &mut Markup, page: &Search) {
    out.add("h3", &[], "Values tried over time");
    let end = page.tried.shown.iter().map(|one| one.at).filter(|at| at.is_finite()).fold(0.0, f64::max);
    out.raw("<div class=\"small\">");
    for (place, dimension) in page.dimensions.iter().take(PARAMETERS).enumerate() {
        let mut chart = Chart::new(&dimension.name, Size::SMALL, Scale::time(end), Scale::exact(0.0, 1.0));
        chart.axes(("", &|at| if at > 0.0 { time(at) } else { String::new() }), ("", &|_| String::new()));
        if let Some(default) = dimension.default {
            chart.guide((0.0, default), (end, default), "equal", "");
        }
        let points = |incumbent: bool| -> Vec<(f64, f64)> {
            let own = page.tried.shown.iter().filter(|one| one.incumbent == incumbent);
            own.filter_map(|one| Some((one.at, one.positions[place]?))).collect()
        };
        // Incumbents are drawn last, on top of the others.
        chart.dots(&points(false), "c0 pale");
        chart.dots(&points(true), "c3");
        small(out, &with_values(dimension), &chart.finish());
    }
    out.raw("</div>");
    let caption = format!(
        "One dot per configuration at the time of its first trial; the height is the value, from the lowest or first \
         to the highest or last. Orange dots became incumbents. The line is the default.{}",
        left_out(&page.tried, "configurations")
    );
    out.add("p", &[("class", "note")], &caption);
}

fn grids(out: &mut Markup, page: &Search, costs: &Costs) {
    if page.grids.iter().all(|grid| grid.cells.is_empty()) {
        return;
    }
    out.add("h3", &[], "Two parameters at a time");
    out.raw("<div class=\"small two\">");
    for grid in page.grids.iter().filter(|grid| !grid.cells.is_empty()) {
        let (across, up) = (&page.dimensions[grid.across], &page.dimensions[grid.up]);
        let mut chart = Chart::new(
            "two parameters",
            Size { width: 290.0, height: 230.0 },
            Scale::exact(0.0, 1.0),
            Scale::exact(0.0, 1.0),
        );
        for &(column, row, mean, count) in &grid.cells {
            let (x, y) = (&across.bins[column], &up.bins[row]);
            let title = format!("{}: mean of {count} configurations", ratio(mean));
            chart.cell((x.from, y.from), (x.to, y.to), heat(mean, costs), &title);
        }
        chart.names_below(&across.ticks);
        chart.names_upwards(&up.ticks);
        small(out, &format!("{} across, {} upwards", across.name, up.name), &chart.finish());
    }
    out.raw("</div>");
    let text = format!(
        "Mean cost relative to the {}'s, for values of two parameters: blue is better than the {0}, orange is worse, \
         grey is about equal; stronger colours are further away. Empty cells were not tried.",
        costs.against
    );
    out.add("p", &[("class", "note")], &text);
}

/// Returns the class of a cell by its relative cost.
fn heat(mean: f64, costs: &Costs) -> &'static str {
    let gain = if costs.are_maximised() { mean.ln() } else { -mean.ln() };
    match gain {
        g if g > 0.5 => "heat better3",
        g if g > 0.2 => "heat better2",
        g if g > 0.05 => "heat better1",
        g if g > -0.05 => "heat equal0",
        g if g > -0.3 => "heat worse1",
        g if g > -1.0 => "heat worse2",
        _ => "heat worse3",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unordered_choices_are_listed_or_counted() {
        let titled = |values: &[&str], ordered: bool| {
            let ticks = values.iter().map(|value| (0.5, (*value).to_owned())).collect();
            with_values(&Dimension {
                name: "x".to_owned(),
                ticks,
                categorical: true,
                ordered,
                default: None,
                best: None,
                contrast: 0.0,
                bins: Vec::new(),
            })
        };
        assert_eq!(titled(&["2", "6", "1", "3"], false), "x: 2, 6, 1, 3");
        assert_eq!(titled(&["0", "1", "2"], true), "x: 0 to 2");
        assert_eq!(titled(&["breadth first", "depth first", "random"], false), "x: 3 choices");
        assert_eq!(titled(&[], false), "x");
    }
}
