//! cbc; the cost is the number of iterations of all its linear programs. cbc has no option to limit
//! iterations, so no run is stopped at its cap.

use super::{Outcome, Solver, count_of};

pub(crate) const CBC: Solver = Solver {
    program: "cbc",
    space: include_str!("../../../../../spaces/cbc.toml"),
    simplified: &[],
    extension: "lp",
    arguments: |words, _cap, file| {
        [file.display().to_string()].into_iter().chain(words).chain(["-solve".to_owned()]).collect()
    },
    read: |code, stdout| {
        let optimal = stdout.lines().any(|line| line.starts_with("Result - Optimal solution found"));
        match count_of(stdout, "Total iterations") {
            Some(iterations) if code == 0 && optimal => Outcome::Solved(iterations),
            _ => Outcome::Failed,
        }
    },
    longest: 10,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_read_if_the_optimum_was_found() {
        let words = "Result - Optimal solution found\n\nObjective value:                572.00000000\n\
                     Enumerated nodes:               30\nTotal iterations:               1411\n";
        assert_eq!((CBC.read)(0, words), Outcome::Solved(1411.0));
        assert_eq!((CBC.read)(139, words), Outcome::Failed);
        assert_eq!(
            (CBC.read)(0, &words.replace("Optimal solution found", "Stopped on time limit")),
            Outcome::Failed
        );
    }
}
