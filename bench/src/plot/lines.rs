//! Charts of lines in a grid: places from left to right, a line for each series through its medians, bars from
//! quartile to quartile. Each chart has a scale of its own.

use super::svg::{Anchor, COLOURS, FAINT, Picture};

/// One line.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Quartile, median and quartile at each place.
    pub(crate) points: Vec<[f64; 3]>,
}

/// One chart.
pub(crate) struct Chart {
    pub(crate) title: String,
    /// What the places are.
    pub(crate) below: String,
    pub(crate) places: Vec<String>,
    pub(crate) series: Vec<Series>,
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 56.0;
const MARGIN: f64 = 20.0;
const HEAD: f64 = 40.0;
const TITLE: f64 = 26.0;
const FOOT: f64 = 46.0;

/// Steps of 1, 2 or 5 times a power of ten that part a spread into three to eight.
fn step(spread: f64) -> f64 {
    let power = 10f64.powf((spread / 8.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|it| it * power).find(|it| spread / it <= 8.0).unwrap_or(spread)
}

/// Draws all charts, so many in a row.
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
    for (place, chart) in charts.iter().enumerate() {
        let left = LEFT + across * (place % columns) as f64;
        draw(&mut picture, chart, (left, HEAD + TITLE + down * (place / columns) as f64));
    }
    picture.finish()
}

fn draw(picture: &mut Picture, chart: &Chart, (left, top): (f64, f64)) {
    let values = || chart.series.iter().flat_map(|series| series.points.iter().flatten());
    let (least, most) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    let step = step((most - least).max(1e-9));
    let (low, high) = ((least / step).floor(), (most / step).ceil().max((least / step).floor() + 1.0));
    let y = |value: f64| top + HEIGHT * (high - value / step) / (high - low);
    let x = |place: usize| left + WIDTH * (place as f64 + 0.5) / chart.places.len() as f64;
    picture.text((left, top - 10.0), Anchor::Start, &chart.title);
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for line in low as i64..=high as i64 {
        let value = line as f64 * step;
        picture.line((left, y(value)), (left + WIDTH, y(value)), FAINT, 1.0);
        picture.text((left - 6.0, y(value) + 4.0), Anchor::End, &format!("{value:.digits$}"));
    }
    for (place, name) in chart.places.iter().enumerate() {
        picture.text((x(place), top + HEIGHT + 16.0), Anchor::Middle, name);
    }
    picture.text((left + WIDTH / 2.0, top + HEIGHT + 32.0), Anchor::Middle, &chart.below);
    for (number, (series, colour)) in chart.series.iter().zip(COLOURS).enumerate() {
        // Beside each other, so that no bar hides another.
        let aside = 4.0 * (number as f64 - (chart.series.len() as f64 - 1.0) / 2.0);
        let at = |(place, [low, median, high]): (usize, &[f64; 3])| {
            (x(place) + aside, [*low, *median, *high].map(y))
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
    fn every_median_is_a_dot_and_every_series_a_line() {
        let series = |name: &str, middle: f64| Series {
            name: name.to_owned(),
            points: vec![[0.0, middle, 1.0], [0.0, 0.1, 1.0]],
        };
        let chart = Chart {
            title: "one".to_owned(),
            below: "slack".to_owned(),
            places: vec!["1".to_owned(), "2".to_owned()],
            series: vec![series("drop", 0.25), series("mean", 0.5)],
        };
        let drawn = charts(&[chart], 2);
        assert_eq!(drawn.matches("<circle").count(), 4);
        assert_eq!(drawn.matches("stroke-width=\"1.5\"").count(), 2, "one from place to place for each");
        // A quarter up a chart whose top is at 66, and half way.
        assert!(drawn.contains("cy=\"208.5\"") && drawn.contains("cy=\"161.0\""), "{drawn}");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([step(0.7), step(8.0), step(9.0), step(45.0)], [0.1, 1.0, 2.0, 10.0]);
    }
}
