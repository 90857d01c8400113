//! The optimizer's share of the time on the clock, and keeping it small.
//!
//! ```text
//! in a hurry:  s + d > h t
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | s | seconds of thinking in this session |
//! | d | the longest single thought, which the next may last |
//! | h | `surrogate.overhead` |
//! | t | seconds of this session |
//!
//! In a hurry configurations are proposed without the model. The proposal is in the store, why it was made
//! is not: so a campaign that hurries is not repeatable, and one that is repeatable, or in simulated time,
//! never hurries.

use std::time::Instant;

/// A stopwatch of thoughts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thinking {
    /// When the session began, by the campaign's clock.
    since: f64,
    /// The largest share; `None` if any is right.
    largest: Option<f64>,
    spent: f64,
    longest: f64,
}

impl Thinking {
    pub(crate) fn new(since: f64, largest: Option<f64>) -> Self {
        Self { since, largest, spent: 0.0, longest: 0.0 }
    }

    /// Times a thought.
    pub(crate) fn about<T>(&mut self, thought: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = thought();
        self.took(begin.elapsed().as_secs_f64());
        result
    }

    fn took(&mut self, seconds: f64) {
        self.spent += seconds;
        self.longest = self.longest.max(seconds);
    }

    /// The share of the session until now.
    pub(crate) fn share(&self, now: f64) -> f64 {
        self.spent / (now - self.since).max(1e-9)
    }

    /// Whether one more thought could make it too much.
    pub(crate) fn is_in_a_hurry(&self, now: f64) -> bool {
        self.largest.is_some_and(|largest| self.spent + self.longest > largest * (now - self.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_taken_only_while_there_is_time_for_another_like_the_longest() {
        let mut thinking = Thinking::new(100.0, Some(0.1));
        assert!(!thinking.is_in_a_hurry(100.0), "the first is free");
        thinking.took(1.0);
        thinking.took(0.5);
        assert!(thinking.is_in_a_hurry(124.9) && !thinking.is_in_a_hurry(125.1));
        assert!((thinking.share(115.0) - 0.1).abs() < 1e-12);
        let mut free = Thinking::new(0.0, None);
        free.took(1e9);
        assert!(!free.is_in_a_hurry(1.0));
    }

    /// However long the thoughts, growing as fits do, the share is kept.
    #[test]
    fn the_share_is_kept() {
        let mut thinking = Thinking::new(0.0, Some(0.1));
        let (mut now, mut thoughts) = (1.0, 0);
        for trial in 0..100_000 {
            now += 0.01;
            if !thinking.is_in_a_hurry(now) {
                let seconds = 1e-4 * f64::from(trial);
                thinking.took(seconds);
                now += seconds;
                thoughts += 1;
            }
        }
        assert!(thinking.share(now) < 0.1 && thinking.share(now) > 0.05, "{}", thinking.share(now));
        assert!(thoughts > 20, "{thoughts}");
    }
}
