//! Statistics for tables that compare configurators.
//!
//! ```text
//! p       = share of the splits of all costs into two groups of the same sizes with |mean difference| >= the observed one
//! Holm:     the k-th smallest of m p-values is multiplied by m - k + 1, and is at least the previous one
//! ```
//!
//! The permutation test asks whether means differ, as the papers on configurators do. It assumes nothing
//! about the distribution of costs except that cells are independent. If there are at most [`MAX_SPLITS`]
//! splits, all are enumerated. Otherwise this number of splits is sampled, including the observed one
//! (Phipson and Smyth, 2010). Holm's correction keeps the probability of any false claim in a table at the
//! chosen level (Holm, 1979).

use std::collections::BTreeMap;

use engine::Rng;

/// Largest number of splits of two samples that are evaluated.
const MAX_SPLITS: usize = 20_000;
/// Number of random divisions of samples into halves.
const HALVINGS: usize = 2000;

/// Returns the mean, rounded to twelve digits: the last digits depend on the number of values, even if all are equal,
/// and would decide ranks.
pub(crate) fn mean(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    format!("{mean:.11e}").parse().unwrap_or(mean)
}

/// Returns the geometric mean of positive values.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Returns the ranks, counted from 1; ties share the mean rank.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Returns the two-sided p-value of the permutation test of means.
pub(crate) fn permutation_test(first: &[f64], second: &[f64]) -> f64 {
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let (size, total) = (first.len(), all.iter().sum::<f64>());
    // The mean difference is this distance times a constant, because the sum of one group determines that of
    // the other.
    let expected = total * size as f64 / all.len() as f64;
    let far = |sum: f64| (sum - expected).abs();
    // Sums that are mathematically equal may differ by rounding.
    let rounding = all.len() as f64 * f64::EPSILON * all.iter().map(|cost| cost.abs()).sum::<f64>();
    let observed = far(first.iter().sum()) - rounding;
    match binomial(all.len(), size).filter(|&splits| splits <= MAX_SPLITS) {
        Some(splits) => {
            let mut extreme = 0;
            each_choice(&all, size, 0.0, &mut |sum| extreme += usize::from(far(sum) >= observed));
            extreme as f64 / splits as f64
        }
        None => {
            let (mut rng, mut shuffled) = (Rng::new(1, "permutation test", 0), all);
            let mut is_extreme = |_: &usize| {
                rng.shuffle(&mut shuffled);
                far(shuffled[..size].iter().sum()) >= observed
            };
            let extreme = (1..MAX_SPLITS).filter(&mut is_extreme).count();
            (1 + extreme) as f64 / MAX_SPLITS as f64
        }
    }
}

/// Returns the two-sided p-value of the paired test: the share of sign flips of the differences whose mean is
/// at least as far from 0 as the observed mean.
pub(crate) fn sign_flip_test(differences: &[f64]) -> f64 {
    let rounding =
        differences.len() as f64 * f64::EPSILON * differences.iter().map(|it| it.abs()).sum::<f64>();
    let observed = differences.iter().sum::<f64>().abs() - rounding;
    let mut rng = Rng::new(1, "sign flips", 0);
    let mut is_extreme = |_: &usize| {
        let flipped: f64 = differences.iter().map(|it| if rng.unit() < 0.5 { *it } else { -it }).sum();
        flipped.abs() >= observed
    };
    (1 + (1..MAX_SPLITS).filter(&mut is_extreme).count()) as f64 / MAX_SPLITS as f64
}

/// Returns the binomial coefficient "`all` choose `chosen`"; `None` if it overflows.
fn binomial(all: usize, chosen: usize) -> Option<usize> {
    (0..chosen).try_fold(1usize, |count, k| Some(count.checked_mul(all - k)? / (k + 1)))
}

/// Calls `found` with the sum of each choice of `chosen` values.
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

