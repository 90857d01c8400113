//! The points of a small subtree, sorted once by every numeric column.
//!
//! Most nodes of a tree are small: they have at most 256 points, and so do all nodes below them. The points
//! of a small node get one-byte indices and are sorted by each column. A split partitions each of these
//! orders, so no node below has to sort or gather again. A column that is constant in a node is constant in
//! all nodes below it. Its order is not partitioned, because only its first and last code are read again.

use super::coded::{CodedColumn, Codes};
use super::packed::Packed;
use super::split::Split;
use crate::Column;
use std::ops::Range;

/// Maximum number of points in a small subtree.
pub(super) const SMALL: usize = 256;

/// Number of points from which counting sort is faster than comparison sort.
const COUNTING_SORT_MIN: usize = 48;

/// The current small subtree; reused for one subtree after another.
#[derive(Clone, Debug)]
pub(super) struct Subtree {
    /// Range of the subtree's points among those of the tree.
    all: Range<usize>,
    /// A key for each point in every numeric column: the point's code in the upper byte, its index in the
    /// lower byte. The nodes are in the order of the tree, and the keys of a node are sorted.
    keys: Vec<u16>,
    /// Position of every column among the sorted columns.
    order: Vec<usize>,
    /// The indices of the points, in the order of the tree.
    indices: Vec<u8>,
    /// Packed value of each point of the current node, by index.
    values: [i64; SMALL],
    /// Whether each point goes left, by index.
    left: [bool; SMALL],
    spare: [u16; SMALL],
}

/// The parts of a node that may be split again.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitAgain {
    pub(super) left: bool,
    pub(super) right: bool,
}

impl Subtree {
    pub(super) fn new(columns: &[CodedColumn]) -> Self {
        let mut next = 0;
        let order = columns.iter().map(|own| {
            let place = next;
            next += usize::from(is_sorted_by(own));
            place
        });
        Self {
            all: 0..0,
            order: order.collect(),
            keys: Vec::new(),
            indices: Vec::new(),
            values: [0; SMALL],
            left: [false; SMALL],
            spare: [0; SMALL],
        }
    }

    /// Discards the current subtree.
    pub(super) fn clear(&mut self) {
        self.all = 0..0;
    }

    /// Makes a small node the current one. `rows` are the rows of the whole tree.
    pub(super) fn enter(
        &mut self,
        columns: &[CodedColumn],
        rows: &[u32],
        node: Range<usize>,
        packed: &Packed,
    ) {
        if node.start < self.all.start || node.end > self.all.end {
            self.sort(columns, rows, node.clone());
        }
        let inside = node.start - self.all.start..node.end - self.all.start;
        for (&index, &value) in self.indices[inside].iter().zip(&packed.values) {
            self.values[usize::from(index)] = value;
        }
    }

    fn sort(&mut self, columns: &[CodedColumn], rows: &[u32], node: Range<usize>) {
        let size = node.len();
        self.all = node.clone();
        self.indices.clear();
        self.indices.extend((0..size).map(|index| index as u8));
        self.keys.clear();
        for own in columns.iter().filter(|own| is_sorted_by(own)) {
            let Codes::Narrow(codes) = &own.codes else { continue };
            let start = self.keys.len();
            let keys = rows[node.clone()]
                .iter()
                .zip(0..)
                .map(|(&row, index)| u16::from(codes[row as usize]) << 8 | index);
            if size < COUNTING_SORT_MIN {
                self.keys.extend(keys);
                self.keys[start..].sort_unstable();
                continue;
            }
            let mut places = [0_u16; 256];
            for (spare, key) in self.spare.iter_mut().zip(keys) {
                *spare = key;
                places[usize::from(key >> 8)] += 1;
            }
            let mut before = 0;
            for place in &mut places[..own.low.len()] {
                before += std::mem::replace(place, before);
            }
            self.keys.resize(start + size, 0);
            let sorted = &mut self.keys[start..];
            for &key in &self.spare[..size] {
                let place = &mut places[usize::from(key >> 8)];
                sorted[usize::from(*place)] = key;
                *place += 1;
            }
        }
    }

    fn keys(&self, column: u16, node: &Range<usize>) -> &[u16] {
        let first = self.order[column as usize] * self.all.len();
        &self.keys[first + node.start - self.all.start..first + node.end - self.all.start]
    }

