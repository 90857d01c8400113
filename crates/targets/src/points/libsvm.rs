//! The text format of LIBSVM: one point per line, with its class and its non-zero coordinates.
//!
//! ```text
//! +1 1:0.5 3:-2
//! -1 2:1
//! ```
//!
//! Coordinates are numbered from 1, in increasing order. Classes are numbers; they are renumbered from 0 in
//! increasing order. `#` begins a comment, and empty lines are ignored.

use std::fmt::Write as _;

use super::Points;

/// Largest number of a coordinate. A typing error must not reserve all memory.
const LARGEST: usize = 100_000;
/// Largest number of coordinates of all points together.
const MOST_COORDINATES: usize = 1 << 27;

/// An error in a file. Lines are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LibsvmError {
    /// The class is not a number.
    #[error("line {line}: the class `{word}` is not a number; a line is `CLASS INDEX:VALUE INDEX:VALUE ...`")]
    BadClass {
        /// Where.
        line: usize,
        /// The word.
        word: String,
    },
    /// A word is not a coordinate.
    #[error("line {line}: `{word}` is not INDEX:VALUE with an index from 1 to {LARGEST} and a finite value")]
    BadCoordinate {
        /// Where.
        line: usize,
        /// The word.
        word: String,
    },
    /// Coordinates are not in increasing order.
    #[error("line {line}: index {index} is not above the index before it; sort the coordinates of a line")]
    Unsorted {
        /// Where.
        line: usize,
        /// The index.
        index: usize,
    },
    /// There are no points.
    #[error("the file contains no points; expected lines such as `+1 1:0.5 3:2`")]
    Empty,
    /// The points need too much memory.
    #[error("{points} points with {dimension} coordinates each are too many; use fewer points")]
    TooLarge {
        /// Number of points.
        points: usize,
        /// Number of coordinates of each point.
        dimension: usize,
    },
}

/// Reads points.
pub fn read(text: &str) -> Result<Points, LibsvmError> {
    let mut classes: Vec<f64> = Vec::new();
    let mut entries: Vec<(usize, usize, f64)> = Vec::new();
    let mut dimension = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split_once('#').map_or(content, |(before, _)| before);
        let mut words = content.split_ascii_whitespace();
        let Some(class) = words.next() else { continue };
        let bad_class = || LibsvmError::BadClass { line, word: class.to_owned() };
        let class: f64 = class.parse().ok().filter(|class: &f64| class.is_finite()).ok_or_else(bad_class)?;
        let mut before = 0;
        for word in words {
            let bad = || LibsvmError::BadCoordinate { line, word: word.to_owned() };
            let (index, value) = word.split_once(':').ok_or_else(bad)?;
            let index: usize = index.parse().map_err(|_| bad())?;
            let value: f64 = value.parse().map_err(|_| bad())?;
            if index == 0 || index > LARGEST || !value.is_finite() {
                return Err(bad());
            }
            if index <= before {
                return Err(LibsvmError::Unsorted { line, index });
            }
            before = index;
            entries.push((classes.len(), index - 1, value));
        }
        dimension = dimension.max(before);
        classes.push(class);
    }
    if classes.is_empty() {
        return Err(LibsvmError::Empty);
    }
    if classes.len().saturating_mul(dimension) > MOST_COORDINATES {
        return Err(LibsvmError::TooLarge { points: classes.len(), dimension });
    }
    let mut coordinates = vec![0.0; classes.len() * dimension];
    entries.iter().for_each(|&(point, index, value)| coordinates[point * dimension + index] = value);
    Ok(Points::new(dimension, coordinates, renumbered(&classes)))
}

/// Numbers the classes from 0 in increasing order.
fn renumbered(classes: &[f64]) -> Vec<u32> {
    let mut known = classes.to_vec();
    known.sort_by(f64::total_cmp);
    // Zeros of different signs are the same class.
    known.dedup();
    let number = |class: &f64| known.partition_point(|other| other < class) as u32;
    classes.iter().map(number).collect()
}

/// Writes points.
pub fn write(points: &Points) -> String {
    let mut text = String::new();
    for point in 0..points.count() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", points.label(point));
        for (index, value) in (1..).zip(points.row(point)).filter(|(_, value)| **value != 0.0) {
            let _ = write!(text, " {index}:{value}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_with_their_zeros() {
        let points = read("+1 1:0.5 3:-2 # a comment\n\n-1\n7 2:1e0\n").unwrap();
        assert_eq!((points.count(), points.dimension(), points.classes()), (3, 3, 3));
        assert_eq!(
            [points.row(0), points.row(1), points.row(2)],
            [[0.5, 0.0, -2.0], [0.0; 3], [0.0, 1.0, 0.0]]
        );
        assert_eq!([0, 1, 2].map(|point| points.label(point)), [1, 0, 2], "-1 < 1 < 7");
        assert_eq!(read(&write(&points)).unwrap(), points);
    }

    #[test]
    fn errors_name_the_line_and_what_is_expected() {
        for (text, message) in [
            ("", "the file contains no points; expected lines such as `+1 1:0.5 3:2`"),
            (
                "1 1:2\nx 1:2",
                "line 2: the class `x` is not a number; a line is `CLASS INDEX:VALUE INDEX:VALUE ...`",
            ),
            ("nan", "line 1: the class `nan` is not a number; a line is `CLASS INDEX:VALUE INDEX:VALUE ...`"),
            ("1 5", "line 1: `5` is not INDEX:VALUE with an index from 1 to 100000 and a finite value"),
            ("1 0:5", "line 1: `0:5` is not INDEX:VALUE with an index from 1 to 100000 and a finite value"),
            (
                "1 1:inf",
                "line 1: `1:inf` is not INDEX:VALUE with an index from 1 to 100000 and a finite value",
            ),
            (
                "1 200000:1",
                "line 1: `200000:1` is not INDEX:VALUE with an index from 1 to 100000 and a finite value",
            ),
            ("1 2:1 2:1", "line 1: index 2 is not above the index before it; sort the coordinates of a line"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
        let large = "1 100000:1\n".repeat(2000);
        assert_eq!(read(&large), Err(LibsvmError::TooLarge { points: 2000, dimension: 100_000 }));
    }
}
