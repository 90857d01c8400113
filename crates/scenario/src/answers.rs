//! Checks of the target's answers: with `target.verify`, or with `target.known` and `target.answer`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::bytes::Regex;
use space::{Span, Spanned};
use toml::de::DeTable;

use super::command::{Context, program};
use super::instances::Instances;
use super::outputs::one_group;
use super::report::{Found, Report, Section};
use super::template::{self, Part};

/// The checks of answers. If both fields are absent, answers are not checked.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// A program that checks answers.
    pub verify: Option<Verify>,
    /// Known answers.
    pub known: Option<Known>,
}

/// A program that checks an answer.
#[derive(Clone, Debug)]
pub struct Verify {
    /// Full path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<Vec<VerifyPiece>>,
    /// Wall-clock time that the check may take.
    pub limit: Duration,
}

/// A piece of an argument to the checking program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VerifyPiece {
    /// Text passed unchanged.
    Literal(String),
    /// `{instance}`.
    Instance,
    /// `{seed}`.
    Seed,
    /// `{stdout}`: a file with everything that the target wrote to standard output.
    Stdout,
}

/// Known answers.
#[derive(Clone, Debug)]
pub struct Known {
    /// Answers by instance name.
    pub answers: BTreeMap<String, String>,
    /// Pattern for the line with the target's answer. Its only group captures the answer.
    pub answer: Regex,
}

const LIMIT: Duration = Duration::from_secs(60);
const PLACEHOLDERS: [&str; 4] = ["instance", "seed", "stdout", "folder"];

/// The checks of answers, and the place of `target.known` in the file.
pub(super) struct Read {
    pub(super) answers: Answers,
    known_span: Span,
}

pub(super) fn read(report: &mut Report<'_>, target: &Section<'_, '_>, context: &Context<'_>) -> Option<Read> {
    let limit = match target.get("verify_limit") {
        None => Some(LIMIT),
        Some(found) if target.get("verify").is_none() => {
            let message = "`target.verify_limit` is given without `target.verify`";
            report.mistake(
                found.key_span,
                message,
                "it limits the run time of `target.verify`: give both, or remove it",
            );
            None
        }
        Some(found) => report.duration(&found),
    };
    let verify = match target.get("verify") {
        None => Some(None),
        Some(found) => verify(report, &found, context, limit.unwrap_or(LIMIT)).map(Some),
    };
    let known_span = target.get("known").map_or(Span::NONE, |found| found.span());
    let known = match (target.get("known"), target.get("answer")) {
        (None, None) => Some(None),
        (Some(file), Some(answer)) => {
            let (answers, answer) = (known(report, &file, context.folder), one_group(report, &answer));
            answers.zip(answer).map(|(answers, answer)| Some(Known { answers, answer }))
        }
        (Some(found), None) => {
            let hint = "write `answer = 's ([A-Z]+)'`, with one group around the target's answer";
            report.mistake(found.span(), "`target.known` needs `target.answer`", hint);
            None
        }
        (None, Some(found)) => {
            let hint = "give a file of answers with `known`, or a checking program with `verify`";
            report.mistake(found.span(), "`target.answer` needs `target.known`", hint);
            None
        }
    };
    limit?;
    Some(Read { answers: Answers { verify: verify?, known: known? }, known_span })
}

fn verify(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    context: &Context<'_>,
    limit: Duration,
) -> Option<Verify> {
    let words = report.texts(found)?;
    let (first, rest) = words.split_first()?;
    let program = program(report, "target.verify", first, context);
    let arguments: Vec<_> = rest.iter().map(|word| argument(report, word, context.folder)).collect();
    let arguments = arguments.into_iter().collect::<Option<Vec<_>>>();
    Some(Verify { program: program?, arguments: arguments?, limit })
}

