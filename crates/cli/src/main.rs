//! The program `captune`: arguments, messages and exit codes. Only this crate prints.

mod ablate;
mod best;
mod check;
mod compare;
mod demo;
mod doctor;
mod ending;
mod exec;
mod exit_code;
mod export;
mod failures;
mod fleet;
mod folds;
mod forms;
mod goal;
mod import;
mod importance;
mod init;
mod limits;
mod measure;
mod message;
mod paint;
mod progress;
mod record;
mod report;
mod rerun;
mod run;
mod serve;
mod shell_files;
mod signals;
mod space;
mod status;
mod trouble;
mod try_one;
mod tryout;
mod validate;
mod worker;
mod wrap;

// Every file of this crate uses the shared text as `crate::words`, `crate::verdict` and so on.
use ::words::{self, bounds, changes, verdict};
use clap::{CommandFactory, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "captune", version, about = "The fastest settings for any program", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Tune a SAT solver in a minute, with nothing to install
    Demo(demo::Arguments),
    /// Tune: run a campaign, or continue it
    Run(run::Arguments),
    /// Write a scenario from answers, options, or the files of SMAC, irace or Optuna
    Init(init::Arguments),
    /// Import runs from another campaign, from SMAC3 or from a table
    Import(import::Arguments),
    /// Check a scenario, show its commands, and run one trial
    Check(check::Arguments),
    /// Show the state of a campaign, even while it runs
    Status(status::Arguments),
    /// Show the best configuration of a campaign
    Best(best::Arguments),
    /// Show which parameters matter, according to the trials so far
    Importance(importance::Arguments),
    /// Measure which changes of the best configuration matter
    Ablate(ablate::Arguments),
    /// Race your own configuration next, even while the campaign runs
    Try(try_one::Arguments),
    /// Compare the best or another configuration with the baseline on unseen instances
    Validate(validate::Arguments),
    /// Run a trial of a campaign again and show its output
    Rerun(rerun::Arguments),
    /// Show failed trials, grouped by reason
    Failures(failures::Arguments),
    /// Show campaigns side by side
    Compare(compare::Arguments),
    /// Write a campaign as one HTML file
    Report(report::Arguments),
    /// Show campaigns live in a browser on this machine
    Serve(serve::Arguments),
    /// Run trials for a campaign on another machine
    Worker(worker::Arguments),
    /// Start the workers of a campaign: on this machine, or with Slurm
    Fleet(fleet::Arguments),
    /// Export the trials of a campaign as CSV or JSON, or for SMAC3
    Export(export::Arguments),
    /// Run one command under exact limits and report what it used
    Exec(exec::Arguments),
    /// Test which limits this machine can enforce
    Doctor(doctor::Arguments),
    /// Show, check, convert, sample or discover the parameters of a program
    Space(space::Arguments),
    /// Print shell completions for bash, zsh, fish, elvish or PowerShell
    Completions(shell_files::CompletionsArguments),
    /// Print the manual page, or write one for each verb
    Man(shell_files::ManArguments),
    #[command(name = demo::SOLVER, hide = true, disable_help_flag = true)]
    Solver(demo::SolverArguments),
    #[command(name = doctor::exhibit::VERB, hide = true)]
    Exhibit(doctor::exhibit::Arguments),
}

fn main() -> std::process::ExitCode {
    // This must come first, because the first run starts this program again as its guardian.
    confine::supervise_if_asked();
    let result = match Arguments::parse().verb {
        Verb::Demo(arguments) => demo::demo(&arguments),
        Verb::Solver(arguments) => demo::solver(arguments),
        Verb::Run(arguments) => run::run(&arguments),
        Verb::Init(arguments) => init::init(&arguments),
        Verb::Import(arguments) => import::import(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::Status(arguments) => status::status(&arguments),
        Verb::Best(arguments) => best::best(&arguments),
        Verb::Importance(arguments) => importance::importance(&arguments),
        Verb::Ablate(arguments) => ablate::ablate(&arguments),
        Verb::Try(arguments) => try_one::try_one(&arguments),
        Verb::Validate(arguments) => validate::validate(&arguments),
        Verb::Rerun(arguments) => rerun::rerun(&arguments),
        Verb::Failures(arguments) => failures::failures(&arguments),
        Verb::Compare(arguments) => compare::compare(&arguments),
        Verb::Report(arguments) => report::report(&arguments),
        Verb::Serve(arguments) => serve::serve(&arguments),
        Verb::Worker(arguments) => worker::worker(&arguments),
        Verb::Fleet(arguments) => fleet::fleet(arguments),
        Verb::Export(arguments) => export::export(&arguments),
        Verb::Exec(arguments) => exec::exec(arguments),
        Verb::Doctor(arguments) => doctor::doctor(&arguments),
        Verb::Space(arguments) => space::space(arguments),
        Verb::Completions(arguments) => shell_files::completions(&arguments, &Arguments::command()),
        Verb::Man(arguments) => shell_files::man(&arguments, Arguments::command()),
        Verb::Exhibit(arguments) => Ok(doctor::exhibit::exhibit(&arguments)),
    };
    let code = result.map_err(trouble::of_view).unwrap_or_else(message::report);
    confine::dismiss_guardians();
    code.into()
}
