//! Growing one tree.
//!
//! At each node a random subset of the columns is tried. A numeric column is split at the gap between two
//! values that gives the largest gain. The threshold is drawn uniformly inside the gap, so that the mean of
//! many trees interpolates linearly. A categorical column is split into the two subsets of categories that
//! give the largest gain. Categories that the node has not seen go to a random side, so that trees disagree
//! about them. A column that is constant in the node gives no split. If none of the tried columns gives a
//! split, the remaining columns are tried too.

use std::ops::Range;

use math::Rng;

use super::Leaves;
use super::coded::{Code, Coded, CodedColumn, Codes};
use super::packed::{Packed, Sums};
use super::split::{Bins, Category, Split};
use super::subtree::{SMALL, SplitAgain, Subtree};
use super::tree::{Leaf, Node, Test, Tree};
use crate::Column;

/// The values that a tree learns: for every row, the number of times it was drawn and the sums over these
/// copies.
#[derive(Clone, Copy)]
pub(super) struct Targets<'a> {
    /// Copies of each row; 0 for rows left out.
    pub(super) weights: &'a [u32],
    /// Sums of the values, of their squares, and of 10^(value - reference).
    pub(super) sums: &'a [f64],
    pub(super) squares: &'a [f64],
    pub(super) powers: &'a [f64],
}

/// The settings that a single tree needs.
#[derive(Clone, Copy)]
pub(super) struct GrowthRules {
    /// Share of the columns tried at each node.
    pub(super) features: f64,
    pub(super) min_leaf: f64,
    pub(super) leaves: Leaves,
}

/// Buffers for growing trees one after the other.
pub(super) struct Grower<'a> {
    coded: &'a Coded,
    rules: GrowthRules,
    packed: Packed,
    subtree: Subtree,
    bins: Bins,
    columns: Vec<u16>,
    rows: Vec<u32>,
    sums: Vec<Sums>,
    spare: Vec<(u32, Sums)>,
    goes_left: Vec<bool>,
    /// Categories that go left in the best split so far.
    chosen: Vec<u64>,
    seen: Vec<u64>,
}

/// A node that is still to be split.
struct Pending {
    node: u32,
    points: Range<usize>,
}

impl<'a> Grower<'a> {
    pub(super) fn new(coded: &'a Coded, rules: GrowthRules) -> Self {
        let codes = |column: &CodedColumn| match column.column {
            Column::Number => 256,
            Column::Category(count) => count + 1,
        };
        let most = coded.columns.iter().map(codes).max().unwrap_or(0);
        let varying = (0..coded.columns.len()).filter(|&index| !coded.columns[index].constant);
        Self {
            coded,
            rules,
            packed: Packed::default(),
            subtree: Subtree::new(&coded.columns),
            bins: Bins::new(most),
            columns: varying.map(|index| index as u16).collect(),
            rows: Vec::new(),
            sums: Vec::new(),
            spare: Vec::new(),
            goes_left: Vec::new(),
            chosen: Vec::new(),
            seen: Vec::new(),
        }
    }

    pub(super) fn grow(&mut self, targets: Targets<'_>, rng: &mut Rng) -> Tree {
        self.rows.clear();
        self.sums.clear();
        for (row, &weight) in targets.weights.iter().enumerate().filter(|&(_, &weight)| weight > 0) {
            self.rows.push(row as u32);
            self.sums.push([targets.sums[row], f64::from(weight)]);
        }
        self.columns.sort_unstable();
        self.subtree.clear();
        let mut tree = Tree::default();
        tree.nodes.push(Node::leaf(0));
        tree.leaves.push(Leaf::default());
        let mut pending = vec![Pending { node: 0, points: 0..self.rows.len() }];
        while let Some(Pending { node, points }) = pending.pop() {
            let Some(middle) = self.split(&mut tree, node, &points, rng) else {
                tree.leaves[node as usize] = self.leaf(points, &targets);
                continue;
            };
            let left = tree.nodes[node as usize].left;
            pending.push(Pending { node: left + 1, points: middle..points.end });
            pending.push(Pending { node: left, points: points.start..middle });
        }
        tree
    }

