//! What a campaign may spend, and has spent.

/// Limits of a whole campaign; the first one reached stops it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    /// Seconds from start to stop, interruptions left out.
    pub wall: Option<f64>,
    /// Seconds of the trials' CPU time.
    pub cpu: Option<f64>,
    /// How many trials.
    pub trials: Option<u64>,
}

/// What a campaign has used.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// Seconds of campaign time.
    pub wall: f64,
    /// Seconds of CPU time of trials, told or withdrawn.
    pub cpu: f64,
    /// Trials told.
    pub trials: u64,
}

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Campaign time.
    Wall,
    /// CPU time of the trials.
    Cpu,
    /// The number of trials.
    Trials,
}

impl Limit {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::Trials => "trials",
        }
    }
}

impl Budget {
    /// The limit that has been reached, if any.
    pub fn reached(&self, spent: &Spent) -> Option<Limit> {
        let over = |limit: Option<f64>, used: f64| limit.is_some_and(|limit| used >= limit);
        if over(self.wall, spent.wall) {
            Some(Limit::Wall)
        } else if over(self.cpu, spent.cpu) {
            Some(Limit::Cpu)
        } else if self.trials.is_some_and(|limit| spent.trials >= limit) {
            Some(Limit::Trials)
        } else {
            None
        }
    }

    /// The part used, of the limit nearest to its end; 0 without limits.
    pub fn fraction(&self, spent: &Spent) -> f64 {
        let parts = [
            self.wall.map(|limit| spent.wall / limit),
            self.cpu.map(|limit| spent.cpu / limit),
            self.trials.map(|limit| spent.trials as f64 / limit as f64),
        ];
        parts.into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }
}