/// Compares pairs of samples, and returns a cell of a table for each: the ratio of means and the p-value of the
/// permutation test, corrected for the number of pairs. The ratio is bold if p < 0.05.
pub(crate) fn compared<K: Ord>(pairs: Vec<(K, [Vec<f64>; 2])>) -> BTreeMap<K, String> {
    let test = |(_, [first, second]): &(K, [Vec<f64>; 2])| permutation_test(first, second);
    let p_values = holm(&pairs.iter().map(test).collect::<Vec<f64>>());
    let cell = |((key, [first, second]), p): ((K, [Vec<f64>; 2]), f64)| {
        let strong = if p < 0.05 { "**" } else { "" };
        (key, format!("{strong}{:.3}{strong} ({p:.4})", mean(&first) / mean(&second)))
    };
    pairs.into_iter().zip(p_values).map(cell).collect()
}

/// Chooses the sample with the lowest mean by one half of the values, and returns its mean over the other half,
/// averaged over [`HALVINGS`] random divisions and both halves.
///
/// The lowest of several means is too low on average, because the sample that was lucky is chosen. The other half of its
/// values did not take part in the choice. The result is too high on average, because half of the values may choose a
/// sample whose true mean is not the lowest. So both figures together enclose the lowest true mean, on average. Samples
/// with a single value cannot be divided and are left out.
pub(crate) fn lowest_held_out(samples: &[Vec<f64>]) -> Option<f64> {
    let mut rng = Rng::new(1, "held-out halves", 0);
    let mut shuffled: Vec<Vec<f64>> = samples.iter().filter(|it| it.len() > 1).cloned().collect();
    let mut held_out = || {
        let means: Vec<(f64, f64)> = shuffled
            .iter_mut()
            .map(|values| {
                rng.shuffle(values);
                let (one, other) = values.split_at(values.len() / 2);
                (mean(one), mean(other))
            })
            .collect();
        let (first, second) = (means.iter().copied(), means.iter().map(|&(one, other)| (other, one)));
        let first = first.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let second = second.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(f64::midpoint(first.1, second.1))
    };
    let means: Option<Vec<f64>> = (0..HALVINGS).map(|_| held_out()).collect();
    means.map(|means| mean(&means))
}

