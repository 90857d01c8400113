//! Formulas in conjunctive normal form, stored in flat arrays.

/// A variable, or its negation.
///
/// The [index](Self::index) of a literal is twice its variable, plus one if the literal is negative. So an
/// array over literals is twice as long as an array over variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal(u32);

impl Literal {
    /// Returns the positive literal of a variable. Variables are numbered from 0.
    pub fn positive(variable: u32) -> Self {
        Self(variable << 1)
    }

    /// Returns the negative literal of a variable.
    pub fn negative(variable: u32) -> Self {
        Self(variable << 1 | 1)
    }

    /// Returns the variable.
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Returns whether the literal is negative.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the index of this literal in an array over literals.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns whether the literal is true when its variable has this value.
    pub fn holds(self, value: bool) -> bool {
        value != self.is_negative()
    }
}

/// Negation.
impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A conjunction of clauses, each a disjunction of literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    variables: u32,
    /// The position in `literals` where each clause begins. One more entry marks the end of the last clause.
    offsets: Vec<u32>,
    literals: Vec<Literal>,
}

impl Formula {
    /// The maximum number of variables.
    pub const LARGEST: u32 = i32::MAX as u32;

    /// Creates a formula without clauses.
    pub fn new(variables: u32) -> Self {
        assert!(variables <= Self::LARGEST, "{variables} variables are more than the maximum");
        Self { variables, offsets: vec![0], literals: Vec::new() }
    }

    /// Adds a clause. Its variables must belong to the formula.
    pub fn push(&mut self, clause: impl IntoIterator<Item = Literal>) {
        let start = self.literals.len();
        self.literals.extend(clause);
        let known = |literal: &Literal| literal.variable() < self.variables;
        assert!(self.literals[start..].iter().all(known), "a clause has a variable that the formula lacks");
        self.offsets.push(self.literals.len() as u32);
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// Returns the number of clauses.
    pub fn clause_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns one clause.
    pub fn clause(&self, index: usize) -> &[Literal] {
        &self.literals[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Iterates over the clauses in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[Literal]> {
        self.offsets.windows(2).map(|ends| &self.literals[ends[0] as usize..ends[1] as usize])
    }

    /// Returns whether the assignment satisfies every clause.
    pub fn is_satisfied_by(&self, assignment: &[bool]) -> bool {
        assignment.len() == self.variables as usize
            && self.clauses().all(|clause| {
                clause.iter().any(|literal| literal.holds(assignment[literal.variable() as usize]))
            })
    }
}

/// For every literal, the clauses that contain it.
#[derive(Clone, Debug)]
pub struct Occurrences {
    offsets: Vec<u32>,
    clauses: Vec<u32>,
}

impl Occurrences {
    /// Collects the occurrences of all literals of a formula.
    pub fn of(formula: &Formula) -> Self {
        let mut offsets = vec![0u32; 2 * formula.variables as usize + 1];
        for literal in &formula.literals {
            offsets[literal.index() + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut next = offsets.clone();
        let mut clauses = vec![0; formula.literals.len()];
        for (index, clause) in formula.clauses().enumerate() {
            for literal in clause {
                let place = &mut next[literal.index()];
                clauses[*place as usize] = index as u32;
                *place += 1;
            }
        }
        Self { offsets, clauses }
    }

    /// Returns the clauses that contain a literal, in order.
    pub fn clauses(&self, literal: Literal) -> &[u32] {
        let index = literal.index();
        &self.clauses[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_and_occurrences_agree() {
        let (a, b, c) = (Literal::positive(0), Literal::positive(1), Literal::positive(2));
        let mut formula = Formula::new(3);
        formula.push([a, !b]);
        formula.push([b, c, !a]);
        formula.push([!b]);
        assert_eq!((formula.clause_count(), formula.clause(1)), (3, [b, c, !a].as_slice()));
        assert_eq!(formula.clauses().map(<[_]>::len).collect::<Vec<_>>(), [2, 3, 1]);
        let occurrences = Occurrences::of(&formula);
        assert_eq!(occurrences.clauses(!b), [0, 2]);
        assert_eq!(occurrences.clauses(!a), [1]);
        assert!(occurrences.clauses(!c).is_empty());
        assert!(formula.is_satisfied_by(&[true, false, true]));
        assert!(!formula.is_satisfied_by(&[true, false, false]));
        assert!(!formula.is_satisfied_by(&[true, false]), "an assignment of another formula");
    }

    #[test]
    #[should_panic(expected = "a variable that the formula lacks")]
    fn unknown_variables_are_rejected() {
        Formula::new(2).push([Literal::positive(2)]);
    }
}
