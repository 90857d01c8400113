//! Random Latin squares by the walk of Jacobson and Matthews (1996).
//!
//! A square of order n is represented by a cube with n^3 entries that are 0 or 1. The entry (row, column,
//! symbol) is 1 if the cell has that symbol. So every line of the cube, along any axis, sums to 1. A move
//! adds
//!
//! ```text
//! +1 at (a, b, c) (a, b', c') (a', b, c') (a', b', c)      -1 at (a', b, c) (a, b', c) (a, b, c') (a', b', c')
//! ```
//!
//! which does not change these sums. Here (a, b, c) is an entry that is 0, and a', b', c' are the positions
//! of the 1s on the three lines through it. The entry (a', b', c') may become -1. The square is then
//! improper, and the next move starts at that entry. Each line through it has two 1s, and each of a', b', c'
//! is chosen at random from the two. A long walk visits all proper squares equally often. (If the walk stops
//! at the first proper square after a fixed number of moves, the squares are only approximately equally
//! likely.)
//!
//! Reference: M. T. Jacobson and P. Matthews, "Generating uniformly distributed random Latin squares",
//! Journal of Combinatorial Designs 4 (1996).

use math::Rng;

/// An n by n square in which every row and every column has each of n symbols once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LatinSquare {
    order: usize,
    symbols: Vec<u8>,
}

impl LatinSquare {
    /// The maximum order.
    pub const LARGEST: usize = 100;

    /// Returns a random square. The walk starts at the cyclic square and makes n^3 moves, then continues
    /// until the square is proper.
    pub fn random(order: usize, rng: &mut Rng) -> Self {
        assert!((1..=Self::LARGEST).contains(&order), "a Latin square of order {order}");
        let mut walk = Walk::cyclic(order);
        if order > 1 {
            for _ in 0..order.pow(3) {
                walk.step(rng);
            }
            while walk.improper.is_some() {
                walk.step(rng);
            }
        }
        let place = |cell: usize| (0..order).find(|symbol| walk.cube[cell * order + symbol] == 1);
        let symbols = (0..order * order).map(|cell| place(cell).map_or(0, |symbol| symbol as u8)).collect();
        Self { order, symbols }
    }

    /// Returns the number of rows. The numbers of columns and symbols are the same.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the symbol of a cell.
    pub fn symbol(&self, row: usize, column: usize) -> usize {
        usize::from(self.symbols[row * self.order + column])
    }
}

struct Walk {
    order: usize,
    /// Entries by row, column and symbol.
    cube: Vec<i8>,
    /// The entry that is -1, if there is one.
    improper: Option<[usize; 3]>,
}

impl Walk {
    fn cyclic(order: usize) -> Self {
        let mut walk = Self { order, cube: vec![0; order.pow(3)], improper: None };
        for row in 0..order {
            for column in 0..order {
                *walk.entry([row, column, (row + column) % order]) = 1;
            }
        }
        walk
    }

    fn entry(&mut self, [row, column, symbol]: [usize; 3]) -> &mut i8 {
        &mut self.cube[(row * self.order + column) * self.order + symbol]
    }

    /// Returns the position of the entry 1 on the line through `start` along `axis`. If there are two,
    /// chooses one of them at random.
    fn one_on_line(&mut self, start: [usize; 3], axis: usize, rng: &mut Rng) -> usize {
        let mut found = None;
        for place in 0..self.order {
            let mut at = start;
            at[axis] = place;
            if *self.entry(at) == 1 {
                match found {
                    Some(first) => return if rng.below(2) == 0 { first } else { place },
                    None if self.improper.is_none() => return place,
                    None => found = Some(place),
                }
            }
        }
        unreachable!("the line sums to 1 and has an entry that is not positive")
    }

    fn step(&mut self, rng: &mut Rng) {
        let n = self.order;
        let here = self.improper.unwrap_or_else(|| {
            loop {
                let at = [rng.below(n), rng.below(n), rng.below(n)];
                if *self.entry(at) == 0 {
                    break at;
                }
            }
        });
        let there = [0, 1, 2].map(|axis| self.one_on_line(here, axis, rng));
        for corner in 0..8usize {
            let at = [0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { here[axis] } else { there[axis] });
            *self.entry(at) += if corner.count_ones() % 2 == 0 { 1 } else { -1 };
        }
        self.improper = (*self.entry(there) < 0).then_some(there);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn is_latin(square: &LatinSquare) -> bool {
        let n = square.order();
        let full = |line: &dyn Fn(usize) -> usize| {
            let mut symbols: Vec<usize> = (0..n).map(line).collect();
            symbols.sort_unstable();
            symbols == (0..n).collect::<Vec<_>>()
        };
        (0..n).all(|i| full(&|j| square.symbol(i, j)) && full(&|j| square.symbol(j, i)))
    }

    #[test]
    fn squares_are_latin_and_differ_by_seed() {
        for order in [1, 2, 3, 5, 12, 30] {
            let square = |seed| LatinSquare::random(order, &mut Rng::new(seed, "latin", 0));
            assert!(is_latin(&square(1)), "order {order}");
            assert_eq!(square(1), square(1));
            assert!(order < 5 || square(1) != square(2));
        }
    }

    /// There are 12 squares of order 3 and 576 of order 4.
    #[test]
    fn a_long_walk_visits_every_proper_square_equally_often() {
        let mut rng = Rng::new(1, "latin", 0);
        for (order, squares) in [(3, 12), (4, 576)] {
            let mut walk = Walk::cyclic(order);
            let (mut counts, mut visits) = (BTreeMap::new(), 0);
            while visits < 20 * 50 * squares {
                walk.step(&mut rng);
                if walk.improper.is_none() {
                    visits += 1;
                    // Consecutive squares are similar; squares 20 visits apart are not.
                    if visits % 20 == 0 {
                        *counts.entry(walk.cube.clone()).or_insert(0u32) += 1;
                    }
                }
            }
            assert_eq!(counts.len(), squares);
            let chi: f64 = counts.values().map(|&n| (f64::from(n) - 50.0).powi(2) / 50.0).sum();
            // Chi-squared has mean k and variance 2 k, where k is one less than the number of squares. Five
            // standard deviations are allowed.
            let k = squares as f64 - 1.0;
            assert!((chi - k).abs() < 5.0 * (2.0 * k).sqrt(), "order {order}: {chi}");
        }
    }
}
