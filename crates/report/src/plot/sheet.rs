//! Several charts in a grid, as one SVG file that has its own style. Its colours have medium lightness and its
//! background is transparent, so it is readable on light and dark pages.

use super::chart::{Chart, Size, number};
use crate::markup::Markup;

const STYLE: &str = include_str!("sheet.css");
const HEAD: f64 = 30.0;
const TITLE: f64 = 22.0;
const GAP: f64 = 14.0;

/// The class of the colour with this number.
pub fn colour(number: usize) -> &'static str {
    ["c0", "c1", "c2", "c3", "c4", "c5", "c6"][number % 7]
}

/// Returns charts with titles as one file, this many beside each other. The legend above them names the
/// colours by number; a colour with an empty name is left out.
pub fn sheet(legend: &[String], columns: usize, charts: Vec<(String, Chart)>) -> String {
    let sizes = charts.iter().map(|(_, chart)| chart.size());
    let widest = sizes.clone().map(|size| size.width).fold(0.0, f64::max);
    let highest = sizes.map(|size| size.height).fold(0.0, f64::max);
    let (across, down) = (widest + GAP, TITLE + highest + GAP);
    let columns = columns.clamp(1, charts.len().max(1));
    let rows = charts.len().div_ceil(columns);
    let mut body = Markup::new();
    body.raw("<style>");
    body.raw(STYLE);
    body.raw("</style>");
    let mut x = 8.0;
    for (place, name) in legend.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let (class, left) = (format!("key {}", colour(place)), number(x));
        body.empty("rect", &[("class", &class), ("x", &left), ("y", "8"), ("width", "12"), ("height", "12")]);
        body.add("text", &[("x", &number(x + 18.0)), ("y", "18")], name);
        x += 36.0 + 7.0 * name.chars().count() as f64;
    }
    for (place, (title, chart)) in charts.into_iter().enumerate() {
        let (left, top) = (across * (place % columns) as f64, HEAD + down * (place / columns) as f64);
        body.add("text", &[("x", &number(left + 8.0)), ("y", &number(top + 14.0))], &title);
        body.push(&chart.finish_at((left, top + TITLE)));
    }
    let width = (across * columns as f64).max(x);
    standalone(Size { width, height: HEAD + down * rows as f64 }, &body)
}

fn standalone(Size { width, height }: Size, body: &Markup) -> String {
    let (width, height) = (number(width.ceil()), number(height.ceil()));
    let view = format!("0 0 {width} {height}");
    let attributes = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("viewBox", view.as_str()),
        ("width", &width),
        ("height", &height),
    ];
    let mut out = Markup::new();
    out.wrap("svg", &attributes, body);
    format!("{}\n", out.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Scale;

    #[test]
    fn charts_are_beside_and_below_each_other_and_names_are_escaped() {
        let chart = || {
            let size = Size { width: 300.0, height: 200.0 };
            ("a < b".to_owned(), Chart::new("", size, Scale::exact(0.0, 1.0), Scale::exact(0.0, 1.0)))
        };
        let names = ["one".to_owned(), String::new(), "x & y".to_owned()];
        let drawn = sheet(&names, 2, vec![chart(), chart(), chart()]);
        assert!(drawn.starts_with("<svg xmlns=") && drawn.ends_with("</svg>\n"), "{drawn}");
        assert!(drawn.contains("viewBox=\"0 0 628 502\""), "{drawn}");
        for place in ["x=\"0\" y=\"52\"", "x=\"314\" y=\"52\"", "x=\"0\" y=\"288\""] {
            assert!(drawn.contains(place), "{place}: {drawn}");
        }
        assert!(drawn.contains(">a &lt; b</text>") && drawn.contains(">x &amp; y</text>"), "{drawn}");
        assert_eq!(drawn.matches("class=\"key").count(), 2, "an empty name has no entry");
    }
}
