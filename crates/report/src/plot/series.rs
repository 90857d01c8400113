//! Line charts over ordered categories: a line through the medians of each series, and bars from the lower to the
//! upper quartile. Each chart has its own scale.

use super::chart::{Chart, Size};
use super::scale::Scale;
use super::sheet::{colour, sheet};

const SIZE: Size = Size { width: 380.0, height: 262.0 };

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Lower quartile, median and upper quartile at each category.
    pub points: Vec<[f64; 3]>,
}

/// One chart.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesChart {
    /// Its title.
    pub title: String,
    /// Label of the horizontal axis.
    pub label: String,
    /// The categories from left to right.
    pub categories: Vec<String>,
    /// The lines.
    pub series: Vec<Series>,
}

/// Draws all charts as one file, this many beside each other. All have the series of the first one.
pub fn series_charts(charts: &[SeriesChart], columns: usize) -> String {
    let names: Vec<String> =
        charts.iter().take(1).flat_map(|chart| &chart.series).map(|series| series.name.clone()).collect();
    sheet(&names, columns, charts.iter().map(|one| (one.title.clone(), draw(one))).collect())
}

fn draw(own: &SeriesChart) -> Chart {
    let values = own.series.iter().flat_map(|series| series.points.iter().flatten().copied());
    let count = own.categories.len().max(1) as f64;
    let mut chart =
        Chart::new(&own.title, SIZE, Scale::exact(0.0, count), Scale::linear(values.collect::<Vec<_>>()));
    let tick = |value: f64| format!("{}", (value * 1e9).round() / 1e9);
    chart.axes((&own.label, &|_| String::new()), ("", &tick));
    let middle = |place: usize| place as f64 + 0.5;
    let names = own.categories.iter().enumerate().map(|(place, name)| (middle(place) / count, name.clone()));
    chart.names_below(&names.collect::<Vec<_>>());
    for (number, series) in own.series.iter().enumerate() {
        // The series are shifted sideways, so that no bar hides another.
        let shift = 0.05 * (number as f64 - (own.series.len() as f64 - 1.0) / 2.0);
        let x = |place: usize| middle(place) + shift;
        for (place, &[low, median, high]) in series.points.iter().enumerate() {
            chart.line(&[(x(place), low), (x(place), high)], &format!("thin {}", colour(number)));
            chart.dot((x(place), median), colour(number), "");
        }
        let medians = series.points.iter().enumerate().map(|(place, point)| (x(place), point[1]));
        chart.line(&medians.collect::<Vec<_>>(), colour(number));
    }
    chart
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
        let chart = SeriesChart {
            title: "one".to_owned(),
            label: "slack".to_owned(),
            categories: vec!["1".to_owned(), "2".to_owned()],
            series: vec![series("drop", 0.25), series("mean", 0.5)],
        };
        let drawn = series_charts(&[chart], 2);
        assert_eq!(drawn.matches("<circle").count(), 4);
        for (class, expected) in [("line c0", 1), ("line c1", 1), ("line thin c0", 2), ("line thin c1", 2)] {
            assert_eq!(drawn.matches(&format!("class=\"{class}\"")).count(), expected, "{class}");
        }
        // At a quarter and at half of the height between 216 and 26.
        assert!(drawn.contains("cy=\"168.5\"") && drawn.contains("cy=\"121\""), "{drawn}");
    }
}
