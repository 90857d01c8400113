//! Rows of a training set as points with distances.
//!
//! | column | coordinates | distance |
//! |---|---|---|
//! | number | its place in [0, 1]; 1/2 where it is inactive | the squared difference |
//! | the same, if a training row leaves it inactive, in addition | whether it is active | 1 if they differ |
//! | category | its index; one more where it is inactive | 1 if they differ |
//!
//! All coordinates of a column share its length.

use std::collections::HashMap;

use super::prior::Prior;
use crate::{Column, TrainingSet};

/// How two values of a coordinate are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compared {
    /// By their squared difference.
    Numbers,
    /// 1 if they differ.
    Names,
}

/// One coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coordinate {
    pub(super) column: usize,
    pub(super) compared: Compared,
}

/// How rows become points.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Coordinates {
    columns: Vec<Column>,
    coordinates: Vec<Coordinate>,
    /// How many of these belong to configurations.
    configuration_width: usize,
}

impl Coordinates {
    /// For rows like those of a training set.
    pub(super) fn of(data: &TrainingSet<'_>) -> Self {
        let columns = data.columns().to_vec();
        let mut flagged = vec![false; columns.len()];
        for point in 0..data.len() {
            for (flagged, value) in flagged.iter_mut().zip(data.row(point)) {
                *flagged |= value < 0.0;
            }
        }
        let mut coordinates = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            let mut add = |compared| coordinates.push(Coordinate { column: index, compared });
            match column {
                Column::Category(_) => add(Compared::Names),
                Column::Number => {
                    add(Compared::Numbers);
                    if flagged[index] {
                        add(Compared::Names);
                    }
                }
            }
        }
        let own = |coordinate: &&Coordinate| coordinate.column < data.configuration_width();
        let configuration_width = coordinates.iter().filter(own).count();
        Self { columns, coordinates, configuration_width }
    }

    /// How many columns rows have.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// One after the other.
    pub(super) fn all(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// How many of them belong to configurations; the others to instances.
    pub(super) fn configuration_width(&self) -> usize {
        self.configuration_width
    }

    /// What is likely of lengths, variation and noise.
    pub(super) fn prior(&self) -> Prior {
        Prior::new(self.columns.len(), self.configuration_width < self.coordinates.len())
    }

    /// No point, in these coordinates.
    pub(super) fn table(&self) -> Table {
        Table::new(self.coordinates.len(), self.configuration_width)
    }

    /// The coordinates of a row that begins at a column.
    pub(super) fn of_row(&self, first: usize, row: &[f64], out: &mut Vec<f64>) {
        for coordinate in &self.coordinates {
            let Some(&value) = coordinate.column.checked_sub(first).and_then(|at| row.get(at)) else {
                continue;
            };
            out.push(match (self.columns[coordinate.column], coordinate.compared) {
                (Column::Category(count), _) => Column::category(count, value) as f64,
                (Column::Number, Compared::Numbers) if value < 0.0 => 0.5,
                (Column::Number, Compared::Numbers) => value,
                (Column::Number, Compared::Names) => f64::from(u8::from(value < 0.0)),
            });
        }
    }
}

/// Points, coordinate by coordinate, so that distances to all of them are computed side by side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Table {
    by_coordinate: Vec<Vec<f64>>,
    /// How many coordinates belong to configurations; the others to instances.
    configuration_width: usize,
    /// The number of each point's instance, in the order of appearance.
    instances: Vec<u32>,
    /// The same, by the bits of its coordinates.
    by_instance: HashMap<Vec<u64>, u32>,
}

impl Table {
    /// For points of so many coordinates, of which the first belong to configurations.
    pub(super) fn new(width: usize, configuration_width: usize) -> Self {
        Self {
            by_coordinate: vec![Vec::new(); width],
            configuration_width,
            instances: Vec::new(),
            by_instance: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, point: &[f64]) {
        self.by_coordinate.iter_mut().zip(point).for_each(|(all, value)| all.push(*value));
        let next = self.by_instance.len() as u32;
        let bits = bits(&point[self.configuration_width..]);
        self.instances.push(*self.by_instance.entry(bits).or_insert(next));
    }

    pub(super) fn len(&self) -> usize {
        self.instances.len()
    }

    /// How many coordinates belong to configurations.
    pub(super) fn configuration_width(&self) -> usize {
        self.configuration_width
    }

    /// The number of each point's instance.
    pub(super) fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// How many instances its points have.
    pub(super) fn instance_count(&self) -> usize {
        self.by_instance.len()
    }

    /// The number of an instance by its coordinates; `None` if no point has it.
    pub(super) fn instance(&self, coordinates: &[f64]) -> Option<u32> {
        self.by_instance.get(&bits(coordinates)).copied()
    }

    /// How many coordinates points have.
    pub(super) fn width(&self) -> usize {
        self.by_coordinate.len()
    }

    /// The values of a coordinate.
    pub(super) fn coordinate(&self, index: usize) -> &[f64] {
        &self.by_coordinate[index]
    }

    /// The coordinates of a point.
    pub(super) fn point(&self, at: usize) -> Vec<f64> {
        self.by_coordinate.iter().map(|values| values[at]).collect()
    }
}

fn bits(coordinates: &[f64]) -> Vec<u64> {
    coordinates.iter().map(|x| x.to_bits()).collect()
}
