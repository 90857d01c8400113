//! Draws line charts in a grid. Categories are ordered from left to right. Each series has a line through its
//! medians, and bars from the lower to the upper quartile. Each chart has its own scale.

use super::svg::{Anchor, COLOURS, FAINT, Picture};

/// One line.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Lower quartile, median and upper quartile at each category.
    pub(crate) points: Vec<[f64; 3]>,
}

/// One chart.
pub(crate) struct Chart {
    pub(crate) title: String,
    /// Label of the horizontal axis.
    pub(crate) label: String,
    pub(crate) categories: Vec<String>,
    pub(crate) series: Vec<Series>,
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 56.0;
const MARGIN: f64 = 20.0;
const HEAD: f64 = 40.0;
const TITLE: f64 = 26.0;
const FOOT: f64 = 46.0;

/// Returns a step of 1, 2 or 5 times a power of ten that divides a range into three to eight parts.
fn step(spread: f64) -> f64 {
    let power = 10f64.powf((spread / 8.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|it| it * power).find(|it| spread / it <= 8.0).unwrap_or(spread)
}

/// Draws all charts in a grid with this number of columns.
pub(crate) fn charts(charts: &[Chart], columns: usize) -> String {
    let (across, down) = (LEFT + WIDTH + MARGIN, TITLE + HEIGHT + FOOT);
    let rows = charts.len().div_ceil(columns);
    let mut picture = Picture::new(across * columns as f64 + MARGIN, HEAD + down * rows as f64);
    let mut right = LEFT;
    for (series, colour) in charts.iter().take(1).flat_map(|chart| &chart.series).zip(COLOURS) {
        picture.rectangle((right, 8.0), (12.0, 12.0), colour);
        picture.text((right + 18.0, 18.0), Anchor::Start, &series.name);
        right += 42.0 + 7.0 * series.name.len() as f64;
    }
    for (position, chart) in charts.iter().enumerate() {
        let left = LEFT + across * (position % columns) as f64;
        draw(&mut picture, chart, (left, HEAD + TITLE + down * (position / columns) as f64));
    }
    picture.finish()
}

fn draw(picture: &mut Picture, chart: &Chart, (left, top): (f64, f64)) {
    let values = || chart.series.iter().flat_map(|series| series.points.iter().flatten());
    let (lowest, highest) =
        values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    let step = step((highest - lowest).max(1e-9));
    let (low, high) = ((lowest / step).floor(), (highest / step).ceil().max((lowest / step).floor() + 1.0));
    let y = |value: f64| top + HEIGHT * (high - value / step) / (high - low);
    let x = |position: usize| left + WIDTH * (position as f64 + 0.5) / chart.categories.len() as f64;
    picture.text((left, top - 10.0), Anchor::Start, &chart.title);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for line in low as i64..=high as i64 {
        let value = line as f64 * step;
        picture.line((left, y(value)), (left + WIDTH, y(value)), FAINT, 1.0);
        picture.text((left - 6.0, y(value) + 4.0), Anchor::End, &format!("{value:.digits$}"));
    }
    for (position, name) in chart.categories.iter().enumerate() {
        picture.text((x(position), top + HEIGHT + 16.0), Anchor::Middle, name);
    }
    picture.text((left + WIDTH / 2.0, top + HEIGHT + 32.0), Anchor::Middle, &chart.label);
    for (number, (series, colour)) in chart.series.iter().zip(COLOURS).enumerate() {
        // The series are shifted sideways, so that no bar hides another.
        let shift = 4.0 * (number as f64 - (chart.series.len() as f64 - 1.0) / 2.0);
        let at = |(position, [low, median, high]): (usize, &[f64; 3])| {
            (x(position) + shift, [*low, *median, *high].map(y))
        };
        let points: Vec<(f64, [f64; 3])> = series.points.iter().enumerate().map(at).collect();
        for &(x, [low, median, high]) in &points {
            picture.line((x, low), (x, high), colour, 1.0);
            picture.dot((x, median), colour);
        }
        for two in points.windows(2) {
            picture.line((two[0].0, two[0].1[1]), (two[1].0, two[1].1[1]), colour, 1.5);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_median_has_a_dot_and_every_series_a_line() {
        let series = |name: &str, middle: f64| Series {
            name: name.to_owned(),
            points: vec![[0.0, middle, 1.0], [0.0, 0.1, 1.0]],
        };
        let chart = Chart {
            title: "one".to_owned(),
            label: "slack".to_owned(),
            categories: vec!["1".to_owned(), "2".to_owned()],
            series: vec![series("drop", 0.25), series("mean", 0.5)],
        };
        let drawn = charts(&[chart], 2);
        assert_eq!(drawn.matches("<circle").count(), 4);
        assert_eq!(drawn.matches("stroke-width=\"1.5\"").count(), 2, "one segment per series");
        // At a quarter and at half of the height of a chart whose top is at 66.
        assert!(drawn.contains("cy=\"208.5\"") && drawn.contains("cy=\"161.0\""), "{drawn}");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([step(0.7), step(8.0), step(9.0), step(45.0)], [0.1, 1.0, 2.0, 10.0]);
    }
}
