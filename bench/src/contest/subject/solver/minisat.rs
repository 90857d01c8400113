//! minisat, by conflicts. It cannot be told a largest number of them: runs go on to their end.

use super::{Said, Solver, count_of};

pub(crate) const MINISAT: Solver = Solver {
    program: "minisat",
    space: include_str!("../../../../../spaces/minisat.toml"),
    simplified: &[],
    extension: "cnf",
    arguments: |words, _cap, file| words.into_iter().chain([file.display().to_string()]).collect(),
    read: |code, stdout| match (code, count_of(stdout, "conflicts")) {
        (10 | 20, Some(conflicts)) => Said::Solved(conflicts),
        // Simplification alone has solved it.
        (10 | 20, None) => Said::Solved(0.0),
        _ => Said::Failed,
    },
    longest: 1,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_read_where_the_formula_was_solved() {
        let words = "restarts              : 5\nconflicts             : 751            (57769 /sec)\n\
                     conflict literals     : 9999   ( 9.95 % deleted)\n\nSATISFIABLE\n";
        assert_eq!((MINISAT.read)(10, words), Said::Solved(751.0));
        assert_eq!((MINISAT.read)(20, "UNSATISFIABLE\n"), Said::Solved(0.0));
        assert_eq!((MINISAT.read)(3, "PARSE ERROR!"), Said::Failed);
    }
}
