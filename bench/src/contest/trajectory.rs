//! Trajectory of a configurator: its incumbents, each with the budget spent before it was found.

use engine::Configuration;

/// Incumbents from start to end, and totals.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trajectory {
    incumbents: Vec<Incumbent>,
    pub(crate) trials: u64,
    /// Number of trials stopped before the cutoff.
    pub(crate) capped: u64,
    pub(crate) configurations: u64,
    /// All configurations tried, if the configurator reports them.
    pub(crate) tried: Vec<Configuration>,
    /// Number of pairs that the last incumbent has run on, if the configurator reports it.
    pub(crate) pairs: Option<u64>,
    /// CPU seconds of the configurator itself, without its trials.
    pub(crate) own_cpu: Option<f64>,
}

/// A configuration, with the budget spent when it became the incumbent.
#[derive(Clone, PartialEq, Debug)]
struct Incumbent {
    trials: u64,
    /// Total cost of all trials up to that point.
    spent: f64,
    configuration: Configuration,
}

impl Trajectory {
    /// Returns a trajectory that starts with this incumbent, before any trial.
    pub(crate) fn new(first: Configuration) -> Self {
        let first = Incumbent { trials: 0, spent: 0.0, configuration: first };
        Self {
            incumbents: vec![first],
            trials: 0,
            capped: 0,
            configurations: 0,
            tried: Vec::new(),
            pairs: None,
            own_cpu: None,
        }
    }

    /// Adds an incumbent, with the number and the total cost of the trials so far.
    pub(crate) fn push(&mut self, configuration: Configuration, trials: u64, spent: f64) {
        self.incumbents.push(Incumbent { trials, spent, configuration });
    }

    /// Returns the last incumbent.
    pub(crate) fn last(&self) -> &Configuration {
        self.latest(|_| true)
    }

    /// Returns the incumbent at the time when all trials together had cost this much.
    pub(crate) fn at_cost(&self, spent: f64) -> &Configuration {
        self.latest(|incumbent| incumbent.spent <= spent)
    }

    /// Returns the incumbent after this number of trials.
    pub(crate) fn after(&self, trials: u64) -> &Configuration {
        self.latest(|incumbent| incumbent.trials <= trials)
    }

    fn latest(&self, is_in_time: impl Fn(&Incumbent) -> bool) -> &Configuration {
        let found = self.incumbents.iter().rev().find(|incumbent| is_in_time(incumbent));
        &found.unwrap_or(&self.incumbents[0]).configuration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incumbent_depends_on_the_budget_spent() {
        let space = targets::saps::space();
        let mut rng = engine::Rng::new(1, "course", 0);
        let [a, b, c] = [0; 3].map(|_| space.sample(&mut rng).unwrap());
        let mut trajectory = Trajectory::new(a.clone());
        trajectory.push(b.clone(), 10, 7.5);
        trajectory.push(c.clone(), 20, 9.0);
        assert_eq!([0, 9, 10, 19, 20, 99].map(|trials| trajectory.after(trials)), [&a, &a, &b, &b, &c, &c]);
        assert_eq!([7.4, 7.5, 9.0].map(|spent| trajectory.at_cost(spent)), [&a, &b, &c]);
        assert_eq!(trajectory.last(), &c);
    }
}
