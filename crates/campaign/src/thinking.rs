//! Measures the optimizer's share of the wall time and keeps it small.
//!
//! ```text
//! calm:     if s + c <= h t
//! brisk:    otherwise, if s + b <= h t and s_b + b <= h t / 2
//! hurried:  otherwise
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | s, s_b | seconds that the optimizer has used in this session: in total; at brisk tempo |
//! | c, b | seconds of the longest calm and the longest brisk computation; the next one may take as long |
//! | h | `surrogate.overhead` |
//! | t | seconds since the start of this session |
//!
//! Brisk computations use at most half of the share, so that time for calm ones accumulates. In a hurry,
//! configurations are proposed without the model. The store contains the proposals but not the tempo at which
//! they were made, so a campaign that hurries is not repeatable. Campaigns that are repeatable or in
//! simulated time are therefore always calm.

use std::time::Instant;

use engine::propose::{ModelSettings, Tempo};

/// Estimated seconds for the first fit: per value in the training data, and per trial for collecting the
/// data. Both are upper bounds for current machines. The time of later computations is measured.
const PER_VALUE: f64 = 1e-5;
const PER_TRIAL: f64 = 2e-6;

/// Estimated seconds for the first computations of a session, which cannot be measured yet.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct First {
    pub(crate) calm: f64,
    pub(crate) brisk: f64,
}

impl First {
    /// Estimates the times, given the number of known trials and the number of columns per configuration.
    pub(crate) fn of(model: &ModelSettings, trials: usize, columns: usize) -> Self {
        let values = (trials.min(2 * model.points) * columns) as f64;
        let brisk = PER_VALUE * values + PER_TRIAL * trials as f64;
        let calm = model.learner.first_seconds(model, trials, brisk);
        Self { calm, brisk }
    }
}

/// A measurement of the time that the optimizer uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thinking {
    /// Campaign time at the start of the session.
    since: f64,
    /// The largest share that the optimizer may use; `None` if there is no limit.
    largest: Option<f64>,
    spent: f64,
    spent_briskly: f64,
    tempo: Tempo,
    longest_calm: f64,
    longest_brisk: f64,
}

impl Thinking {
    /// Creates a measurement that starts with the estimated times of the first computations.
    pub(crate) fn new(since: f64, largest: Option<f64>, first: First) -> Self {
        Self {
            since,
            largest,
            spent: 0.0,
            spent_briskly: 0.0,
            tempo: Tempo::Calm,
            longest_calm: first.calm,
            longest_brisk: first.brisk,
        }
    }

    /// Runs a computation of the optimizer and measures its time.
    pub(crate) fn time<T>(&mut self, computation: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = computation();
        self.took(begin.elapsed().as_secs_f64());
        result
    }

    fn took(&mut self, seconds: f64) {
        self.spent += seconds;
        match self.tempo {
            Tempo::Calm => self.longest_calm = self.longest_calm.max(seconds),
            Tempo::Brisk => {
                self.spent_briskly += seconds;
                self.longest_brisk = self.longest_brisk.max(seconds);
            }
            Tempo::Hurried => {}
        }
    }

    /// Returns the optimizer's share of the session so far.
    pub(crate) fn share(&self, now: f64) -> f64 {
        self.spent / (now - self.since).max(1e-9)
    }

    /// Chooses the tempo of the next computation, so that the allowed share is not exceeded.
    pub(crate) fn tempo(&mut self, now: f64) -> Tempo {
        let allowed = self.largest.map_or(f64::INFINITY, |largest| largest * (now - self.since));
        let is_brisk_enough = self.spent + self.longest_brisk <= allowed
            && self.spent_briskly + self.longest_brisk <= allowed / 2.0;
        self.tempo = if self.spent + self.longest_calm <= allowed {
            Tempo::Calm
        } else if is_brisk_enough {
            Tempo::Brisk
        } else {
            Tempo::Hurried
        };
        self.tempo
    }
}

#[cfg(test)]
mod tests {
    use engine::propose::Learner;

