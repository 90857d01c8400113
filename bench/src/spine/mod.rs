//! The campaign loop against its bars.
//!
//! | part | question | bar |
//! |---|---|---|
//! | `saps` | how much faster is a solver on formulas it was not tuned on? | 3 and 6 times, by class |
//! | `flat` | how often is an improvement claimed where there is none? | 5 % |
//! | `busy` | what share of 64 workers' time goes to trials? | 95 % |
//! | `speedup` | how much sooner are two workers where one is at the end? | 0.6 of the time |
//! | `rate` | trials of a millisecond, beside the runner alone | 80 % |
//! | `capping` | what does deciding cost? | |

mod busy;
mod capping;
mod flat;
mod rate;
mod saps;
mod speedup;
pub(crate) mod stage;

use anyhow::Result;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// SAPS tuned on five formulas and tested on twenty others
    Saps(saps::Arguments),
    /// Campaigns where all configurations are alike
    Flat(flat::Arguments),
    /// Workers kept busy, with costs over three orders of magnitude
    Busy(busy::Arguments),
    /// Time to the same quality, by the number of workers
    Speedup(speedup::Arguments),
    /// Trials per second of a whole campaign, beside those of the runner alone
    Rate(rate::Arguments),
    /// Time of the optimizer itself
    Capping(capping::Arguments),
}

/// Measures one part and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    println!("\n    bench {}\n", given.join(" "));
    match &arguments.part {
        Part::Saps(arguments) => saps::measure(arguments),
        Part::Flat(arguments) => flat::measure(arguments),
        Part::Busy(arguments) => busy::measure(arguments),
        Part::Speedup(arguments) => speedup::measure(arguments),
        Part::Rate(arguments) => rate::measure(arguments),
        Part::Capping(arguments) => capping::measure(arguments),
    }
}
