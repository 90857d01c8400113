//! What the model predicts for values of one or two parameters: mean and band.

use view::pages::{Dimension, Predicted, Search, Surface};
use words::{Costs, count};

use super::matrix::{SHADES, ends, legend};
use super::{better, cost_tick, small};
use crate::markup::Markup;
use crate::plot::{Chart, Scale, Size};

pub(super) fn draw(out: &mut Markup, page: &Search, costs: &Costs) {
    let Some(found) = page.predicted.as_ref().filter(|found| !found.one.is_empty()) else { return };
    out.add("h3", &[], "One parameter at a time, as the model predicts");
    curves(out, found, &page.dimensions, costs);
    if !found.two.is_empty() {
        out.add("h3", &[], "Two parameters at a time, as the model predicts");
        surfaces(out, found, &page.dimensions, costs);
    }
}

fn curves(out: &mut Markup, found: &Predicted, dimensions: &[Dimension], costs: &Costs) {
    let all = found.one.iter().flat_map(|curve| curve.points.iter().flat_map(|point| point.band));
    let y = Scale::positive(all.collect::<Vec<_>>());
    let tick = cost_tick(costs);
    out.raw("<div class=\"small\">");
    for curve in &found.one {
        let dimension = &dimensions[curve.dimension];
        let mut chart = Chart::new(&dimension.name, Size::SMALL, Scale::exact(0.0, 1.0), y);
        chart.axes(("", &|_| String::new()), ("", &tick));
        let values = [(dimension.default, "equal"), (dimension.best, "best")];
        for (at, class) in values.into_iter().filter_map(|(at, class)| Some((at?, class))) {
            chart.guide((at, y.low()), (at, y.high()), class, "");
        }
        let title = |mean: f64, [low, high]: [f64; 2]| {
            format!("{} ({} to {})", costs.show(mean), costs.show(low), costs.show(high))
        };
        if dimension.categorical {
            let half = 0.3 / curve.points.len() as f64;
            for point in &curve.points {
                let [low, high] = point.band;
                chart.cell((point.at - half, low), (point.at + half, high), "band c2", "");
                chart.dot((point.at, point.mean), "c2", &title(point.mean, point.band));
            }
        } else {
            // The first and the last value stand for the ends of the range, too, unless each has its own tick.
            let has_ticks = curve.points.len() == dimension.ticks.len();
            let place = |number: usize, at: f64| match number {
                _ if has_ticks => at,
                0 => 0.0,
                last if last + 1 == curve.points.len() => 1.0,
                _ => at,
            };
            let placed =
                curve.points.iter().enumerate().map(|(number, point)| (place(number, point.at), point));
            chart.band(&placed.clone().map(|(x, point)| (x, point.band)).collect::<Vec<_>>(), "c2");
            chart.line(&placed.map(|(x, point)| (x, point.mean)).collect::<Vec<_>>(), "c2");
            for point in curve.points.iter().filter(|_| has_ticks) {
                chart.dot((point.at, point.mean), "c2", &title(point.mean, point.band));
            }
        }
        chart.names_below(&dimension.ticks);
        small(out, &dimension.name, &chart.finish());
    }
    out.raw("</div>");
    let caption = format!(
        "Predicted {} for each value, averaged over all values of the other parameters and over the instances; {}. The \
         band shows how sure the model is of the differences between values: one standard deviation over the trees of a \
         forest that learned from {} trials, stopped ones included. \
         The dashed line is the {}, the solid line the best configuration. The parameters with the largest shares \
         come first. An average over the whole space can favour other values than the ones that are good together.",
        costs.noun,
        better(costs),
        count(found.trials as u64),
        costs.against,
    );
    out.add("p", &[("class", "note")], &caption);
}

fn surfaces(out: &mut Markup, found: &Predicted, dimensions: &[Dimension], costs: &Costs) {
    let cells = || found.two.iter().flat_map(|surface| &surface.cells);
    let means = Scale::positive(cells().map(|cell| cell.mean).collect::<Vec<_>>());
    // The width of a band is a ratio if all costs are positive.
    let width = |[low, high]: [f64; 2]| if means.is_log() && low > 0.0 { high / low } else { high - low };
    let widths = Scale::positive(cells().map(|cell| width(cell.band)).collect::<Vec<_>>());
    let shade = |at: f64| ((at * SHADES as f64) as usize).min(SHADES - 1);
    let of_mean = |mean: f64| {
        let shade = shade(means.at(mean));
        if costs.are_maximised() { SHADES - 1 - shade } else { shade }
    };
    out.raw("<div class=\"small two\">");
    for surface in &found.two {
        let (across, up) = (&dimensions[surface.across], &dimensions[surface.up]);
        let names = format!("{} across, {} upwards", across.name, up.name);
        let mean = surface.cells.iter().map(|cell| of_mean(cell.mean)).collect::<Vec<_>>();
        small(out, &format!("{names}: mean"), &heat_map(surface, &mean, [across, up], costs));
        let band = surface.cells.iter().map(|cell| shade(widths.at(width(cell.band)))).collect::<Vec<_>>();
        small(out, &format!("{names}: width of the band"), &heat_map(surface, &band, [across, up], costs));
    }
    out.raw("</div>");
    legend(out, ends(costs));
    legend(out, ("narrow band", "wide band"));
    let caption = format!(
        "Predicted {} for values of two parameters, averaged over everything else, for the pairs with the strongest \
         interactions. The second picture of each pair shows the width of the band: where it is wide, the model is \
         less sure.",
        costs.noun
    );
    out.add("p", &[("class", "note")], &caption);
}

fn heat_map(surface: &Surface, shades: &[usize], [across, up]: [&Dimension; 2], costs: &Costs) -> Markup {
    let (columns, rows) = surface.size;
    let mut chart = Chart::new(
        "two parameters",
        Size { width: 290.0, height: 230.0 },
        Scale::exact(0.0, columns as f64),
        Scale::exact(0.0, rows as f64),
    );
    for (place, (cell, shade)) in surface.cells.iter().zip(shades).enumerate() {
        let (x, y) = ((place % columns) as f64, (place / columns) as f64);
        let [low, high] = cell.band;
        let title = format!("{} ({} to {})", costs.show(cell.mean), costs.show(low), costs.show(high));
        chart.cell((x, y), (x + 1.0, y + 1.0), &format!("cell s{shade}"), &title);
    }
    chart.names_below(&across.ticks);
    chart.names_upwards(&up.ticks);
    chart.finish()
}
