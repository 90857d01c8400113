//! Runs commands of real programs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use confine::{Command, Control, Finished, Limits};
use engine::Configuration;

/// CPU nanoseconds of all commands so far.
static CPU: AtomicU64 = AtomicU64::new(0);

/// Runs a command with a limit on its CPU seconds.
pub(super) fn run(command: &Command, longest: u64) -> Result<Finished> {
    let limits = Limits { cpu: Some(Duration::from_secs(longest)), ..Limits::default() };
    let finished = confine::run(command, &limits, &Control::new())?;
    let cpu = finished.cpu.map_or(Duration::ZERO, |cpu| cpu.total());
    CPU.fetch_add(cpu.as_nanos() as u64, Ordering::Relaxed);
    Ok(finished)
}

/// Returns the CPU seconds of all commands so far.
pub(crate) fn cpu() -> f64 {
    CPU.load(Ordering::Relaxed) as f64 * 1e-9
}

/// Returns the command-line arguments for a configuration's active parameters: the switch and the value, as
/// two arguments if the switch ends with a space.
pub(super) fn words(configuration: &Configuration) -> Vec<String> {
    let space = configuration.space();
    let mut words = Vec::new();
    for id in space.ids() {
        let Some(value) = configuration.value(id) else { continue };
        let switch = space.parameter(id).switch().unwrap_or_default();
        match switch.strip_suffix(' ') {
            Some(switch) => words.extend([switch.to_owned(), value.to_string()]),
            None => words.push(format!("{switch}{value}")),
        }
    }
    words
}

/// Returns whether a program is in a folder on PATH.
pub(super) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use space::format::{Format, read};

    use super::*;

    #[test]
    fn a_switch_that_ends_with_a_space_is_a_separate_argument() {
        let text = "a = { integer = [1, 9], default = 4, switch = \"--a=\" }\n\
                    b = { boolean = true, switch = \"-b \" }\n\
                    c = { integer = [1, 9], switch = \"-c\", when = \"b == false\" }\n";
        let space = read(text, "test", Format::Toml).unwrap();
        assert_eq!(words(&space.default_configuration()), ["--a=4", "-b", "true"]);
    }

    #[test]
    fn programs_are_searched_in_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }
}
