//! What the treatments of censored readings are worth: how far predictions are from exact costs that were
//! held out, how likely they make them, and how many of these fall within the intervals they promise.
//!
//! | file | subject |
//! |---|---|
//! | `gaussian` | treatments by Gaussian processes |
//! | `slack` | histories of campaigns, by how soon these stop their trials |
//! | `histories` | the campaigns, and exact costs to predict |
//! | `instances` | what is told of instances without features |
//! | `recorded` | runs that another configurator has recorded, censored in two ways |
//! | `score` | what is measured of a forest |
//! | `row` | one campaign and treatment in the file |

mod gaussian;
mod histories;
mod instances;
mod recorded;
mod row;
mod score;
mod slack;

use anyhow::Result;
use clap::{Args, Subcommand};
use surrogate::forest::Treatment;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Histories of campaigns, learned by Gaussian processes
    Gaussian(gaussian::Arguments),
    /// Histories of campaigns, by slack
    Slack(slack::Arguments),
    /// Instances without features: all alike, told apart by name, or in the order of their costs
    Instances(instances::Arguments),
    /// Recorded runs, censored at medians or at random
    Recorded(recorded::Arguments),
}

/// In the order of tables and pictures, with the names that scenarios use.
const TREATMENTS: [(&str, Treatment); 4] = [
    ("drop", Treatment::Drop),
    ("ignore", Treatment::Ignore),
    ("mean", Treatment::Mean),
    ("sample", Treatment::Sample),
];

/// Measures one part and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    match &arguments.part {
        Part::Gaussian(arguments) => gaussian::measure(arguments),
        Part::Slack(arguments) => slack::measure(arguments),
        Part::Instances(arguments) => instances::measure(arguments),
        Part::Recorded(arguments) => recorded::measure(arguments),
    }
}
