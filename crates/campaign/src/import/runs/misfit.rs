//! Reasons why runs do not fit a scenario. If there is any such reason, nothing is imported, because the
//! imported data would differ from what was run.

use std::collections::BTreeMap;

use space::suggestion;

/// One reason why runs do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A parameter that is not in the scenario.
    Parameter(Unknown),
    /// An output that is not in the scenario.
    Output(Unknown),
    /// Runs without a value for an output that the scenario constrains.
    Unreported {
        /// The constraint's name.
        name: String,
        /// Place of the first of these runs in the source.
        first: String,
        /// Number of these runs.
        runs: usize,
    },
    /// The source maximises and the scenario minimises, or the other way round.
    Sense {
        /// Direction in the scenario: `minimise` or `maximise`.
        scenario: &'static str,
        /// Direction in the source: `minimise` or `maximise`.
        source: &'static str,
    },
    /// A negative number where negative numbers are not allowed.
    BelowZero {
        /// The place of the run.
        place: String,
        /// The number, with its name.
        what: String,
    },
    /// Two results for the same configuration, instance and seed that contradict each other.
    Contradiction {
        /// The place and the result of the first run.
        first: (String, String),
        /// The place and the result of the second run.
        second: (String, String),
    },
}

/// A name that is not in the scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    name: String,
    /// A hint with the most similar name in the scenario, if there is one.
    nearest: Option<String>,
    first: String,
    runs: usize,
}

impl Misfit {
    /// Returns whether the misfit disappears if the user ignores a name.
    pub fn can_be_ignored(&self) -> bool {
        matches!(self, Self::Parameter(_) | Self::Output(_))
    }

    fn line(&self) -> String {
        match self {
            Self::Parameter(unknown) => unknown.line("a parameter"),
            Self::Output(unknown) => unknown.line("an output"),
            Self::Unreported { name, first, runs } => {
                format!("{}: no value for `{name}`, which the scenario constrains", and_more(first, *runs))
            }
            Self::Sense { scenario, source } => {
                format!("the source {source}s, but the scenario {scenario}s")
            }
            Self::BelowZero { place, what } => format!("{place}: {what} is below zero"),
            Self::Contradiction { first, second } => {
                let ((at, says), (later, other)) = (first, second);
                format!(
                    "{later} contradicts {at}: same configuration, instance and seed, but {says} and {other}"
                )
            }
        }
    }
}

impl Unknown {
    fn line(&self, kind: &str) -> String {
        let near = self.nearest.as_ref().map_or_else(String::new, |near| format!("; {near}"));
        format!("{}: `{}` is not {kind} of the scenario{near}", and_more(&self.first, self.runs), self.name)
    }
}

/// Formats a place and a number of runs, as in `line 2 and 7 more`.
fn and_more(first: &str, runs: usize) -> String {
    if runs > 1 { format!("{first} and {} more", runs - 1) } else { first.to_owned() }
}

/// Names used by runs. For each name: the place of the first run that uses it, and the number of runs.
#[derive(Debug, Default)]
pub(super) struct Names<'a>(BTreeMap<&'a str, (&'a str, usize)>);

impl<'a> Names<'a> {
    pub(super) fn add(&mut self, name: &'a str, place: &'a str) {
        self.0.entry(name).or_insert((place, 0)).1 += 1;
    }

    /// Returns each name with the most similar known name.
    pub(super) fn unknown<'b>(&self, known: impl Iterator<Item = &'b str> + Clone) -> Vec<Unknown> {
        let one = |(&name, &(first, runs)): (&&str, &(&str, usize))| Unknown {
            name: name.to_owned(),
            nearest: suggestion(name, known.clone()),
            first: first.to_owned(),
            runs,
        };
        self.0.iter().map(one).collect()
    }

    pub(super) fn unreported(&self) -> impl Iterator<Item = Misfit> {
        self.0.iter().map(|(&name, &(first, runs))| Misfit::Unreported {
            name: name.to_owned(),
            first: first.to_owned(),
            runs,
        })
    }
}

/// Number of lines shown. The remaining lines are only counted.
const SHOWN: usize = 20;

/// All reasons why runs do not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{source_name} does not fit the scenario; nothing was imported:\n{}", lines(.list))]
pub struct Misfits {
    /// The name of the source.
    pub source_name: String,
    /// The reasons; there is at least one.
    pub list: Vec<Misfit>,
}

fn lines(list: &[Misfit]) -> String {
    let mut lines: Vec<String> =
        list.iter().take(SHOWN).map(|misfit| format!("  {}", misfit.line())).collect();
    if list.len() > SHOWN {
        lines.push(format!("  and {} more", list.len() - SHOWN));
    }
    lines.join("\n")
}
