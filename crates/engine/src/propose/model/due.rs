//! When to fit: after fixed numbers of trials, so that fits depend on nothing else.

/// The numbers of trials of the latest fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    /// The latest fit from scratch, made whenever the number of trials has doubled.
    pub(super) fresh: usize,
    /// The latest fit, which starts from that one; the same number if there are no more trials yet.
    pub(super) last: usize,
}

/// Returns the fits due after `trials` trials; `None` before the first. `first` is the number of trials of
/// the first fit, and `share` the share of new trials between two fits.
pub(super) fn due(first: usize, share: f64, trials: usize) -> Option<Due> {
    let mut next = first;
    let mut due = (next <= trials).then_some(Due { fresh: next, last: next })?;
    while next <= trials {
        due.last = next;
        if next >= 2 * due.fresh {
            due.fresh = next;
        }
        next += ((share * next as f64) as usize).max(1);
    }
    Some(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_are_due_after_few_new_trials_and_start_from_scratch_when_trials_double() {
        let due = |trials| due(10, 0.05, trials);
        assert_eq!(due(9), None);
        assert_eq!(due(12), Some(Due { fresh: 10, last: 12 }));
        assert_eq!(due(20), Some(Due { fresh: 20, last: 20 }));
        for trials in [10, 25, 99, 1000, 54_321] {
            let Due { fresh, last } = due(trials).unwrap();
            assert!(
                last <= trials && (trials - last) as f64 <= (0.05 * last as f64).max(1.0),
                "{trials} {last}"
            );
            assert!(fresh <= last && last < 2 * fresh, "{trials} {fresh} {last}");
        }
    }
}
