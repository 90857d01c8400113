//! Sixteen numbers at a time: as many as the widest registers hold.

/// How many lanes.
pub(super) const LANES: usize = 16;

/// A number for each lane, aligned so that no load or store touches two cache lines.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// Sixteen rows.
pub(super) type Square = [Lanes; LANES];

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);
    pub(super) const ONE: Self = Self([1.0; LANES]);

    /// Lane by lane.
    #[inline(always)]
    pub(super) fn sum(mut self, other: &[f32; LANES]) -> Self {
        for (sum, &other) in self.0.iter_mut().zip(other) {
            *sum += other;
        }
        self
    }
}

/// How many rows of lanes so many numbers fill.
pub(super) fn lines(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Rows become columns.
///
/// Four riffles of all 256 numbers turn their places by half of their bits.
#[inline(always)]
pub(super) fn turned(rows: &Square) -> Square {
    let (mut one, mut other) = ([Lanes::ZERO; LANES], [Lanes::ZERO; LANES]);
    riffle(rows, &mut one);
    riffle(&one, &mut other);
    riffle(&other, &mut one);
    riffle(&one, &mut other);
    other
}

/// The numbers of the first half between those of the second.
#[inline(always)]
fn riffle(from: &Square, to: &mut Square) {
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

    struct Turn(Square);

    impl Work for Turn {
        type Output = Square;

        fn run<A: Arithmetic>(self) -> Square {
            A::turned(&self.0)
        }
    }

    #[test]
    fn rows_become_columns_with_all_instructions() {
        let number = |row, lane| (100 * row + lane) as f32;
        let rows = std::array::from_fn(|row| Lanes(std::array::from_fn(|lane| number(row, lane))));
        for set in Instructions::all() {
            let turned = set.run(Turn(rows));
            for (lane, column) in turned.iter().enumerate() {
                assert_eq!(column.0, std::array::from_fn(|row| number(row, lane)), "{set:?} {lane}");
            }
        }
    }
}
