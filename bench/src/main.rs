//! Benchmarks of captune: each subcommand reproduces tables in docs/results.
//!
//! `cargo build --release && cargo run --release -p captune-bench -- confine`

#![allow(clippy::print_stdout, reason = "this program prints tables")]

mod ablation;
mod applications;
mod censoring;
mod clock;
mod compare;
mod confine;
mod constrained;
mod contest;
mod figures;
mod forest;
mod gaussian;
mod lcbench;
mod network;
mod propose;
mod public;
mod quantiles;
mod race;
mod resume;
mod rows;
mod saps;
mod seeds;
mod space;
mod spine;
mod statistics;
mod store;
mod tobit;
mod version;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    table: Table,
}

#[derive(Subcommand)]
enum Table {
    /// Variants of the settings, compared on scenarios outside the public list
    Ablation(ablation::Arguments),
    /// Thompson sampling and expected improvement with the same networks
    Acquisition(compare::acquisition::Arguments),
    /// Nearest neighbours by hashing, and compressed support vector machines, under a bound on the error
    Applications(applications::Arguments),
    /// Treatments of censored readings in forests and Gaussian processes: quality of the predictions
    Censoring(censoring::Arguments),
    /// Searches on all scenarios: cost of their incumbents
    Compare(compare::Arguments),
    /// Overhead, overshoot, accuracy and leaks of the runner
    Confine(confine::Arguments),
    /// Searches under constraints: costs found, and trials needed
    Constrained(constrained::Arguments),
    /// Time to grow forests, to impute censored readings and to predict
    Forest(forest::Arguments),
    /// Time to fit Gaussian processes and to suggest points
    Gaussian(gaussian::Arguments),
    /// Thresholds, cutoffs and times of the LCBench surrogate
    Lcbench(lcbench::Arguments),
    /// Forests, networks and random search with equal budgets: cost of their incumbents
    Learners(compare::Arguments),
    /// Time to train networks and to predict
    Network(network::Arguments),
    /// Time that proposals by the forest take during a campaign
    Propose(propose::Arguments),
    /// captune and other configurators with equal numbers of trials
    Public(public::Arguments),
    /// Time per ask and tell while the history grows
    Race(race::Arguments),
    /// Resuming a campaign of a million trials: reading, first proposals, interruptions
    Resume(resume::Arguments),
    /// Difficulty of generated formulas for SAPS, and speed of the built-in solver
    Saps(saps::Arguments),
    /// Sampling, encoding and large parameter spaces, compared with ConfigSpace
    Space(space::Arguments),
    /// Slacks: costs of the incumbents if trials are stopped early, late or never
    Slack(compare::Arguments),
    /// The campaign loop: incumbents, use of workers, overhead
    Spine(spine::Arguments),
    /// A store of a million trials: writing, loading, summaries, commits
    Store(store::Arguments),
    /// Treatments of censored readings in networks: quality of the predictions
    Tobit(tobit::Arguments),
    #[command(name = confine::burner::VERB, hide = true)]
    Burn(confine::burner::Arguments),
}

fn main() -> anyhow::Result<()> {
    // Campaigns start this program a second time, as their guardian.
    ::confine::supervise_if_asked();
    match Arguments::parse().table {
        Table::Ablation(arguments) => ablation::measure(&arguments),
        Table::Acquisition(arguments) => compare::acquisition::measure(&arguments),
        Table::Applications(arguments) => applications::measure(&arguments),
        Table::Censoring(arguments) => censoring::measure(&arguments),
        Table::Compare(arguments) => compare::measure(&arguments, &compare::SEARCHES),
        Table::Confine(arguments) => confine::measure(&arguments),
        Table::Constrained(arguments) => constrained::measure(&arguments),
        Table::Forest(arguments) => forest::measure(&arguments),
        Table::Gaussian(arguments) => gaussian::measure(&arguments),
        Table::Lcbench(arguments) => lcbench::measure(&arguments),
        Table::Learners(arguments) => compare::measure(&arguments, &compare::LEARNERS),
        Table::Network(arguments) => network::measure(&arguments),
        Table::Propose(arguments) => propose::measure(&arguments),
        Table::Public(arguments) => public::measure(&arguments),
        Table::Race(arguments) => race::measure(&arguments),
        Table::Resume(arguments) => resume::measure(&arguments),
        Table::Saps(arguments) => saps::measure(&arguments),
        Table::Space(arguments) => space::measure(&arguments),
        Table::Slack(arguments) => compare::measure(&arguments, &compare::SLACKS),
        Table::Spine(arguments) => spine::measure(&arguments),
        Table::Store(arguments) => store::measure(&arguments),
        Table::Tobit(arguments) => tobit::measure(&arguments),
        Table::Burn(arguments) => confine::burner::burn(&arguments),
    }
}
