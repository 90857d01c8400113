//! The key `instances.family`: groups of similar instances.

use std::path::Path;

use regex::Regex;
use space::Span;

use super::super::report::{Found, Report};
use super::features::Features;
use super::{Entry, Instance};

/// Assigns a family to every instance. Returns `false` if a mistake was reported.
pub(super) fn assign(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    entries: &mut [Entry],
    are_files: bool,
    features: Option<&Features>,
) -> bool {
    let Some(rule) = rule(report, found, are_files, features) else { return false };
    let mut without: Vec<&str> = Vec::new();
    for entry in entries {
        match rule.family(&entry.instance) {
            Some(family) => entry.instance.family = Some(family),
            None => without.push(&entry.instance.name),
        }
    }
    let Some(first) = without.first() else { return true };
    let more = if without.len() > 1 { format!(" and {} more", without.len() - 1) } else { String::new() };
    let hint = "every instance needs a family: make the expression match all of them";
    report.mistake(found.span(), format!("`{}` finds no family for `{first}`{more}", found.key), hint);
    false
}

enum Rule<'f> {
    Parent,
    Pattern(Regex),
    Column(&'f Features),
}

impl Rule<'_> {
    fn family(&self, instance: &Instance) -> Option<String> {
        match self {
            Self::Parent => {
                let folder = Path::new(&instance.argument).parent()?.file_name()?;
                Some(folder.to_string_lossy().into_owned())
            }
            Self::Pattern(pattern) => Some(pattern.captures(&instance.name)?.get(1)?.as_str().to_owned()),
            Self::Column(features) => features.family(instance).map(str::to_owned),
        }
    }
}

fn rule<'f>(
    report: &mut Report<'_>,
    found: &Found<'_, '_>,
    are_files: bool,
    features: Option<&'f Features>,
) -> Option<Rule<'f>> {
    let text = report.text(found)?;
    let span: Span = found.span();
    if text == "{parent}" {
        if !are_files {
            report.mistake(span, "words have no folder to use as a family", "give a regular expression");
            return None;
        }
        return Some(Rule::Parent);
    }
    if let Some(name) = text.strip_prefix("{column:").and_then(|rest| rest.strip_suffix('}')) {
        let Some(features) = features else {
            let hint = "give the file with `features = \"FILE\"`, or correct its mistakes";
            report.mistake(span, format!("there is no features file with the column `{name}`"), hint);
            return None;
        };
        if !features.columns().iter().any(|column| column == name) {
            let hint = format!("its columns are {}", features.columns().join(", "));
            report.mistake(span, format!("the features have no column `{name}`"), hint);
            return None;
        }
        return Some(Rule::Column(features));
    }
    let hint = "write `{parent}`, `{column:NAME}`, or an expression with one group such as '^([a-z]+)'";
    match Regex::new(&text) {
        Ok(pattern) if pattern.captures_len() == 2 => Some(Rule::Pattern(pattern)),
        Ok(_) => {
            report.mistake(
                span,
                format!("`{}` must have one group, which captures the family", found.key),
                hint,
            );
            None
        }
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            report.mistake(span, format!("`{}` is not a regular expression: {why}", found.key), hint);
            None
        }
    }
}
