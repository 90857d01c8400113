//! Measures searches under constraints: the costs that they find, and the number of trials that they need.
//!
//! | file | subject |
//! |---|---|
//! | `simulations` | two functions of two numbers, with traces and plots |
//! | `campaigns` | capped trials under a constraint: training of networks (LCBench), and a formula |

mod campaigns;
mod simulations;

use anyhow::Result;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Two functions of two numbers, 30 evaluations each
    Simulations(simulations::Arguments),
    /// Capped trials under a constraint, 100 per campaign
    Campaigns(campaigns::Arguments),
}

/// Measures one part and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    match &arguments.part {
        Part::Simulations(arguments) => simulations::measure(arguments),
        Part::Campaigns(arguments) => campaigns::measure(arguments),
    }
}
