//! z3, by the resources that it counts itself (`rlimit`).

use super::{Said, Solver};

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
            (Some("sat" | "unsat"), Some(count)) => Said::Solved(count),
            (Some("unknown"), _) => Said::Stopped,
            _ => Said::Failed,
        }
    },
    longest: 5,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_where_the_problem_was_solved() {
        let words = "sat\n(:arith-bound-propagations-cheap 12\n :max-memory    16.92\n :rlimit-count  11163\n :time 0.02)\n";
        assert_eq!((Z3.read)(0, words), Said::Solved(11163.0));
        assert_eq!((Z3.read)(0, "unsat\n(:rlimit-count 7)\n"), Said::Solved(7.0));
        assert_eq!((Z3.read)(0, "unknown\n(:rlimit-count 300001)\n"), Said::Stopped);
        assert_eq!((Z3.read)(1, "(error \"line 1 column 5: unexpected character\")\n"), Said::Failed);
    }
}
