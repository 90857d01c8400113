//! The program as a person meets it.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod doctor;
mod exec;
mod help;
mod mistakes;
mod solver;

use std::process::{Command, Output};

const CAPTUNE: &str = env!("CARGO_BIN_EXE_captune");

/// Runs captune with the words of a line.
fn captune(line: &str) -> Output {
    captune_with(line.split_whitespace())
}

fn captune_with<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Output {
    Command::new(CAPTUNE).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}