    fn leaf(&self, points: Range<usize>, targets: &Targets<'_>) -> Leaf {
        let (mut sum, mut weight, mut squares, mut powers) = (0.0, 0.0, 0.0, 0.0);
        for (&row, &[own, count]) in self.rows[points.clone()].iter().zip(&self.sums[points]) {
            sum += own;
            weight += count;
            squares += targets.squares[row as usize];
            powers += targets.powers[row as usize];
        }
        let mean = sum / weight;
        let variance = (squares / weight - mean * mean).max(0.0);
        let power = powers / weight;
        match self.rules.leaves {
            Leaves::Mean => Leaf { mean, variance, power, weight },
            Leaves::Share => {
                let share = (sum + 1.0) / (weight + 2.0);
                Leaf { mean: share, variance: share * (1.0 - share), power, weight }
            }
        }
    }

    /// Splits a node and returns where its right part begins; `None` if it stays a leaf.
    fn split(&mut self, tree: &mut Tree, node: u32, points: &Range<usize>, rng: &mut Rng) -> Option<usize> {
        let sums = &self.sums[points.clone()];
        let [sum, weight] = sums.iter().fold([0.0; 2], |[s, w], [t, v]| [s + t, w + v]);
        if weight < 2.0 * self.rules.min_leaf {
            return None;
        }
        let mean = sum / weight;
        let off = |&[sum, weight]: &Sums| (sum - weight * mean) * (sum - weight * mean);
        let spread: f64 = sums.iter().map(off).sum();
        // All values are equal up to rounding.
        if spread <= 1e-24 * (mean * mean + f64::MIN_POSITIVE) * weight {
            return None;
        }
        self.packed.set(sums, mean, weight, self.rules.min_leaf);
        if points.len() <= SMALL {
            self.subtree.enter(&self.coded.columns, &self.rows, points.clone(), &self.packed);
        }
        let (column, found) = self.best(points, rng)?;
        let own = &self.coded.columns[column as usize];
        let left = tree.nodes.len() as u32;
        let (payload, test) = match own.column {
            Column::Number => (threshold(own, found, rng).to_bits(), Test::Number),
            Column::Category(count) => {
                for (word, (chosen, seen)) in self.chosen.iter_mut().zip(&self.seen).enumerate() {
                    let inside = (count + 1).saturating_sub(word * 64);
                    let mask = if inside >= 64 { u64::MAX } else { (1 << inside) - 1 };
                    *chosen |= rng.bits() & !seen & mask;
                }
                if count < 64 {
                    (self.chosen[0], Test::Few)
                } else {
                    let place = tree.sets.len() as u64;
                    tree.sets.extend_from_slice(&self.chosen);
                    (place, Test::Many)
                }
            }
        };
        tree.nodes[node as usize] = Node { payload, left, column, test };
        tree.nodes.extend([Node::leaf(left), Node::leaf(left + 1)]);
        tree.leaves.extend([Leaf::default(); 2]);
        Some(self.partition(points, weight, own, found))
    }

