//! The table `[space]`: parameters in the scenario itself or in a separate file.

use std::io::Read;
use std::path::Path;

use engine::Space;
use space::format::{self, Format};
use space::{Diagnostic, Diagnostics};

use super::report::{Found, Report, Section};

/// Size limit for a space file, in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Reads the space. Mistakes in a separate file are added to `referred`.
pub(super) fn read(
    report: &mut Report<'_>,
    root: &Section<'_, '_>,
    folder: &Path,
    file_name: &str,
    referred: &mut Vec<Diagnostics>,
) -> Option<Space> {
    let section = root.section("space");
    if !section.is_present() {
        let hint = "write `[space]` with `from = \"FILE\"`, or with parameters";
        // A value that is not a table was already reported.
        if root.get("space").is_none() {
            report.mistake(section.span, "`[space]` is missing", hint);
        }
        return None;
    }
    // A table called `from` is a parameter.
    let from = section.get("from").filter(|found| !found.value.get_ref().is_table());
    let Some(from) = from else {
        return match format::read_section(report.text, file_name, "space") {
            Ok(space) => Some(space),
            Err(mistakes) => {
                report.mistakes.extend(mistakes.list().iter().cloned());
                None
            }
        };
    };
    if let Some((name, other)) = section.entries().into_iter().find(|(name, _)| name != "from") {
        let message = format!("`space` has both `from` and the parameter `{name}`");
        report.mistake(other.key_span, message, "define all parameters in the file, or all of them here");
        return None;
    }
    file(report, &from, folder, referred)
}

fn file(
    report: &mut Report<'_>,
    from: &Found<'_, '_>,
    folder: &Path,
    referred: &mut Vec<Diagnostics>,
) -> Option<Space> {
    let name = report.text(from)?;
    let path = folder.join(&name);
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes));
    if let Err(error) = opened {
        let hint = format!("paths are relative to the scenario's folder `{}`", folder.display());
        report.mistake(from.span(), format!("`{}`: `{name}` cannot be read: {error}", from.key), hint);
        return None;
    }
    if bytes.len() as u64 > MAX_SIZE {
        report.mistake(
            from.span(),
            format!("`{name}` is too large for a space"),
            "check that it is the right file",
        );
        return None;
    }
    let format = Format::guess(&name, &String::from_utf8_lossy(&bytes)).unwrap_or(Format::Toml);
    match format::read_bytes(&bytes, &name, format) {
        Ok(space) => Some(space),
        Err(mistakes) => {
            let count = mistakes.list().len();
            let mistake = if count == 1 { "a mistake" } else { &format!("{count} mistakes") };
            let message = format!("the space `{name}` has {mistake}, shown below");
            report.mistakes.push(Diagnostic::new(from.span(), message));
            referred.push(mistakes);
            None
        }
    }
}
