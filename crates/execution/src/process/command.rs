//! The commands of one trial: the scenario's templates after filling in all placeholders.

use std::fmt;
use std::path::{Path, PathBuf};

use engine::{Cap, Configuration, TrialRequest};
use scenario::shell;
use scenario::{Argument, CappedBy, CommandTemplate, Instance, Measure, Piece, Program, Scenario};
use space::ParameterId;

use super::place::Place;
use super::protocol;

/// A command with all of its arguments. Its `Display` form can be pasted into a shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    /// Full path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that the scenario sets.
    pub env: Vec<(String, String)>,
    /// Names and `*` patterns of variables to pass on.
    pub pass_env: Vec<String>,
    /// A line for standard input. Some protocols use it to describe the trial.
    pub request: Option<String>,
}

/// The values of the placeholders for a trial.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The parameters' values.
    pub configuration: &'a Configuration,
    /// The text that replaces `{instance}`.
    pub instance: &'a str,
    /// The seed.
    pub seed: &'a str,
    /// The cap.
    pub cap: Cap,
    /// The trial and its instance. If `None`, the protocol's placeholders for them are left unfilled.
    pub subject: Option<(&'a TrialRequest, &'a Instance)>,
    /// The place where the trial runs. If `None`, the placeholders for it are left unfilled.
    pub place: Option<&'a Place>,
}

impl<'a> Values<'a> {
    /// Creates the values for a trial. The seed is given as text.
    pub fn new(
        trial: &'a TrialRequest,
        instance: &'a Instance,
        seed: &'a str,
        place: Option<&'a Place>,
    ) -> Self {
        let subject = Some((trial, instance));
        let (configuration, instance) = (&trial.configuration, instance.argument.as_str());
        Self { configuration, instance, seed, cap: trial.cap, subject, place }
    }
}

impl CommandLine {
    /// Returns the command for a trial that has not been assigned a place to run.
    pub fn new(scenario: &Scenario, trial: &TrialRequest, instance: &Instance) -> Self {
        let seed = &trial.key.pair.seed.to_string();
        Self::of_trial(scenario, &Values::new(trial, instance, seed, None))
    }

    /// Returns the command with which the user can run a configuration. `{instance}` and `{seed}` are left
    /// unfilled, and the cap is the cutoff.
    fn for_use(scenario: &Scenario, configuration: &Configuration) -> Self {
        let cap = scenario.objective.cutoff.map_or(Cap::NONE, Cap::at);
        let (instance, seed) = ("{instance}", "{seed}");
        let values = Values { configuration, instance, seed, cap, subject: None, place: None };
        Self::of_trial(scenario, &values)
    }

    /// Returns the text to paste into a shell in order to use a configuration. If `setup` takes parameters,
    /// as a compiler does, the text starts with the `setup` command, followed by the target's own command.
    pub fn to_paste(scenario: &Scenario, configuration: &Configuration) -> String {
        let own = Self::for_use(scenario, configuration);
        let setup = scenario.target.setup.iter().map(|step| &step.command);
        let setup = setup.filter(|command| command.has_parameters());
        let (instance, seed) = ("{instance}", "{seed}");
        let values = Values { configuration, instance, seed, cap: Cap::NONE, subject: None, place: None };
        let setup = setup.map(|command| Self::filled(scenario, command, &values));
        setup.chain([own]).map(|line| line.to_string()).collect::<Vec<_>>().join(" && ")
    }

    /// Returns the target's own command, including its line for standard input.
    pub fn of_trial(scenario: &Scenario, values: &Values<'_>) -> Self {
        let line = Self::filled(scenario, &scenario.target.command, values);
        let is_json = scenario.target.protocol.is_json();
        Self { request: is_json.then(|| protocol::json::request(scenario, values)), ..line }
    }

