//! Rows of a training set as points with distances.
//!
//! | column | coordinates | distance |
//! |---|---|---|
//! | number | its place in [0, 1]; 1/2 where it is inactive | the squared difference |
//! | the same, if a training row leaves it inactive, in addition | whether it is active | 1 if they differ |
//! | category | its index; one more where it is inactive | 1 if they differ |
//!
//! All coordinates of a column share its length.

use crate::surrogate::{Column, TrainingSet};

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
        Self { columns, coordinates }
    }

    /// How many columns rows have.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// One after the other.
    pub(super) fn all(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// How many coordinates the first columns become.
    pub(super) fn width_of(&self, columns: usize) -> usize {
        self.coordinates.iter().filter(|coordinate| coordinate.column < columns).count()
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
    len: usize,
}

impl Table {
    pub(super) fn new(width: usize) -> Self {
        Self { by_coordinate: vec![Vec::new(); width], len: 0 }
    }

    pub(super) fn push(&mut self, point: &[f64]) {
        self.by_coordinate.iter_mut().zip(point).for_each(|(all, value)| all.push(*value));
        self.len += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.len
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
