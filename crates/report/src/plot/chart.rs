//! One chart: axes and marks.

use std::fmt::Write as _;

use super::scale::Scale;
use crate::markup::{Attributes, Markup};

/// Width of a letter, large enough for the text on a phone.
const LETTER: f64 = 8.4;
/// Height of a row of the legend.
const ROW: f64 = 18.0;
/// Largest number of letters in a name of the legend.
const KEY: usize = 24;

/// The size of a chart in its own units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Size {
    /// A chart of which two fit beside each other.
    pub const NORMAL: Self = Self { width: 480.0, height: 330.0 };
    /// A small chart of which many fit on a page.
    pub const SMALL: Self = Self { width: 240.0, height: 170.0 };
}

/// The direction in which a bounded value lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards larger values of y.
    Up,
    /// Towards smaller values of y.
    Down,
    /// Towards larger values of x.
    Right,
    /// Towards smaller values of x.
    Left,
    /// Towards larger values of both.
    Both,
}

/// A chart under construction.
#[derive(Debug)]
pub struct Chart {
    body: Markup,
    size: Size,
    x: Scale,
    y: Scale,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    label: String,
    /// Right end of the label above the vertical axis.
    titled: f64,
    /// Height of the rows of the legend above the chart.
    head: f64,
}

impl Chart {
    /// Returns an empty chart. The label describes it to people who cannot see it.
    pub fn new(label: &str, size: Size, x: Scale, y: Scale) -> Self {
        let small = size.width < 300.0;
        let (left, bottom) = if small { (46.0, 22.0) } else { (64.0, 46.0) };
        Self {
            body: Markup::new(),
            size,
            x,
            y,
            left,
            top: if small { 20.0 } else { 26.0 },
            right: size.width - 14.0,
            bottom: size.height - bottom,
            label: label.to_owned(),
            titled: 0.0,
            head: 0.0,
        }
    }

    /// Returns an empty chart with this much room for names on the left.
    pub fn with_names(label: &str, size: Size, left: f64, x: Scale, y: Scale) -> Self {
        Self { left, ..Self::new(label, size, x, y) }
    }

    /// Returns the size of the chart.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Draws both axes with their ticks and labels. The label of the vertical axis is above it.
    pub fn axes(&mut self, x: (&str, &dyn Fn(f64) -> String), y: (&str, &dyn Fn(f64) -> String)) {
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        let small = self.size.width < 300.0;
        // A position without a meaning of its own has no line.
        let named = |ticks: Vec<f64>, text: &dyn Fn(f64) -> String| {
            let named = ticks.into_iter().map(|value| (value, text(value)));
            named.filter(|(_, text)| !text.is_empty()).collect::<Vec<_>>()
        };
        for (value, text) in named(self.y.ticks(), y.1) {
            let at = self.py(value);
            self.rule("grid", (left, at), (right, at));
            self.label((left - 6.0, at + 4.0), "end", &text);
        }
        let mut last = f64::NEG_INFINITY;
        for (value, text) in named(self.x.ticks(), x.1) {
            let at = self.px(value);
            self.rule("grid", (at, top), (at, bottom));
            // Labels that would touch are left out, and the last one stays inside the picture.
            let half = 3.6 * text.chars().count() as f64;
            let (anchor, start, end) = if at + half > right + 12.0 {
                ("end", at - 2.0 * half, at)
            } else {
                ("middle", at - half, at + half)
            };
            if start > last + 4.0 {
                self.label((at, bottom + 16.0), anchor, &text);
                last = end;
            }
        }
        self.rule("axis", (left, bottom), (right, bottom));
        self.rule("axis", (left, top), (left, bottom));
        if !small {
            self.label(((left + right) / 2.0, bottom + 36.0), "middle", x.0);
        }
        let start = if small { 4.0 } else { 6.0 };
        self.label((start, top - 10.0), "start", y.0);
        self.titled = start + LETTER * y.0.chars().count() as f64;
    }

