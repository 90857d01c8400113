//! What is wrong with runs, seen from a scenario. Nothing is imported then: what would be left is not
//! what was run.

use std::collections::BTreeMap;

use space::suggestion;

/// One thing that does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A parameter that the scenario does not have.
    Parameter(Unknown),
    /// An output that the scenario does not have.
    Output(Unknown),
    /// Runs that do not tell an output which the scenario bounds.
    Untold {
        /// The constraint's name.
        name: String,
        /// Where the first of them stands.
        first: String,
        /// How many they are.
        runs: usize,
    },
    /// The source looks for the largest value and the scenario for the smallest, or the other way round.
    Sense {
        /// The word of the scenario.
        scenario: &'static str,
        /// The word of the source.
        source: &'static str,
    },
    /// A number below zero that cannot be.
    BelowZero {
        /// Where it stands.
        place: String,
        /// What it is.
        what: String,
    },
    /// Two runs of the same configuration, instance and seed that cannot both be true.
    Contradiction {
        /// Where the first stands, and what it says.
        first: (String, String),
        /// The same of the second.
        second: (String, String),
    },
}

/// A name that the scenario does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    name: String,
    /// A name that it has, if one is near.
    nearest: Option<String>,
    first: String,
    runs: usize,
}

impl Misfit {
    /// Whether it goes away if a name is ignored.
    pub fn can_be_ignored(&self) -> bool {
        matches!(self, Self::Parameter(_) | Self::Output(_))
    }

    fn line(&self) -> String {
        match self {
            Self::Parameter(unknown) => unknown.line("parameter"),
            Self::Output(unknown) => unknown.line("output"),
            Self::Untold { name, first, runs } => {
                format!("{}: `{name}` is bounded by the scenario, and not told", and_more(first, *runs))
            }
            Self::Sense { scenario, source } => {
                format!("the runs are to be {source}d, and the scenario says `{scenario}`")
            }
            Self::BelowZero { place, what } => format!("{place}: {what} is below zero"),
            Self::Contradiction { first, second } => {
                let ((at, says), (later, other)) = (first, second);
                format!("{later} contradicts {at}: one configuration, instance and seed, {says} and {other}")
            }
        }
    }
}

impl Unknown {
    fn line(&self, kind: &str) -> String {
        let near = self.nearest.as_ref().map_or_else(String::new, |near| format!("; {near}"));
        format!("{}: `{}` is no {kind} of the scenario{near}", and_more(&self.first, self.runs), self.name)
    }
}

/// `line 2 and 7 more`.
fn and_more(first: &str, runs: usize) -> String {
    if runs > 1 { format!("{first} and {} more", runs - 1) } else { first.to_owned() }
}

/// Names that the scenario does not have, with the place of the first run that has each.
#[derive(Debug, Default)]
pub(super) struct Names<'a>(BTreeMap<&'a str, (&'a str, usize)>);

impl<'a> Names<'a> {
    pub(super) fn add(&mut self, name: &'a str, place: &'a str) {
        self.0.entry(name).or_insert((place, 0)).1 += 1;
    }

    /// Each with the known name that is nearest to it.
    pub(super) fn unknown<'b>(&self, known: impl Iterator<Item = &'b str> + Clone) -> Vec<Unknown> {
        let one = |(&name, &(first, runs)): (&&str, &(&str, usize))| Unknown {
            name: name.to_owned(),
            nearest: suggestion(name, known.clone()),
            first: first.to_owned(),
            runs,
        };
        self.0.iter().map(one).collect()
    }

    pub(super) fn untold(&self) -> impl Iterator<Item = Misfit> {
        self.0.iter().map(|(&name, &(first, runs))| Misfit::Untold {
            name: name.to_owned(),
            first: first.to_owned(),
            runs,
        })
    }
}

/// Lines shown before the rest is only counted.
const SHOWN: usize = 20;

/// All that does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{source_name} does not fit the scenario, and nothing was imported:\n{}", lines(.list))]
pub struct Misfits {
    /// The file.
    pub source_name: String,
    /// At least one.
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
