//! Compares treatments of censored readings by their predictions of held-out exact costs: RMSE, log
//! likelihood, and coverage of the predicted intervals.
//!
//! | file | subject |
//! |---|---|
//! | `gaussian` | treatments in Gaussian processes |
//! | `slack` | histories of campaigns, by slack |
//! | `histories` | the campaigns, and exact costs to predict |
//! | `instances` | ways to describe instances without features to a forest |
//! | `recorded` | runs recorded by another configurator, censored in two ways |
//! | `score` | measures of the quality of predictions |
//! | `row` | one campaign and treatment as a row of the file |

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
    /// Instances without features: all alike, by name, or ordered by cost
    Instances(instances::Arguments),
    /// Recorded runs, censored at medians or at random
    Recorded(recorded::Arguments),
}

/// Treatments in the order used in tables and plots, with the names used in scenarios.
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
