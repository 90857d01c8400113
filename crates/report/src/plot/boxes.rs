//! Box plots in groups, all on one logarithmic scale. A box extends from the lower to the upper quartile, with a
//! line at the median. Whiskers end at the extremes, and each value is a dot. A line marks 1.

use super::chart::{Chart, Size};
use super::scale::Scale;
use super::sheet::{colour, sheet};

/// Height of one box, and width of the names on the left.
const ROW: f64 = 16.0;
const NAMES: f64 = 210.0;

/// The values of one box.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxedValues {
    /// Name of the box in the legend; boxes with the same name have the same colour.
    pub name: String,
    /// Positive values.
    pub values: Vec<f64>,
    /// Smallest value, lower quartile, median, upper quartile and largest value.
    pub summary: [f64; 5],
}

/// Boxes that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct BoxGroup {
    /// The name of the group.
    pub title: String,
    /// The boxes, the first at the top.
    pub boxes: Vec<BoxedValues>,
}

/// Draws all groups as one file, one below the other.
pub fn boxes(label: &str, groups: &[BoxGroup]) -> String {
    let mut names: Vec<String> = Vec::new();
    for one in groups.iter().flat_map(|group| &group.boxes) {
        if !names.contains(&one.name) {
            names.push(one.name.clone());
        }
    }
    // Half a row separates two groups.
    let rows = |group: &BoxGroup| group.boxes.len() as f64 + 0.5;
    let all: f64 = groups.iter().map(rows).sum();
    let values = groups.iter().flat_map(|group| &group.boxes).flat_map(|one| one.values.iter().copied());
    let x = Scale::positive(values.chain([1.0]).collect::<Vec<_>>());
    let size = Size { width: 800.0, height: 72.0 + ROW * all };
    let mut chart = Chart::with_names("box plots", size, NAMES, x, Scale::exact(0.0, all));
    let tick = |value: f64| format!("{}", (value * 1e9).round() / 1e9);
    chart.axes((label, &tick), ("", &|_| String::new()));
    chart.guide((1.0, 0.0), (1.0, all), "equal", "");
    let mut top = all;
    for group in groups {
        chart.name_beside(top - rows(group) / 2.0, &group.title);
        for (place, one) in group.boxes.iter().enumerate().filter(|(_, one)| !one.values.is_empty()) {
            let y = top - 0.75 - place as f64;
            draw(&mut chart, one, y, colour(names.iter().position(|name| *name == one.name).unwrap_or(0)));
        }
        top -= rows(group);
    }
    sheet(&names, 1, vec![(String::new(), chart)])
}

fn draw(chart: &mut Chart, one: &BoxedValues, y: f64, class: &str) {
    let [lowest, first, median, third, highest] = one.summary;
    for (from, to) in [(lowest, first), (third, highest)] {
        chart.line(&[(from, y), (to, y)], &format!("thin {class}"));
    }
    chart.cell((first, y - 0.35), (third, y + 0.35), &format!("box {class}"), "");
    chart.line(&[(median, y - 0.35), (median, y + 0.35)], &format!("thick {class}"));
    one.values.iter().for_each(|&value| chart.dot((value, y), class, ""));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::number;

    #[test]
    fn every_value_has_a_dot_on_a_logarithmic_scale() {
        let one = |name: &str, values: &[f64], summary| BoxedValues {
            name: name.to_owned(),
            values: values.to_vec(),
            summary,
        };
        let boxed =
            vec![one("one", &[0.1, 0.01, 1.0], [0.01, 0.01, 0.1, 1.0, 1.0]), one("two", &[0.5], [0.5; 5])];
        let drawn = boxes("ratio", &[BoxGroup { title: "first".to_owned(), boxes: boxed }]);
        assert_eq!(drawn.matches("<circle").count(), 4);
        let at = |value: f64| {
            let share = (value / (0.01 / 1.1_f64)).ln() / (1.1_f64 / (0.01 / 1.1)).ln();
            format!("cx=\"{}\"", number(NAMES + (786.0 - NAMES) * share))
        };
        for value in [0.01, 0.1, 1.0] {
            assert!(drawn.contains(&at(value)), "{}: {drawn}", at(value));
        }
        assert_eq!(drawn.matches("class=\"box").count(), 2);
        assert!(drawn.contains(">two</text>") && drawn.contains(">first</text>"));
    }
}
