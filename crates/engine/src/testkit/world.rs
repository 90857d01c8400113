//! Random worlds. A world has a space and instances, and defines what every trial would cost if it were never
//! stopped.
//!
//! ```text
//! log10 cost(θ, π, s) = instance(π) + quality(θ) + taste(θ, π) + noise(θ, π, s)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | θ, π, s | configuration, instance, seed |
//! | instance | uniform over a range that corresponds to a factor of 10 to 1000 |
//! | quality, taste, noise | normal; noise only if seeds matter |
//!
//! Every term is drawn from a random stream keyed by the variables that the term depends on. The result of a
//! trial is therefore the same, whenever and however often it is computed.

use math::{Rng, mix};
use space::Space;
use space::format::{Format, read};
use surrogate::Reading;

use crate::observation::{Observation, Status};
use crate::problem::constraint::{Constraint, Over};
use crate::problem::{Objective, Problem};
use crate::propose::{Initial, LocalSearch, Proposer, RandomSearch};
use crate::racing::{Racing, Schedule};
use crate::trial::{Cap, TrialRequest};

/// Spaces from a single parameter to mixed spaces with conditions. The first three are soon exhausted.
const SPACES: [&str; 6] = [
    "a = { boolean = true }\n",
    "a = { choices = [\"x\", \"y\", \"z\"] }\nb = { integer = [1, 4] }\n",
    "a = { ordinal = [1, 2, 5, 9] }\nb = { integer = [1, 8], when = \"a > 2\" }\nc = { boolean = true }\n",
    "a = { float = [1.01, 1.4], log = true }\nb = { float = [0, 1] }\nc = { float = [0, 0.1] }\n\
     d = { float = [0, 0.2] }\n",
    "a = { choices = [\"x\", \"y\", \"z\"] }\nb = { integer = [1, 1000], log = true }\n\
     c = { float = [0, 1], when = \"a == 'x'\" }\nd = { boolean = true, when = \"a in {'y', 'z'}\" }\n\
     e = { float = [0.001, 10], log = true }\nforbidden = [\"a == 'z' && b > 500\"]\n",
    "a = { float = [0, 1] }\n",
];

/// Numbers of challengers per pair that the incumbent gains: before and after it has met every instance.
const SCHEDULES: [(usize, usize); 3] = [(1, 1), (1, 4), (3, 2)];

/// The properties of a world.
#[derive(Clone, PartialEq, Debug)]
pub struct Traits {
    /// Share of configurations that fail on some instances.
    pub failures: f64,
    /// Standard deviation of the noise in the log10 cost.
    pub noise: f64,
    /// Whether running the same trial again gives a different cost.
    pub jitter: bool,
    /// Whether costs are integers, so that many are equal.
    pub whole: bool,
    /// Factor between the costs of the easiest and the hardest instance.
    pub spread: f64,
    /// Factor by which the default is more expensive than other configurations.
    pub default_factor: f64,
}

/// A problem in which the result of every trial is known beforehand.
#[derive(Clone, Debug)]
pub struct World {
    /// Its number.
    pub seed: u64,
    /// Its properties.
    pub traits: Traits,
    /// The problem.
    pub problem: Problem,
    /// The settings for races in this world.
    pub racing: Racing,
}

/// The result that a trial has if it is never stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Truth {
    /// The time that the trial takes. If there is a cutoff, this is also its cost.
    pub time: f64,
    /// The cost if the trial finishes.
    pub cost: f64,
    /// The status of the trial if it is not stopped.
    pub status: Status,
    /// Its constrained outputs.
    pub outputs: Vec<f64>,
    /// The tie-breaker between timeouts, if the trial reports one.
    pub tie: Option<f64>,
}

