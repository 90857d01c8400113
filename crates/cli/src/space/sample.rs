//! `captune space sample`: draws configurations from a space.

use clap::{Args, ValueEnum};
use engine::{Configuration, Rng};
use scenario::shell::quoted;
use space::design::Design;

use super::file::FileArguments;
use crate::exit_code::ExitCode;
use crate::forms;
use crate::message;
use crate::trouble::no_sample;

#[derive(Args, Debug)]
#[command(after_help = "The same file, seed and options give the same configurations on every machine.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: FileArguments,
    /// Number of configurations
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 10)]
    count: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sampling design
    #[arg(long, value_enum, default_value_t = Spread::Uniform)]
    design: Spread,
    /// Output format: one JSON object per line, or command-line arguments
    #[arg(long = "as", value_enum, default_value_t = Form::Json)]
    form: Form,
    /// Print the default configuration instead
    #[arg(long, conflicts_with_all = ["count", "seed", "design"])]
    default: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Spread {
    /// Independent uniform samples
    Uniform,
    /// Latin hypercube: even over each parameter
    Latin,
    /// Scrambled Sobol sequence: even over all parameters together
    Sobol,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    Json,
    Cmd,
}

/// Prints configurations, one per line.
pub(crate) fn sample(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let space = arguments.file.read()?;
    let configurations = if arguments.default {
        vec![space.default_configuration()]
    } else {
        let design = match arguments.design {
            Spread::Uniform => Design::Uniform,
            Spread::Latin => Design::LatinHypercube,
            Spread::Sobol => Design::Sobol,
        };
        let mut rng = Rng::new(arguments.seed, "space sample", 0);
        design.configurations(&space, arguments.count as usize, &mut rng).map_err(no_sample)?
    };
    let line = match arguments.form {
        Form::Json => forms::json,
        Form::Cmd => words,
    };
    let text: String = configurations.iter().map(|configuration| line(configuration) + "\n").collect();
    message::print(text.as_bytes())?;
    Ok(ExitCode::Done)
}

/// Formats a configuration as shell words. A switch that ends with spaces is a separate word; a parameter
/// without a switch is passed as `--name=value`.
fn words(configuration: &Configuration) -> String {
    let space = configuration.space();
    let mut words = Vec::new();
    for id in space.ids() {
        let Some(value) = configuration.value(id) else { continue };
        let parameter = space.parameter(id);
        match parameter.switch() {
            None => words.push(format!("--{}={value}", parameter.name())),
            Some(switch) => match switch.trim_end_matches(' ') {
                word if word != switch => words.extend([word.to_owned(), value.to_string()]),
                _ => words.push(format!("{switch}{value}")),
            },
        }
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}
