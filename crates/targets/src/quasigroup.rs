//! Quasigroups with holes. The formulas ask for the completion of a Latin square in which some cells were
//! emptied. There is always a solution, because the square was complete before.
//!
//! The square is [random](LatinSquare::random), and the emptied cells are chosen uniformly. A triple (row,
//! column, symbol) is possible if the symbol may still be placed there. Forced triples are filled in until
//! none is left: the only symbol of a cell, the only column of a symbol in a row, the only row of a symbol
//! in a column. Each remaining triple is a variable and belongs to three groups:
//!
//! | group | constraint |
//! |---|---|
//! | cell | each cell has one symbol |
//! | row and symbol | each symbol is in one column of a row |
//! | column and symbol | each symbol is in one row of a column |
//!
//! A group is written as one clause "at least one of these" and, for each pair in the group, a clause "not
//! both". The formulas are hardest for local search at about 0.36 to 0.42 holes per cell.

use std::fmt;
use std::str::FromStr;

use math::Rng;

use crate::formula::{Formula, Literal};
use crate::latin::LatinSquare;

/// The description of a formula to generate. It is written as `qwh:ORDER,HOLES,SEED`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Quasigroup {
    /// Number of rows of the square.
    pub order: usize,
    /// Number of emptied cells.
    pub holes: usize,
    /// Random seed for the square and the emptied cells.
    pub seed: u64,
}

/// A formula with one of its solutions.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The formula.
    pub formula: Formula,
    /// The original square before cells were emptied, as values of the variables.
    pub solution: Vec<bool>,
    /// Row, column and symbol that each variable stands for.
    pub triples: Vec<[usize; 3]>,
}

impl Quasigroup {
    /// Generates the formula. The order must be 1 to 100, and there must be no more holes than cells.
    pub fn formula(&self) -> Formula {
        self.puzzle().formula
    }

    /// Generates the formula with its solution and the meaning of its variables.
    pub fn puzzle(&self) -> Puzzle {
        let cells = self.order * self.order;
        assert!(self.holes <= cells, "{} holes in {cells} cells", self.holes);
        let square = LatinSquare::random(self.order, &mut Rng::new(self.seed, "latin square", 0));
        let mut order: Vec<usize> = (0..cells).collect();
        Rng::new(self.seed, "holes", 0).shuffle(&mut order);
        let mut board = Board::empty(self.order);
        for &cell in &order[self.holes..] {
            let (row, column) = (cell / self.order, cell % self.order);
            board.place([row, column, square.symbol(row, column)]);
        }
        board.propagate();
        board.encode(&square)
    }
}

/// The triples that are still possible.
struct Board {
    order: usize,
    /// For each row, column and symbol: whether the triple is possible and not yet placed.
    open: Vec<bool>,
}

impl Board {
    fn empty(order: usize) -> Self {
        Self { order, open: vec![true; order.pow(3)] }
    }

    fn index(&self, [row, column, symbol]: [usize; 3]) -> usize {
        (row * self.order + column) * self.order + symbol
    }

    /// Returns the triples of a group. Along axis 0 the row varies, along 1 the column, along 2 the symbol.
    fn line(&self, axis: usize, first: usize, second: usize) -> impl Iterator<Item = [usize; 3]> + use<> {
        (0..self.order).map(move |third| match axis {
            0 => [third, first, second],
            1 => [first, third, second],
            _ => [first, second, third],
        })
    }

    /// Closes the triple and all triples that it excludes.
    fn place(&mut self, [row, column, symbol]: [usize; 3]) {
        for (axis, first, second) in [(0, column, symbol), (1, row, symbol), (2, row, column)] {
            for triple in self.line(axis, first, second) {
                let index = self.index(triple);
                self.open[index] = false;
            }
        }
    }

    fn open_on(&self, axis: usize, first: usize, second: usize) -> impl Iterator<Item = [usize; 3]> {
        self.line(axis, first, second).filter(|&triple| self.open[self.index(triple)])
    }

    /// Places forced triples until none is left.
    fn propagate(&mut self) {
        let mut settled = false;
        while !settled {
            settled = true;
            for (axis, first, second) in self.groups() {
                let mut open = self.open_on(axis, first, second);
                if let (Some(triple), None) = (open.next(), open.next()) {
                    drop(open);
                    self.place(triple);
                    settled = false;
                }
            }
        }
    }

    /// Returns all groups in the order of the clauses: cells, rows and symbols, columns and symbols.
    fn groups(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let n = self.order;
        [2, 1, 0].into_iter().flat_map(move |axis| {
            (0..n).flat_map(move |first| (0..n).map(move |second| (axis, first, second)))
        })
    }

