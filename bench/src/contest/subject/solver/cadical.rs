//! cadical, by conflicts.

use super::{Said, Solver, count_of};

pub(crate) const CADICAL: Solver = Solver {
    program: "cadical",
    space: include_str!("../../../../../spaces/cadical.toml"),
    // A bound that is another parameter.
    simplified: &[("[\"reducetier1glue\", 50]", "[1, 50]")],
    extension: "cnf",
    arguments: |words, cap, file| {
        let limit = ["-n".to_owned(), "-c".to_owned(), format!("{}", cap.floor())];
        limit.into_iter().chain(words).chain([file.display().to_string()]).collect()
    },
    read: |code, stdout| match (code, count_of(stdout, "conflicts")) {
        (10 | 20, Some(conflicts)) => Said::Solved(conflicts),
        // A formula without conflicts may have no such line.
        (10 | 20, None) => Said::Solved(0.0),
        (0, _) => Said::Stopped,
        _ => Said::Failed,
    },
    longest: 10,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_read_where_the_formula_was_solved() {
        let words = "c --- [ statistics ] ---\nc\nc chronological:               0         0.00 %  of conflicts\n\
                     c conflicts:                  151     13000.00    per second\nc decisions: 9\n";
        assert_eq!((CADICAL.read)(20, words), Said::Solved(151.0));
        assert_eq!((CADICAL.read)(0, words), Said::Stopped);
        assert_eq!((CADICAL.read)(1, "cadical: error: no such file"), Said::Failed);
    }
}
