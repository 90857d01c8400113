//! Draws box plots, with a panel per scenario and a box per configurator, all on one logarithmic scale. A box
//! extends from the lower to the upper quartile, with a line at the median. Whiskers end at the extremes, and
//! each cell is a dot. A line at 1 marks the default.

use super::svg::{Anchor, COLOURS, FAINT, INK, Picture};
use crate::quantiles::Quantiles;

/// Values of one configurator.
pub(crate) struct Group {
    pub(crate) name: String,
    /// Positive values.
    pub(crate) values: Vec<f64>,
}

/// One scenario.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) groups: Vec<Group>,
}

const LABELS: f64 = 200.0;
const WIDTH: f64 = 560.0;
const MARGIN: f64 = 20.0;
const HEAD: f64 = 50.0;
const BOX: f64 = 16.0;
const GAP: f64 = 14.0;

/// Returns the names of configurators in order of appearance.
fn names(panels: &[Panel]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for group in panels.iter().flat_map(|panel| &panel.groups) {
        if !names.contains(&group.name.as_str()) {
            names.push(&group.name);
        }
    }
    names
}

/// Draws all panels, one below the other.
pub(crate) fn boxes(panels: &[Panel]) -> String {
    let names = names(panels);
    let rows: usize = panels.iter().map(|panel| panel.groups.len()).sum();
    let height = HEAD + rows as f64 * BOX + panels.len() as f64 * GAP + 30.0;
    let mut picture = Picture::new(LABELS + WIDTH + 2.0 * MARGIN, height);
    let values = panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.values);
    let (lowest, highest) = values.fold((1.0f64, 1.0f64), |(a, b), &value| (a.min(value), b.max(value)));
    let (low, high) = (lowest.log10().floor(), highest.log10().ceil().max(lowest.log10().floor() + 1.0));
    let x = |value: f64| LABELS + MARGIN + WIDTH * (value.log10() - low) / (high - low);

    let mut right = LABELS + MARGIN;
    for (position, name) in names.iter().enumerate() {
        let colour = COLOURS[position % COLOURS.len()];
        picture.rectangle((right, 8.0), (12.0, 12.0), colour);
        picture.text((right + 18.0, 18.0), Anchor::Start, name);
        right += 36.0 + 7.0 * name.len() as f64;
    }
    for power in low as i32..=high as i32 {
        let value = 10f64.powi(power);
        let colour = if power == 0 { INK } else { FAINT };
        picture.line((x(value), HEAD - 8.0), (x(value), height - 26.0), colour, 1.0);
        picture.text((x(value), HEAD - 14.0), Anchor::Middle, &format!("{value}"));
    }
    picture.text((LABELS + MARGIN + WIDTH / 2.0, height - 8.0), Anchor::Middle, "cost / cost of the default");

    let mut top = HEAD;
    for panel in panels {
        let middle = top + panel.groups.len() as f64 * BOX / 2.0 + 4.0;
        picture.text((LABELS, middle), Anchor::End, &panel.title);
        for group in panel.groups.iter().filter(|group| !group.values.is_empty()) {
            let position = names.iter().position(|name| *name == group.name).unwrap_or(0);
            draw(&mut picture, group, COLOURS[position % COLOURS.len()], top + BOX / 2.0, &x);
            top += BOX;
        }
        top += GAP;
    }
    picture.finish()
}

fn draw(picture: &mut Picture, group: &Group, colour: &str, y: f64, x: &dyn Fn(f64) -> f64) {
    let quantiles = Quantiles::of(group.values.clone());
    let [lowest, first, median, third, highest] =
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| x(quantiles.at(share)));
    picture.line((lowest, y), (first, y), colour, 1.0);
    picture.line((third, y), (highest, y), colour, 1.0);
    let half = BOX * 0.35;
    picture.rectangle((first, y - half), ((third - first).max(1.0), 2.0 * half), colour);
    picture.line((median, y - half), (median, y + half), colour, 3.0);
    group.values.iter().for_each(|&value| picture.dot((x(value), y), colour));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_dot_on_a_logarithmic_scale() {
        let group = |name: &str, values: &[f64]| Group { name: name.to_owned(), values: values.to_vec() };
        let groups = vec![group("one", &[0.1, 0.01, 1.0]), group("two", &[0.5])];
        let drawn = boxes(&[Panel { title: "first".to_owned(), groups }]);
        assert_eq!(drawn.matches("<circle").count(), 4);
        // The scale goes from 0.01 to 1, with 0.1 in the middle.
        for at in ["220.0", "500.0", "780.0"] {
            assert!(drawn.contains(&format!("<circle cx=\"{at}\"")), "{drawn}");
        }
        assert!(drawn.contains(">two</text>") && drawn.contains(">first</text>"));
    }
}
