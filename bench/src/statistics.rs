//! Statistics of tables that compare configurators.
//!
//! ```text
//! p       = share of the ways to deal all costs to two groups of the same sizes with |mean difference| >= the seen one
//! Holm:     the k-th smallest of m p-values is multiplied by m - k + 1, and is at least the one before
//! ```
//!
//! The permutation test asks whether means differ, as the papers on configurators do; it assumes nothing of the law of
//! costs but that cells are independent. Up to [`WAYS`] ways are all looked at; of more, so many are drawn, and the one
//! seen counts among them (Phipson and Smyth, 2010). Holm's correction keeps the probability of any false claim in a
//! table at the level chosen (Holm, 1979).

use engine::Rng;

/// Ways to deal two samples that are looked at.
const WAYS: usize = 20_000;

/// The mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The usual median: of an even number, the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

/// The geometric mean of positive values.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Places from 1 on, ties sharing the mean.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The two-sided p of the permutation test of means.
pub(crate) fn permutation_test(first: &[f64], second: &[f64]) -> f64 {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let (size, total) = (first.len(), all.iter().sum::<f64>());
    // The mean difference is this distance, up to a factor: the sum of one group tells that of the other.
    let expected = total * size as f64 / all.len() as f64;
    let far = |sum: f64| (sum - expected).abs();
    // Sums that are equal on paper differ by rounding.
    let rounding = all.len() as f64 * f64::EPSILON * all.iter().map(|cost| cost.abs()).sum::<f64>();
    let seen = far(first.iter().sum()) - rounding;
    match ways(all.len(), size).filter(|&ways| ways <= WAYS) {
        Some(ways) => {
            let mut extreme = 0;
            each_choice(&all, size, 0.0, &mut |sum| extreme += usize::from(far(sum) >= seen));
            extreme as f64 / ways as f64
        }
        None => {
            let (mut rng, mut dealt) = (Rng::new(1, "permutation test", 0), all);
            let mut is_extreme = |_: &usize| {
                rng.shuffle(&mut dealt);
                far(dealt[..size].iter().sum()) >= seen
            };
            let extreme = (1..WAYS).filter(&mut is_extreme).count();
            (1 + extreme) as f64 / WAYS as f64
        }
    }
}

/// The two-sided p of the paired test: the share of the ways to flip signs of differences with a mean as far from 0.
pub(crate) fn sign_flip_test(differences: &[f64]) -> f64 {
    let rounding =
        differences.len() as f64 * f64::EPSILON * differences.iter().map(|it| it.abs()).sum::<f64>();
    let seen = differences.iter().sum::<f64>().abs() - rounding;
    let mut rng = Rng::new(1, "sign flips", 0);
    let mut is_extreme = |_: &usize| {
        let flipped: f64 = differences.iter().map(|it| if rng.unit() < 0.5 { *it } else { -it }).sum();
        flipped.abs() >= seen
    };
    (1 + (1..WAYS).filter(&mut is_extreme).count()) as f64 / WAYS as f64
}

/// How many ways there are to choose so many of all; `None` if they are beyond counting.
fn ways(all: usize, chosen: usize) -> Option<usize> {
    (0..chosen).try_fold(1usize, |ways, place| Some(ways.checked_mul(all - place)? / (place + 1)))
}

/// The sum of each choice of so many values.
fn each_choice(values: &[f64], chosen: usize, sum: f64, found: &mut impl FnMut(f64)) {
    if chosen == 0 {
        found(sum);
    } else if let [first, rest @ ..] = values
        && chosen <= values.len()
    {
        each_choice(rest, chosen - 1, sum + first, found);
        each_choice(rest, chosen, sum, found);
    }
}

/// The p-values of all tests of a table, corrected.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut corrected, mut least) = (vec![0.0; p_values.len()], 0.0f64);
    for (rank, &place) in order.iter().enumerate() {
        least = least.max(p_values[place] * (p_values.len() - rank) as f64).min(1.0);
        corrected[place] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_means_are_the_usual_ones() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 10.0, 2.0]), 3.0);
        assert_eq!(mean(&[4.0, 1.0, 10.0, 1.0]), 4.0);
        assert!((geometric_mean(&[0.5, 2.0, 8.0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn ties_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn small_permutation_tests_are_those_done_by_hand() {
        // Of the 6 sums of two of 1, 2, 3, 4 (expected 5), 3 and 7 are as far as 3.
        assert_eq!(permutation_test(&[1.0, 2.0], &[3.0, 4.0]), 2.0 / 6.0);
        // 4 is as near as any but 5.
        assert_eq!(permutation_test(&[1.0, 3.0], &[2.0, 4.0]), 4.0 / 6.0);
        assert_eq!(permutation_test(&[1.0], &[2.0]), 1.0);
        // Means, not ranks: of 1, 2, 3 and 100 the pairs with 100 sum to 101, 102 and 103, those without to 3, 4 and 5;
        // expected 53.
        assert_eq!(permutation_test(&[1.0, 2.0], &[3.0, 100.0]), 2.0 / 6.0);
        assert_eq!(permutation_test(&[1.0, 100.0], &[2.0, 3.0]), 1.0);
        // Groups of different sizes: 3 of 5 with a sum of 6 or 12, expected 9.
        assert_eq!(permutation_test(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 2.0 / 10.0);
        assert_eq!(permutation_test(&[7.0; 3], &[7.0; 4]), 1.0);
    }

    #[test]
    fn sums_equal_but_for_rounding_are_ties() {
        // 0.1 + 0.2 is not 0.3 in binary; on paper both dealings of these are as far from the expected sum.
        assert_eq!(permutation_test(&[0.1, 0.2], &[0.3, 0.0]), permutation_test(&[0.3, 0.0], &[0.1, 0.2]));
        assert_eq!(permutation_test(&[0.1, 0.2], &[0.3, 0.0]), 1.0);
    }

    #[test]
    fn drawn_dealings_agree_with_all_of_them() {
        // 10 against 10 is 184 756 ways, of which the two extremes are as far.
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (10..20).map(f64::from).collect();
        assert_eq!(permutation_test(&low, &high), 1.0 / WAYS as f64);
        // Zeros and ones, 7 of 10 against 3 of 10: a sum of 3 or less, or of 7 or more, has the probability 0.1789.
        let mut first = [0.0; 10];
        first[..7].fill(1.0);
        let mut second = [0.0; 10];
        second[..3].fill(1.0);
        let p = permutation_test(&first, &second);
        assert!((p - 0.1789).abs() < 0.01, "{p}");
        assert_eq!(p, permutation_test(&first, &second), "the draws are always the same");
    }

    #[test]
    fn flipped_signs_tell_whether_a_mean_is_chance() {
        // Of 2^12 ways to flip equal differences only two are as far from 0.
        assert!(sign_flip_test(&[1.0; 12]) < 0.002);
        assert_eq!(sign_flip_test(&[1.0, -1.0, 2.0, -2.0]), 1.0);
        let p = sign_flip_test(&[3.0, 1.0, 1.0]);
        // 5, 3 or 1: the seen one is the farthest, 2 of 8.
        assert!((p - 0.25).abs() < 0.02, "{p}");
    }

    #[test]
    fn holm_multiplies_by_the_tests_that_are_left() {
        let corrected = holm(&[0.04, 0.01, 0.03, 0.5]);
        let expected = [0.09, 0.04, 0.09, 0.5];
        assert!(corrected.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{corrected:?}");
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
