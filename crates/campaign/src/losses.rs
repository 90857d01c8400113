//! Detects when so many trials are lost that the campaign should stop.
//!
//! A lost trial gives no information about its configuration, so it is run again. If the machine or the
//! target kills every supervisor, repeating lost trials would use up the whole budget.

/// Number of trials lost in a row after which the campaign stops.
const IN_A_ROW: u64 = 10;
/// Number of trials that must have ended before the share of lost trials is judged.
const LEAST_TRIALS: u64 = 50;

/// A counter of lost trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Losses {
    /// Largest number of trials that ran at the same time. A single accident can lose all of them.
    workers: u64,
    in_a_row: u64,
    lost: u64,
    ended: u64,
}

impl Losses {
    /// Counts a trial that has ended. `workers` is the number of trials that can run at the same time, which
    /// changes if workers join or leave.
    pub(crate) fn count(&mut self, is_lost: bool, workers: usize) {
        self.workers = self.workers.max(workers as u64);
        self.ended += 1;
        self.lost += u64::from(is_lost);
        self.in_a_row = if is_lost { self.in_a_row + 1 } else { 0 };
    }

    /// Returns whether so many trials are lost, in a row or in total, that the next ones will probably be
    /// lost too.
    pub(crate) fn are_too_many(&self) -> bool {
        let in_a_row = IN_A_ROW.max(3 * self.workers);
        self.in_a_row >= in_a_row || (self.ended >= LEAST_TRIALS.max(in_a_row) && 2 * self.lost > self.ended)
    }

    /// Returns the number of trials lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the number of trials that have ended, lost or not.
    pub(crate) fn ended(&self) -> u64 {
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(workers: usize, trials: impl IntoIterator<Item = bool>) -> Losses {
        let mut losses = Losses::default();
        trials.into_iter().for_each(|is_lost| losses.count(is_lost, workers));
        losses
    }

    #[test]
    fn ten_in_a_row_are_too_many_and_a_success_restarts_the_count() {
        assert!(!after(1, [true; 9]).are_too_many());
        assert!(after(1, [true; 10]).are_too_many());
        let interrupted = [true; 9].into_iter().chain([false]).chain([true; 9]);
        assert!(!after(1, interrupted).are_too_many());
    }

    #[test]
    fn one_accident_may_hit_every_worker() {
        assert!(!after(64, [true; 64]).are_too_many());
        assert!(after(64, [true; 192]).are_too_many());
    }

    #[test]
    fn more_than_half_are_too_many_in_the_long_run() {
        let two_of_three = |count: usize| (0..count).map(|number| number % 3 > 0);
        assert!(!after(1, two_of_three(49)).are_too_many());
        let losses = after(1, two_of_three(51));
        assert!(losses.are_too_many());
        assert_eq!((losses.lost(), losses.ended()), (34, 51));
        assert!(!after(1, (0..1000).map(|number| number % 2 > 0)).are_too_many());
    }
}
