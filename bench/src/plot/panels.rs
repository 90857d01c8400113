//! Panels in a grid, all with the same two scales.

use super::svg::{Anchor, COLOURS, FAINT, INK, Picture};

/// A mark in one colour.
pub(crate) enum Mark {
    /// A line through all points.
    Line(Vec<(f64, f64)>),
    /// The area between the lower and the upper value at each x.
    Band(Vec<(f64, [f64; 2])>),
    Dots(Vec<(f64, f64)>),
}

/// One panel: marks in drawing order, each with the number of its colour.
pub(crate) struct Field {
    pub(crate) title: String,
    pub(crate) marks: Vec<(usize, Mark)>,
}

/// Settings shared by all panels.
pub(crate) struct Frame {
    /// Names of the colours for the legend; a colour with an empty name is left out.
    pub(crate) names: Vec<String>,
    /// Labels of the horizontal and the vertical axis.
    pub(crate) labels: [String; 2],
    /// Horizontal and vertical range; values outside are drawn at the edge.
    pub(crate) ranges: [[f64; 2]; 2],
    /// Number of panels per row.
    pub(crate) columns: usize,
}

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 58.0;
const MARGIN: f64 = 16.0;
const HEAD: f64 = 40.0;
const TITLE: f64 = 26.0;
const FOOT: f64 = 46.0;

/// Draws all panels.
pub(crate) fn panels(frame: &Frame, fields: &[Field]) -> String {
    let (across, down) = (LEFT + WIDTH + MARGIN, TITLE + HEIGHT + FOOT);
    let rows = fields.len().div_ceil(frame.columns);
    let mut picture = Picture::new(across * frame.columns as f64 + MARGIN, HEAD + down * rows as f64);
    let mut right = LEFT;
    for (name, colour) in frame.names.iter().zip(COLOURS).filter(|(name, _)| !name.is_empty()) {
        picture.rectangle((right, 8.0), (12.0, 12.0), colour);
        picture.text((right + 18.0, 18.0), Anchor::Start, name);
        right += 42.0 + 7.0 * name.len() as f64;
    }
    for (position, field) in fields.iter().enumerate() {
        let left = LEFT + across * (position % frame.columns) as f64;
        draw(&mut picture, frame, field, (left, HEAD + TITLE + down * (position / frame.columns) as f64));
    }
    picture.finish()
}

fn draw(picture: &mut Picture, frame: &Frame, field: &Field, (left, top): (f64, f64)) {
    let [horizontal, vertical] = frame.ranges;
    let share = |value: f64, [low, high]: [f64; 2]| ((value - low) / (high - low)).clamp(0.0, 1.0);
    let x = |value: f64| left + WIDTH * share(value, horizontal);
    let y = |value: f64| top + HEIGHT * (1.0 - share(value, vertical));
    let at = |&(a, b): &(f64, f64)| (x(a), y(b));
    let (right, bottom) = (left + WIDTH, top + HEIGHT);
    picture.text((left, top - 10.0), Anchor::Start, &field.title);
    for line in [[(left, bottom), (right, bottom)], [(left, top), (left, bottom)]] {
        picture.line(line[0], line[1], INK, 1.0);
    }
    for value in ticks(horizontal) {
        picture.line((x(value), top), (x(value), bottom), FAINT, 1.0);
        picture.text((x(value), bottom + 16.0), Anchor::Middle, &format!("{value}"));
    }
    for value in ticks(vertical) {
        picture.line((left, y(value)), (right, y(value)), FAINT, 1.0);
        picture.text((left - 6.0, y(value) + 4.0), Anchor::End, &format!("{value}"));
    }
    picture.text((left + WIDTH / 2.0, bottom + 32.0), Anchor::Middle, &frame.labels[0]);
    picture.text((left - 6.0, top - 10.0), Anchor::End, &frame.labels[1]);
    for (colour, mark) in &field.marks {
        let colour = COLOURS[colour % COLOURS.len()];
        match mark {
            Mark::Line(points) => picture.path(&points.iter().map(at).collect::<Vec<_>>(), colour),
            Mark::Band(points) => {
                let lower = points.iter().map(|(a, [low, _])| (x(*a), y(*low)));
                let upper = points.iter().rev().map(|(a, [_, high])| (x(*a), y(*high)));
                picture.area(&lower.chain(upper).collect::<Vec<_>>(), colour);
            }
            Mark::Dots(points) => points.iter().for_each(|point| picture.dot(at(point), colour)),
        }
    }
}

/// Returns three to six round values within a range.
fn ticks([low, high]: [f64; 2]) -> Vec<f64> {
    let power = 10f64.powf(((high - low) / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|it| it * power);
    let step = steps.into_iter().find(|step| (high - low) / step <= 5.0).unwrap_or(high - low);
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|number| rounded(number as f64 * step)).collect()
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
        assert!(drawn.contains("points=\"58.0,256.0 188.0,161.0 318.0,66.0\""), "{drawn}");
        assert!(drawn.contains("points=\"58.0,161.0 318.0,161.0 318.0,66.0 58.0,66.0\""), "{drawn}");
        assert!(drawn.contains("cx=\"188.0\" cy=\"161.0\""), "{drawn}");
        assert!(drawn.contains(">two</text>") && drawn.contains(">first</text>"));
    }

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(ticks([0.0, 1.0]), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks([-0.5, 3.2]), [0.0, 1.0, 2.0, 3.0]);
    }
}
