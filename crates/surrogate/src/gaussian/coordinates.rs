//! Rows of a training set as points with distances.
//!
//! | column | coordinates | distance |
//! |---|---|---|
//! | number | its position in [0, 1]; 1/2 if inactive | the squared difference |
//! | additionally, for numbers inactive in a training row | whether it is active | 1 if they differ |
//! | category | its index; one past the last if inactive | 1 if they differ |
//!
//! All coordinates of a column share its length scale.

use std::collections::HashMap;

use super::prior::Prior;
use crate::{Column, TrainingSet};

/// The measure of distance between two values of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compared {
    /// The squared difference.
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

/// The conversion of rows to points.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Coordinates {
    columns: Vec<Column>,
    coordinates: Vec<Coordinate>,
    /// Number of coordinates that belong to configurations.
    configuration_width: usize,
}

impl Coordinates {
    /// Creates the conversion for rows like those of a training set.
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

    /// Returns the number of columns of a row.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns all coordinates.
    pub(super) fn all(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Returns the number of coordinates that belong to configurations; the others belong to instances.
    pub(super) fn configuration_width(&self) -> usize {
        self.configuration_width
    }

    /// Returns the prior on the hyperparameters.
    pub(super) fn prior(&self) -> Prior {
        Prior::new(self.columns.len(), self.configuration_width < self.coordinates.len())
    }

    /// Returns an empty table with these coordinates.
    pub(super) fn table(&self) -> Table {
        Table::new(self.coordinates.len(), self.configuration_width)
    }

    /// Appends the coordinates of a row that begins at column `first`.
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

/// Points stored coordinate by coordinate, so that distances to all of them can be vectorised.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Table {
    by_coordinate: Vec<Vec<f64>>,
    /// Number of coordinates that belong to configurations; the others belong to instances.
    configuration_width: usize,
    /// The instance of each point. Instances are numbered in order of appearance.
    instances: Vec<u32>,
    /// The number of each instance, keyed by the bits of its coordinates.
    by_instance: HashMap<Vec<u64>, u32>,
}

impl Table {
    /// Creates an empty table for points with `width` coordinates, of which the first `configuration_width`
    /// belong to configurations.
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

    /// Returns the number of coordinates that belong to configurations.
    pub(super) fn configuration_width(&self) -> usize {
        self.configuration_width
    }

    /// Returns the instance number of each point.
    pub(super) fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Returns the number of different instances among the points.
    pub(super) fn instance_count(&self) -> usize {
        self.by_instance.len()
    }

    /// Returns the number of the instance with these coordinates; `None` if no point is on that instance.
    pub(super) fn instance(&self, coordinates: &[f64]) -> Option<u32> {
        self.by_instance.get(&bits(coordinates)).copied()
    }

    /// Returns the number of coordinates of a point.
    pub(super) fn width(&self) -> usize {
        self.by_coordinate.len()
    }

    /// Returns the values of one coordinate for all points.
    pub(super) fn coordinate(&self, index: usize) -> &[f64] {
        &self.by_coordinate[index]
    }

    /// Returns the coordinates of a point.
    pub(super) fn point(&self, at: usize) -> Vec<f64> {
        self.by_coordinate.iter().map(|values| values[at]).collect()
    }
}

fn bits(coordinates: &[f64]) -> Vec<u64> {
    coordinates.iter().map(|x| x.to_bits()).collect()
}