    /// Draws the ticks of an axis with these positions and names in place of numbers.
    pub fn names_below(&mut self, names: &[(f64, String)]) {
        let room = (self.right - self.left) / names.len().max(1) as f64;
        // If ascending numbers do not fit, some are left out. Other names are shortened.
        let widest = names.iter().map(|(_, name)| name.chars().count()).max().unwrap_or_default();
        let numbers: Option<Vec<f64>> = names.iter().map(|(_, name)| name.parse().ok()).collect();
        let ascend = names.len() > 2 && numbers.is_some_and(|numbers| numbers.is_sorted());
        let every = if ascend { (7.0 * widest as f64 / room).ceil().max(1.0) as usize } else { 1 };
        let room = room * every as f64;
        for (at, name) in names.iter().step_by(every) {
            let x = self.left + at * (self.right - self.left);
            let text = clipped(name, (room / 7.0).max(3.0) as usize);
            let anchor = match *at {
                at if at < 0.02 => "start",
                at if at > 0.98 => "end",
                _ => "middle",
            };
            self.label((x, self.bottom + 15.0), anchor, &text);
        }
    }

    /// Writes the names of the values at these positions beside the vertical axis.
    pub fn names_upwards(&mut self, names: &[(f64, String)]) {
        let height = self.bottom - self.top;
        let every = (14.0 * names.len() as f64 / height).ceil().max(1.0) as usize;
        for (at, name) in names.iter().step_by(every) {
            // Names at the ends stay beside the axis.
            let y = (self.bottom - at * height + 4.0).clamp(self.top + 10.0, self.bottom - 2.0);
            self.label((self.left - 5.0, y), "end", &clipped(name, 6));
        }
    }

    /// Writes a name on the left of the vertical axis.
    pub fn name_beside(&mut self, y: f64, name: &str) {
        self.label((self.left - 6.0, self.py(y) + 4.0), "end", name);
    }

    /// Writes a name that starts at a value.
    pub fn name_at(&mut self, (x, y): (f64, f64), name: &str) {
        self.label((self.px(x) + 3.0, self.py(y)), "start", name);
    }

    /// Draws a filled dot for an exact value.
    pub fn dot(&mut self, (x, y): (f64, f64), class: &str, title: &str) {
        let (cx, cy) = (number(self.px(x)), number(self.py(y)));
        let class = format!("dot {class}");
        self.mark("circle", &[("class", &class), ("cx", &cx), ("cy", &cy), ("r", "3")], title);
    }

    /// Draws many dots without titles as one element, which browsers draw faster.
    pub fn dots(&mut self, points: &[(f64, f64)], class: &str) {
        if points.is_empty() {
            return;
        }
        let mut path = String::new();
        for &(x, y) in points {
            // A line without length is a dot, because its ends are round.
            let _ = write!(path, "M{} {}h0", number(self.px(x)), number(self.py(y)));
        }
        self.mark("path", &[("class", &format!("dots {class}")), ("d", &path)], "");
    }

    /// Draws an open arrow for a bound.
    pub fn arrow(&mut self, (x, y): (f64, f64), direction: Direction, class: &str, title: &str) {
        let (x, y) = (self.px(x), self.py(y));
        let points: [(f64, f64); 3] = match direction {
            Direction::Up => [(-3.5, 0.0), (0.0, -7.0), (3.5, 0.0)],
            Direction::Down => [(-3.5, 0.0), (0.0, 7.0), (3.5, 0.0)],
            Direction::Right => [(0.0, -3.5), (7.0, 0.0), (0.0, 3.5)],
            Direction::Left => [(0.0, -3.5), (-7.0, 0.0), (0.0, 3.5)],
            Direction::Both => [(-3.0, -3.0), (5.0, -5.0), (3.0, 3.0)],
        };
        let [a, b, c] = points.map(|(dx, dy)| format!("{} {}", number(x + dx), number(y + dy)));
        let (class, path) = (format!("arrow {class}"), format!("M{a}L{b}L{c}Z"));
        self.mark("path", &[("class", &class), ("d", &path)], title);
    }

    /// Draws a cross for a failed trial.
    pub fn cross(&mut self, (x, y): (f64, f64), class: &str, title: &str) {
        let (x, y) = (self.px(x), self.py(y));
        let [a, b, c, d] = [x - 3.0, y - 3.0, x + 3.0, y + 3.0].map(number);
        let (class, path) = (format!("cross {class}"), format!("M{a} {b}L{c} {d}M{a} {d}L{c} {b}"));
        self.mark("path", &[("class", &class), ("d", &path)], title);
    }

    /// Draws a line through all points.
    pub fn line(&mut self, points: &[(f64, f64)], class: &str) {
        let path = self.path(points.iter().map(|&(x, y)| (self.px(x), self.py(y))));
        self.mark("path", &[("class", &format!("line {class}")), ("d", &path)], "");
    }

