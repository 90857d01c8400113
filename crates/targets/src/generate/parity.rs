//! Parity on graphs, as unsatisfiable formulas. Every edge is a variable. The formula requires that the sum
//! of the edges at a vertex is odd at the first vertex and even at all others. The total of all these sums
//! counts every edge twice, so it is even, and the formula has no solution.
//!
//! The graph is drawn uniformly among the graphs in which every vertex has three neighbours. Such formulas
//! are hard for SAT solvers that search, and easy for those that eliminate enough variables. (Tseitin, 1968;
//! Urquhart, Hard examples for resolution, 1987.)

use std::collections::BTreeSet;

use math::Rng;

use crate::formula::{Formula, Literal};

const NEIGHBOURS: usize = 3;

/// Returns the formula of a random graph. The number of vertices must be even and at least 4.
pub fn parity(vertices: usize, seed: u64) -> Formula {
    assert!(
        vertices >= 4 && vertices.is_multiple_of(2),
        "no graph of three neighbours has {vertices} vertices"
    );
    let edges = graph(vertices, &mut Rng::new(seed, "parity", 0));
    let mut formula = Formula::new(edges.len() as u32);
    for vertex in 0..vertices {
        let own: Vec<u32> = (0..edges.len() as u32)
            .filter(|&edge| edges[edge as usize].0 == vertex || edges[edge as usize].1 == vertex)
            .collect();
        let wanted = u32::from(vertex == 0);
        // One clause excludes each combination of values that has the wrong parity.
        for values in (0..1u32 << NEIGHBOURS).filter(|values| values.count_ones() % 2 != wanted) {
            formula.push(own.iter().enumerate().map(|(place, &edge)| {
                if values >> place & 1 == 1 { Literal::negative(edge) } else { Literal::positive(edge) }
            }));
        }
    }
    formula
}

/// Pairs up the ends of edges at random until there are no loops and no double edges.
fn graph(vertices: usize, rng: &mut Rng) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = (0..vertices * NEIGHBOURS).map(|end| end / NEIGHBOURS).collect();
    loop {
        rng.shuffle(&mut ends);
        let edges: Vec<(usize, usize)> =
            ends.chunks_exact(2).map(|ends| (ends[0].min(ends[1]), ends[0].max(ends[1]))).collect();
        let distinct: BTreeSet<&(usize, usize)> = edges.iter().filter(|(a, b)| a != b).collect();
        if distinct.len() == edges.len() {
            return edges;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_solution_unless_the_odd_vertex_is_left_out() {
        let formula = parity(6, 5);
        assert_eq!((formula.variables(), formula.clause_count()), (9, 6 * 4));
        let assignment = |bits: u32| (0..9).map(|edge| bits >> edge & 1 == 1).collect::<Vec<bool>>();
        assert!((0..1 << 9).all(|bits| !formula.is_satisfied_by(&assignment(bits))));
        // Without the clauses of the odd vertex, setting all edges to 0 is a solution.
        let mut rest = Formula::new(9);
        formula.clauses().skip(4).for_each(|clause| rest.push(clause.iter().copied()));
        assert!(rest.is_satisfied_by(&[false; 9]));
    }

    #[test]
    fn graphs_are_simple_and_differ_by_seed() {
        let of = |seed| graph(20, &mut Rng::new(seed, "parity", 0));
        let degree = |vertex: usize| of(1).iter().filter(|(a, b)| *a == vertex || *b == vertex).count();
        assert!((0..20).all(|vertex| degree(vertex) == NEIGHBOURS));
        assert_ne!(of(1), of(2));
    }
}
