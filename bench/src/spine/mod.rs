//! Compares the performance of the campaign loop with the goals for it.
//!
//! | part | question | goal |
//! |---|---|---|
//! | `saps` | how much faster is a tuned solver on unseen formulas? | 3 and 6 times, by class |
//! | `flat` | how often is an improvement claimed where there is none? | 5 % |
//! | `busy` | what share of the time of 64 workers is spent on trials? | 95 % |
//! | `speedup` | in what share of the time do two workers reach the final quality of one? | 0.6 |
//! | `rate` | how many trials of one millisecond run per second, relative to the runner alone? | 80 % |
//! | `capping` | how much time does the optimizer itself take? | |

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
    /// False claims: verdicts of campaigns in which all configurations are equally good
    Flat(flat::Arguments),
    /// Share of time that workers are busy, with costs that span three orders of magnitude
    Busy(busy::Arguments),
    /// Time to reach the same quality, by number of workers
    Speedup(speedup::Arguments),
    /// Trials per second of a whole campaign, compared with the runner alone
    Rate(rate::Arguments),
    /// Time that the optimizer itself takes
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
