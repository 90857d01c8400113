//! minisat; the cost is the number of conflicts. minisat has no option to limit conflicts, so no run is
//! stopped at its cap.

use super::{Outcome, Solver, count_of};

pub(crate) const MINISAT: Solver = Solver {
    program: "minisat",
    space: include_str!("../../../../../spaces/minisat.toml"),
    simplified: &[],
    extension: "cnf",
    arguments: |words, _cap, file| words.into_iter().chain([file.display().to_string()]).collect(),
    read: |code, stdout| match (code, count_of(stdout, "conflicts")) {
        (10 | 20, Some(conflicts)) => Outcome::Solved(conflicts),
        // Simplification alone solved the formula.
        (10 | 20, None) => Outcome::Solved(0.0),
        _ => Outcome::Failed,
    },
    longest: 1,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_read_if_the_formula_was_solved() {
        let words = "restarts              : 5\nconflicts             : 751            (57769 /sec)\n\
                     conflict literals     : 9999   ( 9.95 % deleted)\n\nSATISFIABLE\n";
        assert_eq!((MINISAT.read)(10, words), Outcome::Solved(751.0));
        assert_eq!((MINISAT.read)(20, "UNSATISFIABLE\n"), Outcome::Solved(0.0));
        assert_eq!((MINISAT.read)(3, "PARSE ERROR!"), Outcome::Failed);
    }
}
