//! A formula in the form that the search needs.
//!
//! Clauses that are always true are left out, and repeated literals in a clause are merged. Most clauses have
//! two literals. For these, each occurrence of a literal stores the other literal of its clause, so no count
//! of true literals is needed.

use crate::formula::{Formula, Literal, Occurrences};

/// An occurrence of a literal in a clause of two literals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Index of the other literal.
    pub(super) other: u32,
    pub(super) clause: u32,
}

/// Several lists in one vector.
#[derive(Debug)]
pub(super) struct Lists<T> {
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn new() -> Self {
        Self { offsets: vec![0], items: Vec::new() }
    }

    fn push(&mut self, list: impl Iterator<Item = T>) {
        self.items.extend(list);
        self.offsets.push(self.items.len() as u32);
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> &[T] {
        &self.items[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

#[derive(Debug)]
pub(super) struct Network {
    pub(super) formula: Formula,
    /// The variables of each clause.
    pub(super) variables: Lists<u32>,
    /// The clauses of two literals that contain each literal.
    pub(super) pairs: Lists<Pair>,
    /// The other clauses that contain each literal.
    pub(super) others: Lists<u32>,
}

impl Network {
    pub(super) fn of(formula: &Formula) -> Self {
        let formula = without_repetition(formula);
        let occurrences = Occurrences::of(&formula);
        let mut network =
            Self { variables: Lists::new(), pairs: Lists::new(), others: Lists::new(), formula };
        for clause in network.formula.clauses() {
            network.variables.push(clause.iter().map(|literal| literal.variable()));
        }
        for variable in 0..network.formula.variables() {
            for literal in [Literal::positive(variable), Literal::negative(variable)] {
                let clauses = occurrences.clauses(literal).iter().copied();
                network.pairs.push(clauses.clone().filter_map(|clause| {
                    match *network.formula.clause(clause as usize) {
                        [a, b] => {
                            Some(Pair { other: if a == literal { b } else { a }.index() as u32, clause })
                        }
                        _ => None,
                    }
                }));
                network
                    .others
                    .push(clauses.filter(|&clause| network.formula.clause(clause as usize).len() != 2));
            }
        }
        network
    }
}

fn without_repetition(formula: &Formula) -> Formula {
    let mut plain = Formula::new(formula.variables());
    for clause in formula.clauses() {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        if !clause.windows(2).any(|two| two[0] == !two[1]) {
            plain.push(clause);
        }
    }
    plain
}
