//! The public list, fixed before any result.
//!
//! Costs are counted: steps, conflicts, bytes, simulated seconds. So they are the same on every machine, and so are rows.
//! The checksum is of the instances and of some answers of the default; a target that answers otherwise, such as
//! another version of a solver, is refused.
//!
//! Instances and cutoffs were chosen by `bench public --calibrate` alone, with random configurations, before any
//! configurator was run on them.

/// What is run. Seeds of generated instances are FIRST-LAST.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    /// SAPS on quasigroups with holes, ORDER,HOLES; the cost is steps.
    Saps { class: &'static str, training: &'static str, test: &'static str },
    /// The formula of 76 parameters, with so many instances; the cost is simulated seconds.
    Synthetic { training: u32, test: u32 },
    /// The smooth function of five parameters, with so many instances.
    Smooth { training: u32, test: u32 },
    /// gcc on generated programs; the cost is bytes of code.
    Gcc { training: &'static str, test: &'static str },
    /// cadical on products of two primes of so many bits; the cost is conflicts.
    Cadical { bits: u32, training: &'static str, test: &'static str },
    /// minisat on parities of graphs with so many vertices; the cost is conflicts.
    Minisat { vertices: usize, training: &'static str, test: &'static str },
}

/// One scenario.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) target: Target,
    /// The largest cost of a trial; `None` if a cost is known only at the end.
    pub(super) cutoff: Option<f64>,
    /// Seeds on each test instance.
    pub(super) runs: u32,
    pub(super) checksum: u64,
}

/// SAPS on several formulas.
const fn saps(name: &'static str, class: &'static str, cutoff: f64, checksum: u64) -> Scenario {
    let target = Target::Saps { class, training: "1-10", test: "101-130" };
    Scenario { name, target, cutoff: Some(cutoff), runs: 3, checksum }
}

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "cadical-factoring",
        target: Target::Cadical { bits: 11, training: "1-15", test: "101-130" },
        cutoff: Some(5e3),
        runs: 1,
        checksum: 0,
    },
    Scenario {
        name: "minisat-parity",
        target: Target::Minisat { vertices: 30, training: "1-15", test: "101-130" },
        cutoff: Some(5e4),
        runs: 1,
        checksum: 0,
    },
    saps("saps-qwh-20", "20,153", 2e5, 0),
    saps("saps-qwh-22", "22,185", 1e6, 0),
    Scenario {
        name: "saps-qwh-25-alone",
        target: Target::Saps { class: "25,225", training: "4-4", test: "4-4" },
        cutoff: Some(1.2e6),
        runs: 100,
        checksum: 0,
    },
    Scenario {
        name: "synthetic-76",
        target: Target::Synthetic { training: 20, test: 50 },
        cutoff: Some(300.0),
        runs: 4,
        checksum: 0,
    },
    Scenario {
        name: "flags",
        target: Target::Gcc { training: "1-10", test: "101-130" },
        cutoff: None,
        runs: 1,
        checksum: 0,
    },
    Scenario {
        name: "smooth-5",
        target: Target::Smooth { training: 10, test: 50 },
        cutoff: None,
        runs: 1,
        checksum: 0,
    },
];
