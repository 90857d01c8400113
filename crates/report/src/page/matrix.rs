//! Configurations by instances.

use view::pages::{Cell, Matrix};
use words::{Costs, name};

use super::{figure, nothing, reading};
use crate::markup::Markup;
use crate::plot::{clipped, number};

/// Number of shades.
pub(super) const SHADES: usize = 6;

pub(super) fn draw(page: &Matrix, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.rows.is_empty() || page.instances.is_empty() {
        nothing(&mut out, "No trial has a result yet.");
        return out;
    }
    let mut known: Vec<f64> =
        page.rows.iter().flat_map(|row| row.cells.iter().flatten().filter_map(|cell| cell.cost)).collect();
    known.sort_by(f64::total_cmp);
    // Shades are by rank, because costs often span several orders of magnitude.
    let shade = |cost: f64| {
        let rank = known.partition_point(|&it| it < cost) * SHADES / known.len().max(1);
        let rank = rank.min(SHADES - 1);
        if costs.are_maximised() { SHADES - 1 - rank } else { rank }
    };
    let (columns, rows) = (page.instances.len() as f64, page.rows.len() as f64);
    let (left, width, height) = (64.0, 960.0, (340.0 / rows).clamp(11.0, 16.0));
    let wide = ((width - left) / columns).min(28.0);
    let mut body = Markup::new();
    body.raw("<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" class=\"hatching\"/></pattern></defs>");
    for (place, row) in page.rows.iter().enumerate() {
        let y = place as f64 * height;
        let class = if row.incumbent { "strong" } else { "" };
        let at = [number(left - 6.0), number(y + height - 2.5)];
        let attributes = [("x", at[0].as_str()), ("y", &at[1]), ("text-anchor", "end"), ("class", class)];
        body.add("text", &attributes, &clipped(&name(row.configuration, costs.against), 9));
        for (column, cell) in row.cells.iter().enumerate().filter_map(|(at, cell)| Some((at, cell.as_ref()?)))
        {
            let title = title(page, row.configuration, column, cell, costs);
            let class =
                cell.cost.map_or_else(|| "cell failed".to_owned(), |cost| format!("cell s{}", shade(cost)));
            let position = (left + column as f64 * wide, y);
            rectangle(&mut body, position, (wide, height), &class, &title);
            if cell.censored {
                rectangle(&mut body, position, (wide, height), "hatched", "");
            }
        }
    }
    let mut chart = Markup::new();
    let view = format!("0 0 {} {}", number(left + wide * columns + 4.0), number(rows * height + 4.0));
    chart.open("div", &[("class", "scroll")]);
    let shape = if wide * columns < 500.0 { "chart matrix narrow" } else { "chart matrix" };
    chart.wrap(
        "svg",
        &[
            ("viewBox", &view),
            ("class", shape),
            ("role", "img"),
            ("aria-label", "configurations by instances"),
        ],
        &body,
    );
    chart.close("div");
    legend(&mut chart, ends(costs));
    let mut caption = "Rows are configurations in order of appearance, with incumbents in bold; columns are training \
                       instances from cheap to expensive. The scale shows the colours, by rank. Hatched cells are \
                       lower bounds, because a trial was stopped; empty cells were not tried."
        .to_owned();
    if page.rows.len() < page.of_rows {
        caption += &format!(
            " Shown: the {}, the incumbents and the configurations with the most results, {} of {}.",
            costs.against,
            page.rows.len(),
            words::count(page.of_rows as u64)
        );
    }
    if page.instances.len() < page.of_instances {
        caption += &format!(" Shown: {} of {} instances.", page.instances.len(), page.of_instances);
    }
    out.raw("<div class=\"broad\">");
    figure(&mut out, "Configurations by instances", &chart, &caption);
    out.raw("</div>");
    out
}

fn title(page: &Matrix, configuration: u32, column: usize, cell: &Cell, costs: &Costs) -> String {
    let own = name(configuration, costs.against);
    let (instance, result) = (&page.instances[column], reading(costs, cell.cost, cell.censored));
    let pairs = if cell.pairs > 1 { format!(", mean of {} pairs", cell.pairs) } else { String::new() };
    let failed = if cell.failed > 0 && cell.cost.is_some() {
        format!(", {} failed", cell.failed)
    } else {
        String::new()
    };
    format!("{own} on {instance}: {result}{pairs}{failed}")
}

fn rectangle(body: &mut Markup, at: (f64, f64), size: (f64, f64), class: &str, title: &str) {
    let gap = if size.0 > 5.0 { 0.6 } else { 0.0 };
    let [x, y, width, height] = [at.0, at.1, size.0 - gap, size.1 - gap].map(number);
    let attributes = [("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
    if title.is_empty() {
        body.empty("rect", &attributes);
    } else {
        body.wrap("rect", &attributes, &Markup::element("title", &[], title));
    }
}

/// Returns the words at the ends of a scale of costs: what the first shade means, and the last one.
pub(super) fn ends(costs: &Costs) -> (&'static str, &'static str) {
    if costs.are_maximised() { ("more", "less") } else { ("cheap", "expensive") }
}

/// Adds the scale of shades, with words at its ends.
pub(super) fn legend(out: &mut Markup, (first, last): (&str, &str)) {
    out.open("p", &[("class", "legend")]);
    out.text(first);
    out.raw("<svg viewBox=\"0 0 120 12\" width=\"120\" height=\"12\" aria-hidden=\"true\">");
    for shade in 0..SHADES {
        let (class, x) = (format!("cell s{shade}"), number(shade as f64 * 20.0));
        out.empty("rect", &[("class", &class), ("x", &x), ("y", "0"), ("width", "20"), ("height", "12")]);
    }
    out.raw("</svg>");
    out.text(last);
    out.close("p");
}
