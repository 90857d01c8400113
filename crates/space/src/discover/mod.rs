//! Proposes spaces from a program's own text: its help text, its option file or its table of settings.
//!
//! A proposal is a first draft for review. The proposal keeps every option that can be tuned, and marks
//! guesses with a note that begins with `review`. Options that stop the run, affect only the output, name
//! files or change what is computed are left out; the header lists them with the reason.
//!
//! | source | text |
//! |---|---|
//! | minisat | `minisat --help`, also `--help-verb` and solvers descended from it |
//! | cadical | `cadical --help` |
//! | highs | an options file written by HiGHS |
//! | scip | a settings file written by SCIP's `set save`, with its comments |
//! | gcc | `gcc -Q --help=optimizers --help=params` |
//! | java | `java -XX:+PrintFlagsFinal -version`, with or without the output of `-XX:+PrintFlagsRanges` |
//! | postgres | the view `pg_settings` as CSV with a header |

mod cadical;
mod draft;
mod gcc;
mod guess;
mod highs;
mod java;
mod minisat;
mod postgres;
mod scip;

use std::fmt;

pub(crate) use draft::Draft;

use super::{Space, format};

/// The program that a text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Source {
    Minisat,
    Cadical,
    Highs,
    Scip,
    Gcc,
    Java,
    Postgres,
}

impl Source {
    /// All sources.
    pub const ALL: [Self; 7] =
        [Self::Minisat, Self::Cadical, Self::Highs, Self::Scip, Self::Gcc, Self::Java, Self::Postgres];

    /// Returns the name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minisat => "minisat",
            Self::Cadical => "cadical",
            Self::Highs => "highs",
            Self::Scip => "scip",
            Self::Gcc => "gcc",
            Self::Java => "java",
            Self::Postgres => "postgres",
        }
    }

    /// Returns the command or file that provides the text.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Minisat => "minisat --help",
            Self::Cadical => "cadical --help",
            Self::Highs => "an options file that HiGHS wrote",
            Self::Scip => "a settings file from SCIP's `set save`",
            Self::Gcc => "gcc -Q --help=optimizers --help=params",
            Self::Java => "java -XX:+PrintFlagsFinal -version",
            Self::Postgres => "psql --csv -c 'select * from pg_settings'",
        }
    }

    /// Describes how a configuration is passed to the program.
    const fn passing(self) -> &'static str {
        match self {
            Self::Highs | Self::Scip => "as lines `name = value` in the file that the program reads",
            Self::Postgres => {
                "as lines `name = value` in postgresql.conf; numbers are in the unit given in the note"
            }
            _ => "on the command line: `switch`, then the value",
        }
    }

    /// Detects the source of a text; `None` if it is not recognised.
    pub fn guess(text: &str) -> Option<Self> {
        guess::guess(text)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A space proposed from a program's own text.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The program that the text comes from.
    pub source: Source,
    /// The space.
    pub space: Space,
    /// Number of options that the text describes.
    pub options: usize,
    /// Number of parameters with a note that asks for a review.
    pub to_review: usize,
    /// The options that were left out: each reason, with the names of the options.
    pub left_out: Vec<(String, Vec<String>)>,
}

/// Reason why no space could be proposed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The text is not from a known program.
    #[error("the text does not match any known program")]
    Unrecognised,
    /// The text has no option in the format of its source.
    #[error("the text has no option in the format of {0}")]
    Nothing(Source),
    /// All options were left out.
    #[error("none of the {0} options in the text can be tuned ({1} found)")]
    NothingToTune(Source, usize),
    /// The options do not form a valid space.
    #[error("the options do not form a valid space: {0}")]
    Invalid(String),
}

/// Proposes a space from text, detecting the source if none is given.
pub fn discover(text: &str, source: Option<Source>) -> Result<Proposal, DiscoverError> {
    let source = source.or_else(|| Source::guess(text)).ok_or(DiscoverError::Unrecognised)?;
    let mut draft = Draft::default();
    match source {
        Source::Minisat => minisat::read(text, &mut draft),
        Source::Cadical => cadical::read(text, &mut draft),
        Source::Highs => highs::read(text, &mut draft),
        Source::Scip => scip::read(text, &mut draft),
        Source::Gcc => gcc::read(text, &mut draft),
        Source::Java => java::read(text, &mut draft),
        Source::Postgres => postgres::read(text, &mut draft),
    }
    draft.finish(source)
}

impl Proposal {
    /// Returns the proposal as TOML, with a header that lists what was left out.
    pub fn to_toml(&self) -> String {
        let mut out = format!(
            "# Proposed space for {}: {} of its {} options.\n# Pass them {}.\n",
            self.source,
            self.options - self.left_out.iter().map(|(_, names)| names.len()).sum::<usize>(),
            self.options,
            self.source.passing()
        );
        if self.to_review > 0 {
            out += &format!("# To review: {} (notes that begin with \"review\").\n", self.to_review);
        }
        for (why, names) in &self.left_out {
            out += &format!("# Left out ({why}):\n");
            out += &wrap(names);
        }
        out + "\n" + &format::toml::write(&self.space)
    }
}

/// Writes names as comment lines of readable length.
fn wrap(names: &[String]) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for name in names {
        if line.len() + name.len() > 96 {
            out += &format!("#  {line}\n");
            line.clear();
        }
        // A name must not contain line breaks, whatever the source contained.
        line += &format!(" {}", name.replace(char::is_control, " "));
    }
    out + &format!("#  {line}\n")
}
