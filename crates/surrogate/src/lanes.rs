//! Sixteen numbers at a time: as many as the widest registers hold.

/// The number of lanes.
pub(super) const LANES: usize = 16;

/// One number per lane, aligned so that no load or store touches two cache lines.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// Sixteen rows of sixteen lanes.
pub(super) type Square = [Lanes; LANES];

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);
    pub(super) const ONE: Self = Self([1.0; LANES]);

    /// Returns the sum, lane by lane.
    #[inline(always)]
    pub(super) fn sum(mut self, other: &[f32; LANES]) -> Self {
        for (sum, &other) in self.0.iter_mut().zip(other) {
            *sum += other;
        }
        self
    }
}

/// Returns the number of rows of lanes that `numbers` numbers fill.
pub(super) fn lines(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Returns the transpose: rows become columns.
///
/// Interleaving the two halves of all 256 numbers rotates the 8 bits of each index by one. Doing so four
/// times swaps row and lane.
#[inline(always)]
pub(super) fn transposed(rows: &Square) -> Square {
    let (mut one, mut other) = ([Lanes::ZERO; LANES], [Lanes::ZERO; LANES]);
    interleave(rows, &mut one);
    interleave(&one, &mut other);
    interleave(&other, &mut one);
    interleave(&one, &mut other);
    other
}

/// Interleaves the numbers in the first half with those in the second.
#[inline(always)]
fn interleave(from: &Square, to: &mut Square) {
    const HALF: usize = LANES / 2;
    for row in 0..HALF {
        let (first, second) = (from[row].0, from[row + HALF].0);
        for half in 0..2 {
            let out = &mut to[2 * row + half].0;
            for lane in 0..HALF {
                out[2 * lane] = first[half * HALF + lane];
                out[2 * lane + 1] = second[half * HALF + lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Arithmetic;
    use crate::dispatch::{Instructions, Work};

    struct Transpose(Square);

    impl Work for Transpose {
        type Output = Square;

        fn run<A: Arithmetic>(self) -> Square {
            A::transposed(&self.0)
        }
    }

    #[test]
    fn rows_become_columns_with_every_instruction_set() {
        let number = |row, lane| (100 * row + lane) as f32;
        let rows = std::array::from_fn(|row| Lanes(std::array::from_fn(|lane| number(row, lane))));
        for set in Instructions::all() {
            let transposed = set.run(Transpose(rows));
            for (lane, column) in transposed.iter().enumerate() {
                assert_eq!(column.0, std::array::from_fn(|row| number(row, lane)), "{set:?} {lane}");
            }
        }
    }
}
