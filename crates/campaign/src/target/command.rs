//! The commands of one trial: the scenario's templates with everything put in.

use std::fmt;
use std::path::{Path, PathBuf};

use engine::{Cap, Configuration, Seed};

use super::place::Place;
use super::shell;
use crate::scenario::{Argument, CommandTemplate, Instance, Measure, Piece, Scenario};

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

/// What is put into the templates of a trial.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// The parameters' values.
    pub configuration: &'a Configuration,
    /// The input as the target is told of it.
    pub instance: &'a str,
    /// The seed.
    pub seed: &'a str,
    /// Where to stop.
    pub cap: Cap,
    /// Where the trial runs; without it, placeholders of that are left as they are.
    pub place: Option<&'a Place>,
}

impl CommandLine {
    /// The command of a trial that does not run anywhere yet.
    pub fn new(
        scenario: &Scenario,
        configuration: &Configuration,
        instance: &Instance,
        seed: Seed,
        cap: Cap,
    ) -> Self {
        let seed = &seed.to_string();
        let filling = Filling { configuration, instance: &instance.argument, seed, cap, place: None };
        Self::filled(scenario, &scenario.target.command, &filling)
    }

    /// The command of a configuration, for use: with `{instance}` and `{seed}` left in their places,
    /// and the cutoff as the cap.
    pub fn for_use(scenario: &Scenario, configuration: &Configuration) -> Self {
        let cap = scenario.objective.cutoff.map_or(Cap::NONE, Cap::at);
        let filling = Filling { configuration, instance: "{instance}", seed: "{seed}", cap, place: None };
        Self::filled(scenario, &scenario.target.command, &filling)
    }

    /// A template of the scenario with everything put in.
    pub fn filled(scenario: &Scenario, template: &CommandTemplate, filling: &Filling<'_>) -> Self {
        let Filling { configuration, instance, seed, cap, place } = *filling;
        let placed = |name: &str, text: fn(&Place) -> String| place.map_or_else(|| name.to_owned(), text);
        let text = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Instance => instance.to_owned(),
            Piece::Seed => seed.to_owned(),
            Piece::Cap => cap_text(scenario, cap),
            // The reader has refused parameters that may be inactive.
            Piece::Param(id) => configuration.value(*id).map_or_else(String::new, |value| value.to_string()),
            Piece::Workdir => placed("{workdir}", |place| shown(&place.workdir)),
            Piece::ConfigFile => placed("{config_file}", |place| shown(&place.config_file)),
            Piece::Stdout => placed("{stdout}", |place| shown(&place.stdout)),
            Piece::Slot => placed("{slot}", |place| place.slot.to_string()),
            Piece::Trial => placed("{trial}", |place| place.trial.0.to_string()),
            Piece::Cores => scenario.parallel.cores_per_trial.to_string(),
            // The reader has refused it where there is no limit.
            Piece::Memory => (scenario.limits.memory.unwrap_or(0) >> 20).to_string(),
        };
        let mut arguments = Vec::new();
        for argument in &template.arguments {
            match argument {
                Argument::Pieces(pieces) => arguments.push(pieces.iter().map(text).collect()),
                Argument::Params => arguments.extend(params(scenario, template, configuration)),
            }
        }
        let target = &scenario.target;
        Self {
            program: template.program.clone(),
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

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The arguments of `{params}` in a command.
fn params(scenario: &Scenario, command: &CommandTemplate, configuration: &Configuration) -> Vec<String> {
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
        let program = shown(&self.program);
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