    /// Fills in a template from the scenario.
    pub fn filled(scenario: &Scenario, template: &CommandTemplate, values: &Values<'_>) -> Self {
        let Values { configuration, instance, seed, cap, subject, place } = *values;
        let placed = |name: &str, text: fn(&Place) -> String| place.map_or_else(|| name.to_owned(), text);
        let text = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Instance => instance.to_owned(),
            Piece::Seed => seed.to_owned(),
            Piece::Cap => cap_text(scenario, cap),
            // The scenario's reader does not allow parameters here that may be inactive.
            Piece::Param(id) => configuration.value(*id).map_or_else(String::new, |value| value.to_string()),
            Piece::Workdir => placed("{workdir}", |place| shown(&place.workdir)),
            Piece::ConfigFile => placed("{config_file}", |place| shown(&place.config_file)),
            Piece::Stdout => placed("{stdout}", |place| shown(&place.stdout)),
            Piece::Slot => placed("{slot}", |place| place.slot.to_string()),
            Piece::Trial => placed("{trial}", |place| place.trial.0.to_string()),
            Piece::Cores => scenario.parallel.cores_per_trial.to_string(),
            // The scenario's reader allows this placeholder only with a memory limit.
            Piece::Memory => (scenario.limits.memory.unwrap_or(0) >> 20).to_string(),
            Piece::Seconds => cap_in_seconds(scenario, cap),
            Piece::ConfigurationNumber => subject.map_or_else(
                || "{configuration}".to_owned(),
                |(trial, _)| (trial.key.config.0 + 1).to_string(),
            ),
            Piece::InstanceNumber => subject.map_or_else(
                || "{instance_number}".to_owned(),
                |(trial, _)| (trial.key.pair.instance.index() + 1).to_string(),
            ),
            Piece::InstanceFeatures => subject.map_or_else(
                || "{instance_features}".to_owned(),
                |(_, instance)| features(scenario, instance),
            ),
        };
        let mut arguments = Vec::new();
        for argument in &template.arguments {
            match argument {
                Argument::Pieces(pieces) => arguments.push(pieces.iter().map(text).collect()),
                Argument::Params => arguments.extend(params(scenario, template, configuration)),
                Argument::Written(id) => arguments.extend(written(scenario, *id, configuration)),
            }
        }
        let target = &scenario.target;
        Self {
            program: match &template.program {
                Program::Found(path) => path.clone(),
                Program::Built(path) => {
                    place.map_or_else(|| PathBuf::from("{workdir}"), |place| place.workdir.clone()).join(path)
                }
            },
            arguments,
            env: target.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            pass_env: target.pass_env.clone(),
            request: None,
        }
    }

    /// Returns the command in the form that `confine` runs.
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

/// Returns the arguments that replace `{params}` in a command.
fn params(scenario: &Scenario, command: &CommandTemplate, configuration: &Configuration) -> Vec<String> {
    let all = scenario.space.ids().filter(|id| !command.names(*id));
    all.flat_map(|id| written(scenario, id, configuration)).collect()
}

/// Returns the arguments of one parameter.
fn written(scenario: &Scenario, id: ParameterId, configuration: &Configuration) -> Vec<String> {
    let value = configuration.value(id);
    value.map_or_else(Vec::new, |value| scenario.target.writing[id.index()].arguments(&value))
}

/// Returns the cap as text for the target, rounded up.
fn cap_text(scenario: &Scenario, cap: Cap) -> String {
    let objective = &scenario.objective;
    let cost = objective.cutoff.map_or(cap.cost(), |cutoff| cap.cost().min(cutoff));
    match objective.minimise {
        Measure::CpuTime | Measure::WallTime => seconds_text(cost),
        Measure::Memory | Measure::Output(_) => rounded_up(cost, decimals(objective.grain)),
    }
}

/// Returns the cap in seconds as text for protocols, rounded up.
pub(super) fn cap_in_seconds(scenario: &Scenario, cap: Cap) -> String {
    /// Number that configurators conventionally pass for "no limit".
    const NO_LIMIT: &str = "2147483647";
    let objective = &scenario.objective;
    let cost = objective.cutoff.map_or(cap.cost(), |cutoff| cap.cost().min(cutoff));
    let (seconds, decimals) = match (objective.minimise, objective.capped_by) {
        (Measure::CpuTime | Measure::WallTime, _) => (cost, 3),
        (Measure::Output(_), CappedBy::Argument) => (cost, decimals(objective.grain)),
        _ => (scenario.limits.wall.map_or(f64::INFINITY, |wall| wall.as_secs_f64()), 3),
    };
    if seconds.is_finite() { rounded_up(seconds, decimals) } else { NO_LIMIT.to_owned() }
}

