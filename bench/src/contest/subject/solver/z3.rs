//! z3; the cost is its own resource count (`rlimit`).

use super::{Outcome, Solver};

pub(crate) const Z3: Solver = Solver {
    program: "z3",
    space: include_str!("z3.toml"),
    simplified: &[],
    extension: "smt2",
    arguments: |words, cap, file| {
        let limit = ["-st".to_owned(), format!("rlimit={}", cap.floor().max(1.0))];
        limit.into_iter().chain(words).chain([file.display().to_string()]).collect()
    },
    read: |_code, stdout| {
        let count = stdout.lines().find_map(|line| {
            let after = line.trim_start_matches([' ', '(']).strip_prefix(":rlimit-count")?;
            after.trim().trim_end_matches(')').parse().ok()
        });
        match (stdout.lines().next(), count) {
            (Some("sat" | "unsat"), Some(count)) => Outcome::Solved(count),
            (Some("unknown"), _) => Outcome::Stopped,
            _ => Outcome::Failed,
        }
    },
    longest: 5,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_if_the_problem_was_solved() {
        let words = "sat\n(:arith-bound-propagations-cheap 12\n :max-memory    16.92\n :rlimit-count  11163\n :time 0.02)\n";
        assert_eq!((Z3.read)(0, words), Outcome::Solved(11163.0));
        assert_eq!((Z3.read)(0, "unsat\n(:rlimit-count 7)\n"), Outcome::Solved(7.0));
        assert_eq!((Z3.read)(0, "unknown\n(:rlimit-count 300001)\n"), Outcome::Stopped);
        assert_eq!((Z3.read)(1, "(error \"line 1 column 5: unexpected character\")\n"), Outcome::Failed);
    }
}