impl World {
    /// Returns the world with this number. Cutoff, noise, failures and constraints are present in some worlds
    /// only.
    pub fn random(seed: u64) -> Self {
        let mut rng = Rng::new(seed, "world", 0);
        let mut one_of = |n: usize| rng.below(n);
        let instances = [1, 1, 2 + one_of(4), 5 + one_of(26), 40][one_of(5)] as u32;
        let deterministic = one_of(3) == 0;
        let traits = Traits {
            failures: [0.0, 0.0, 0.3, 0.9][one_of(4)],
            noise: if deterministic { 0.0 } else { [0.0, 0.1, 0.5][one_of(3)] },
            jitter: !deterministic && one_of(4) == 0,
            whole: one_of(4) == 0,
            spread: [10.0, 100.0, 1000.0][one_of(3)],
            default_factor: 1.0,
        };
        let mut objective = match one_of(5) {
            0 => Objective::uncapped(),
            _ => Objective::capped([20.0, 300.0, 5000.0][one_of(3)]),
        };
        if one_of(3) == 0 {
            for _ in 0..1 + one_of(2) {
                let (bound, over) = ([0.4, 0.6, -0.1][one_of(3)], [Over::Mean, Over::Max][one_of(2)]);
                objective.constraints.push(Constraint::new(bound, over));
            }
        }
        let schedules = SCHEDULES.map(|(early, late)| Schedule { early, late });
        let racing = Racing {
            slack: [1.0, 1.3, 2.0, f64::INFINITY][one_of(4)],
            min_pairs: [1, 1, 1, 2, 5][one_of(5)],
            max_pairs: [1, 4, 30, 2000][one_of(4)],
            schedule: schedules[one_of(3)],
            common_seeds: one_of(3) == 0,
            deterministic,
        };
        Self::new(seed, SPACES[one_of(SPACES.len())], traits, objective, instances, racing)
    }

    /// Returns a world with a constraint relative to the default.
    pub fn relative(seed: u64) -> Self {
        let mut world = Self::random(seed);
        let over = if seed.is_multiple_of(2) { Over::Mean } else { Over::Max };
        world.problem.objective.constraints = vec![Constraint::relative(1.1, over)];
        world
    }

    /// Returns a world for testing the law that capping changes nothing. Times are repeatable; there are
    /// timeouts, failures and sometimes a constraint.
    pub fn repeatable(seed: u64) -> Self {
        let mut rng = Rng::new(seed, "repeatable world", 0);
        let mut one_of = |n: usize| rng.below(n);
        let traits = Traits {
            failures: [0.0, 0.2, 0.6][one_of(3)],
            noise: [0.0, 0.2][one_of(2)],
            jitter: false,
            whole: one_of(4) == 0,
            spread: [10.0, 100.0, 1000.0][one_of(3)],
            default_factor: 1.0,
        };
        let mut objective = Objective::capped([20.0, 100.0, 1000.0, 5000.0][one_of(4)]);
        if one_of(4) == 0 {
            objective.constraints.push(Constraint::new(0.5, [Over::Mean, Over::Max][one_of(2)]));
        }
        let schedules = SCHEDULES.map(|(early, late)| Schedule { early, late });
        let racing = Racing {
            slack: 1.0,
            min_pairs: [1, 1, 3][one_of(3)],
            max_pairs: [5, 2000][one_of(2)],
            schedule: schedules[one_of(3)],
            common_seeds: one_of(3) == 0,
            deterministic: one_of(2) == 0,
        };
        let instances = 1 + one_of(30) as u32;
        let space = SPACES[one_of(SPACES.len())];
        Self::new(seed, space, traits, objective, instances, racing)
    }

    /// Returns a world that misleads any racer spending equal time on the incumbent and on challengers. The
    /// default is 10 000 times as expensive as other configurations, and heavy tails make some of these very
    /// cheap on one pair.
    pub fn adversarial(seed: u64) -> Self {
        let mut rng = Rng::new(seed, "adversarial world", 0);
        let mut one_of = |n: usize| rng.below(n);
        let traits = Traits {
            failures: 0.0,
            noise: 1.0,
            jitter: false,
            whole: false,
            spread: [1.0, 100.0][one_of(2)],
            default_factor: 1e4,
        };
        let instances = [1, 5, 20][one_of(3)];
        Self::new(seed, SPACES[3 + one_of(3)], traits, Objective::capped(1e9), instances, Racing::default())
    }

    fn new(
        seed: u64,
        space: &str,
        traits: Traits,
        objective: Objective,
        instances: u32,
        racing: Racing,
    ) -> Self {
        let space: Space = read(space, "space of a world", Format::Toml).expect("the spaces above are valid");
        let default = space.default_configuration();
        let problem = Problem { space, default, objective, instances, seed };
        Self { seed, traits, problem, racing }
    }

