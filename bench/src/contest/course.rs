//! What a configurator did: its incumbents, each with what had been spent by then.

use engine::Configuration;

/// From start to end.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Course {
    incumbents: Vec<Incumbent>,
    pub(crate) trials: u64,
    /// Trials stopped before the cutoff.
    pub(crate) capped: u64,
    pub(crate) configurations: u64,
    /// All configurations tried, as far as the configurator says.
    pub(crate) tried: Vec<Configuration>,
    /// Pairs on which the last incumbent is known, as far as the configurator says.
    pub(crate) pairs: Option<u64>,
    /// CPU seconds of the configurator itself, without its trials.
    pub(crate) thinking: Option<f64>,
}

/// A configuration that was the best from some time on.
#[derive(Clone, PartialEq, Debug)]
struct Incumbent {
    trials: u64,
    /// The cost of all trials by then.
    spent: f64,
    configuration: Configuration,
}

impl Course {
    /// Begins with this configuration, before any trial.
    pub(crate) fn new(first: Configuration) -> Self {
        let first = Incumbent { trials: 0, spent: 0.0, configuration: first };
        Self {
            incumbents: vec![first],
            trials: 0,
            capped: 0,
            configurations: 0,
            tried: Vec::new(),
            pairs: None,
            thinking: None,
        }
    }

    /// Another configuration is the best, after so many trials of such a cost.
    pub(crate) fn crown(&mut self, configuration: Configuration, trials: u64, spent: f64) {
        self.incumbents.push(Incumbent { trials, spent, configuration });
    }

    /// The last incumbent.
    pub(crate) fn last(&self) -> &Configuration {
        self.latest(|_| true)
    }

    /// The incumbent when so much was spent.
    pub(crate) fn at_cost(&self, spent: f64) -> &Configuration {
        self.latest(|incumbent| incumbent.spent <= spent)
    }

    /// The incumbent after so many trials.
    pub(crate) fn after(&self, trials: u64) -> &Configuration {
        self.latest(|incumbent| incumbent.trials <= trials)
    }

    fn latest(&self, is_known: impl Fn(&Incumbent) -> bool) -> &Configuration {
        let known = self.incumbents.iter().rev().find(|incumbent| is_known(incumbent));
        &known.unwrap_or(&self.incumbents[0]).configuration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incumbent_is_the_one_of_its_time() {
        let space = targets::saps::space();
        let mut rng = engine::Rng::new(1, "course", 0);
        let [a, b, c] = [0; 3].map(|_| space.sample(&mut rng).unwrap());
        let mut course = Course::new(a.clone());
        course.crown(b.clone(), 10, 7.5);
        course.crown(c.clone(), 20, 9.0);
        assert_eq!([0, 9, 10, 19, 20, 99].map(|trials| course.after(trials)), [&a, &a, &b, &b, &c, &c]);
        assert_eq!([7.4, 7.5, 9.0].map(|spent| course.at_cost(spent)), [&a, &b, &c]);
        assert_eq!(course.last(), &c);
    }
}
