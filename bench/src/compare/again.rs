//! Repeats the test: runs the last configuration of each row again, with seeds that neither its search nor
//! its test has used. The mean of a test is itself random. The repetition separates the noise of the test
//! from that of the search.
//!
//! The rows are written to a second file next to the first, with the same columns. Only the last cost
//! differs: it comes from the new runs.

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

/// Repeats the tests that are missing from the second file, and returns its path.
pub(super) fn measure(
    found: Vec<(Arc<Stage>, Row)>,
    runs: u32,
    threads: usize,
    file: &Path,
) -> Result<PathBuf> {
    ensure!(
        !found.is_empty(),
        "{} has none of the requested rows; search first, without --again",
        file.display()
    );
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let repeated = file.with_file_name(format!("{stem}-again.csv"));
    let known = row::read(&repeated)?;
    let mut pieces = VecDeque::new();
    for (stage, mut row) in found {
        let name = stage.scenario.name;
        ensure!(
            !stage.arena.benchmark.deterministic,
            "{name} is deterministic; leave it out with --scenario"
        );
        row.definition = definition(&Scenario { runs, ..stage.scenario });
        match known.iter().find(|other| other.cell() == row.cell()) {
            Some(other) => ensure!(
                other.definition == row.definition && other.configuration == row.configuration,
                "{} has a different configuration or number of runs for {} with seed {} on {name}; remove that row",
                repeated.display(),
                row.configurator,
                row.seed
            ),
            None => pieces.push_back((stage, row)),
        }
    }
    let line = |(stage, mut row): (Arc<Stage>, Row)| {
        // The format has one `name=value` per line.
        let text = row.configuration.replace(' ', "\n");
        let configuration = configuration_file::read(&text, "configuration", &stage.arena.benchmark.space)
            .with_context(|| format!("{} with seed {}", row.configurator, row.seed))?;
        row.costs[3] = stage.arena.evaluate_again(&configuration, runs);
        Ok(row.line())
    };
    rows::measure(pieces, threads, (&repeated, row::HEAD), line)?;
    Ok(repeated)
}
