//! Options that describe what to tune without a scenario. `captune run -- CMD` and `captune init` share them.

use clap::Args;
use scenario::draft::SaveError;
use scenario::draft::inline::Wishes;

use crate::message::Hinted;

/// Default name of the scenario file, for every verb.
pub(crate) const FILE: &str = "captune.toml";

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Goal {
    /// Inputs: paths and quoted patterns
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) instances: Vec<String>,
    /// Inputs held out for the validation: paths and patterns, or a share such as 25%
    #[arg(long, value_name = "FILES|SHARE", num_args = 1..)]
    pub(crate) test: Vec<String>,
    /// Cost to minimise: cpu_time, wall_time, memory or the name of an --output [default: cpu_time]
    #[arg(long, value_name = "WHAT", alias = "minimize")]
    pub(crate) minimise: Option<String>,
    /// Name of the --output to maximise
    #[arg(long, value_name = "NAME", alias = "maximize", conflicts_with = "minimise")]
    pub(crate) maximise: Option<String>,
    /// A number that the command prints: a name, and a regular expression with one group
    /// ('size=([0-9.]+) kB')
    #[arg(long = "output", value_name = "NAME=REGEX")]
    pub(crate) outputs: Vec<String>,
    /// Bound on a mean ('error <= 0.05', 'size <= 1.02x default') or on every trial ('every memory <= 2GiB')
    #[arg(long = "constraint", value_name = "BOUND")]
    pub(crate) constraints: Vec<String>,
    /// Stop a trial at this cost (30s)
    #[arg(long, value_name = "COST")]
    pub(crate) cutoff: Option<String>,
    /// Exit codes of a successful run [default: 0]
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(crate) success_exit: Vec<u8>,
    /// Regular expression that the output of a successful run matches
    #[arg(long, value_name = "REGEX")]
    pub(crate) success_pattern: Option<String>,
}

impl Goal {
    /// Returns the name of the first option that was given.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let Self { instances, test, minimise, maximise, outputs, constraints, .. } = self;
        let given = [
            ("--instances", !instances.is_empty()),
            ("--test", !test.is_empty()),
            ("--minimise", minimise.is_some()),
            ("--maximise", maximise.is_some()),
            ("--output", !outputs.is_empty()),
            ("--constraint", !constraints.is_empty()),
            ("--cutoff", self.cutoff.is_some()),
            ("--success-exit", !self.success_exit.is_empty()),
            ("--success-pattern", self.success_pattern.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Returns the settings for the scenario to write.
    pub(crate) fn wishes(&self) -> Result<Wishes, Hinted> {
        Ok(Wishes {
            instances: self.instances.clone(),
            test: self.test.clone(),
            minimise: self.minimise.clone(),
            maximise: self.maximise.clone(),
            outputs: self.outputs.iter().map(|text| output(text)).collect::<Result<_, _>>()?,
            constraints: self.constraints.iter().map(|text| constraint(text)).collect::<Result<_, _>>()?,
            cutoff: self.cutoff.clone(),
            success_exit: self.success_exit.clone(),
            success_pattern: self.success_pattern.clone(),
            ..Wishes::default()
        })
    }
}

/// Splits `NAME=REGEX`.
pub(crate) fn output(text: &str) -> Result<(String, String), Hinted> {
    let split = text.split_once('=').map(|(name, pattern)| (name.trim(), pattern));
    let found = split.filter(|(name, pattern)| !name.is_empty() && !pattern.is_empty());
    found.map(|(name, pattern)| (name.to_owned(), pattern.to_owned())).ok_or_else(|| Hinted {
        message: format!("`--output {text}` has no name or no pattern"),
        hint: "write --output 'size=([0-9.]+) kB': a name, and a regular expression with one group"
            .to_owned(),
    })
}

/// Splits `NAME <= BOUND`.
pub(crate) fn constraint(text: &str) -> Result<(String, String), Hinted> {
    let at = text.find("<=").or_else(|| text.find(">="));
    let found = at.map(|at| (text[..at].trim(), text[at..].trim())).filter(|(name, _)| !name.is_empty());
    found.map(|(name, bound)| (name.to_owned(), bound.to_owned())).ok_or_else(|| Hinted {
        message: format!("`--constraint {text}` is not a bound"),
        hint: "write --constraint 'error <= 0.05' or 'every size <= 1.02x default': an output, cpu_time, wall_time \
               or memory, then <= or >="
            .to_owned(),
    })
}

/// Adds a hint to the error.
pub(crate) fn explained(error: SaveError) -> anyhow::Error {
    match error {
        SaveError::Differs { ref path } => {
            let hint = format!("replace it with --force, or name a file other than {}", path.display());
            Hinted { message: error.to_string(), hint }.into()
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_outputs_are_split() {
        let pair = |name: &str, rest: &str| Some((name.to_owned(), rest.to_owned()));
        assert_eq!(constraint("error<=0.05").ok(), pair("error", "<= 0.05".replace(' ', "").as_str()));
        assert_eq!(constraint(" memory >= 2 GiB ").ok(), pair("memory", ">= 2 GiB"));
        assert_eq!(output("size=a=(.)").ok(), pair("size", "a=(.)"));
        for wrong in ["error", "<= 5", "error = 5"] {
            assert!(constraint(wrong).is_err(), "{wrong}");
        }
        for wrong in ["size", "=(.)", "size="] {
            assert!(output(wrong).is_err(), "{wrong}");
        }
    }
}
