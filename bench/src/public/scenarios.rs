//! The public list of scenarios, fixed before any result was known.
//!
//! Costs are counts: steps, conflicts, bytes, simulated seconds. Counts are the same on every machine, and so
//! are the results. The checksum covers the instances and some of the default's answers. A target with
//! different answers, such as another version of a solver, is rejected.
//!
//! Instances and cutoffs were chosen only with `bench public --calibrate`, which runs random configurations,
//! before any configurator was run on them.
//!
//! Rows store a digest of the `Debug` text of a scenario: renaming a type, variant or field here invalidates
//! them.

/// The target of a scenario. Seeds for generated instances are given as FIRST-LAST.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    /// SAPS on quasigroups with holes, ORDER,HOLES; the cost is the number of steps.
    Saps { class: &'static str, training: &'static str, test: &'static str },
    /// The formula with 76 parameters and these numbers of instances; the cost is simulated seconds.
    Synthetic { training: u32, test: u32 },
    /// The smooth function of five parameters, with these numbers of instances.
    Smooth { training: u32, test: u32 },
    /// gcc on generated programs; the cost is the size of the code in bytes.
    Gcc { training: &'static str, test: &'static str },
    /// cadical on products of two primes with this number of bits; the cost is the number of conflicts.
    Cadical { bits: u32, training: &'static str, test: &'static str },
    /// cbc on knapsacks; the cost is the number of iterations of linear programs.
    Cbc { items: usize, constraints: usize, training: &'static str, test: &'static str },
    /// z3 on equations over variables from 0 to `largest`; the cost is z3's own resource count.
    Z3 { variables: usize, equations: usize, largest: usize, training: &'static str, test: &'static str },
    /// Time to a given accuracy on a data set of LCBench; the cost is simulated seconds.
    TimeToAccuracy { data_set: &'static str },
    /// Training on a data set of LCBench, with a bound on the validation error in per cent; the cost is
    /// simulated seconds.
    TimeAndError { data_set: &'static str },
    /// minisat on parities of graphs with this number of vertices; the cost is the number of conflicts.
    Minisat { vertices: usize, training: &'static str, test: &'static str },
}

/// One scenario.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) target: Target,
    /// Largest cost of a trial; `None` if a cost is known only at the end of the trial.
    pub(super) cutoff: Option<f64>,
    /// Bound on the mean of the constrained output, if there is one; a configuration above it fails the test.
    pub(super) bound: Option<f64>,
    /// Number of seeds per test instance.
    pub(super) runs: u32,
    pub(super) checksum: u64,
}

/// Returns SAPS on several formulas.
const fn saps(name: &'static str, class: &'static str, cutoff: f64, checksum: u64) -> Scenario {
    let target = Target::Saps { class, training: "1-10", test: "101-130" };
    Scenario { name, target, cutoff: Some(cutoff), bound: None, runs: 3, checksum }
}

/// Checksum of the exported network.
const LCBENCH: u64 = 0x035d_e2e8_7408_cca2;

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "cadical-factoring",
        target: Target::Cadical { bits: 11, training: "1-15", test: "101-130" },
        cutoff: Some(5e3),
        bound: None,
        runs: 1,
        checksum: 0x1723_71b6_f0b0_798a,
    },
    Scenario {
        name: "minisat-parity",
        target: Target::Minisat { vertices: 30, training: "1-15", test: "101-130" },
        cutoff: Some(5e4),
        bound: None,
        runs: 1,
        checksum: 0xa31c_c1d0_3d1e_3ac9,
    },
    Scenario {
        name: "cbc-knapsack",
        target: Target::Cbc { items: 14, constraints: 3, training: "1-15", test: "101-130" },
        cutoff: Some(2e4),
        bound: None,
        runs: 1,
        checksum: 0x7399_ce99_4dbd_92b4,
    },
    Scenario {
        name: "z3-equations",
        target: Target::Z3 { variables: 9, equations: 2, largest: 9, training: "1-20", test: "101-140" },
        cutoff: Some(3e5),
        bound: None,
        runs: 1,
        checksum: 0x26dd_3b61_c18b_7076,
    },
    saps("saps-qwh-20", "20,153", 2e5, 0xe681_3fe1_a852_6c8c),
    saps("saps-qwh-22", "22,185", 1e6, 0xbfdb_0799_36ec_8a3e),
    Scenario {
        name: "saps-qwh-25-alone",
        target: Target::Saps { class: "25,225", training: "4-4", test: "4-4" },
        cutoff: Some(1.2e6),
        bound: None,
        runs: 100,
        checksum: 0x6d22_d1d2_f083_03a1,
    },
    Scenario {
        name: "synthetic-76",
        target: Target::Synthetic { training: 20, test: 50 },
        cutoff: Some(300.0),
        bound: None,
        runs: 4,
        checksum: 0x1dbb_9530_917f_b9b4,
    },
    Scenario {
        name: "lcbench-tta-adult",
        target: Target::TimeToAccuracy { data_set: "adult" },
        cutoff: Some(105.0),
        bound: None,
        runs: 1,
        checksum: LCBENCH,
    },
    Scenario {
        name: "lcbench-tta-credit-g",
        target: Target::TimeToAccuracy { data_set: "credit-g" },
        cutoff: Some(75.0),
        bound: None,
        runs: 1,
        checksum: LCBENCH,
    },
    Scenario {
        name: "lcbench-con-connect-4",
        target: Target::TimeAndError { data_set: "connect-4" },
        cutoff: Some(1870.0),
        // The threshold of the data set, 60.37 % accuracy; the default does not reach it.
        bound: Some(39.63),
        runs: 1,
        checksum: LCBENCH,
    },
    Scenario {
        name: "flags",
        target: Target::Gcc { training: "1-10", test: "101-130" },
        cutoff: None,
        bound: None,
        runs: 1,
        checksum: 0xe445_50e1_c63d_6f42,
    },
    Scenario {
        name: "smooth-5",
        target: Target::Smooth { training: 10, test: 50 },
        cutoff: None,
        bound: None,
        runs: 1,
        checksum: 0x8eff_a83f_bbd6_dd19,
    },
];
