//! An index of forbidden clauses that finds a violated clause without trying all of them.
//!
//! A conjunction can hold only if each of its membership tests holds. One membership test in each such clause
//! is watched: the clause is filed under the choices that the test names, and is evaluated only when the
//! parameter has one of them. Clauses without a membership test are always evaluated.

use super::expression::Formula;
use super::parameter::{Parameter, ParameterId};

/// Maximum number of choices of a watched parameter. With more choices, the table would be mostly empty.
const MAX_CHOICES: usize = 4096;

/// Index of the clauses about one group of parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClauseIndex {
    watches: Vec<Watch>,
    others: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Watch {
    parameter: ParameterId,
    /// For each choice, the clauses that name it.
    clauses: Vec<Vec<u32>>,
}

impl ClauseIndex {
    /// Indexes the clauses with these numbers.
    pub(crate) fn new(numbers: &[u32], clauses: &[Formula], parameters: &[Parameter]) -> Self {
        let mut index = Self::default();
        // For a few clauses, evaluating all of them is faster than a look-up.
        if numbers.len() <= 2 {
            index.others = numbers.to_vec();
            return index;
        }
        let mut watch_of = std::collections::HashMap::new();
        for &number in numbers {
            let Some((parameter, named)) = most_selective(&clauses[number as usize], parameters) else {
                index.others.push(number);
                continue;
            };
            let count = parameters[parameter.index()].choices().map_or(0, |choices| choices.count());
            let slot = *watch_of.entry(parameter).or_insert_with(|| {
                index.watches.push(Watch { parameter, clauses: vec![Vec::new(); count] });
                index.watches.len() - 1
            });
            for &choice in named {
                index.watches[slot].clauses[choice as usize].push(number);
            }
        }
        index
    }

    /// Returns whether the index has no clauses.
    pub(crate) fn is_empty(&self) -> bool {
        self.watches.is_empty() && self.others.is_empty()
    }

    /// Finds a clause that holds; always the same one for the same codes.
    pub(crate) fn violated(&self, clauses: &[Formula], codes: &[f64]) -> Option<u32> {
        let holds = |number: &&u32| clauses[**number as usize].holds(codes);
        let watched = self.watches.iter().find_map(|watch| {
            let code = codes[watch.parameter.index()];
            if code.is_nan() {
                return None;
            }
            watch.clauses[code as usize].iter().find(holds)
        });
        watched.or_else(|| self.others.iter().find(holds)).copied()
    }
}

/// Returns the membership test in a conjunction that accepts the smallest share of its parameter's choices.
fn most_selective<'a>(clause: &'a Formula, parameters: &[Parameter]) -> Option<(ParameterId, &'a [u32])> {
    let parts = match clause {
        Formula::All(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let share = |(parameter, named): &(ParameterId, &[u32])| {
        let count = parameters[parameter.index()].choices().map_or(1, |choices| choices.count());
        named.len() as f64 / count as f64
    };
    let memberships = parts.iter().filter_map(|part| match part {
        Formula::Member { parameter, choices, negated: false, .. } => Some((*parameter, choices.as_slice())),
        _ => None,
    });
    let small = |parameter: ParameterId| {
        parameters[parameter.index()].choices().is_some_and(|choices| choices.count() <= MAX_CHOICES)
    };
    memberships.filter(|(parameter, _)| small(*parameter)).min_by(|a, b| share(a).total_cmp(&share(b)))
}

#[cfg(test)]
mod tests {
    use super::super::{ParameterDefinition as P, SpaceBuilder};
    use math::Rng;

    #[test]
    fn the_index_finds_a_violated_clause_exactly_when_there_is_one() {
        let mut b = SpaceBuilder::default();
        for i in 0..6 {
            b.parameter(P::categorical(format!("p{i}"), ["z", "a", "b", "c", "d"]));
        }
        b.parameter(P::integer("i", 0, 9).default(0)).when("i", "p0 != 'a'");
        let mut rng = Rng::new(1, "clauses", 0);
        for _ in 0..40 {
            let mut part = || format!("p{} == '{}'", rng.below(6), ["a", "b", "c", "d"][rng.below(4)]);
            let (first, second) = (part(), part());
            b.forbid(format!("{first} && {second} && i > 2").as_str());
            b.forbid(format!("{first} && p1 in {{'a', 'b'}}").as_str());
        }
        b.forbid("i == 9 || p3 == 'a' && p4 == 'a'");
        let space = b.finish().unwrap_or_else(|e| panic!("{e}"));
        let mut violations = 0;
        for _ in 0..2000 {
            let mut codes: Vec<f64> = (0..6).map(|_| rng.below(5) as f64).collect();
            codes.push(if codes[0] == 1.0 { f64::NAN } else { rng.below(10) as f64 });
            let expected = space.forbidden().iter().any(|clause| clause.holds(&codes));
            let found = space.data.groups.iter().find_map(|g| g.clauses.violated(space.forbidden(), &codes));
            assert_eq!(found.is_some(), expected);
            assert!(found.is_none_or(|clause| space.forbidden()[clause as usize].holds(&codes)));
            violations += usize::from(expected);
        }
        assert!((200..1900).contains(&violations), "{violations}");
    }
}
