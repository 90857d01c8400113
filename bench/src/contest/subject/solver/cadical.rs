//! cadical; the cost is the number of conflicts.

use super::{Outcome, Solver, count_of};

pub(crate) const CADICAL: Solver = Solver {
    program: "cadical",
    space: include_str!("../../../../../spaces/cadical.toml"),
    // In captune's space, the lower bound is another parameter. Not every configurator supports that.
    simplified: &[("[\"reducetier1glue\", 50]", "[1, 50]")],
    extension: "cnf",
    arguments: |words, cap, file| {
        let limit = ["-n".to_owned(), "-c".to_owned(), format!("{}", cap.floor())];
        limit.into_iter().chain(words).chain([file.display().to_string()]).collect()
    },
    read: |code, stdout| match (code, count_of(stdout, "conflicts")) {
        (10 | 20, Some(conflicts)) => Outcome::Solved(conflicts),
        // If there were no conflicts, the line may be missing.
        (10 | 20, None) => Outcome::Solved(0.0),
        (0, _) => Outcome::Stopped,
        _ => Outcome::Failed,
    },
    longest: 10,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_read_if_the_formula_was_solved() {
        let words = "c --- [ statistics ] ---\nc\nc chronological:               0         0.00 %  of conflicts\n\
                     c conflicts:                  151     13000.00    per second\nc decisions: 9\n";
        assert_eq!((CADICAL.read)(20, words), Outcome::Solved(151.0));
        assert_eq!((CADICAL.read)(0, words), Outcome::Stopped);
        assert_eq!((CADICAL.read)(1, "cadical: error: no such file"), Outcome::Failed);
    }
}