    /// Returns the column and the split with the largest gain.
    fn best(&mut self, points: &Range<usize>, rng: &mut Rng) -> Option<(u16, Split)> {
        let count = self.columns.len();
        let tried = ((self.rules.features * count as f64).ceil() as usize).clamp(count.min(1), count);
        // Draw the columns to leave out and move them to the end, which takes fewer draws than choosing the
        // others.
        for place in (tried..count).rev() {
            let other = rng.below(place + 1);
            self.columns.swap(place, other);
        }
        // Among equal gains the first one wins, so the search starts at a random column.
        let start = if tried > 1 { rng.below(tried) } else { 0 };
        let mut best: Option<(u16, Split)> = None;
        for place in 0..count {
            if place >= tried && best.is_some() {
                break;
            }
            let rotated =
                if place + start < tried { place + start } else { (place + start).wrapping_sub(tried) };
            let column = self.columns[if place < tried { rotated } else { place }];
            let min_gain = best.map_or(self.packed.min_gain, |(_, found)| found.gain);
            let own = &self.coded.columns[column as usize];
            let (rows, packed) = (&self.rows[points.clone()], &self.packed);
            let found = match (&own.codes, own.column) {
                (Codes::Narrow(_), Column::Number) if points.len() <= SMALL => {
                    self.subtree.gap(column, points, packed, min_gain)
                }
                (Codes::Narrow(codes), Column::Number) => {
                    self.bins.gap(codes, own.low.len(), rows, packed, min_gain)
                }
                (Codes::Narrow(codes), Column::Category(..64)) => {
                    self.bins.subset_of_few(codes, rows, packed, min_gain)
                }
                (Codes::Narrow(codes), _) => self.bins.subset(codes, rows, packed, min_gain),
                (Codes::Wide(codes), _) => self.bins.subset(codes, rows, packed, min_gain),
            };
            let Some(found) = found else { continue };
            best = Some((column, found));
            if let Column::Category(categories) = own.column {
                for set in [&mut self.chosen, &mut self.seen] {
                    set.clear();
                    set.resize(categories / 64 + 1, 0);
                }
                for (place, &Category { code, .. }) in self.bins.order.iter().enumerate() {
                    let (word, bit) = (code as usize / 64, 1 << (code % 64));
                    self.seen[word] |= bit;
                    if place < found.left {
                        self.chosen[word] |= bit;
                    }
                }
            }
        }
        best
    }

    /// Moves the points that go left to the front and returns where the right part begins. Both parts keep
    /// their order.
    fn partition(&mut self, points: &Range<usize>, weight: f64, own: &CodedColumn, found: Split) -> usize {
        let chosen = &self.chosen;
        let rows = &self.rows[points.clone()];
        self.goes_left.clear();
        match (&own.codes, own.column) {
            (Codes::Narrow(codes), Column::Number) => {
                self.goes_left.extend(rows.iter().map(|&row| usize::from(codes[row as usize]) <= found.left));
            }
            (Codes::Narrow(codes), _) => {
                self.goes_left.extend(rows.iter().map(|&row| contains(chosen, codes[row as usize])));
            }
            (Codes::Wide(codes), _) => {
                self.goes_left.extend(rows.iter().map(|&row| contains(chosen, codes[row as usize])));
            }
        }
        self.spare.clear();
        self.spare.resize(points.len(), Default::default());
        let (mut middle, mut rights, mut left_weight) = (points.start, 0, 0.0);
        for (place, &left) in points.clone().zip(&self.goes_left) {
            let (row, sums) = (self.rows[place], self.sums[place]);
            self.rows[middle] = row;
            self.sums[middle] = sums;
            self.spare[rights] = (row, sums);
            middle += usize::from(left);
            rights += usize::from(!left);
            left_weight += if left { sums[1] } else { 0.0 };
        }
        for (place, &(row, sums)) in (middle..points.end).zip(&self.spare) {
            self.rows[place] = row;
            self.sums[place] = sums;
        }
        if points.len() <= SMALL {
            let enough = 2.0 * self.rules.min_leaf;
            let again = SplitAgain { left: left_weight >= enough, right: weight - left_weight >= enough };
            self.subtree.partition(points, &self.goes_left, again);
        }
        middle
    }
}

/// Returns whether a set of codes contains `code`.
#[inline]
fn contains(set: &[u64], code: impl Code) -> bool {
    let code = code.index();
    (set[code / 64] >> (code % 64)) & 1 == 1
}

/// Draws a threshold uniformly inside the gap. Between inactive and active values there is nothing to
/// interpolate, so nothing is drawn.
fn threshold(own: &CodedColumn, found: Split, rng: &mut Rng) -> f64 {
    let (below, above) = (f64::from(own.high[found.left]), f64::from(own.low[found.right]));
    if below < 0.0 {
        return below / 2.0;
    }
    let drawn = below + rng.unit() * (above - below);
    if drawn < above { drawn } else { below }
}
