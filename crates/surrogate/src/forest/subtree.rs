//! The points of a small subtree, put once in the order of every column of numbers.
//!
//! Most nodes of a tree are small, and below a node of at most 256 points all are. Its points get
//! numbers of one byte and are sorted by each column; a split parts each of these orders in two, and
//! no node below has to sort or to gather again. A column that is constant in a node is constant below
//! it: its order is left alone, since only its first and last code are ever looked at again.

use super::coded::{CodedColumn, Codes};
use super::packed::Packed;
use super::split::Found;
use crate::Column;
use std::ops::Range;

/// Most points of a small subtree.
pub(super) const SMALL: usize = 256;

/// From here on counting is faster than comparing.
const COUNTED: usize = 48;

/// One small subtree after the other.
#[derive(Clone, Debug)]
pub(super) struct Subtree {
    /// Where its points lie among those of the tree.
    all: Range<usize>,
    /// For every column of numbers, code and number of each point: nodes lie side by side as in the
    /// tree, and the points of each rise.
    keys: Vec<u16>,
    /// For every column, where it stands among those of numbers.
    order: Vec<usize>,
    /// The numbers of the points, in the order of the tree.
    numbers: Vec<u8>,
    /// By number, the packed value of each point of the present node.
    values: [i64; SMALL],
    /// By number, whether a point goes left.
    left: [bool; SMALL],
    spare: [u16; SMALL],
}

/// Which of the two parts of a node may be split again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goes {
    pub(super) on_left: bool,
    pub(super) on_right: bool,
}

impl Subtree {
    pub(super) fn new(columns: &[CodedColumn]) -> Self {
        let mut numbers = 0;
        let order = columns.iter().map(|own| {
            let place = numbers;
            numbers += usize::from(is_sorted_by(own));
            place
        });
        Self {
            all: 0..0,
            order: order.collect(),
            keys: Vec::new(),
            numbers: Vec::new(),
            values: [0; SMALL],
            left: [false; SMALL],
            spare: [0; SMALL],
        }
    }

    /// Forgets the last subtree.
    pub(super) fn leave(&mut self) {
        self.all = 0..0;
    }

    /// Takes in a node of so few points; its rows are those of the tree.
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
        for (&number, &value) in self.numbers[inside].iter().zip(&packed.values) {
            self.values[usize::from(number)] = value;
        }
    }

    fn sort(&mut self, columns: &[CodedColumn], rows: &[u32], node: Range<usize>) {
        let size = node.len();
        self.all = node.clone();
        self.numbers.clear();
        self.numbers.extend((0..size).map(|number| number as u8));
        self.keys.clear();
        for own in columns.iter().filter(|own| is_sorted_by(own)) {
            let Codes::Narrow(codes) = &own.codes else { continue };
            let start = self.keys.len();
            let keys = rows[node.clone()]
                .iter()
                .zip(0..)
                .map(|(&row, number)| u16::from(codes[row as usize]) << 8 | number);
            if size < COUNTED {
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

    /// The best gap of a column of numbers in a node that was entered, if it gains more than `least`.
    #[inline]
    pub(super) fn gap(&self, column: u16, node: &Range<usize>, packed: &Packed, least: f64) -> Option<Found> {
        let keys = self.keys(column, node);
        let (mut gain, mut cut) = (least, 0);
        if is_constant(keys) {
            return None;
        }
        let mut left = 0;
        for (place, &key) in keys.iter().enumerate() {
            let own = packed.gain(left);
            // Rare, so that points of equal codes are told apart only then.
            if own > gain && keys[place - 1] >> 8 != key >> 8 {
                (gain, cut) = (own, place);
            }
            left += self.values[usize::from(key as u8)];
        }
        (cut > 0).then(|| Found {
            gain,
            left: usize::from(keys[cut - 1] >> 8),
            right: usize::from(keys[cut] >> 8),
        })
    }

    /// Says of each point of a node, in the order of the tree, whether it goes left.
    pub(super) fn part(&mut self, node: &Range<usize>, goes_left: &[bool], goes: Goes) {
        let inside = node.start - self.all.start..node.end - self.all.start;
        let numbers = &mut self.numbers[inside.clone()];
        for (&number, &left) in numbers.iter().zip(goes_left) {
            self.left[usize::from(number)] = left;
        }
        if !goes.on_left && !goes.on_right {
            return;
        }
        let mut spare = [0; SMALL];
        let (mut lefts, mut rights) = (0, 0);
        for at in 0..numbers.len() {
            let number = numbers[at];
            let left = self.left[usize::from(number)];
            numbers[lefts] = number;
            spare[rights & 255] = number;
            lefts += usize::from(left);
            rights += usize::from(!left);
        }
        numbers[lefts..].copy_from_slice(&spare[..rights]);
        for keys in self.keys.chunks_exact_mut(self.all.len()) {
            let keys = &mut keys[inside.clone()];
            if is_constant(keys) {
                continue;
            }
            match goes {
                Goes { on_left: true, on_right: true } => part_both(keys, &self.left, &mut self.spare),
                Goes { on_left: true, .. } => keep_left(keys, &self.left),
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

/// Puts the keys of points that go left before the others, both in their order.
#[inline]
fn part_both(keys: &mut [u16], left: &[bool; SMALL], spare: &mut [u16; SMALL]) {
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

/// Puts the keys of points that go left first; what follows them is of no use.
#[inline]
fn keep_left(keys: &mut [u16], left: &[bool; SMALL]) {
    let mut lefts = 0;
    for at in 0..keys.len() {
        let key = keys[at];
        keys[lefts] = key;
        lefts += usize::from(left[usize::from(key as u8)]);
    }
}

/// Puts the keys of points that go right last; what precedes them is of no use.
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

    /// Columns of 2, 4, 8.. values, a category among them.
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
        /// Compares all columns of a node, then parts it by any of them.
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
                let found = self.subtree.gap(column, &node, &packed, packed.least);
                let rows = &self.rows[node.clone()];
                let large = self.bins.gap(codes, own.low.len(), rows, &packed, packed.least);
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
            let goes = Goes { on_left: self.rng.below(4) > 0, on_right: self.rng.below(4) > 0 };
            let middle = node.start + goes_left.iter().filter(|&&left| left).count();
            let mut order: Vec<usize> = (0..node.len()).collect();
            order.sort_by_key(|&place| !goes_left[place]);
            let (rows, sums) = (self.rows.clone(), self.sums.clone());
            for (to, from) in node.clone().zip(order) {
                self.rows[to] = rows[node.start + from];
                self.sums[to] = sums[node.start + from];
            }
            self.subtree.part(&node, &goes_left, goes);
            if goes.on_left {
                self.visit(node.start..middle);
            }
            if goes.on_right {
                self.visit(middle..node.end);
            }
        }
    }

    #[test]
    fn small_nodes_find_what_bins_would() {
        let mut nodes = 0;
        for seed in 0..30 {
            let mut rng = Rng::new(seed, "subtree", 0);
            let size = [SMALL, 200, COUNTED, COUNTED - 1, 9][seed as usize % 5];
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
            walk.subtree.leave();
            walk.visit(90..90 + size / 2);
            nodes += walk.nodes;
        }
        assert!(nodes > 300, "{nodes} nodes prove little");
    }
}
