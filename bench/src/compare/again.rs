//! What was found, run again: the last configuration of each row so many times, with seeds that neither its search
//! nor its test has seen. A test knows a mean only up to its own chance; this tells that from the search's.
//!
//! The rows go to a file beside the first, in the same columns: all as it was, but the last cost is of these runs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use scenario::configuration_file;

use super::row::{self, Row};
use super::scenarios::Scenario;
use super::stage::Stage;
use crate::contest::digest::definition;
use crate::rows;

/// Runs again what was found and is not in the file beside `file` yet; gives that file.
pub(super) fn measure(
    found: Vec<(Arc<Stage>, Row)>,
    runs: u32,
    threads: usize,
    file: &Path,
) -> Result<PathBuf> {
    ensure!(
        !found.is_empty(),
        "{} has no rows of what was asked for: search first, without --again",
        file.display()
    );
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let beside = file.with_file_name(format!("{stem}-again.csv"));
    let known = row::read(&beside)?;
    let mut pieces = VecDeque::new();
    for (stage, mut row) in found {
        let name = stage.scenario.name;
        ensure!(!stage.arena.known.deterministic, "nothing is random in {name}: leave it out (--scenario)");
        row.definition = definition(&Scenario { runs, ..stage.scenario });
        match known.iter().find(|other| other.cell() == row.cell()) {
            Some(other) => ensure!(
                other.definition == row.definition && other.configuration == row.configuration,
                "{} has another configuration or number of runs of {} with seed {} on {name}: remove the row",
                beside.display(),
                row.configurator,
                row.seed
            ),
            None => pieces.push_back((stage, row)),
        }
    }
    let line = |(stage, mut row): (Arc<Stage>, Row)| {
        // One `name=value` in each line.
        let text = row.configuration.replace(' ', "\n");
        let configuration = configuration_file::read(&text, "configuration", &stage.arena.known.space)
            .with_context(|| format!("{} with seed {}", row.configurator, row.seed))?;
        row.costs[3] = stage.arena.evaluate_again(&configuration, runs);
        Ok(row.line())
    };
    rows::measure(pieces, threads, (&beside, row::HEAD), line)?;
    Ok(beside)
}
