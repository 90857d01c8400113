//! The search for neighbours of [`targets::neighbours`] as a program.

#![allow(clippy::print_stderr, reason = "a program prints its error messages")]

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let text = match targets::neighbours::program(std::env::args().skip(1)) {
        Ok(text) => text,
        Err(message) => {
            eprintln!("captune-lsh: {message}");
            return ExitCode::from(2);
        }
    };
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("captune-lsh: cannot write to stdout: {error}");
            ExitCode::FAILURE
        }
    }
}
