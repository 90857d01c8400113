//! Panels in a grid, all with the same two scales.

use super::chart::{Chart, Size};
use super::scale::Scale;
use super::sheet::{colour, sheet};

const SIZE: Size = Size { width: 340.0, height: 262.0 };

/// A mark in one colour.
#[derive(Clone, PartialEq, Debug)]
pub enum Mark {
    /// A line through all points.
    Line(Vec<(f64, f64)>),
    /// The area between the lower and the upper value at each x.
    Band(Vec<(f64, [f64; 2])>),
    /// A dot for each point.
    Dots(Vec<(f64, f64)>),
}

/// One panel: marks in drawing order, each with the number of its colour.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// The title.
    pub title: String,
    /// The marks.
    pub marks: Vec<(usize, Mark)>,
}

/// Settings shared by all panels.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// Names of the colours for the legend; a colour with an empty name is left out.
    pub names: Vec<String>,
    /// Labels of the horizontal and the vertical axis.
    pub labels: [String; 2],
    /// Horizontal and vertical range; values outside are drawn at the edge.
    pub ranges: [[f64; 2]; 2],
    /// Number of panels per row.
    pub columns: usize,
}

/// Draws all panels as one file.
pub fn panels(frame: &Frame, fields: &[Field]) -> String {
    let [x, y] = frame.ranges.map(|[low, high]| Scale::exact(low, high));
    let tick = |value: f64| format!("{}", (value * 1e6).round() / 1e6);
    let draw = |field: &Field| {
        let mut chart = Chart::new(&field.title, SIZE, x, y);
        chart.axes((&frame.labels[0], &tick), (&frame.labels[1], &tick));
        for (place, mark) in &field.marks {
            match mark {
                Mark::Line(points) => chart.line(points, colour(*place)),
                Mark::Band(points) => chart.band(points, colour(*place)),
                Mark::Dots(points) => points.iter().for_each(|&point| chart.dot(point, colour(*place), "")),
            }
        }
        (field.title.clone(), chart)
    };
    sheet(&frame.names, frame.columns, fields.iter().map(draw).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_their_values_and_never_outside() {
        let frame = Frame {
            names: vec!["one".to_owned(), "two".to_owned()],
            labels: ["x".to_owned(), "y".to_owned()],
            ranges: [[0.0, 1.0], [-1.0, 1.0]],
            columns: 2,
        };
        let marks = vec![
            (1, Mark::Band(vec![(0.0, [0.0, 1.0]), (1.0, [0.0, 1.0])])),
            (0, Mark::Line(vec![(0.0, -1.0), (0.5, 0.0), (1.0, 7.0)])),
            (0, Mark::Dots(vec![(0.5, 0.0)])),
        ];
        let drawn = panels(&frame, &[Field { title: "first".to_owned(), marks }]);
        // The plot area goes from 64 to 326 and from 216 up to 26.
        assert!(drawn.contains("class=\"line c0\" d=\"M64 216L195 121L326 26\""), "{drawn}");
        assert!(drawn.contains("class=\"band c1\" d=\"M64 121L326 121L326 26L64 26Z\""), "{drawn}");
        assert!(drawn.contains("cx=\"195\" cy=\"121\""), "{drawn}");
        assert!(drawn.contains(">two</text>") && drawn.contains(">first</text>"));
    }
}
