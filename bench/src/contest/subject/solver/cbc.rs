//! cbc, by the iterations of all its linear programs. It cannot be told a largest number of them: runs go on to their
//! end.

use super::{Said, Solver, count_of};

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
            Some(iterations) if code == 0 && optimal => Said::Solved(iterations),
            _ => Said::Failed,
        }
    },
    longest: 10,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_read_where_the_optimum_was_found() {
        let words = "Result - Optimal solution found\n\nObjective value:                572.00000000\n\
                     Enumerated nodes:               30\nTotal iterations:               1411\n";
        assert_eq!((CBC.read)(0, words), Said::Solved(1411.0));
        assert_eq!((CBC.read)(139, words), Said::Failed);
        assert_eq!(
            (CBC.read)(0, &words.replace("Optimal solution found", "Stopped on time limit")),
            Said::Failed
        );
    }
}