    use super::*;

    #[test]
    fn the_tempo_leaves_time_for_another_computation_as_long_as_the_longest() {
        let mut thinking = Thinking::new(100.0, Some(0.1), First::default());
        assert_eq!(thinking.tempo(100.0), Tempo::Calm, "the first computation is free");
        thinking.took(1.0);
        thinking.took(0.5);
        let tempos = [114.9, 124.9, 125.1].map(|now| thinking.tempo(now));
        assert_eq!(tempos, [Tempo::Hurried, Tempo::Brisk, Tempo::Calm]);
        assert!((thinking.share(115.0) - 0.1).abs() < 1e-12);
        let mut free = Thinking::new(0.0, None, First::default());
        free.took(1e9);
        assert_eq!(free.tempo(1.0), Tempo::Calm);
    }

    /// A campaign that is resumed with many trials hurries until the allowed share covers a fit to all of
    /// them.
    #[test]
    fn the_first_fit_after_a_resume_waits_until_the_share_allows_it() {
        let model = ModelSettings::default();
        assert_eq!(First::of(&model, 0, 76), First::default());
        let first = First::of(&model, 1_000_000, 76);
        assert!(first.calm == first.brisk && (5.0..20.0).contains(&first.calm), "{first:?}");
        // A Gaussian process takes longer, unless a forest has replaced it.
        let mut gaussian = ModelSettings::of(Learner::Gaussian);
        assert!(First::of(&gaussian, 400, 7).calm > 10.0 * First::of(&gaussian, 400, 7).brisk);
        gaussian.forest_from = Some(150);
        assert_eq!(First::of(&gaussian, 400, 7).calm, First::of(&model, 400, 7).calm);
        let mut thinking = Thinking::new(3600.0, Some(0.1), first);
        let (mut now, mut fits) = (3600.0, 0);
        while now < 7200.0 {
            now += 0.05;
            if thinking.tempo(now) == Tempo::Calm {
                thinking.took(first.calm);
                now += first.calm;
                fits += 1;
            }
            assert!(thinking.share(now) <= 0.11, "{now} {}", thinking.share(now));
        }
        assert!(fits > 10, "{fits}");
    }

    /// Calm computations take two seconds, brisk ones a tenth of a second. There is time for both, and calm
    /// ones take precedence whenever there is time for them.
    #[test]
    fn brisk_computations_leave_time_for_calm_ones() {
        let mut thinking = Thinking::new(0.0, Some(0.1), First { calm: 1.0, brisk: 0.0 });
        let (mut now, mut first, mut seen) = (0.0, None, [0, 0, 0]);
        while now < 200.0 {
            let tempo = thinking.tempo(now);
            seen[tempo as usize] += 1;
            let seconds = [2.0, 0.1, 0.0][tempo as usize];
            first = first.or((tempo == Tempo::Calm).then_some(now));
            thinking.took(seconds);
            now += 0.05 + seconds;
        }
        assert!((17.0..21.0).contains(&first.unwrap()), "{first:?}");
        assert!((4..6).contains(&seen[0]) && (90..101).contains(&seen[1]) && seen[2] > 1000, "{seen:?}");
        assert!(thinking.share(now) <= 0.1, "{}", thinking.share(now));
    }

    /// The share is respected however long the computations take, even if they take longer and longer, as
    /// fits do.
    #[test]
    fn the_allowed_share_is_not_exceeded() {
        let mut thinking = Thinking::new(0.0, Some(0.1), First::default());
        let (mut now, mut computations) = (1.0, 0);
        for trial in 0..100_000 {
            now += 0.01;
            if thinking.tempo(now) == Tempo::Calm {
                let seconds = 1e-4 * f64::from(trial);
                thinking.took(seconds);
                now += seconds;
                computations += 1;
            }
        }
        assert!(thinking.share(now) < 0.1 && thinking.share(now) > 0.05, "{}", thinking.share(now));
        assert!(computations > 20, "{computations}");
    }
}
