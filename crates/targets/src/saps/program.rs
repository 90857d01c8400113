//! SAPS as a program that can be tuned like any other.
//!
//! The program prints what solvers in competitions print. First comes `c steps = N`, then either
//! `s SATISFIABLE` with the assignment in lines that begin with `v`, or `s UNKNOWN`. The exit code is 10 if a
//! satisfying assignment was found, 0 if not, and 2 for invalid arguments or input.

use std::fmt::Write as _;

use super::{Outcome, Saps, solve};
use crate::formula::{Formula, Literal};
use crate::{Quasigroup, dimacs, generate_option};

const USAGE: &str =
    "usage: captune-saps [-alpha X] [-rho X] [-ps X] [-wp X] [-seed N] [-cutoff STEPS] FILE.cnf
       captune-saps [the same] qwh:ORDER,HOLES,SEED
       captune-saps --generate qwh:ORDER,HOLES,SEED";

/// The request on the command line.
enum Request {
    Help,
    Generate(Quasigroup),
    Solve { formula: String, saps: Saps, seed: u64, cutoff: u64 },
}

/// Runs the program. Returns the exit code and the text to print, or an error message.
pub fn program(arguments: impl Iterator<Item = String>) -> Result<(u8, String), String> {
    request(arguments).and_then(answer)
}

fn request(mut words: impl Iterator<Item = String>) -> Result<Request, String> {
    let (mut saps, mut seed, mut cutoff, mut formula) = (Saps::default(), 1, 10_000_000, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "-alpha" => saps.alpha = number(&word, &value()?)?,
            "-rho" => saps.rho = number(&word, &value()?)?,
            "-ps" => saps.ps = number(&word, &value()?)?,
            "-wp" => saps.wp = number(&word, &value()?)?,
            "-seed" => seed = number(&word, &value()?)?,
            "-cutoff" => cutoff = number(&word, &value()?)?,
            "-h" | "-help" | "--help" => return Ok(Request::Help),
            "--generate" => {
                let name = value()?;
                return Ok(Request::Generate(generate_option::read(&name, words.next(), USAGE)?));
            }
            _ if word.starts_with('-') => return Err(format!("unknown argument `{word}`\n{USAGE}")),
            _ if formula.is_some() => return Err(format!("unexpected second formula `{word}`\n{USAGE}")),
            _ => formula = Some(word),
        }
    }
    saps.check().map_err(|error| format!("-{error}"))?;
    let formula = formula.ok_or_else(|| format!("no formula given\n{USAGE}"))?;
    Ok(Request::Solve { formula, saps, seed, cutoff })
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name}: `{text}` is not a valid number"))
}

/// Returns the exit code and the text to print.
fn answer(request: Request) -> Result<(u8, String), String> {
    match request {
        Request::Help => Ok((0, format!("{USAGE}\n"))),
        Request::Generate(quasigroup) => {
            Ok((0, dimacs::write(&quasigroup.formula(), &quasigroup.to_string())))
        }
        Request::Solve { formula, saps, seed, cutoff } => {
            let outcome = solve(&read(&formula)?, &saps, seed, cutoff);
            Ok((if outcome.solved.is_some() { 10 } else { 0 }, report(&outcome)))
        }
    }
}

fn read(name: &str) -> Result<Formula, String> {
    if name.starts_with("qwh:") {
        return Ok(name.parse::<Quasigroup>().map_err(|error| error.to_string())?.formula());
    }
    let text = std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
    dimacs::read(&text).map_err(|error| format!("{name}: {error}"))
}

fn report(outcome: &Outcome) -> String {
    let mut text = format!("c steps = {}\n", outcome.steps);
    let Some(assignment) = &outcome.solved else { return text + "s UNKNOWN\n" };
    text.push_str("s SATISFIABLE\n");
    let mut line = 0;
    for (variable, &value) in (0..).zip(assignment) {
        let literal = if value { Literal::positive(variable) } else { Literal::negative(variable) };
        if line == 0 {
            text.push('v');
        }
        let _ = write!(text, " {}", dimacs::number(literal));
        line = (line + 1) % 12;
        if line == 0 {
            text.push('\n');
        }
    }
    text.push_str(if line == 0 { "v 0\n" } else { " 0\n" });
    text
}
