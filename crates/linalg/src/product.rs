//! Matrix products, which account for most of the work in this crate.
//!
//! ```text
//! C ← C − A B        A: m × k,  B: k × n
//! ```
//!
//! A and B are first copied into panels: strips of as many rows of A, or columns of B, as a tile of C has.
//! Panels are read in order, so that a tile stays in registers during the loop over k. Each entry of the
//! product is a sum of k terms, added in order by fused multiply-add in steps of [`DEPTH`], so the bits do
//! not depend on the size of a tile.

use std::cell::RefCell;

use crate::instructions::{Instructions, Work};
use crate::vector::Vector;

/// The position of a matrix in a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Index of its first entry.
    pub(crate) start: usize,
    /// Distance from one row to the next.
    pub(crate) down: usize,
    /// Distance from one column to the next.
    pub(crate) right: usize,
}

impl View {
    /// Returns the part that starts at this row and column.
    pub(crate) const fn at(self, row: usize, column: usize) -> Self {
        Self { start: self.start + row * self.down + column * self.right, ..self }
    }

    /// Returns a view of the transposed matrix.
    pub(crate) const fn transposed(self) -> Self {
        Self { down: self.right, right: self.down, ..self }
    }
}

/// The entries of C that are needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// All of them.
    All,
    /// Those on and below the diagonal. Tiles that cross the diagonal are written completely.
    Lower,
}

/// Number of products summed before they are subtracted from C; a panel of A of this depth fits into the
/// first-level cache.
const DEPTH: usize = 256;
/// Number of tiles side by side in C up to which copying A does not pay off.
const FEW: usize = 2;
/// Number of vectors in a column of a tile.
const HIGH: usize = 3;
/// Number of rows of A whose panels together fit into the second-level cache.
const HEIGHT: usize = 240;

thread_local! {
    /// Copies of A and B in the order in which tiles read them. The copies are kept, since allocating memory
    /// costs more than a small product.
    static PANELS: RefCell<[Vec<f64>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// A product to subtract.
#[derive(Clone, Copy)]
pub(crate) struct Product<'a> {
    /// The slice that contains A, if it is not the one that contains C.
    pub(crate) a_in: Option<&'a [f64]>,
    /// The slice that contains B, if it is not the one that contains C.
    pub(crate) b_in: Option<&'a [f64]>,
    /// C, A and B.
    pub(crate) views: [View; 3],
    /// m, k and n.
    pub(crate) shape: [usize; 3],
    /// The entries of C that are needed.
    pub(crate) part: Part,
}

struct Subtraction<'a> {
    panels: &'a mut [Vec<f64>; 2],
    entries: &'a mut [f64],
    product: Product<'a>,
}

impl Work for Subtraction<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const COLUMNS: usize>(self) {
        let Self { panels: [a_panels, b_panels], entries, product } = self;
        let Product { a_in, b_in, views: [c, a, b], shape: [m, k, n], part } = product;
        for depth in (0..k).step_by(DEPTH) {
            let deep = DEPTH.min(k - depth);
            pack(COLUMNS, b_panels, b_in.unwrap_or(entries), b.at(depth, 0).transposed(), [n, deep]);
            for top in (0..m).step_by(HEIGHT) {
                let high = HEIGHT.min(m - top);
                let is_packed = n > FEW * COLUMNS || a.down != 1;
                let whole = if is_packed { 0 } else { high - high % rows::<V>() };
                pack(
                    rows::<V>(),
                    a_panels,
                    a_in.unwrap_or(entries),
                    a.at(top + whole, depth),
                    [high - whole, deep],
                );
                for (b, left) in b_panels.chunks_exact(deep * COLUMNS).zip((0..n).step_by(COLUMNS)) {
                    let wide = COLUMNS.min(n - left);
                    for row in (0..high).step_by(rows::<V>()) {
                        if part == Part::Lower && top + row + rows::<V>() <= left {
                            continue;
                        }
                        let (a, stride) = if row < whole {
                            (&a_in.unwrap_or(entries)[a.at(top + row, depth).start..], a.right)
                        } else {
                            (&a_panels[(row - whole) * deep..], rows::<V>())
                        };
                        let sums = match wide {
                            0..=2 => tile::<V, COLUMNS, 2>(a, stride, b),
                            3..=4 => tile::<V, COLUMNS, 4>(a, stride, b),
                            _ => tile::<V, COLUMNS, COLUMNS>(a, stride, b),
                        };
                        subtract_tile(entries, c.at(top + row, left), &sums[..wide], high - row);
                    }
                }
            }
        }
    }
}

