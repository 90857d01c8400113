//! Linear equations over bounded integers with some disjunctions, in the SMT-LIB format (QF_LIA).
//!
//! A solution is drawn first, uniformly within the bounds. Each equation has coefficients from 1 to 59, and
//! its right-hand side is the sum that the solution gives. There are as many disjunctions as variables. Each
//! is over two random variables, and the solution satisfies all of them.

use math::Rng;

/// Returns equations over variables from 0 to `largest`.
pub fn equations(variables: usize, equations: usize, largest: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed, "equations", 0);
    let solution: Vec<usize> = (0..variables).map(|_| rng.below(largest + 1)).collect();
    let mut text = "(set-logic QF_LIA)\n".to_owned();
    for variable in 0..variables {
        text += &format!("(declare-fun x{variable} () Int)\n");
        text += &format!("(assert (and (<= 0 x{variable}) (<= x{variable} {largest})))\n");
    }
    for _ in 0..equations {
        let factors: Vec<usize> = (0..variables).map(|_| 1 + rng.below(59)).collect();
        let sum: usize = factors.iter().zip(&solution).map(|(factor, value)| factor * value).sum();
        let terms = factors.iter().enumerate().map(|(variable, factor)| format!("(* {factor} x{variable})"));
        text += &format!("(assert (= {sum} (+ {})))\n", terms.collect::<Vec<_>>().join(" "));
    }
    for _ in 0..variables {
        let (a, b) = (rng.below(variables), rng.below(variables));
        let more = (solution[b] + 1).min(largest);
        text += &format!("(assert (or (<= x{a} {}) (>= x{b} {more})))\n", solution[a]);
    }
    text + "(check-sat)\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_problem_matches_the_recorded_one() {
        let text = "(set-logic QF_LIA)\n(declare-fun x0 () Int)\n(assert (and (<= 0 x0) (<= x0 3)))\n\
                    (declare-fun x1 () Int)\n(assert (and (<= 0 x1) (<= x1 3)))\n\
                    (assert (= 15 (+ (* 15 x0) (* 32 x1))))\n\
                    (assert (or (<= x0 1) (>= x0 2)))\n(assert (or (<= x1 0) (>= x0 2)))\n(check-sat)\n";
        assert_eq!(equations(2, 1, 3, 1), text);
        assert_ne!(equations(9, 2, 9, 1), equations(9, 2, 9, 2));
    }
}
