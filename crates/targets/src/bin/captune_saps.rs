//! The solver of [`targets::saps`] as a program.

#![allow(clippy::print_stderr, reason = "a program prints its error messages")]

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (code, text) = match targets::saps::program(std::env::args().skip(1)) {
        Ok(done) => done,
        Err(message) => {
            eprintln!("captune-saps: {message}");
            return ExitCode::from(2);
        }
    };
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::from(code),
        Err(error) => {
            eprintln!("captune-saps: cannot write to stdout: {error}");
            ExitCode::FAILURE
        }
    }
}
