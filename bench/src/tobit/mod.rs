//! Compares how networks treat censored readings.
//!
//! The paper is K. Eggensperger, K. Haase, P. Müller, M. Lindauer, F. Hutter, Neural Model-based Optimization
//! with Right-Censored Observations, 2020. The benchmarks reproduce its Table 1, and draw plots like its
//! Figures 1, 3, 4 and 5 and those of its appendix.
//!
//! | file | subject |
//! |---|---|
//! | `table` | the errors for all cells |
//! | `data` | noisy readings of four functions, censored above a threshold |
//! | `folds` | cross-validation of one treatment |
//! | `row` | one fold as a row of the file |
//! | `paper` | the numbers in the paper's table |
//! | `rounds` | errors by round of imputation, plotted |
//! | `laws` | what networks learn about a normal distribution, plotted |
//! | `shapes` | what networks learn in one dimension, plotted |
//! | `histories` | predicted against true costs of SAPS and LCBench, plotted |
//! | `truth` | the expected cost of a configuration if some of its runs were capped |
//! | `agreement` | predictions against true values: RMSE and rank correlation |

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
use surrogate::neural::{NeuralSettings, Treatment};

/// Returns the settings of the networks that are compared: the defaults, except that numbers are not centred, as in
/// the program that they are compared with.
fn networks(treatment: Treatment, epochs: usize, members: usize) -> NeuralSettings {
    NeuralSettings { treatment, epochs, members, centred: false, ..NeuralSettings::default() }
}

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Errors on four functions, by threshold and treatment, compared with those in the paper
    Table(table::Arguments),
    /// Errors on readings from a file, to compare with other programs
    Data(DataArguments),
    /// Errors after each round of imputation
    Rounds(rounds::Arguments),
    /// Distributions that networks learn from normal readings whose upper part is censored
    Laws(laws::Arguments),
    /// Curves that networks learn from censored readings in one dimension
    Shapes(shapes::Arguments),
    /// Predicted against true costs, learned from histories of campaigns
    Histories(histories::Arguments),
}

#[derive(Args)]
struct DataArguments {
    /// CSV file with the columns fold, location, x1 .., true, recorded, censored
    file: PathBuf,
    /// Number of training epochs
    #[arg(long, default_value_t = 500)]
    epochs: usize,
    /// Treatments of censored readings [default: all]
    #[arg(long = "treatment", value_delimiter = ',')]
    treatments: Vec<String>,
    /// Random seed for the networks
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Treatments in the order of the paper's table, with the names used in scenarios.
const TREATMENTS: [(&str, Treatment); 4] = [
    ("ignore", Treatment::Ignore),
    ("drop", Treatment::Drop),
    ("mean", Treatment::Mean),
    ("tobit", Treatment::Tobit),
];

/// Number of networks in an ensemble.
const MEMBERS: usize = 5;

/// Number of folds in a cross-validation.
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
    println!("| treatment | RMSE | standard deviation over folds |\n|---|---|---|");
    for (name, treatment) in TREATMENTS.into_iter().filter(|(name, _)| chosen(name)) {
        let error = |fold| folds::error(&data, fold, treatment, arguments.epochs, arguments.seed);
        let errors: Vec<f64> = (0..FOLDS).map(error).collect::<Result<_>>()?;
        let (mean, deviation) = folds::mean_and_deviation(&errors);
        println!("| {name} | {mean:.5} | {deviation:.5} |");
    }
    Ok(())
}