    /// Returns the best gap of a numeric column in the current node, if it gains more than `min_gain`.
    #[inline]
    pub(super) fn gap(
        &self,
        column: u16,
        node: &Range<usize>,
        packed: &Packed,
        min_gain: f64,
    ) -> Option<Split> {
        let keys = self.keys(column, node);
        let (mut gain, mut cut) = (min_gain, 0);
        if is_constant(keys) {
            return None;
        }
        let mut left = 0;
        for (place, &key) in keys.iter().enumerate() {
            let own = packed.gain(left);
            // A higher gain is rare, so the two codes are compared only after a higher gain was found.
            if own > gain && keys[place - 1] >> 8 != key >> 8 {
                (gain, cut) = (own, place);
            }
            left += self.values[usize::from(key as u8)];
        }
        (cut > 0).then(|| Split {
            gain,
            left: usize::from(keys[cut - 1] >> 8),
            right: usize::from(keys[cut] >> 8),
        })
    }

    /// Partitions the orders of a node. `goes_left` has one entry for each point, in the order of the tree.
    pub(super) fn partition(&mut self, node: &Range<usize>, goes_left: &[bool], again: SplitAgain) {
        let inside = node.start - self.all.start..node.end - self.all.start;
        let indices = &mut self.indices[inside.clone()];
        for (&index, &left) in indices.iter().zip(goes_left) {
            self.left[usize::from(index)] = left;
        }
        if !again.left && !again.right {
            return;
        }
        let mut spare = [0; SMALL];
        let (mut lefts, mut rights) = (0, 0);
        for at in 0..indices.len() {
            let index = indices[at];
            let left = self.left[usize::from(index)];
            indices[lefts] = index;
            spare[rights & 255] = index;
            lefts += usize::from(left);
            rights += usize::from(!left);
        }
        indices[lefts..].copy_from_slice(&spare[..rights]);
        for keys in self.keys.chunks_exact_mut(self.all.len()) {
            let keys = &mut keys[inside.clone()];
            if is_constant(keys) {
                continue;
            }
            match again {
                SplitAgain { left: true, right: true } => {
                    partition_both(keys, &self.left, &mut self.spare);
                }
                SplitAgain { left: true, .. } => keep_left(keys, &self.left),
                _ => keep_right(keys, &self.left),
            }
        }
    }
}

fn is_sorted_by(own: &CodedColumn) -> bool {
    own.column == Column::Number && !own.constant
}

#[inline]
fn is_constant(keys: &[u16]) -> bool {
    matches!((keys.first(), keys.last()), (Some(first), Some(last)) if first >> 8 == last >> 8)
}

/// Moves the keys of points that go left to the front. Both parts keep their order.
#[inline]
fn partition_both(keys: &mut [u16], left: &[bool; SMALL], spare: &mut [u16; SMALL]) {
    let (mut lefts, mut rights) = (0, 0);
    for at in 0..keys.len() {
        let key = keys[at];
        let left = left[usize::from(key as u8)];
        keys[lefts] = key;
        spare[rights & 255] = key;
        lefts += usize::from(left);
        rights += usize::from(!left);
    }
    keys[lefts..].copy_from_slice(&spare[..rights]);
}

/// Moves the keys of points that go left to the front. The keys after them are garbage.
#[inline]
fn keep_left(keys: &mut [u16], left: &[bool; SMALL]) {
    let mut lefts = 0;
    for at in 0..keys.len() {
        let key = keys[at];
        keys[lefts] = key;
        lefts += usize::from(left[usize::from(key as u8)]);
    }
}

