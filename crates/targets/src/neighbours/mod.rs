//! Classification by the nearest neighbours, exactly or by locality-sensitive hashing (LSH).
//!
//! ```text
//! h(x) = floor((a . x + b) / w)         one hash function
//! g(x) = (h_1(x), ..., h_j(x))          the bucket of x in one table
//! C(x) = union over L tables of the points other than x with the same bucket as x
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | a | independent standard normal numbers |
//! | b | uniform on [0, w) |
//! | w | the width of buckets; by default [`WIDTH`] times the median distance to the nearest neighbour |
//! | j | hash functions per table |
//! | L | tables |
//! | C(x) | the candidates, among which the neighbours of x are sought |
//!
//! A point gets the class of most of its [`NEIGHBOURS`] nearest neighbours among the candidates. The nearest
//! neighbour decides a tie. If there are fewer candidates, all of them vote. A point without candidates gets
//! the most frequent class of all points. The error is the share of points with a wrong class
//! (leave-one-out): each point is classified by all others.
//!
//! The cost is counted, so that it does not depend on the machine:
//!
//! ```text
//! exact = n (n - 1) d
//! LSH   = n L j d + entries read + d (sum over x of |C(x)|)
//! ```
//!
//! There are n points with d coordinates. An entry is read for each table in which two points share a bucket.
//!
//! More hash functions make buckets smaller and the search faster, but neighbours are missed. More tables find
//! them again, at the price of more projections. (M. Datar, N. Immorlica, P. Indyk, V. Mirrokni,
//! Locality-Sensitive Hashing Scheme Based on p-Stable Distributions, 2004.)

mod candidates;
mod exact;
mod hashing;
mod program;
mod table;
mod vote;

pub use exact::{Exact, nearest_distance};
pub use hashing::Hashing;
pub use program::program;
pub use table::{Distances, Table};

/// Number of neighbours that vote.
pub const NEIGHBOURS: usize = 5;

/// Default width of buckets, in median distances to the nearest neighbour. Points at the distance of a typical
/// nearest neighbour then share a bucket of one function with the probability 0.80.
pub const WIDTH: f64 = 4.0;

/// Error and cost of a classification of all points, each by the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// Number of points with a wrong class.
    pub wrong: u32,
    /// Number of points.
    pub points: u32,
    /// Counted operations.
    pub operations: u64,
}

impl Outcome {
    /// Returns the share of points with a wrong class.
    pub fn error(&self) -> f64 {
        f64::from(self.wrong) / f64::from(self.points)
    }
}