    /// Returns the proposer of this world: random search, local search, or a design followed by local search.
    pub fn proposer(&self) -> Box<dyn Proposer> {
        let Problem { space, seed, .. } = &self.problem;
        let local = || Box::new(LocalSearch::new(space.clone(), *seed));
        match Rng::new(self.seed, "who proposes", 0).below(3) {
            0 => Box::new(RandomSearch::new(space.clone(), *seed)),
            1 => local(),
            _ => {
                let given = vec![self.problem.default.clone()];
                let design = space::design::Design::LatinHypercube;
                let initial = Initial::new(given, space, design, 5, *seed, local());
                Box::new(initial.expect("some configurations are allowed"))
            }
        }
    }

    /// Returns a random stream for a term that depends on these keys.
    fn stream(&self, purpose: &str, keys: &[u64]) -> Rng {
        let key = keys.iter().fold(0, |key, &part| mix(mix(key) ^ part));
        Rng::new(self.seed, purpose, key)
    }

    /// Returns the result that a trial has if it is never stopped.
    pub fn truth(&self, request: &TrialRequest) -> Truth {
        let config = (request.configuration.fingerprint() >> 64) as u64;
        let (instance, seed) = (u64::from(request.key.pair.instance.0), u64::from(request.key.pair.seed.0));
        let instance_term = self.stream("instance", &[instance]).unit() * libm::log10(self.traits.spread);
        let quality = 0.3 * self.stream("quality", &[config]).normal();
        let taste = 0.2 * self.stream("taste", &[config, instance]).normal();
        let mut noise = self.stream("noise", &[config, instance, seed]);
        let mut log_cost = instance_term + quality + taste + self.traits.noise * noise.normal();
        if self.traits.jitter {
            log_cost += 0.1 * self.stream("jitter", &[request.id.0]).normal();
        }
        let mut time = libm::pow(10.0, log_cost);
        if request.configuration == self.problem.default {
            time *= self.traits.default_factor;
        }
        if self.traits.whole {
            time = time.ceil();
        }
        // Costs without a cutoff may be negative.
        let cost = if self.problem.objective.cutoff.is_some() { time } else { log_cost - 1.0 };
        let mut failure = self.stream("failure", &[config]);
        let fragile = failure.unit() < self.traits.failures;
        let status = match self.stream("failure", &[config, instance]).below(6) {
            0 if fragile => Status::Crashed,
            1 if fragile => Status::Memory,
            _ => Status::Finished,
        };
        let output = |which: u64| {
            let level = self.stream("output", &[which, config]).unit();
            level + 0.2 * self.stream("output", &[which, config, instance, seed]).normal()
        };
        let count = self.problem.objective.constraints.len() as u64;
        // How far a trial got before it timed out. It is an integer, so that ties occur, and it is not always
        // reported.
        let mut ties = self.stream("tie", &[config, instance, seed]);
        let (tie, reported) = (ties.below(4) as f64, ties.below(8) > 0);
        Truth {
            time,
            cost,
            status,
            outputs: (0..count).map(output).collect(),
            tie: Some(tie).filter(|_| reported),
        }
    }

    /// Returns the observation of a trial with this cap.
    pub fn observe(&self, truth: &Truth, cap: Cap) -> Observation {
        let cap = cap.cost();
        if truth.time > cap && self.problem.objective.cutoff.is_some() {
            let at_cutoff = self.problem.objective.cutoff.is_some_and(|cutoff| cap >= cutoff);
            return if at_cutoff {
                self.unmeasured(Observation::timeout(cap)).with_tie(truth.tie)
            } else {
                self.stopped(cap)
            };
        }
        match truth.status {
            Status::Finished => {
                let outputs: Vec<_> =
                    truth.outputs.iter().map(|&value| Some(Reading::Exact(value))).collect();
                Observation::finished(truth.cost).with_spent(truth.time).with_constraints(outputs)
            }
            status => Observation::failed(status, truth.time),
        }
    }

    /// Returns the observation of a trial that is stopped at this cost.
    pub fn stopped(&self, at: f64) -> Observation {
        self.unmeasured(Observation::capped(at))
    }

    fn unmeasured(&self, observation: Observation) -> Observation {
        observation.with_constraints(vec![None; self.problem.objective.constraints.len()])
    }
}
