//! The axis of a parameter: where its values are drawn, and the cells that they are sorted into.
//!
//! Positions are between 0 and 1. Every choice and every value of a short range has a cell of its own, with
//! the value in the middle. A long range has cells of equal width. A part without a value, which a logarithmic
//! range of integers can have, belongs to the next cell. So an empty cell was not tried.

use space::{Domain, Grid, Literal, Parameter};

/// Number of cells of a long range.
const CELLS: usize = 8;
/// Largest number of values that have a cell each.
const SHORT: u64 = 12;

/// The axis of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// Positions with the values there.
    pub(super) ticks: Vec<(f64, String)>,
    /// The ends of the cells.
    pub(super) edges: Vec<f64>,
    /// The encoded values of a short range; empty for other parameters.
    levels: Vec<f64>,
}

impl Axis {
    pub(super) fn of(parameter: &Parameter) -> Self {
        match parameter.domain() {
            Domain::Choices(choices) => {
                let names = choices.values().iter().map(Literal::to_string).collect();
                Self { levels: Vec::new(), ..Self::of_each(names) }
            }
            Domain::Range(range) => match (range.grid(), range.fixed_bounds()) {
                (Some(grid), _) if grid.count() <= SHORT => {
                    let names = (0..grid.count()).map(|index| short(grid.value(index))).collect();
                    let levels = (0..grid.count()).map(|index| grid.position(index)).collect();
                    Self { levels, ..Self::of_each(names) }
                }
                (Some(grid), _) => {
                    let tick = |index: u64| (grid.position(index), short(grid.value(index)));
                    let mut edges = equal(CELLS);
                    let mut last = 0;
                    edges.retain(|&edge| {
                        let below = below(&grid, edge);
                        // The first edge has no value below.
                        edge == 0.0 || std::mem::replace(&mut last, below) < below
                    });
                    Self { ticks: vec![tick(0), tick(grid.count() - 1)], edges, levels: Vec::new() }
                }
                (None, bounds) => {
                    let names = bounds
                        .map_or(["low".to_owned(), "high".to_owned()], |(low, high)| [low, high].map(short));
                    let ticks = [0.0, 1.0].into_iter().zip(names).collect();
                    Self { ticks, edges: equal(CELLS), levels: Vec::new() }
                }
            },
        }
    }

    /// Returns an axis with a cell for each name.
    fn of_each(names: Vec<String>) -> Self {
        let count = names.len().max(1);
        let ticks = names.into_iter().enumerate().map(|(place, name)| (middle(place, count), name));
        Self { ticks: ticks.collect(), edges: equal(count), levels: Vec::new() }
    }

    /// Returns the position of an encoded value; `None` if it is inactive.
    pub(super) fn position(&self, encoded: f64) -> Option<f64> {
        if encoded < 0.0 {
            return None;
        }
        let distance = |level: &f64| (level - encoded).abs();
        let nearest = (0..self.levels.len())
            .min_by(|&a, &b| distance(&self.levels[a]).total_cmp(&distance(&self.levels[b])));
        Some(nearest.map_or(encoded, |place| middle(place, self.levels.len())))
    }

    /// Returns the number of the cell that contains a position.
    pub(super) fn cell(&self, at: f64) -> usize {
        self.edges[1..self.edges.len() - 1].partition_point(|&edge| edge <= at)
    }

    /// Returns positions with the encoded values there: one for each choice or each value of a short range,
    /// otherwise the middles of this many equal parts.
    pub(super) fn samples(&self, parameter: &Parameter, most: usize) -> Vec<(f64, f64)> {
        if !self.levels.is_empty() {
            let all = self.levels.iter().enumerate();
            return all.map(|(place, &encoded)| (middle(place, self.levels.len()), encoded)).collect();
        }
        let count = parameter.choices().map_or(most, |choices| choices.count().max(1));
        (0..count).map(|place| middle(place, count)).map(|at| (at, at)).collect()
    }
}

/// Returns the number of grid points below a position.
fn below(grid: &Grid, at: f64) -> u64 {
    let (mut low, mut high) = (0, grid.count());
    while low < high {
        let middle = low + (high - low) / 2;
        if grid.position(middle) < at { low = middle + 1 } else { high = middle }
    }
    low
}

/// Returns the ends of equal parts.
fn equal(parts: usize) -> Vec<f64> {
    (0..=parts).map(|number| number as f64 / parts as f64).collect()
}

fn middle(place: usize, count: usize) -> f64 {
    (place as f64 + 0.5) / count as f64
}

fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{number:.1e}");
    }
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use space::format::{Format, read};

    use super::*;

    /// Returns the axis of a parameter with this definition, and the encoded value of each literal.
    fn axis(definition: &str, values: &[i64]) -> (Axis, Vec<f64>) {
        let space = read(&format!("x = {definition}"), "space.toml", Format::Toml).unwrap();
        let encode =
            |&value: &i64| space.encode(&space.configuration([("x", Literal::Integer(value))]).unwrap())[0];
        (Axis::of(&space.parameters()[0]), values.iter().map(encode).collect())
    }

    #[test]
    fn each_value_of_a_short_range_is_in_the_middle_of_its_cell() {
        for definition in ["{ integer = [0, 2] }", "{ integer = [1, 3], log = true }"] {
            let low = i64::from(definition.contains("log"));
            let (axis, encoded) = axis(definition, &[low, low + 1, low + 2]);
            assert_eq!(axis.edges, [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
            let names: Vec<&str> = axis.ticks.iter().map(|(_, name)| name.as_str()).collect();
            assert_eq!(names, if low == 0 { ["0", "1", "2"] } else { ["1", "2", "3"] });
            for (place, &encoded) in encoded.iter().enumerate() {
                let at = axis.position(encoded).unwrap();
                assert_eq!((at, axis.cell(at)), (axis.ticks[place].0, place), "{definition}");
                assert_eq!(at, middle(place, 3));
                assert_eq!(axis.levels[place], encoded, "{definition}");
            }
        }
    }

    #[test]
    fn cells_of_a_long_range_contain_values_and_ticks_are_at_them() {
        for definition in ["{ integer = [1, 13], log = true }", "{ integer = [1, 400] }"] {
            let high = if definition.contains("13") { 13 } else { 400 };
            let values: Vec<i64> = (1..=high).collect();
            let (axis, encoded) = axis(definition, &values);
            for cell in 0..axis.edges.len() - 1 {
                assert!(encoded.iter().any(|&at| axis.cell(at) == cell), "{definition} {cell}");
            }
            let ends = [axis.ticks[0].0, axis.ticks[1].0];
            let expected = [encoded[0], encoded[encoded.len() - 1]];
            assert_eq!(ends, expected, "{definition}");
            assert_eq!([&axis.ticks[0].1, &axis.ticks[1].1], ["1", &high.to_string()]);
        }
    }

    #[test]
    fn real_numbers_and_choices_keep_their_positions() {
        let (axis, _) = axis("{ float = [0.5, 4.0] }", &[]);
        assert_eq!(
            (axis.ticks[1].clone(), axis.edges.len(), axis.position(0.3)),
            ((1.0, "4".to_owned()), 9, Some(0.3))
        );
        let (axis, encoded) = self::axis("{ choices = [2, 6, 1, 3] }", &[2, 6, 1, 3]);
        assert_eq!(encoded, axis.ticks.iter().map(|(at, _)| *at).collect::<Vec<_>>());
        assert_eq!((axis.position(encoded[1]), axis.position(-1.0)), (Some(0.375), None));
    }
}
