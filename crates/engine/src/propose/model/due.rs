//! When to learn: after fixed numbers of trials, so that what is learned depends on nothing else.

/// After how many trials to fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    /// From nothing: trials have doubled.
    pub(super) fresh: usize,
    /// From that one; the same one if there are no more trials yet.
    pub(super) last: usize,
}

/// The fits due after so many trials, given how many the first takes and the share of new ones between
/// two; `None` before the first.
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
    fn fits_are_due_after_few_new_trials_and_start_anew_when_trials_double() {
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