/// Moves the keys of points that go right to the end. The keys before them are garbage.
#[inline]
fn keep_right(keys: &mut [u16], left: &[bool; SMALL]) {
    let mut first = keys.len();
    for at in (0..keys.len()).rev() {
        let key = keys[at];
        keys[first - 1] = key;
        first -= usize::from(!left[usize::from(key as u8)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::coded::Coded;
    use crate::forest::packed::Sums;
    use crate::forest::split::Bins;
    use crate::{InstanceTable, Scale, TrainingSet};
    use math::Rng;

    const COLUMNS: usize = 6;

    /// Returns columns with 2, 4, 8, ... values; one of them is categorical.
    fn coded(rows: usize, rng: &mut Rng) -> Coded {
        let alike = InstanceTable::alike();
        let mut columns = [Column::Number; COLUMNS];
        columns[2] = Column::Category(3);
        let mut set = TrainingSet::new(&columns, &alike, Scale::Linear, None);
        for _ in 0..rows {
            let row: Vec<f64> =
                (1..=COLUMNS).map(|column| rng.below(1 << column) as f64 / (1 << column) as f64).collect();
            let configuration = set.push_configuration(&row);
            set.push(configuration, 0, crate::Reading::Exact(0.0));
        }
        let mut coded = Coded::default();
        coded.extend(&set);
        coded
    }

    struct Walk {
        coded: Coded,
        subtree: Subtree,
        bins: Bins,
        rows: Vec<u32>,
        sums: Vec<Sums>,
        rng: Rng,
        nodes: usize,
    }

    impl Walk {
        /// Compares all columns of a node with `Bins`, then splits it by one of them.
        fn visit(&mut self, node: Range<usize>) {
            let sums = &self.sums[node.clone()];
            let [sum, weight] = sums.iter().fold([0.0; 2], |[s, w], [t, v]| [s + t, w + v]);
            let mut packed = Packed::default();
            packed.set(sums, sum / weight, weight, 1.0);
            self.subtree.enter(&self.coded.columns, &self.rows, node.clone(), &packed);
            self.nodes += 1;
            let mut any = None;
            for (column, own) in (0..).zip(&self.coded.columns) {
                let (Codes::Narrow(codes), Column::Number) = (&own.codes, own.column) else { continue };
                let found = self.subtree.gap(column, &node, &packed, packed.min_gain);
                let rows = &self.rows[node.clone()];
                let large = self.bins.gap(codes, own.low.len(), rows, &packed, packed.min_gain);
                assert_eq!(found, large, "column {column} of {node:?}");
                any = if self.rng.below(3) == 0 {
                    any.or(found.map(|found| (codes, found)))
                } else {
                    found.map(|found| (codes, found)).or(any)
                };
            }
            let Some((codes, found)) = any else { return };
            let goes_left: Vec<bool> = self.rows[node.clone()]
                .iter()
                .map(|&row| usize::from(codes[row as usize]) <= found.left)
                .collect();
            let again = SplitAgain { left: self.rng.below(4) > 0, right: self.rng.below(4) > 0 };
            let middle = node.start + goes_left.iter().filter(|&&left| left).count();
            let mut order: Vec<usize> = (0..node.len()).collect();
            order.sort_by_key(|&place| !goes_left[place]);
            let (rows, sums) = (self.rows.clone(), self.sums.clone());
            for (to, from) in node.clone().zip(order) {
                self.rows[to] = rows[node.start + from];
                self.sums[to] = sums[node.start + from];
            }
            self.subtree.partition(&node, &goes_left, again);
            if again.left {
                self.visit(node.start..middle);
            }
            if again.right {
                self.visit(middle..node.end);
            }
        }
    }

    #[test]
    fn small_nodes_find_the_same_splits_as_bins() {
        let mut nodes = 0;
        for seed in 0..30 {
            let mut rng = Rng::new(seed, "subtree", 0);
            let size = [SMALL, 200, COUNTING_SORT_MIN, COUNTING_SORT_MIN - 1, 9][seed as usize % 5];
            let coded = coded(2 * SMALL, &mut rng);
            let rows = (0..2 * SMALL as u32).map(|row| row * 7 % (2 * SMALL as u32)).collect();
            let sums = (0..2 * SMALL).map(|_| [rng.normal(), 1.0 + rng.below(2) as f64]).collect();
            let mut walk = Walk {
                subtree: Subtree::new(&coded.columns),
                coded,
                bins: Bins::new(256),
                rows,
                sums,
                rng,
                nodes: 0,
            };
            walk.visit(100..100 + size);
            walk.subtree.clear();
            walk.visit(90..90 + size / 2);
            nodes += walk.nodes;
        }
        assert!(nodes > 300, "{nodes} nodes are too few for this test");
    }
}
