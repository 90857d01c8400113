//! Measures captune: each verb reproduces one table of docs/results.
//!
//! `cargo build --release && cargo run --release -p captune-bench -- confine`

#![allow(clippy::print_stdout, reason = "tables are what this program is for")]

mod ablation;
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
mod plot;
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

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    table: Table,
}

#[derive(Subcommand)]
enum Table {
    /// Variants of the settings, side by side on scenarios outside the public list
    Ablation(ablation::Arguments),
    /// Thompson sampling and expected improvement with the same networks
    Acquisition(compare::acquisition::Arguments),
    /// Treatments of censored readings, by how well forests predict with them
    Censoring(censoring::Arguments),
    /// Configurators on all scenarios, by the cost of what they find
    Compare(compare::Arguments),
    /// Overhead, overshoot, accuracy and leaks of the runner
    Confine(confine::Arguments),
    /// Searches under constraints: what they find, and how soon
    Constrained(constrained::Arguments),
    /// Growing, filling in and asking the censored forest
    Forest(forest::Arguments),
    /// Fitting Gaussian processes, and suggestions by them
    Gaussian(gaussian::Arguments),
    /// Thresholds, cutoffs and times of the LCBench surrogate
    Lcbench(lcbench::Arguments),
    /// Forests, networks and chance at equal budgets, by the cost of what they find
    Learners(compare::Arguments),
    /// Training and asking the networks
    Network(network::Arguments),
    /// What a proposal of the forest costs while a campaign runs
    Propose(propose::Arguments),
    /// Configurators at equal numbers of trials, in counted costs, beside other programs
    Public(public::Arguments),
    /// What asking for and telling of trials costs while the history grows
    Race(race::Arguments),
    /// Going on with a campaign of a million trials: reading, first proposals, interruptions
    Resume(resume::Arguments),
    /// Hardness of generated formulas, and speed of the solver that comes with captune
    Saps(saps::Arguments),
    /// Sampling, encoding and large parameter spaces, beside ConfigSpace
    Space(space::Arguments),
    /// What stopping trials early is worth, and how early
    Slack(compare::Arguments),
    /// The campaign loop: what it finds, how busy it keeps its workers, what it costs
    Spine(spine::Arguments),
    /// A store of a million trials: writing, loading, summing up, commits
    Store(store::Arguments),
    /// Treatments of censored readings, by how well networks predict with them
    Tobit(tobit::Arguments),
    #[command(name = confine::burner::VERB, hide = true)]
    Burn(confine::burner::Arguments),
}

fn main() -> anyhow::Result<()> {
    // Campaigns start a copy of this program as guardian.
    ::confine::supervise_if_asked();
    match Arguments::parse().table {
        Table::Ablation(arguments) => ablation::measure(&arguments),
        Table::Acquisition(arguments) => compare::acquisition::measure(&arguments),
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