/// Returns the p-values of all tests in a table with Holm's correction.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut corrected, mut previous) = (vec![0.0; p_values.len()], 0.0f64);
    for (rank, &index) in order.iter().enumerate() {
        previous = previous.max(p_values[index] * (p_values.len() - rank) as f64).min(1.0);
        corrected[index] = previous;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_mean_is_judged_by_values_that_did_not_choose_it() {
        // The first sample is chosen by 0, and then judged by 8; otherwise the second one is chosen.
        let held_out = lowest_held_out(&[vec![0.0, 8.0], vec![3.0, 3.0], vec![1.0]]).unwrap();
        assert!((held_out - 5.5).abs() < 0.2, "{held_out}");
        // Samples with the same distribution: the lowest mean is far below their common mean of 0.5.
        let mut rng = Rng::new(1, "equal samples", 0);
        let samples: Vec<Vec<f64>> = (0..200).map(|_| (0..10).map(|_| rng.unit()).collect()).collect();
        let lowest = samples.iter().map(|it| mean(it)).fold(f64::INFINITY, f64::min);
        let held_out = lowest_held_out(&samples).unwrap();
        assert!(lowest < 0.35 && (held_out - 0.5).abs() < 0.1, "{lowest} {held_out}");
        assert_eq!(lowest_held_out(&[vec![1.0]]), None);
    }

    #[test]
    fn means_are_correct() {
        assert_eq!(mean(&[4.0, 1.0, 10.0, 1.0]), 4.0);
        let cost = 1_150.433_333_333_333_4;
        assert_eq!(mean(&[cost; 10]), mean(&[cost; 5]));
        assert!((geometric_mean(&[0.5, 2.0, 8.0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn ties_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn small_permutation_tests_match_a_calculation_by_hand() {
        // Two of the numbers 1, 2, 3 and 4 have 6 possible sums, with an expected sum of 5. Of these sums, 3
        // and 7 are as far from 5 as the observed 3.
        assert_eq!(permutation_test(&[1.0, 2.0], &[3.0, 4.0]), 2.0 / 6.0);
        // Two sums are 5. All others are at least as far from 5 as the observed 4.
        assert_eq!(permutation_test(&[1.0, 3.0], &[2.0, 4.0]), 4.0 / 6.0);
        assert_eq!(permutation_test(&[1.0], &[2.0]), 1.0);
        // The test compares means, not ranks. Of 1, 2, 3 and 100, pairs with 100 sum to 101, 102 and 103, and
        // the others to 3, 4 and 5. The expected sum is 53.
        assert_eq!(permutation_test(&[1.0, 2.0], &[3.0, 100.0]), 2.0 / 6.0);
        assert_eq!(permutation_test(&[1.0, 100.0], &[2.0, 3.0]), 1.0);
        // Groups of different sizes: the extreme choices of 3 of 5 numbers have the sums 6 and 12; the
        // expected sum is 9.
        assert_eq!(permutation_test(&[1.0, 2.0, 3.0], &[4.0, 5.0]), 2.0 / 10.0);
        assert_eq!(permutation_test(&[7.0; 3], &[7.0; 4]), 1.0);
    }

    #[test]
    fn sums_that_differ_only_by_rounding_are_ties() {
        // 0.1 + 0.2 is not 0.3 in binary, but both splits are equally far from the expected sum.
        assert_eq!(permutation_test(&[0.1, 0.2], &[0.3, 0.0]), permutation_test(&[0.3, 0.0], &[0.1, 0.2]));
        assert_eq!(permutation_test(&[0.1, 0.2], &[0.3, 0.0]), 1.0);
    }

    #[test]
    fn sampled_splits_agree_with_the_exact_probability() {
        // Two groups of 10 have 184 756 splits, and only the two extreme ones are as far from the expected
        // sum.
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (10..20).map(f64::from).collect();
        assert_eq!(permutation_test(&low, &high), 1.0 / MAX_SPLITS as f64);
        // Zeros and ones, 7 of 10 against 3 of 10: a sum of 3 or less, or of 7 or more, has the probability
        // 0.1789.
        let mut first = [0.0; 10];
        first[..7].fill(1.0);
        let mut second = [0.0; 10];
        second[..3].fill(1.0);
        let p = permutation_test(&first, &second);
        assert!((p - 0.1789).abs() < 0.01, "{p}");
        assert_eq!(p, permutation_test(&first, &second), "the samples are always the same");
    }

    #[test]
    fn sign_flips_detect_a_mean_other_than_zero() {
        // Of the 2^12 sign flips of equal differences, only two are as far from 0.
        assert!(sign_flip_test(&[1.0; 12]) < 0.002);
        assert_eq!(sign_flip_test(&[1.0, -1.0, 2.0, -2.0]), 1.0);
        let p = sign_flip_test(&[3.0, 1.0, 1.0]);
        // The absolute sums are 5, 3 or 1. Of 8 sign flips, 2 are as far from 0 as the observed sum.
        assert!((p - 0.25).abs() < 0.02, "{p}");
    }

    #[test]
    fn significant_ratios_are_bold_after_correction() {
        let low: Vec<f64> = (1..=5).map(f64::from).collect();
        let high: Vec<f64> = (6..=10).map(f64::from).collect();
        // 2 of 252 splits are as extreme as the observed one, and there are two tests.
        let found = compared(vec![("a", [low.clone(), high]), ("b", [low.clone(), low])]);
        assert_eq!(found["a"], "**0.375** (0.0159)");
        assert_eq!(found["b"], "1.000 (1.0000)");
    }

    #[test]
    fn holm_multiplies_by_the_number_of_remaining_tests() {
        let corrected = holm(&[0.04, 0.01, 0.03, 0.5]);
        let expected = [0.09, 0.04, 0.09, 0.5];
        assert!(corrected.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{corrected:?}");
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