    fn encode(&self, square: &LatinSquare) -> Puzzle {
        let mut variable = vec![0; self.open.len()];
        let mut triples = Vec::new();
        for (axis, row, column) in self.groups().filter(|&(axis, ..)| axis == 2) {
            for triple in self.open_on(axis, row, column) {
                variable[self.index(triple)] = triples.len() as u32;
                triples.push(triple);
            }
        }
        let mut formula = Formula::new(triples.len() as u32);
        for (axis, first, second) in self.groups() {
            let group: Vec<u32> =
                self.open_on(axis, first, second).map(|triple| variable[self.index(triple)]).collect();
            if group.is_empty() {
                continue;
            }
            formula.push(group.iter().map(|&variable| Literal::positive(variable)));
            for (i, &a) in group.iter().enumerate() {
                for &b in &group[i + 1..] {
                    formula.push([Literal::negative(a), Literal::negative(b)]);
                }
            }
        }
        let solution =
            triples.iter().map(|&[row, column, symbol]| square.symbol(row, column) == symbol).collect();
        Puzzle { formula, solution, triples }
    }
}

/// The text does not name a quasigroup.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` is not `qwh:ORDER,HOLES,SEED` with an order of 1 to {} and at most ORDER * ORDER holes",
    LatinSquare::LARGEST
)]
pub struct QuasigroupError {
    /// The text.
    pub text: String,
}

impl FromStr for Quasigroup {
    type Err = QuasigroupError;

    fn from_str(text: &str) -> Result<Self, QuasigroupError> {
        let parse = || {
            let mut numbers = text.strip_prefix("qwh:")?.split(',');
            let order = numbers.next()?.parse().ok().filter(|n| (1..=LatinSquare::LARGEST).contains(n))?;
            let holes = numbers.next()?.parse().ok().filter(|&holes| holes <= order * order)?;
            let seed = numbers.next()?.parse().ok()?;
            numbers.next().is_none().then_some(Self { order, holes, seed })
        };
        parse().ok_or_else(|| QuasigroupError { text: text.to_owned() })
    }
}

impl fmt::Display for Quasigroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "qwh:{},{},{}", self.order, self.holes, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs (order, holes), from no holes to all cells empty.
    const SIZES: [(usize, usize); 8] =
        [(1, 1), (5, 0), (5, 25), (10, 42), (22, 185), (25, 225), (27, 262), (30, 324)];

    #[test]
    fn the_emptied_square_is_a_solution() {
        for (order, holes) in SIZES {
            for seed in 1..4 {
                let puzzle = Quasigroup { order, holes, seed }.puzzle();
                assert!(puzzle.formula.is_satisfied_by(&puzzle.solution), "{order} {holes} {seed}");
            }
        }
    }

    #[test]
    fn the_encoding_matches_its_description() {
        for (order, holes) in SIZES {
            let puzzle = Quasigroup { order, holes, seed: 7 }.puzzle();
            let mut positive = vec![0; puzzle.triples.len()];
            let mut follow = 0;
            for clause in puzzle.formula.clauses() {
                assert!(clause.len() >= 2, "a unit clause is left");
                let first = clause[0];
                if first.is_negative() {
                    assert!(clause.len() == 2 && clause[1].is_negative() && follow > 0);
                    let shared = |axis| {
                        let triple = |literal: Literal| puzzle.triples[literal.variable() as usize][axis];
                        usize::from(triple(first) == triple(clause[1]))
                    };
                    assert_eq!(
                        (0..3).map(shared).sum::<usize>(),
                        2,
                        "the two triples do not exclude each other"
                    );
                    follow -= 1;
                } else {
                    assert_eq!(follow, 0, "the pairs of a group follow its clause");
                    follow = clause.len() * (clause.len() - 1) / 2;
                    for literal in clause {
                        assert!(!literal.is_negative());
                        positive[literal.variable() as usize] += 1;
                    }
                }
            }
            assert_eq!(follow, 0);
            assert!(positive.iter().all(|&count| count == 3), "order {order}");
        }
    }

    /// A campaign that is repeated a year later must get the same formulas.
    #[test]
    fn formulas_match_the_recorded_sizes() {
        let size = |order, holes, seed| {
            let formula = Quasigroup { order, holes, seed }.formula();
            (formula.variables(), formula.clause_count())
        };
        assert_eq!(size(5, 25, 1), (125, 3 * 25 * 11), "all cells are empty");
        assert_eq!(size(5, 0, 1), (0, 0), "no cell is empty");
        assert_eq!(size(22, 185, 1), (497, 2650));
        assert_eq!(size(27, 262, 1), (1031, 6398));
        assert_eq!(size(30, 324, 5), (1349, 9452));
    }

    #[test]
    fn names_are_read_and_written() {
        let quasigroup = Quasigroup { order: 27, holes: 262, seed: 3 };
        assert_eq!(quasigroup.to_string(), "qwh:27,262,3");
        assert_eq!("qwh:27,262,3".parse(), Ok(quasigroup));
        for wrong in
            ["27,262,3", "qwh:27,262", "qwh:0,0,1", "qwh:101,0,1", "qwh:5,26,1", "qwh:5,5,1,1", "qwh:5,5,x"]
        {
            assert!(wrong.parse::<Quasigroup>().unwrap_err().to_string().contains(wrong));
        }
    }
}
