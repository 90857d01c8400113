//! Decides when to fit a model, based only on the number of trials.

/// The numbers of trials that the latest fits used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    /// Number of trials in the latest fit from scratch. Such a fit is made whenever the number of trials has
    /// doubled.
    pub(super) fresh: usize,
    /// Number of trials in the latest fit, which starts from the latest fit from scratch. Equal to `fresh` if
    /// there was no later fit.
    pub(super) last: usize,
}

/// Returns the fits due after `trials` trials; `None` before the first fit. The first fit uses `first`
/// trials. Each later fit is due when the number of trials has grown by the fraction `share` since the
/// previous one.
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
