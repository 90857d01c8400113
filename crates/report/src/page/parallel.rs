//! Parallel coordinates: one axis per parameter, one line per configuration. A script makes the axes
//! selectable; without it, the picture is complete.

use view::pages::{Search, Tried};
use words::Costs;

use super::{figure, left_out, nothing, ratio};
use crate::markup::Markup;
use crate::plot::{clipped, number};

/// Largest number of axes for parameters.
const AXES: usize = 10;
const WIDTH: f64 = 960.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 336.0;
const LEFT: f64 = 60.0;

pub(super) fn draw(page: &Search, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    let known: Vec<&Tried> = page.tried.shown.iter().filter(|one| one.relative.is_some()).collect();
    if known.is_empty() || page.dimensions.is_empty() {
        nothing(
            &mut out,
            "Parallel coordinates need configurations that were tried on the same pairs as the default.",
        );
        return out;
    }
    let axes = page.dimensions.len().min(AXES);
    let x = |place: usize| LEFT + (WIDTH - 2.0 * LEFT) * place as f64 / axes as f64;
    // Costs are drawn by rank, so that a few slow configurations do not squeeze the others together.
    let mut sorted: Vec<f64> = known.iter().filter_map(|one| one.relative).collect();
    sorted.sort_by(f64::total_cmp);
    let last = (sorted.len() - 1).max(1) as f64;
    let rank =
        |one: &Tried| one.relative.map_or(0.0, |own| sorted.partition_point(|&it| it < own) as f64 / last);
    let goodness = |one: &Tried| if costs.are_maximised() { rank(one) } else { 1.0 - rank(one) };
    let mut body = Markup::new();
    let mut order = known.clone();
    order.sort_by(|a, b| goodness(a).total_cmp(&goodness(b)));
    for one in order {
        let mut points: Vec<Option<f64>> = one.positions.iter().take(axes).copied().collect();
        points.push(Some(goodness(one)));
        let class = match goodness(one) {
            g if g >= 0.9 => "pc good",
            g if g >= 0.5 => "pc fair",
            _ => "pc poor",
        };
        let values: Vec<String> =
            points.iter().map(|at| at.map_or_else(String::new, |at| format!("{at:.3}"))).collect();
        let least = if one.censored { "at least " } else { "" };
        let title = one.relative.map_or_else(String::new, |own| {
            format!("#{}: {least}{} on {} pairs", one.configuration, ratio(own), one.pairs)
        });
        let attributes = [("class", class), ("d", &path(&points, &x)), ("data-v", &values.join(","))];
        body.wrap("path", &attributes, &Markup::element("title", &[], &title));
    }
    for place in 0..=axes {
        axis(&mut body, place, x(place));
        let (low, high, title) = match page.dimensions.get(place).filter(|_| place < axes) {
            Some(one) => {
                let tick =
                    |tick: Option<&(f64, String)>| tick.map_or_else(String::new, |(_, name)| name.clone());
                (tick(one.ticks.first()), tick(one.ticks.last()), one.name.clone())
            }
            None if costs.are_maximised() => {
                (ratio(sorted[0]), ratio(sorted[sorted.len() - 1]), "relative".to_owned())
            }
            None => (ratio(sorted[sorted.len() - 1]), ratio(sorted[0]), "relative cost".to_owned()),
        };
        let up = if place % 2 == 0 { 14.0 } else { 28.0 };
        label(&mut body, x(place), up, &clipped(&title, 24));
        label(&mut body, x(place), BOTTOM + 16.0, &clipped(&low, 12));
        label(&mut body, x(place), TOP - 2.0, &clipped(&high, 12));
    }
    let mut chart = Markup::new();
    let view = format!("0 0 {WIDTH} {}", BOTTOM + 26.0);
    let attributes = [
        ("viewBox", view.as_str()),
        ("class", "chart parallel"),
        ("role", "img"),
        ("aria-label", "parallel coordinates"),
    ];
    chart.wrap("svg", &attributes, &body);
    chart.add(
        "p",
        &[("class", "selection scripted"), ("aria-live", "polite")],
        "Drag along an axis to select configurations; click it to clear.",
    );
    let caption = format!(
        "One line per configuration, through its value of each parameter. The last axis is the cost relative to the \
         {}'s, by rank; better is higher. The best tenth stands out. Shown are the {axes} parameters whose values differ \
         most between good and other configurations.{}",
        costs.against,
        left_out(&page.tried, "configurations")
    );
    out.raw("<div class=\"broad\">");
    figure(&mut out, "Parallel coordinates", &chart, &caption);
    out.raw("</div>");
    out
}

fn y(at: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP - 4.0) * at
}

/// Returns the path of a line; it has a gap where a parameter is inactive.
fn path(points: &[Option<f64>], x: &dyn Fn(usize) -> f64) -> String {
    let (mut path, mut is_open) = (String::new(), false);
    for (place, at) in points.iter().enumerate() {
        match at {
            Some(at) => {
                let letter = if is_open { 'L' } else { 'M' };
                path += &format!("{letter}{} {}", number(x(place)), number(y(*at)));
                is_open = true;
            }
            None => is_open = false,
        }
    }
    path
}

fn axis(body: &mut Markup, place: usize, x: f64) {
    let (at, top, bottom) = (number(x), number(TOP + 4.0), number(BOTTOM));
    body.empty("line", &[("class", "axis"), ("x1", &at), ("x2", &at), ("y1", &top), ("y2", &bottom)]);
    let (left, height) = (number(x - 14.0), number(BOTTOM - TOP - 4.0));
    let place = place.to_string();
    let attributes = [
        ("class", "brush"),
        ("data-axis", place.as_str()),
        ("x", &left),
        ("y", &top),
        ("width", "28"),
        ("height", &height),
    ];
    body.empty("rect", &attributes);
    body.empty(
        "rect",
        &[("class", "brushed"), ("x", &number(x - 6.0)), ("y", &top), ("width", "12"), ("height", "0")],
    );
}

fn label(body: &mut Markup, x: f64, y: f64, text: &str) {
    body.add("text", &[("x", &number(x)), ("y", &number(y)), ("text-anchor", "middle")], text);
}