fn argument(report: &mut Report<'_>, word: &Spanned<String>, folder: &Path) -> Option<Vec<VerifyPiece>> {
    let mut pieces = Vec::new();
    for part in template::split(report, word)? {
        pieces.push(match part {
            Part::Literal(text) => VerifyPiece::Literal(text),
            Part::Placeholder(placeholder) => match placeholder.value.as_str() {
                "instance" => VerifyPiece::Instance,
                "seed" => VerifyPiece::Seed,
                "stdout" => VerifyPiece::Stdout,
                "folder" => VerifyPiece::Literal(folder.to_string_lossy().into_owned()),
                _ => {
                    template::unknown(report, &placeholder, &PLACEHOLDERS);
                    return None;
                }
            },
        });
    }
    Some(pieces)
}

/// Reads the known answers from a file of `name,answer` lines, or from TOML if its name ends in `.toml`.
fn known(report: &mut Report<'_>, found: &Found<'_, '_>, folder: &Path) -> Option<BTreeMap<String, String>> {
    let name = report.text(found)?;
    let path = folder.join(&name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("`{}`: cannot read {}: {error}", found.key, path.display());
            report.mistake(found.span(), message, "paths are relative to the scenario's folder");
            return None;
        }
    };
    let answers = if name.ends_with(".toml") { from_toml(&text) } else { from_lines(&text) };
    match answers {
        Ok(answers) if !answers.is_empty() => Some(answers),
        Ok(_) => {
            let message = format!("`{}`: {} has no answers", found.key, path.display());
            report.mistake(found.span(), message, "each line is `name,answer`");
            None
        }
        Err(why) => {
            let message = format!("`{}`: {}: {why}", found.key, path.display());
            report.mistake(
                found.span(),
                message,
                "each line is `name,answer`, or `\"name\" = \"answer\"` in TOML",
            );
            None
        }
    }
}

fn from_lines(text: &str) -> Result<BTreeMap<String, String>, String> {
    let bare = |part: &str| part.trim().trim_matches('"').to_owned();
    let mut answers = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let header = number == 0 && line.starts_with("instance,");
        if line.is_empty() || line.starts_with('#') || header {
            continue;
        }
        let (name, answer) =
            line.rsplit_once(',').ok_or_else(|| format!("line {} has no comma", number + 1))?;
        answers.insert(bare(name), bare(answer));
    }
    Ok(answers)
}

fn from_toml(text: &str) -> Result<BTreeMap<String, String>, String> {
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let entry = |(name, value): (&toml::Spanned<_>, &super::report::Value<'_>)| {
        let name: &std::borrow::Cow<'_, str> = name.get_ref();
        let answer =
            value.get_ref().as_str().ok_or_else(|| format!("the answer for `{name}` is not a string"))?;
        Ok((name.to_string(), answer.to_owned()))
    };
    table.get_ref().iter().map(entry).collect()
}

/// Reports instances without a known answer. A mistake is reported if no instance has a known answer,
/// otherwise a warning.
pub(super) fn check_instances(report: &mut Report<'_>, read: &Read, instances: &Instances) {
    let Some(known) = &read.answers.known else { return };
    let all = instances.train.iter().chain(&instances.test);
    let missing: BTreeSet<&str> =
        all.clone().map(|one| one.name.as_str()).filter(|name| !known.answers.contains_key(*name)).collect();
    let Some(first) = missing.first() else { return };
    if missing.len() == all.count() {
        let hint = "use the instance names that `captune check` shows";
        let message = format!("`target.known` has no answer for any instance, such as `{first}`");
        report.mistake(read.known_span, message, hint);
    } else {
        let more = match missing.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!("`target.known` has no answer for `{first}`{more}");
        report.warn(
            read.known_span,
            message,
            "add these answers; without them, the target's answers are not checked",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_are_lines_or_toml() {
        let lines = from_lines("instance,answer\n# hard ones\n\"a,b.cnf\", SAT\nc.cnf,UNSAT\n\n").unwrap();
        let toml = from_toml("\"a,b.cnf\" = \"SAT\"\n\"c.cnf\" = 'UNSAT'\n").unwrap();
        assert_eq!(lines, toml);
        assert_eq!(lines["a,b.cnf"], "SAT");
        assert_eq!(from_lines("a SAT"), Err("line 1 has no comma".to_owned()));
        assert_eq!(from_toml("a = 1"), Err("the answer for `a` is not a string".to_owned()));
    }
}
