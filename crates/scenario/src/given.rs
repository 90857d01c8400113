//! The keys `baseline` and `initial`: configurations in separate files.

use std::path::Path;

use engine::{Configuration, Space};
use space::{Diagnostic, Diagnostics, Spanned};

use super::report::{Report, Section};
use crate::configuration_file;

/// Reads the configuration that gains are measured against. The outer `None` means a mistake; the inner one
/// means that the key is not given.
pub(super) fn baseline(
    report: &mut Report<'_>,
    root: &Section<'_, '_>,
    folder: &Path,
    space: Option<&Space>,
    referred: &mut Vec<Diagnostics>,
) -> Option<Option<Configuration>> {
    let Some(found) = root.get("baseline") else { return Some(None) };
    let name = Spanned::new(report.text(&found)?, found.span());
    file(report, "baseline", &name, folder, space, referred).map(Some)
}

/// Reads the configurations that race before all others, in this order.
pub(super) fn initial(
    report: &mut Report<'_>,
    root: &Section<'_, '_>,
    folder: &Path,
    space: Option<&Space>,
    referred: &mut Vec<Diagnostics>,
) -> Option<Vec<Configuration>> {
    let Some(found) = root.get("initial") else { return Some(Vec::new()) };
    let names = report.texts(&found)?;
    let read: Vec<_> =
        names.iter().map(|name| file(report, "initial", name, folder, space, referred)).collect();
    read.into_iter().collect()
}

fn file(
    report: &mut Report<'_>,
    key: &str,
    name: &Spanned<String>,
    folder: &Path,
    space: Option<&Space>,
    referred: &mut Vec<Diagnostics>,
) -> Option<Configuration> {
    let path = folder.join(&name.value);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            let hint = format!("paths are relative to the scenario's folder `{}`", folder.display());
            report.mistake(name.span, format!("`{key}`: `{}` cannot be read: {error}", name.value), hint);
            return None;
        }
    };
    // The configuration can be checked only against a valid space.
    match configuration_file::read(&text, &name.value, space?) {
        Ok(configuration) => Some(configuration),
        Err(mistakes) => {
            let count = mistakes.list().len();
            let mistake = if count == 1 { "a mistake" } else { &format!("{count} mistakes") };
            let message = format!("the configuration `{}` has {mistake}, shown below", name.value);
            report.mistakes.push(Diagnostic::new(name.span, message));
            referred.push(mistakes);
            None
        }
    }
}
