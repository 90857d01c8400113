//! Worlds: simulated targets whose costs are computed by a formula. This takes a microsecond or two, so whole
//! campaigns can be simulated.
//!
//! The logarithm of a cost is a sum of random terms, which the seed of the world determines:
//!
//! ```text
//! ln cost(x, i, s) = difficulty(i) + effect(x, i) + noise(x, i, s)
//! ```
//!
//! | term | distribution |
//! |---|---|
//! | difficulty | exponential with mean 1: most instances take seconds, some minutes |
//! | effect | a landscape: 0 at best, ln 10 to ln 1000 at worst; its optimum differs slightly by instance |
//! | noise | normal; its exponential has mean 1; differs by configuration, instance and seed |
//!
//! | kind | difficulty | effect | noise | other properties |
//! |---|---|---|---|---|
//! | [`Kind::Flat`] | yes | none | 0.7 | no configuration is better: any claimed improvement is wrong |
//! | [`Kind::Deterministic`] | yes | yes | none | |
//! | [`Kind::Noisy`] | yes | yes | 0.7 | |
//! | [`Kind::Crashing`] | yes | yes | 0.3 | one region crashes, another runs out of memory |
//! | [`Kind::Constrained`] | yes | yes | 0.3 | a second output, high where the cost is low |
//! | [`Kind::LogUniform`] | none | in the exponent | see below | |
//!
//! Log-uniform costs are `5000^(u^g)`. Here u is uniform on [0, 1] and differs by configuration, instance and
//! seed. The exponent g ranges from e^-1.5 for the worst configuration to e^1.5 for the best one. With g = 1,
//! the costs are log-uniform on [1, 5000].

mod landscape;
mod regions;

use math::Rng;
use space::format::{Format, read};
use space::{Configuration, Space};

use landscape::Landscape;
use regions::Regions;

/// The kind of a world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// All configurations have the same distribution of costs.
    Flat,
    /// The seed of a trial does not matter.
    Deterministic,
    /// Trials of one configuration on one instance differ by seed.
    Noisy,
    /// Some configurations crash or run out of memory.
    Crashing,
    /// Fast configurations tend to violate a bound.
    Constrained,
    /// The costs of every configuration span more than three orders of magnitude.
    LogUniform,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Flat, Self::Deterministic, Self::Noisy, Self::Crashing, Self::Constrained, Self::LogUniform];

    /// Returns the standard deviation of the noise.
    fn noise(self) -> f64 {
        match self {
            Self::Flat | Self::Noisy => 0.7,
            Self::Crashing | Self::Constrained => 0.3,
            Self::Deterministic | Self::LogUniform => 0.0,
        }
    }
}

/// How a trial ends if nothing stops it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Ending {
    /// It finishes by itself, after as many seconds as its cost.
    Finished,
    /// It crashes.
    Crashed {
        /// Seconds until the crash.
        after: f64,
    },
    /// It runs out of memory.
    MemoryOut {
        /// Seconds until it runs out of memory.
        after: f64,
    },
}

/// The result of a trial: one configuration on one instance with one seed.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Cost in seconds; meaningless to the user if the trial does not finish.
    pub cost: f64,
    /// How the trial ends.
    pub ending: Ending,
    /// The other outputs; empty unless the world is constrained.
    pub constraints: Vec<f64>,
}

/// The bound on the second output of a constrained world. The default configuration's output equals this
/// bound.
pub const BOUND: f64 = 1.0;

/// The logarithm of the largest cost of a log-uniform world.
const LN_5000: f64 = 8.517_193_191_416_238;

/// A simulated target with its instances.
#[derive(Clone, Debug)]
pub struct World {
    kind: Kind,
    space: Space,
    seed: u64,
    /// The default configuration, encoded as a row.
    default: Vec<f64>,
    /// The difficulty of each instance.
    difficulties: Vec<f64>,
    landscape: Landscape,
    /// Landscape of the second output.
    other: Landscape,
    regions: Regions,
}

