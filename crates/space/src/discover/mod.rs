//! Proposals of spaces from a program's own words: its help text, its option file, its table of
//! settings.
//!
//! A proposal is a first draft for a person to read: it keeps every option that can be tuned, and
//! marks what was guessed with a note that begins with `review`. Options that stop the run, talk,
//! name files or change what is computed are left out and named in the header with the reason.
//!
//! | source | its words |
//! |---|---|
//! | minisat | `minisat --help`, also `--help-verb` and solvers descended from it |
//! | cadical | `cadical --help` |
//! | highs | an options file written by HiGHS |
//! | scip | a settings file written by SCIP's `set save`, with its comments |
//! | gcc | `gcc -Q --help=optimizers --help=params` |
//! | java | `java -XX:+PrintFlagsFinal -version`, with or without that of `-XX:+PrintFlagsRanges` |
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

/// Whose words a text is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
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

    /// The name used on command lines.
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

    /// What prints a text that can be read.
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

    /// How a configuration reaches the program.
    const fn passing(self) -> &'static str {
        match self {
            Self::Highs | Self::Scip => "as lines `name = value` of the file that the program reads",
            Self::Postgres => {
                "as lines `name = value` of postgresql.conf; numbers count the unit in the note"
            }
            _ => "as words on the command line: `switch` and value",
        }
    }

    /// Which source's words a text is in, if it can be told.
    pub fn guess(text: &str) -> Option<Self> {
        guess::guess(text)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A space proposed from a program's words.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Whose words they are.
    pub source: Source,
    /// The space.
    pub space: Space,
    /// How many options the text describes.
    pub options: usize,
    /// How many parameters have a note that asks for a review.
    pub to_review: usize,
    /// What was left out: the reason, and the names.
    pub left_out: Vec<(String, Vec<String>)>,
}

/// Why there is no proposal.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The text is of no known form.
    #[error("the text has the form of none of the known programs")]
    Unrecognised,
    /// The text has no option in the form of its source.
    #[error("the text has no option in the form of {0}")]
    Nothing(Source),
    /// All options were left out.
    #[error("no option in the text of {0} can be tuned ({1} seen)")]
    NothingToTune(Source, usize),
    /// The proposal contradicts itself.
    #[error("the options make no space: {0}")]
    Unsound(String),
}

/// Proposes a space from text, guessing the source if none is given.
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
    /// The proposal in the TOML form, with a header that says what was left out.
    pub fn to_toml(&self) -> String {
        let mut out = format!(
            "# Proposed from the words of {}: {} of its {} options.\n# Pass them {}.\n",
            self.source,
            self.options - self.left_out.iter().map(|(_, names)| names.len()).sum::<usize>(),
            self.options,
            self.source.passing()
        );
        if self.to_review > 0 {
            out += &format!("# To review: {}; their notes begin with \"review\".\n", self.to_review);
        }
        for (why, names) in &self.left_out {
            out += &format!("# Left out ({why}):\n");
            out += &wrap(names);
        }
        out + "\n" + &format::toml::write(&self.space)
    }
}

/// Names as comment lines of readable length.
fn wrap(names: &[String]) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for name in names {
        if line.len() + name.len() > 96 {
            out += &format!("#  {line}\n");
            line.clear();
        }
        // A name is one line's worth of text, whatever the source held.
        line += &format!(" {}", name.replace(char::is_control, " "));
    }
    out + &format!("#  {line}\n")
}