/// Returns the features of an instance as a list without spaces.
fn features(scenario: &Scenario, instance: &Instance) -> String {
    let row = scenario.instances.features.iter().flat_map(|features| features.row(instance));
    let numbers = row.map(space::float_text);
    format!("[{}]", numbers.collect::<Vec<_>>().join(","))
}

/// Formats seconds with three decimals, rounded up.
fn seconds_text(seconds: f64) -> String {
    rounded_up(seconds, 3)
}

/// Returns the number of decimals for costs with this grain. A grain of 1 or more needs none; otherwise the
/// costs get as many decimals as the grain itself has, at most nine.
fn decimals(grain: f64) -> i32 {
    const MOST: i32 = 9;
    if grain >= 1.0 || grain <= 0.0 {
        return 0;
    }
    let is_whole = |text: String| text.parse::<f64>().is_ok_and(|number| number == grain);
    (1..MOST).find(|&decimals| is_whole(format!("{grain:.*}", decimals as usize))).unwrap_or(MOST)
}

/// Formats a number with this many decimals, rounded up.
fn rounded_up(number: f64, decimals: i32) -> String {
    /// Size from which all floating-point numbers are whole.
    const WHOLE: f64 = 9_007_199_254_740_992.0;
    let scale = 10_f64.powi(decimals);
    let text = |number: f64| format!("{number:.*}", decimals as usize);
    if number * scale >= WHOLE {
        // The number is whole, so it has no decimals to round.
        return text(number);
    }
    let lower = (number * scale).floor();
    // A rounding error in the product must not add a unit in the last decimal.
    let reads_back = |text: &String| text.parse::<f64>().is_ok_and(|parsed| parsed >= number);
    Some(text(lower / scale)).filter(reads_back).unwrap_or_else(|| text((lower + 1.0) / scale))
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = shown(&self.program);
        let words = std::iter::once(program).chain(self.arguments.iter().cloned());
        if let Some(request) = &self.request {
            write!(f, "printf '%s\\n' {} | ", shell::quoted(request))?;
        }
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
            let shown: f64 = seconds_text(seconds).parse().unwrap();
            assert!(shown >= seconds && shown - seconds < 0.001, "{seconds} as {shown}");
        }
    }

    #[test]
    fn a_cost_has_as_many_decimals_as_its_grain_needs() {
        let cases = [
            (10.0, 0),
            (1.0, 0),
            (0.5, 1),
            (0.25, 2),
            (0.1, 1),
            (0.001, 3),
            (1e-9, 9),
            (1e-12, 9),
            (1.0 / 3.0, 9),
            (0.0, 0),
        ];
        for (grain, count) in cases {
            assert_eq!(decimals(grain), count, "{grain}");
        }
    }

    #[test]
    fn numbers_are_rounded_up_and_never_to_zero() {
        for decimals in 0..=9 {
            let unit = 10_f64.powi(-decimals);
            let mut number: f64 = 1e-12;
            while number < 1e300 {
                for number in [number, number.next_up(), 1.0 + number, number.round().max(1.0)] {
                    let text = rounded_up(number, decimals);
                    let shown: f64 = text.parse().unwrap();
                    assert!(shown >= number && shown > 0.0, "{number} as {text}");
                    // The last bit of the parsed number may differ.
                    assert!(
                        shown - number <= unit * (1.0 + 1e-6) + shown * f64::EPSILON,
                        "{number} as {text}"
                    );
                    if decimals == 0 {
                        assert_eq!(text, format!("{:.0}", number.ceil()), "whole numbers are rounded up");
                    }
                }
                number *= 1.37;
            }
        }
        assert_eq!(rounded_up(f64::INFINITY, 0), "inf");
    }
}