    /// Draws a line that keeps its value until the next point.
    pub fn steps(&mut self, points: &[(f64, f64)], class: &str) {
        let mut all = Vec::with_capacity(2 * points.len());
        for (place, &(x, y)) in points.iter().enumerate() {
            if place > 0 {
                all.push((x, points[place - 1].1));
            }
            all.push((x, y));
        }
        self.line(&all, class);
    }

    /// Fills the area between a lower and an upper value at each x.
    pub fn band(&mut self, points: &[(f64, [f64; 2])], class: &str) {
        let lower = points.iter().map(|&(x, [low, _])| (self.px(x), self.py(low)));
        let upper = points.iter().rev().map(|&(x, [_, high])| (self.px(x), self.py(high)));
        let path = self.path(lower.chain(upper)) + "Z";
        self.mark("path", &[("class", &format!("band {class}")), ("d", &path)], "");
    }

    /// Fills a rectangle between two corners.
    pub fn cell(&mut self, from: (f64, f64), to: (f64, f64), class: &str, title: &str) {
        let (x, y) = (self.px(from.0), self.py(to.1));
        let (width, height) = (self.px(to.0) - x, self.py(from.1) - y);
        let [x, y, width, height] = [x, y, width.max(0.5), height.max(0.5)].map(number);
        self.mark(
            "rect",
            &[("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)],
            title,
        );
    }

    /// Draws a straight line between two values, with a name at its end.
    pub fn guide(&mut self, from: (f64, f64), to: (f64, f64), class: &str, name: &str) {
        let (a, b) = ((self.px(from.0), self.py(from.1)), (self.px(to.0), self.py(to.1)));
        self.rule(&format!("guide {class}"), a, b);
        if !name.is_empty() {
            let down = if b.1 < self.top + 14.0 { 12.0 } else { -5.0 };
            let (shift, anchor) = if b.0 < self.left + 60.0 { (4.0, "start") } else { (-3.0, "end") };
            self.label((b.0 + shift, b.1 + down), anchor, name);
        }
    }

    /// Writes a legend in the upper right corner: classes of filled squares, and names. If it does not fit
    /// beside the label of the vertical axis, it gets rows of its own above the chart.
    pub fn legend(&mut self, names: &[(&str, &str)]) {
        let width = |name: &str| LETTER * name.chars().count().min(KEY) as f64 + 23.0;
        let room = self.right - self.titled;
        if names.iter().map(|(_, name)| width(name)).sum::<f64>() <= room {
            return self.keys(names, self.top - 10.0);
        }
        let mut rest = names;
        let mut rows = Vec::new();
        while !rest.is_empty() {
            let mut used = 0.0;
            let fits = |key: &&(&str, &str)| {
                used += width(key.1);
                used <= self.right
            };
            let (row, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rows.push(row);
            rest = others;
        }
        for row in rows.iter().rev() {
            self.head += ROW;
            self.keys(row, self.top - 10.0 - self.head);
        }
    }

    /// Writes one row of a legend.
    fn keys(&mut self, names: &[(&str, &str)], line: f64) {
        let mut right = self.right;
        for (class, name) in names.iter().rev() {
            let text = clipped(name, KEY);
            right -= LETTER * text.chars().count() as f64;
            self.label((right, line), "start", &text);
            right -= 13.0;
            let (x, y) = (number(right), number(line - 8.0));
            let class = format!("key {class}");
            self.mark(
                "rect",
                &[("class", &class), ("x", &x), ("y", &y), ("width", "8"), ("height", "8")],
                "",
            );
            right -= 10.0;
        }
    }

    /// Returns the chart.
    pub fn finish(self) -> Markup {
        self.wrapped(&[])
    }

    /// Returns the chart as a part of a larger picture, with its corner at this place.
    pub(super) fn finish_at(self, (x, y): (f64, f64)) -> Markup {
        let [x, y, width, height] = [x, y, self.size.width, self.size.height + self.head].map(number);
        self.wrapped(&[("x", &x), ("y", &y), ("width", &width), ("height", &height)])
    }

    fn wrapped(self, place: Attributes<'_>) -> Markup {
        let Self { body, size: Size { width, height }, label, head, .. } = self;
        let view = format!("0 {} {width:.0} {:.0}", number(0.0 - head), height + head);
        let mut attributes = place.to_vec();
        attributes.extend([
            ("viewBox", view.as_str()),
            ("role", "img"),
            ("aria-label", &label),
            ("class", "chart"),
        ]);
        let mut out = Markup::new();
        out.wrap("svg", &attributes, &body);
        out
    }

    fn px(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.at(value)
    }

    fn py(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.at(value)
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            // Writing to a string cannot fail.
            let _ = write!(path, "{}{} {}", if path.is_empty() { 'M' } else { 'L' }, number(x), number(y));
        }
        path
    }

    fn mark(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], title: &str) {
        if title.is_empty() {
            return self.body.empty(tag, attributes);
        }
        self.body.wrap(tag, attributes, &Markup::element("title", &[], title));
    }

    fn rule(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        self.body.empty("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)]);
    }

    fn label(&mut self, (x, y): (f64, f64), anchor: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let [x, y] = [x, y].map(number);
        self.body.add("text", &[("x", &x), ("y", &y), ("text-anchor", anchor)], text);
    }
}

/// Formats a coordinate with one decimal at most.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Shortens a text to at most `most` characters.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_their_values_and_titles_are_escaped() {
        let mut chart = Chart::new("x by y", Size::NORMAL, Scale::exact(0.0, 1.0), Scale::exact(0.0, 1.0));
        chart.dot((0.0, 0.0), "c0", "<b>");
        chart.arrow((1.0, 0.5), Direction::Up, "c1", "");
        chart.dots(&[(0.0, 0.0), (1.0, 0.5)], "c2");
        chart.dots(&[], "c3");
        let drawn = chart.finish();
        assert!(drawn.as_str().contains(r#"<circle class="dot c0" cx="64" cy="284" r="3"><title>&lt;b&gt;"#));
        assert!(drawn.as_str().contains(r#"<path class="arrow c1" d="M462.5 155L466 148L469.5 155Z"/>"#));
        assert!(drawn.as_str().contains(r#"<path class="dots c2" d="M64 284h0M466 155h0"/>"#));
        assert!(!drawn.as_str().contains("c3"), "nothing is drawn without points");
        assert_eq!(clipped("instances", 5), "inst…");
    }

    #[test]
    fn a_legend_that_would_touch_the_label_of_the_axis_is_above_it() {
        let keys = [("c0", "feasible"), ("c1", "infeasible"), ("c3", "incumbent"), ("c2", "front")];
        let draw = |label: &str, keys: &[(&str, &str)]| {
            let unit = Scale::exact(0.0, 1.0);
            let mut chart = Chart::new("", Size::NORMAL, unit, unit);
            chart.axes(("x", &|_| String::new()), (label, &|_| String::new()));
            chart.legend(keys);
            chart.finish().as_str().to_owned()
        };
        let beside = draw("cost", &keys);
        assert!(beside.contains(r#"viewBox="0 0 480 330""#), "{beside}");
        assert_eq!(beside.matches(r#"y="16""#).count(), 5, "the label and all keys share a line: {beside}");
        let above = draw("relative CPU time", &keys);
        assert!(above.contains(r#"viewBox="0 -18 480 348""#), "{above}");
        assert_eq!(
            (above.matches(r#"y="16""#).count(), above.matches(r#"y="-2""#).count()),
            (1, 4),
            "{above}"
        );
        let long = [("c0", "a name of 24 characters."); 4];
        let rows = draw("relative CPU time", &long);
        assert!(rows.contains(r#"viewBox="0 -36 480 366""#), "{rows}");
        assert_eq!(["-20", "-2"].map(|y| rows.matches(&format!(r#" y="{y}" "#)).count()), [2, 2]);
    }

    #[test]
    fn names_below_are_shortened_and_ascending_numbers_thinned() {
        let draw = |names: &[&str]| {
            let unit = Scale::exact(0.0, 1.0);
            let mut chart = Chart::new("", Size::SMALL, unit, unit);
            let at = |place: usize| (place as f64 + 0.5) / names.len() as f64;
            let names: Vec<(f64, String)> =
                names.iter().enumerate().map(|(place, name)| (at(place), (*name).to_owned())).collect();
            chart.names_below(&names);
            chart.finish().as_str().to_owned()
        };
        let numbers: Vec<String> = (1..=12).map(|number| (100 * number).to_string()).collect();
        let drawn = draw(&numbers.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(drawn.contains(">100<") && drawn.contains(">300<") && !drawn.contains(">200<"), "{drawn}");
        assert!(draw(&["2", "6", "1", "3"]).contains(">6<"), "unordered choices are all named");
    }
}