/// Computes C ← C − A B, with C in `entries`.
pub(crate) fn subtract(instructions: Instructions, entries: &mut [f64], product: Product<'_>) {
    PANELS.with_borrow_mut(|panels| instructions.run(Subtraction { panels, entries, product }));
}

/// Subtracts the rows of a tile that are inside C.
#[inline(always)]
fn subtract_tile<V: Vector>(entries: &mut [f64], c: View, sums: &[[V; HIGH]], high: usize) {
    for (column, sums) in sums.iter().enumerate() {
        let entries = &mut entries[c.at(0, column).start..];
        if high >= rows::<V>() {
            for (part, sum) in entries[..rows::<V>()].chunks_exact_mut(V::LANES).zip(sums) {
                V::load(part).minus(*sum).store(part);
            }
        } else {
            for (part, sum) in entries[..high].chunks_mut(V::LANES).zip(sums) {
                sum.subtract_some(part);
            }
        }
    }
}

/// Returns the number of rows of a tile.
const fn rows<V: Vector>() -> usize {
    HIGH * V::LANES
}

/// Copies the first `deep` columns of `count` rows of a matrix into strips of `width` rows. The last strip is
/// padded with zeros.
#[inline(always)]
fn pack(width: usize, panels: &mut Vec<f64>, entries: &[f64], view: View, [count, deep]: [usize; 2]) {
    let size = count.div_ceil(width) * width * deep;
    if panels.len() < size {
        panels.resize(size, 0.0);
    }
    for (panel, top) in panels[..size].chunks_exact_mut(width * deep).zip((0..count).step_by(width)) {
        let high = width.min(count - top);
        if view.down == 1 {
            for (column, to) in panel.chunks_exact_mut(width).enumerate() {
                let from = &entries[view.at(top, column).start..];
                if high == width {
                    to.copy_from_slice(&from[..width]);
                } else {
                    to[..high].copy_from_slice(&from[..high]);
                    to[high..].fill(0.0);
                }
            }
        } else {
            if high < width {
                panel.fill(0.0);
            }
            for row in 0..high {
                let from = &entries[view.at(top + row, 0).start..];
                for (to, from) in panel[row..].iter_mut().step_by(width).zip(from.iter().step_by(view.right))
                {
                    *to = *from;
                }
            }
        }
    }
}

/// Returns the product of a strip of A and the used columns of a panel of B.
#[inline(always)]
fn tile<V: Vector, const COLUMNS: usize, const USED: usize>(
    a: &[f64],
    stride: usize,
    b: &[f64],
) -> [[V; HIGH]; COLUMNS] {
    let mut sums = [[V::zero(); HIGH]; USED];
    for (at, b) in b.as_chunks::<COLUMNS>().0.iter().enumerate() {
        let a = &a[at * stride..][..rows::<V>()];
        let mut strip = [V::zero(); HIGH];
        for part in 0..HIGH {
            strip[part] = V::load(&a[part * V::LANES..]);
        }
        for (sums, &b) in sums.iter_mut().zip(b) {
            let b = V::splat(b);
            for part in 0..HIGH {
                sums[part] = strip[part].times_plus(b, sums[part]);
            }
        }
    }
    let mut all = [[V::zero(); HIGH]; COLUMNS];
    all[..USED].copy_from_slice(&sums);
    all
}
