//! Parallel coordinates: one axis per parameter, one line per configuration. A script makes the axes
//! selectable; without it, the picture is complete.

use view::pages::{Dimension, Search, Tried};
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
/// Height at which lines pass a parameter that is inactive.
const INACTIVE: f64 = BOTTOM + 18.0;

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
        let own = page.dimensions.iter().zip(&one.positions).take(axes);
        let mut points: Vec<Option<f64>> =
            own.map(|(dimension, at)| at.map(|at| stretched(dimension, at))).collect();
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
    let is_inactive = |place: usize| known.iter().any(|one| one.positions.get(place) == Some(&None));
    let inactive: Vec<usize> = (0..axes).filter(|&place| is_inactive(place)).collect();
    let lowest = if inactive.is_empty() { BOTTOM } else { INACTIVE };
    if !inactive.is_empty() {
        bypass(&mut body, &inactive, &x, x(axes));
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
        label(&mut body, x(place), up, &clipped(&title, 22));
        label(&mut body, x(place), lowest + 16.0, &clipped(&low, 12));
        label(&mut body, x(place), TOP - 2.0, &clipped(&high, 12));
    }
    let mut chart = Markup::new();
    let view = format!("0 0 {WIDTH} {}", lowest + 26.0);
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
         most between good and other configurations.{}{}",
        costs.against,
        if inactive.is_empty() {
            ""
        } else {
            " A line passes below the axis of a parameter that is inactive."
        },
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

/// Returns the position on an axis whose ends are the first and the last tick, where their names are.
fn stretched(dimension: &Dimension, at: f64) -> f64 {
    match (dimension.ticks.first(), dimension.ticks.last()) {
        (Some((low, _)), Some((high, _))) if low < high => ((at - low) / (high - low)).clamp(0.0, 1.0),
        _ => at,
    }
}

/// Returns the path of a line; it passes below the axis where a parameter is inactive.
fn path(points: &[Option<f64>], x: &dyn Fn(usize) -> f64) -> String {
    let mut path = String::new();
    for (place, at) in points.iter().enumerate() {
        let letter = if place == 0 { 'M' } else { 'L' };
        path += &format!("{letter}{} {}", number(x(place)), number(at.map_or(INACTIVE, y)));
    }
    path
}

/// Marks where lines pass inactive parameters.
fn bypass(body: &mut Markup, inactive: &[usize], x: &dyn Fn(usize) -> f64, right: f64) {
    let (left, right, at) = (number(LEFT), number(right), number(INACTIVE));
    let line = [("class", "guide equal"), ("x1", &*left), ("x2", &*right), ("y1", &*at), ("y2", &*at)];
    body.empty("line", &line);
    for &place in inactive {
        body.empty("circle", &[("class", "bypass"), ("cx", &number(x(place))), ("cy", &at), ("r", "3.5")]);
    }
    // The larger text on a phone just fits in front of the line.
    body.add("text", &[("x", "0"), ("y", &number(INACTIVE + 4.0)), ("text-anchor", "start")], "inactive");
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

/// Writes a label at the middle, or as close to it as the picture allows.
fn label(body: &mut Markup, x: f64, y: f64, text: &str) {
    // Wide enough for the larger text on a phone.
    let half = 4.0 * text.chars().count() as f64;
    let (anchor, x) = match x {
        x if x < half => ("start", 2.0),
        x if x + half > WIDTH => ("end", WIDTH - 2.0),
        x => ("middle", x),
    };
    body.add("text", &[("x", &number(x)), ("y", &number(y)), ("text-anchor", anchor)], text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(ticks: &[(f64, &str)]) -> Dimension {
        Dimension {
            name: "x".to_owned(),
            ticks: ticks.iter().map(|(at, name)| (*at, (*name).to_owned())).collect(),
            categorical: false,
            ordered: true,
            default: None,
            best: None,
            contrast: 0.0,
            bins: Vec::new(),
        }
    }

    #[test]
    fn a_line_reaches_the_last_axis_past_inactive_parameters() {
        let x = |place: usize| 100.0 * place as f64;
        let drawn = path(&[Some(0.0), None, Some(1.0)], &x);
        assert_eq!(drawn, "M0 336L100 354L200 50");
        assert_eq!(path(&[None, Some(0.0)], &x), "M0 354L100 336");
    }

    #[test]
    fn the_ends_of_an_axis_are_the_values_that_are_named_there() {
        let three = dimension(&[(1.0 / 6.0, "0"), (0.5, "1"), (5.0 / 6.0, "2")]);
        let at = |at: f64| (stretched(&three, at) * 1e9).round() / 1e9;
        assert_eq!([at(1.0 / 6.0), at(0.5), at(5.0 / 6.0)], [0.0, 0.5, 1.0]);
        assert_eq!(stretched(&dimension(&[(0.0, "low"), (1.0, "high")]), 0.3), 0.3);
    }

    #[test]
    fn a_long_label_stays_inside_the_picture() {
        let draw = |x: f64| {
            let mut body = Markup::new();
            label(&mut body, x, 14.0, "smt.arith.propagation…");
            body.as_str().to_owned()
        };
        assert!(draw(LEFT).contains(r#"x="2" y="14" text-anchor="start""#), "{}", draw(LEFT));
        assert!(draw(WIDTH - LEFT).contains(r#"text-anchor="end""#));
        assert!(draw(300.0).contains(r#"x="300" y="14" text-anchor="middle""#));
    }
}
