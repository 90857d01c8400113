//! Knapsacks with several constraints, as mixed-integer programs in the LP format.
//!
//! Weights are uniform on 5 to 99. The value of an item is its mean weight over the constraints plus up to
//! 29. The capacity of each constraint is half the sum of its weights. Because values correlate with weights,
//! the choice is hard. (After Chu and Beasley, 1998.)

use math::Rng;

/// Returns a mixed-integer program that chooses among `items` items under several constraints.
pub fn knapsack(items: usize, constraints: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed, "knapsack", 0);
    let weights: Vec<Vec<usize>> =
        (0..constraints).map(|_| (0..items).map(|_| 5 + rng.below(95)).collect()).collect();
    let mut value = |item: usize| {
        weights.iter().map(|weights| weights[item]).sum::<usize>() / constraints + rng.below(30)
    };
    let values: Vec<usize> = (0..items).map(&mut value).collect();
    let sum = |factors: &[usize]| {
        let terms = factors.iter().enumerate().map(|(item, factor)| format!("{factor} x{item}"));
        terms.collect::<Vec<_>>().join(" + ")
    };
    let mut text = format!("Maximize\n value: {}\nSubject To\n", sum(&values));
    for (place, weights) in weights.iter().enumerate() {
        text += &format!(" c{place}: {} <= {}\n", sum(weights), weights.iter().sum::<usize>() / 2);
    }
    let names: Vec<String> = (0..items).map(|item| format!("x{item}")).collect();
    text + &format!("Binary\n {}\nEnd\n", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_problem_matches_the_recorded_one() {
        assert_eq!(
            knapsack(2, 1, 1),
            "Maximize\n value: 44 x0 + 91 x1\nSubject To\n c0: 21 x0 + 66 x1 <= 43\nBinary\n x0 x1\nEnd\n"
        );
        assert_ne!(knapsack(9, 3, 1), knapsack(9, 3, 2));
    }
}
