//! The scenarios, fixed before any result was known.
//!
//! The costs, cutoff and budget of a scenario have the same unit: SAPS steps, seconds predicted by the
//! LCBench surrogate, seconds computed by the formula, or CPU seconds of minisat. The checksum covers the
//! formulas, the network or the answers. A scenario with a different checksum is rejected, so all rows of one
//! scenario are comparable.
//!
//! Rows store a digest of the `Debug` text of a scenario: renaming a type, variant or field here invalidates
//! them.
//!
//! | scenario | trained on | tested on |
//! |---|---|---|
//! | saps-qwh-* | formulas `qwh:CLASS,SEED` for the training seeds | formulas for the test seeds, three runs each |
//! | saps-qwh-med, -q75, -q95, -alone | one formula | the same formula, with other seeds for SAPS |
//! | lcbench-tta-* | one data set, deterministic | the same data set: its cost is exact |
//! | minisat-sw-qcp | every second formula in the folder, ordered by name | the others, one run each |
//! | synthetic-76 | 20 even instances | 50 odd instances, four runs each |

/// The target of a scenario.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    /// SAPS on quasigroups with holes: ORDER,HOLES and generator seeds, as FIRST-LAST.
    Saps { class: &'static str, training: &'static str, test: &'static str },
    /// Time to accuracy on a data set.
    Lcbench { data_set: &'static str },
    /// minisat on the formulas in a folder, except those in `without`.
    Minisat { without: &'static [&'static str] },
    /// The formula with 76 parameters and these numbers of instances.
    Synthetic { training: u32, test: u32 },
}

/// One scenario.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) target: Target,
    pub(super) cutoff: f64,
    /// Total cost of all trials in a cell.
    pub(super) budget: f64,
    /// Number of seeds per test instance.
    pub(super) runs: u32,
    pub(super) checksum: u64,
}

const fn saps(name: &'static str, class: &'static str, cutoff: f64, budget: f64, checksum: u64) -> Scenario {
    let target = Target::Saps { class, training: "1-5", test: "101-120" };
    Scenario { name, target, cutoff, budget, runs: 3, checksum }
}

/// Returns SAPS on one formula, with other seeds for the test.
const fn saps_alone(
    name: &'static str,
    class: &'static str,
    seed: &'static str,
    cutoff: f64,
    runs: u32,
    checksum: u64,
) -> Scenario {
    let target = Target::Saps { class, training: seed, test: seed };
    Scenario { name, target, cutoff, budget: 1.5e8, runs, checksum }
}

/// Returns a scenario with a budget of 50 trials at the cutoff.
const fn lcbench(name: &'static str, data_set: &'static str, cutoff: f64) -> Scenario {
    let target = Target::Lcbench { data_set };
    Scenario { name, target, cutoff, budget: 50.0 * cutoff, runs: 1, checksum: LCBENCH }
}

/// Checksum of the exported network.
const LCBENCH: u64 = 0x035d_e2e8_7408_cca2;

/// Scenarios for comparing slacks, with cutoffs of 35, 20, 4, 48, 33 and 360 times the default's test cost,
/// and with budgets of about a minute on one core.
pub(super) const LONG_CUTOFFS: &[Scenario] = &[
    saps("saps-qwh-22", "22,185", 2.5e6, 1.5e8, 0xfd3f_195a_2409_5306),
    saps("saps-qwh-25", "25,225", 1.2e7, 1.5e8, 0xe9d3_44cc_a7ed_7527),
    saps("saps-qwh-26", "26,243", 4e7, 1.5e8, 0xc94a_0e57_7f4e_bafd),
    saps_alone("saps-qwh-25-alone", "25,225", "2-2", 4e7, 200, 0xd20e_e843_daaf_e2dd),
    saps_alone("saps-qwh-26-alone", "26,236", "8-8", 4e7, 200, 0x0969_0f19_6066_dde5),
    Scenario {
        name: "minisat-long",
        // The default takes 13 s on this formula, and at most 2 s on the others.
        target: Target::Minisat { without: &["qcplin2006.1031.cnf"] },
        cutoff: 60.0,
        budget: 60.0,
        runs: 3,
        checksum: 0xb400_3fb6_89ac_af1a,
    },
];

/// Scenarios for comparing learners at equal budgets: about a minute on one core, or ten trials at the
/// cutoff. Assuming that the paper's figures are thousands of steps, the SAPS formulas are about as hard as
/// the paper's, both for the default and for tuned parameters. Their cutoff is the paper's.
pub(super) const EQUAL_BUDGETS: &[Scenario] = &[
    saps_alone("saps-qwh-med", "22,185", "4-4", 1e7, 400, 0x0749_8811_e08f_14e1),
    saps_alone("saps-qwh-q75", "27,262", "3-3", 1e7, 200, 0x35b9_017e_2074_1619),
    saps_alone("saps-qwh-q95", "30,324", "4-4", 1e7, 100, 0xbe16_1120_60ef_9f95),
    with_short_budget(ALL[3]),
    with_short_budget(ALL[4]),
    with_short_budget(ALL[5]),
    with_short_budget(ALL[6]),
    with_short_budget(ALL[7]),
    with_short_budget(ALL[8]),
    with_short_budget(ALL[9]),
];

/// Returns a scenario with a budget of ten trials at the cutoff.
const fn with_short_budget(scenario: Scenario) -> Scenario {
    Scenario { budget: 10.0 * scenario.cutoff, ..scenario }
}

/// Scenarios for comparing searches.
pub(super) const ALL: &[Scenario] = &[
    saps("saps-qwh-easy", "22,185", 1e6, 1e7, 0xfd3f_195a_2409_5306),
    saps("saps-qwh-mid", "27,262", 1e7, 3e8, 0xe4ce_b2bb_c240_58e3),
    saps("saps-qwh-hard", "30,324", 1e7, 1e9, 0x51d3_ea99_e577_25a8),
    lcbench("lcbench-tta-adult", "adult", 105.0),
    lcbench("lcbench-tta-airlines", "airlines", 865.0),
    lcbench("lcbench-tta-bank-marketing", "bank-marketing", 104.0),
    lcbench("lcbench-tta-connect-4", "connect-4", 187.0),
    lcbench("lcbench-tta-credit-g", "credit-g", 75.0),
    lcbench("lcbench-tta-jannis", "jannis", 200.0),
    lcbench("lcbench-tta-vehicle", "vehicle", 90.0),
    Scenario {
        name: "minisat-sw-qcp",
        target: Target::Minisat { without: &[] },
        cutoff: 10.0,
        budget: 600.0,
        runs: 1,
        checksum: 0x8be5_ba4d_6a47_1112,
    },
    Scenario {
        name: "synthetic-76",
        target: Target::Synthetic { training: 20, test: 50 },
        cutoff: 300.0,
        budget: 30_000.0,
        runs: 4,
        checksum: 0x1dbb_9530_917f_b9b4,
    },
];
