//! A tree as a flat array of nodes.
//!
//! The two children of a node are adjacent. A leaf is its own child, so several rows can walk down together
//! without testing which of them have arrived.
//!
//! | node | payload | goes right if |
//! |---|---|---|
//! | number | threshold | the value is above it |
//! | fewer than 64 categories | bit set of those that go left | the category's bit is clear |
//! | 64 or more categories | index of the bit set in `sets` | the category's bit is clear |
//! | leaf | +∞ as a threshold | never |

/// Number of rows that walk down together.
const LANES: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    Number,
    Few,
    Many,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) payload: u64,
    /// The left child; the right one follows it.
    pub(super) left: u32,
    pub(super) column: u16,
    pub(super) test: Test,
}

impl Node {
    pub(super) fn leaf(itself: u32) -> Self {
        Self { payload: f64::INFINITY.to_bits(), left: itself, column: 0, test: Test::Number }
    }
}

/// Summary of a leaf's points; unused for inner nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf {
    /// Mean and variance on the model's scale.
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// Mean of 10^(y - reference).
    pub(super) power: f64,
    /// Number of points, counting each as often as it was drawn.
    pub(super) weight: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) sets: Vec<u64>,
}

impl Tree {
    #[inline]
    fn step(&self, at: u32, row: &[f32]) -> u32 {
        let node = &self.nodes[at as usize];
        let value = row[node.column as usize];
        let right = match node.test {
            Test::Number => f64::from(value) > f64::from_bits(node.payload),
            Test::Few => (node.payload >> (value as u32 & 63)) & 1 == 0,
            Test::Many => {
                let bit = value as usize;
                (self.sets[node.payload as usize + bit / 64] >> (bit % 64)) & 1 == 0
            }
        };
        node.left + u32::from(right)
    }

    /// Returns whether a row goes right at an inner node.
    #[inline]
    pub(super) fn goes_right(&self, at: u32, row: &[f32], first_column: u16) -> bool {
        let node = &self.nodes[at as usize];
        let value = row[(node.column - first_column) as usize];
        match node.test {
            Test::Number => f64::from(value) > f64::from_bits(node.payload),
            Test::Few => (node.payload >> (value as u32 & 63)) & 1 == 0,
            Test::Many => {
                let bit = value as usize;
                (self.sets[node.payload as usize + bit / 64] >> (bit % 64)) & 1 == 0
            }
        }
    }

    /// Returns the leaf that a row reaches.
    pub(super) fn leaf_of(&self, row: &[f32]) -> u32 {
        let mut at = 0;
        loop {
            let next = self.step(at, row);
            if next == at {
                return at;
            }
            at = next;
        }
    }

    /// Finds the leaves that many rows reach.
    pub(super) fn leaves_of(&self, rows: &[f32], width: usize, out: &mut [u32]) {
        for (rows, out) in rows.chunks(width * LANES).zip(out.chunks_mut(LANES)) {
            let Ok(out) = <&mut [u32; LANES]>::try_from(&mut *out) else {
                for (row, out) in rows.chunks_exact(width).zip(out) {
                    *out = self.leaf_of(row);
                }
                continue;
            };
            let lanes: [&[f32]; LANES] = std::array::from_fn(|lane| &rows[lane * width..(lane + 1) * width]);
            let mut at = [0; LANES];
            loop {
                let mut moved = 0;
                for lane in 0..LANES {
                    let next = self.step(at[lane], lanes[lane]);
                    moved |= next ^ at[lane];
                    at[lane] = next;
                }
                if moved == 0 {
                    break;
                }
            }
            *out = at;
        }
    }

    pub(super) fn is_leaf(&self, at: u32) -> bool {
        self.nodes[at as usize].left == at
    }
}
