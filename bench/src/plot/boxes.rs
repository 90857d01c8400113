//! Box plots side by side: a panel for each scenario, a box for each configurator, logarithmic, all panels on one
//! scale. A box goes from quartile to quartile with the median as a line; whiskers end at the extremes; each
//! cell is a dot. A line at 1 marks the default.

use super::svg::{Anchor, COLOURS, FAINT, INK, Picture};
use crate::quantiles::Quantiles;

/// The values of one configurator.
pub(crate) struct Group {
    pub(crate) name: String,
    /// Positive.
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

/// The names of configurators, in the order in which they appear.
fn names(panels: &[Panel]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for group in panels.iter().flat_map(|panel| &panel.groups) {
        if !names.contains(&group.name.as_str()) {
            names.push(&group.name);
        }
    }
    names
}

/// Draws all panels below each other.
pub(crate) fn boxes(panels: &[Panel]) -> String {
    let names = names(panels);
    let rows: usize = panels.iter().map(|panel| panel.groups.len()).sum();
    let height = HEAD + rows as f64 * BOX + panels.len() as f64 * GAP + 30.0;
    let mut picture = Picture::new(LABELS + WIDTH + 2.0 * MARGIN, height);
    let values = panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.values);
    let (least, most) = values.fold((1.0f64, 1.0f64), |(a, b), &value| (a.min(value), b.max(value)));
    let (low, high) = (least.log10().floor(), most.log10().ceil().max(least.log10().floor() + 1.0));
    let x = |value: f64| LABELS + MARGIN + WIDTH * (value.log10() - low) / (high - low);

    let mut right = LABELS + MARGIN;
    for (place, name) in names.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
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
            let place = names.iter().position(|name| *name == group.name).unwrap_or(0);
            draw(&mut picture, group, COLOURS[place % COLOURS.len()], top + BOX / 2.0, &x);
            top += BOX;
        }
        top += GAP;
    }
    picture.finish()
}

fn draw(picture: &mut Picture, group: &Group, colour: &str, y: f64, x: &dyn Fn(f64) -> f64) {
    let quantiles = Quantiles::of(group.values.clone());
    let [least, first, median, third, most] = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| x(quantiles.at(share)));
    picture.line((least, y), (first, y), colour, 1.0);
    picture.line((third, y), (most, y), colour, 1.0);
    let half = BOX * 0.35;
    picture.rectangle((first, y - half), ((third - first).max(1.0), 2.0 * half), colour);
    picture.line((median, y - half), (median, y + half), colour, 3.0);
    group.values.iter().for_each(|&value| picture.dot((x(value), y), colour));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_a_dot_on_a_logarithmic_scale() {
        let group = |name: &str, values: &[f64]| Group { name: name.to_owned(), values: values.to_vec() };
        let groups = vec![group("one", &[0.1, 0.01, 1.0]), group("two", &[0.5])];
        let drawn = boxes(&[Panel { title: "first".to_owned(), groups }]);
        assert_eq!(drawn.matches("<circle").count(), 4);
        // From 0.01 to 1, in the middle 0.1.
        for at in ["220.0", "500.0", "780.0"] {
            assert!(drawn.contains(&format!("<circle cx=\"{at}\"")), "{drawn}");
        }
        assert!(drawn.contains(">two</text>") && drawn.contains(">first</text>"));
    }
}
