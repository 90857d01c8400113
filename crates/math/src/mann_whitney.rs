//! The Mann-Whitney test: whether values of one sample tend to be smaller than those of another.
//!
//! ```text
//! W      = sum of the ranks of the first sample among all values; equal values share their mean rank
//! p      = share of the choices of n ranks with |W' - E W| >= |W - E W|,   E W = n (n + m + 1) / 2
//! chance = P(a < b) + P(a = b) / 2 = 1 - (W - n (n + 1) / 2) / (n m)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | n, m | sizes of the two samples |
//! | a, b | a value from the first sample, a value from the second |
//!
//! The choices are counted exactly, ties included: twice a mean rank is an integer, so the choices can be
//! counted by their sum. Counting takes n (n + m)^3 steps, which is negligible for a few dozen values. (Mann
//! and Whitney, 1947; `chance` is the measure A of Vargha and Delaney, 2000.)

/// The result of the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MannWhitney {
    /// Two-sided p value: the probability of rank sums at least this far apart if both samples come from the
    /// same distribution.
    pub p: f64,
    /// Probability that a value from the first sample is below a value from the second; ties count half.
    pub chance: f64,
}

/// Compares two samples; `None` if one is empty or contains NaN.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    let (n, m) = (first.len(), second.len());
    if n == 0 || m == 0 || first.iter().chain(second).any(|value| value.is_nan()) {
        return None;
    }
    // Twice the mean rank of a value: number of smaller values + number of values not larger + 1.
    let double_rank = |value: f64| -> usize {
        let all = || first.iter().chain(second);
        all().filter(|&&other| other < value).count() + all().filter(|&&other| other <= value).count() + 1
    };
    let ranks: Vec<usize> = first.iter().chain(second).map(|&value| double_rank(value)).collect();
    let observed: usize = ranks[..n].iter().sum();
    let expected = n * (n + m + 1);
    let far = observed.abs_diff(expected);
    let most: usize = ranks.iter().sum();
    // ways[k][sum]: number of choices of k ranks with this sum.
    let mut ways = vec![vec![0.0f64; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for &rank in &ranks {
        for k in (1..=n).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for sum in rank..=most {
                more[0][sum] += fewer[k - 1][sum - rank];
            }
        }
    }
    let all: f64 = ways[n].iter().sum();
    let extreme: f64 = ways[n]
        .iter()
        .enumerate()
        .filter(|(sum, _)| sum.abs_diff(expected) >= far)
        .map(|(_, count)| count)
        .sum();
    let above = observed as f64 / 2.0 - (n * (n + 1)) as f64 / 2.0;
    Some(MannWhitney { p: (extreme / all).min(1.0), chance: 1.0 - above / (n * m) as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(first: &[f64], second: &[f64]) -> (f64, f64) {
        let found = mann_whitney(first, second).unwrap();
        (found.p, found.chance)
    }

    #[test]
    fn small_cases_match_calculations_by_hand() {
        assert_eq!(test(&[1.0], &[2.0]), (1.0, 1.0));
        // Of the 6 choices of 2 out of 4 ranks, only the two extremes are as far apart.
        assert_eq!(test(&[1.0, 2.0], &[3.0, 4.0]), (2.0 / 6.0, 1.0));
        assert_eq!(test(&[3.0, 4.0], &[1.0, 2.0]), (2.0 / 6.0, 0.0));
        assert_eq!(test(&[1.0, 4.0], &[2.0, 3.0]), (1.0, 0.5));
        // 5 against 5, fully separated: 2 of 252; with one exchange: 4 of 252.
        assert_eq!(test(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]), (2.0 / 252.0, 1.0));
        assert_eq!(test(&[1.0, 2.0, 3.0, 4.0, 6.0], &[5.0, 7.0, 8.0, 9.0, 10.0]), (4.0 / 252.0, 0.96));
    }

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(test(&[7.0; 3], &[7.0; 4]), (1.0, 0.5));
        // Ranks 1.5 1.5 3.5 3.5: the sums 3 and 7 occur once each, 5 four times.
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), (2.0 / 6.0, 1.0));
        assert_eq!(test(&[1.0, 2.0], &[1.0, 2.0]), (1.0, 0.5));
        let infinite = f64::INFINITY;
        assert_eq!(test(&[1.0, 2.0], &[infinite, infinite]), (2.0 / 6.0, 1.0));
    }

    #[test]
    fn empty_samples_and_nan_give_no_result() {
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[1.0], &[]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
    }
}
