//! Graph colouring with a hidden solution, as formulas.
//!
//! Vertices are dealt to the colours evenly; edges are drawn uniformly among pairs of different colours, each at most
//! once. A variable says that a vertex has a colour. Every vertex has a colour, none has two, and neighbours differ.

use std::collections::BTreeSet;

use engine::Rng;

use crate::formula::{Formula, Literal};

/// A formula that says how to colour a graph with so many vertices, colours and edges.
///
/// # Panics
/// If there are fewer pairs of different colours than edges.
pub fn planted(vertices: u32, colours: u32, edges: usize, seed: u64) -> Formula {
    let mut rng = Rng::new(seed, "colouring", 0);
    let mut hidden: Vec<u32> = (0..vertices).map(|vertex| vertex % colours).collect();
    rng.shuffle(&mut hidden);
    let mut graph = BTreeSet::new();
    let pairs = (0..vertices).flat_map(|a| (0..a).map(move |b| (a, b)));
    let possible = pairs.filter(|&(a, b)| hidden[a as usize] != hidden[b as usize]).count();
    assert!(edges <= possible, "{edges} edges among {possible} pairs");
    while graph.len() < edges {
        let (a, b) = (rng.below(vertices as usize), rng.below(vertices as usize));
        if hidden[a] != hidden[b] {
            graph.insert((a.min(b) as u32, a.max(b) as u32));
        }
    }
    let mut formula = Formula::new(vertices * colours);
    let has = |vertex: u32, colour: u32| Literal::positive(vertex * colours + colour);
    for vertex in 0..vertices {
        formula.push((0..colours).map(|colour| has(vertex, colour)));
        for colour in 0..colours {
            (0..colour).for_each(|other| formula.push([!has(vertex, colour), !has(vertex, other)]));
        }
    }
    for (a, b) in graph {
        (0..colours).for_each(|colour| formula.push([!has(a, colour), !has(b, colour)]));
    }
    formula
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hidden_colouring_solves_it() {
        let (vertices, colours, edges) = (30, 4, 90);
        let formula = planted(vertices, colours, edges, 7);
        assert_eq!(formula.variables(), 120);
        assert_eq!(formula.clause_count(), 30 * (1 + 6) + 4 * 90);
        let mut hidden: Vec<u32> = (0..vertices).map(|vertex| vertex % colours).collect();
        Rng::new(7, "colouring", 0).shuffle(&mut hidden);
        let colouring: Vec<bool> =
            (0..vertices * colours).map(|it| hidden[(it / colours) as usize] == it % colours).collect();
        assert!(formula.is_satisfied_by(&colouring));
        assert_ne!(formula, planted(vertices, colours, edges, 8));
    }

    #[test]
    #[should_panic(expected = "5 edges among 4 pairs")]
    fn more_edges_than_pairs_are_refused() {
        planted(4, 2, 5, 1);
    }
}
