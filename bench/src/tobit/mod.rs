//! Networks that learn from censored readings: what each treatment of these is worth.
//!
//! K. Eggensperger, K. Haase, P. Müller, M. Lindauer, F. Hutter, Neural Model-based Optimization with
//! Right-Censored Observations, 2020: its Table 1, and pictures like its Figures 1, 3, 4 and 5
//! and those of its appendix.
//!
//! | file | subject |
//! |---|---|
//! | `table` | the errors of all cells: what is run, what is printed |
//! | `data` | noisy readings of four functions, censored above a threshold |
//! | `folds` | cross-validation of one treatment |
//! | `row` | one fold in the file |
//! | `paper` | the figures of the paper |
//! | `rounds` | errors by the rounds in which costs are filled in, drawn |
//! | `laws` | what networks make of one law, drawn |
//! | `shapes` | what networks make of one dimension, drawn |
//! | `histories` | predicted against true costs of SAPS and of LCBench, drawn |
//! | `truth` | the expected cost of a configuration of which some runs were cut off |
//! | `agreement` | predictions against true values, by distance and by order |

mod agreement;
mod data;
mod folds;
mod histories;
mod laws;
mod paper;
mod rounds;
mod row;
mod shapes;
mod table;
mod truth;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use surrogate::neural::Treatment;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Errors on four functions, by threshold and treatment, beside those of the paper
    Table(table::Arguments),
    /// Errors on readings of a file, to compare with other programs
    Data(DataArguments),
    /// Errors by the rounds in which costs are filled in for bounds
    Rounds(rounds::Arguments),
    /// What networks make of one law of which the upper part is censored
    Laws(laws::Arguments),
    /// What networks make of censored readings in one dimension
    Shapes(shapes::Arguments),
    /// Predicted against true costs, after histories of campaigns
    Histories(histories::Arguments),
}

#[derive(Args)]
struct DataArguments {
    /// Columns fold, location, x1 .., true, recorded, censored
    file: PathBuf,
    /// How often each reading is seen
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// Treatments of censored readings; all if none is given
    #[arg(long = "treatment", value_delimiter = ',')]
    treatments: Vec<String>,
    /// The seed of the networks
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// In the order of the paper's table, with the names that scenarios use.
const TREATMENTS: [(&str, Treatment); 4] = [
    ("ignore", Treatment::Ignore),
    ("drop", Treatment::Drop),
    ("mean", Treatment::Mean),
    ("tobit", Treatment::Tobit),
];

/// Networks of an ensemble.
const MEMBERS: usize = 5;

/// Folds of a cross-validation.
const FOLDS: usize = 5;

/// Measures one part and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    match &arguments.part {
        Part::Table(arguments) => table::measure(arguments),
        Part::Data(arguments) => of_file(arguments),
        Part::Rounds(arguments) => rounds::measure(arguments),
        Part::Laws(arguments) => laws::draw(arguments),
        Part::Shapes(arguments) => shapes::draw(arguments),
        Part::Histories(arguments) => histories::measure(arguments),
    }
}

fn of_file(arguments: &DataArguments) -> Result<()> {
    let data = data::Data::of_file(&arguments.file)?;
    let chosen =
        |name: &str| arguments.treatments.is_empty() || arguments.treatments.iter().any(|it| it == name);
    println!("| treatment | RMSE | deviation over folds |\n|---|---|---|");
    for (name, treatment) in TREATMENTS.into_iter().filter(|(name, _)| chosen(name)) {
        let error = |fold| folds::error(&data, fold, treatment, arguments.epochs, arguments.seed);
        let errors: Vec<f64> = (0..FOLDS).map(error).collect::<Result<_>>()?;
        let (mean, deviation) = folds::mean_and_deviation(&errors);
        println!("| {name} | {mean:.5} | {deviation:.5} |");
    }
    Ok(())
}
