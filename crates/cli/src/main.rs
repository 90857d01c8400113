//! captune: the fastest settings of any program. This crate is its face: arguments, messages, exit
//! codes. It is the only place that prints.

mod doctor;
mod exec;
mod exit_code;
mod limits;
mod message;
mod record;
mod space;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "captune", version, about = "The fastest settings of any program", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run one command under exact limits and say what it used
    Exec(exec::Arguments),
    /// Show what this machine can enforce, by really confining something
    Doctor(doctor::Arguments),
    /// Show, check, convert, sample or discover the parameters of a program
    Space(space::Arguments),
    #[command(name = doctor::exhibit::VERB, hide = true)]
    Exhibit(doctor::exhibit::Arguments),
}

fn main() -> std::process::ExitCode {
    // Before anything else: the first run starts a copy of this program as guardian.
    confine::supervise_if_asked();
    let result = match Arguments::parse().verb {
        Verb::Exec(arguments) => exec::exec(arguments),
        Verb::Doctor(arguments) => doctor::doctor(&arguments),
        Verb::Space(arguments) => space::space(arguments),
        Verb::Exhibit(arguments) => Ok(doctor::exhibit::exhibit(&arguments)),
    };
    let code = result.unwrap_or_else(|error| message::report(&error));
    confine::dismiss_guardians();
    code.into()
}
