//! The command of one trial: the scenario's template with everything put in.

use std::fmt;
use std::path::PathBuf;

use engine::{Cap, Configuration, Seed};

use super::shell;
use crate::scenario::{Argument, Instance, Measure, Piece, Scenario};

/// A command with all of its arguments. Its `Display` can be pasted into a shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    /// The program's full path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that the scenario sets.
    pub env: Vec<(String, String)>,
    /// Names and `*` patterns of variables to pass.
    pub pass_env: Vec<String>,
}

impl CommandLine {
    /// The command of a trial.
    pub fn new(
        scenario: &Scenario,
        configuration: &Configuration,
        instance: &Instance,
        seed: Seed,
        cap: Cap,
    ) -> Self {
        Self::filled(scenario, configuration, &instance.argument, &seed.to_string(), cap)
    }

    /// The command of a configuration, for use: with `{instance}` and `{seed}` left in their places,
    /// and the cutoff as the cap.
    pub fn for_use(scenario: &Scenario, configuration: &Configuration) -> Self {
        let cap = scenario.objective.cutoff.map_or(Cap::NONE, Cap::at);
        Self::filled(scenario, configuration, "{instance}", "{seed}", cap)
    }

    fn filled(
        scenario: &Scenario,
        configuration: &Configuration,
        instance: &str,
        seed: &str,
        cap: Cap,
    ) -> Self {
        let target = &scenario.target;
        let text = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Instance => instance.to_owned(),
            Piece::Seed => seed.to_owned(),
            Piece::Cap => cap_text(scenario, cap),
            // The reader has refused parameters that may be inactive.
            Piece::Param(id) => configuration.value(*id).map_or_else(String::new, |value| value.to_string()),
        };
        let mut arguments = Vec::new();
        for argument in &target.command.arguments {
            match argument {
                Argument::Pieces(pieces) => arguments.push(pieces.iter().map(text).collect()),
                Argument::Params => arguments.extend(params(scenario, configuration)),
            }
        }
        Self {
            program: target.command.program.clone(),
            arguments,
            env: target.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            pass_env: target.pass_env.clone(),
        }
    }

    /// The command to run.
    pub fn command(&self) -> confine::Command {
        let mut command = confine::Command::new(&self.program).args(&self.arguments);
        for pattern in &self.pass_env {
            command = command.pass_env(pattern);
        }
        for (name, value) in &self.env {
            command = command.env(name, value);
        }
        command
    }
}

/// The arguments of `{params}`.
pub fn params(scenario: &Scenario, configuration: &Configuration) -> Vec<String> {
    let command = &scenario.target.command;
    let written = scenario.space.ids().zip(&scenario.target.writing);
    let written = written.filter(|(id, _)| !command.names(*id));
    written
        .filter_map(|(id, writing)| configuration.value(id).map(|value| writing.arguments(&value)))
        .flatten()
        .collect()
}

/// The cap as the target is told: never below it.
fn cap_text(scenario: &Scenario, cap: Cap) -> String {
    let cost = scenario.objective.cutoff.map_or(cap.cost(), |cutoff| cap.cost().min(cutoff));
    match scenario.objective.minimise {
        Measure::CpuTime | Measure::WallTime => seconds_text(cost),
        Measure::Memory | Measure::Output(_) => format!("{:.0}", cost.ceil()),
    }
}

/// Seconds with three decimals, rounded up.
fn seconds_text(seconds: f64) -> String {
    let text = |thousandths: f64| format!("{:.3}", thousandths / 1000.0);
    let lower = (seconds * 1000.0).floor();
    // A product that is off in its last bit must not cost a whole millisecond.
    let reads_back = |text: &String| text.parse::<f64>().is_ok_and(|number| number >= seconds);
    Some(text(lower)).filter(reads_back).unwrap_or_else(|| text(lower + 1.0))
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.to_string_lossy().into_owned();
        let words = std::iter::once(program).chain(self.arguments.iter().cloned());
        f.write_str(&shell::line(&self.env, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_to_the_millisecond() {
        for (seconds, text) in [
            (1.1, "1.100"),
            (0.1, "0.100"),
            (30.0, "30.000"),
            (0.0004, "0.001"),
            (2.500_01, "2.501"),
            (1e-9, "0.001"),
            (4.35, "4.350"),
        ] {
            assert_eq!(seconds_text(seconds), text);
        }
        for step in 1..5000 {
            let seconds = f64::from(step) * 0.000_7;
            let told: f64 = seconds_text(seconds).parse().unwrap();
            assert!(told >= seconds && told - seconds < 0.001, "{seconds} as {told}");
        }
    }
}