impl World {
    /// Creates the world that `kind`, `space` and `seed` determine. There must be at least one instance.
    pub fn new(kind: Kind, space: &Space, instances: u32, seed: u64) -> Self {
        assert!(instances > 0, "a world needs an instance");
        let mut rng = Rng::new(seed, "difficulties", 0);
        let difficulties = (0..instances).map(|_| -libm::log(1.0 - rng.unit())).collect();
        Self {
            kind,
            space: space.clone(),
            seed,
            default: space.encode(&space.default_configuration()),
            difficulties,
            landscape: Landscape::random(space, instances, &mut Rng::new(seed, "landscape", 0)),
            other: Landscape::random(space, instances, &mut Rng::new(seed, "landscape", 1)),
            regions: Regions::random(space, &mut Rng::new(seed, "regions", 0)),
        }
    }

    /// Returns the kind of the world.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the space of the simulated target.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the number of instances.
    pub fn instances(&self) -> u32 {
        self.difficulties.len() as u32
    }

    /// Returns the result of a trial. The instance must exist in this world, and the configuration must
    /// belong to its space.
    pub fn answer(&self, configuration: &Configuration, instance: u32, seed: u64) -> Answer {
        let row = self.space.encode(configuration);
        let pair = Rng::new(seed, "pair", u64::from(instance)).bits();
        let fingerprint = configuration.fingerprint();
        let mut rng = Rng::new(self.seed ^ fingerprint as u64, "answer", pair ^ (fingerprint >> 64) as u64);
        let effect = self.landscape.effect(&row, instance);
        let noise = self.kind.noise();
        let cost = match self.kind {
            Kind::LogUniform => libm::exp(LN_5000 * libm::pow(rng.unit(), self.exponent(effect))),
            _ if noise == 0.0 => self.typical(effect, instance),
            _ => self.typical(effect, instance) * libm::exp(noise * rng.normal() - noise * noise / 2.0),
        };
        let ending = match self.kind {
            Kind::Crashing => self.regions.ending(&row, cost, &mut rng),
            _ => Ending::Finished,
        };
        let constraints = match self.kind {
            Kind::Constrained => vec![self.second(&row, effect, instance)],
            _ => Vec::new(),
        };
        Answer { cost, ending, constraints }
    }

    /// Returns the mean cost over all seeds, assuming that every trial finishes.
    pub fn mean(&self, configuration: &Configuration, instance: u32) -> f64 {
        let effect = self.landscape.effect(&self.space.encode(configuration), instance);
        match self.kind {
            Kind::LogUniform => {
                let exponent = self.exponent(effect);
                let cost = |u| libm::exp(LN_5000 * libm::pow(u, exponent));
                let cells = 1000;
                let middles = (0..cells).map(|cell| (f64::from(cell) + 0.5) / f64::from(cells));
                middles.map(cost).sum::<f64>() / f64::from(cells)
            }
            _ => self.typical(effect, instance),
        }
    }

    /// Returns the mean cost over all seeds in a world that is not log-uniform.
    fn typical(&self, effect: f64, instance: u32) -> f64 {
        let effect = if self.kind == Kind::Flat { 0.0 } else { effect };
        libm::exp(self.difficulties[instance as usize] + effect)
    }

    fn exponent(&self, effect: f64) -> f64 {
        libm::exp(3.0 * (0.5 - effect / self.landscape.spread()))
    }

    /// Returns the second output, which falls as the cost rises and also has its own landscape.
    fn second(&self, row: &[f64], effect: f64, instance: u32) -> f64 {
        let rise = |landscape: &Landscape, effect: f64| {
            (effect - landscape.effect(&self.default, instance)) / landscape.spread()
        };
        let own = self.other.effect(row, instance);
        libm::exp(0.5 * rise(&self.other, own) - rise(&self.landscape, effect))
    }
}

/// Returns a small space with every kind of parameter, a condition and a forbidden clause.
pub fn mixed_space() -> Space {
    let text = "\
step     = { float = [0.001, 10.0], log = true, default = 1.0 }
decay    = { float = [0.0, 1.0], default = 0.9 }
depth    = { integer = [1, 64], log = true, default = 8 }
rounds   = { integer = [0, 20], default = 3 }
method   = { choices = ['newton', 'secant', 'bisection', 'mixed'], default = 'secant' }
effort   = { ordinal = ['low', 'middle', 'high'], default = 'middle' }
restart  = { boolean = true }
interval = { integer = [10, 1000], log = true, default = 100, when = 'restart' }
forbidden = [\"method == 'bisection' && effort == 'high'\"]
";
    read(text, "mixed.toml", Format::Toml).expect("a test reads this text")
}
