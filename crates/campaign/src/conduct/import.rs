//! Imports earlier runs into a campaign's store.
//!
//! Imported runs are stored like the trials of an earlier campaign: the search knows them from the start, and
//! the configurations whose costs are known on the most pairs race first. If the campaign already has trials,
//! a new campaign with these trials and the imported runs replaces it, as after a change to the scenario that
//! allows trials to be re-used. The time that the campaign has already used still counts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::{ConfigId, Status};
use scenario::change::{self, Stored};
use scenario::keys::Row;
use space::format::{Format, write};

use super::carry_over::{CarriedOver, carry_over, stored_history};
use super::open::{ConductError, Earlier, Opened, Order, begin, open};
use crate::import::runs::{Former, Left, Outputs, Runs, TakenIn, take_in};
use store::fingerprint::Fingerprints;
use store::{Batch, Elapsed, Store, StoreError, StoredEvent};

/// The reason stored for a session that only imported runs.
const IMPORTED: &str = "imported";

/// The result of an import.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// Number of trials imported, by status.
    pub trials: Vec<(Status, usize)>,
    /// Number of configurations that these trials belong to.
    pub configurations: usize,
    /// Reasons why runs were left out, with the number of runs for each.
    pub left: Left,
    /// Parameters that no run names, with the values that captune assigned to them.
    pub filled: BTreeMap<String, String>,
    /// Parts of the source that are not used.
    pub unused: Vec<String>,
    /// Path of the campaign's previous store, if there was one.
    pub set_aside: Option<PathBuf>,
}

impl Imported {
    /// Returns the number of trials imported.
    pub fn count(&self) -> usize {
        self.trials.iter().map(|(_, count)| count).sum()
    }
}

/// Imports runs into the store of a campaign, which is created if it does not exist.
pub fn import(order: &Order, runs: &Runs) -> Result<Imported, ConductError> {
    let opened = open(order)?;
    let files = Fingerprints::of(&opened.scenario);
    refuse_other_measures(&opened, &files, runs)?;
    let Opened { folder, scenario, settings, store, .. } = opened;
    let loaded = store.load()?;
    // A campaign also counts as new if it was created by an earlier import that was then refused.
    let is_new = loaded.history.configurations().is_empty();
    let train = &scenario.instances.train;
    let unchanged: Vec<Option<usize>> = (0..scenario.constraints.len()).map(Some).collect();
    let CarriedOver { mut history, mut outputs, .. } =
        carry_over(&loaded, store.reader().outputs()?, &settings, train, &unchanged);
    let before = history.trials().len();
    let former = runs.charter.as_ref().map(|before| {
        let kept = change::kept_constraints(&before.scenario, &scenario)?;
        Ok(Former { kept, files: &files })
    });
    let former = former.transpose().map_err(ConductError::Scenario)?;
    let TakenIn { outputs: of_runs, left, filled, unused } =
        take_in(&mut history, runs, &settings, &scenario, former.as_ref()).map_err(ConductError::Runs)?;
    outputs.extend(of_runs);
    let new = &history.trials()[before..];
    let count = |status: Status| new.iter().filter(|trial| trial.observation.status() == status).count();
    let trials = Status::ALL.map(|status| (status, count(status)));
    let configurations: std::collections::BTreeSet<ConfigId> =
        new.iter().map(|trial| trial.key.config).collect();
    let mut imported = Imported {
        folder: folder.clone(),
        trials: trials.into_iter().filter(|(_, count)| *count > 0).collect(),
        configurations: configurations.len(),
        left,
        filled,
        unused,
        set_aside: None,
    };
    if new.is_empty() {
        return Ok(imported);
    }
    let batch = batch(&history, outputs, before, &runs.source, loaded.spent);
    if is_new {
        keep(store, batch)?;
        return Ok(imported);
    }
    let text = loaded.charter.scenario.clone();
    let order = Order { seed: Some(loaded.charter.seed), ..order.clone() };
    let scenario = std::sync::Arc::unwrap_or_clone(scenario);
    // The campaign is replaced in a single step, so that a kill cannot leave it without its trials.
    let earlier = Earlier { known: Some((batch, IMPORTED.to_owned())), ..Earlier::default() };
    (_, imported.set_aside) = begin(&order, scenario, text, folder, Some(store), earlier)?;
    Ok(imported)
}

/// Refuses to import trials from a campaign that measured something else, or whose programs have changed since.
/// `files` contains the fingerprints of the scenario's files as they are now.
fn refuse_other_measures(opened: &Opened, files: &Fingerprints, runs: &Runs) -> Result<(), ConductError> {
    let Some(before) = &runs.charter else { return Ok(()) };
    let space = write(&before.space, Format::Toml)?;
    let stored =
        Stored { text: &before.scenario, space: &space, instances: &before.instances, baseline: None };
    let text = opened.store.reader().charter()?.scenario;
    let mut differences =
        change::compare(&stored, &text, &opened.scenario).map_err(ConductError::Scenario)?;
    if let Some(before) = &runs.files {
        differences.extend(before.compare_commands(files, &opened.scenario.folder));
    }
    // The cutoff, the instances and the outputs of added constraints are checked separately for each run.
    differences.retain(|difference| {
        let is_added_constraint = difference.key.starts_with("constraints.") && difference.before.is_none();
        difference.row == Row::Refuse
            && difference.key != "objective.cutoff"
            && !difference.key.starts_with("instances")
            && !is_added_constraint
    });
    if differences.is_empty() {
        return Ok(());
    }
    Err(ConductError::NotImportable { source_name: runs.source.clone(), differences })
}

fn batch(
    history: &engine::History,
    outputs: Vec<Outputs>,
    before: usize,
    source: &str,
    spent: Elapsed,
) -> Batch {
    let text = format!("{} trials from {source}", history.trials().len() - before);
    let event = StoredEvent { at: spent.wall, kind: "import".to_owned(), text };
    Batch { events: vec![event], spent: Some(spent), ..stored_history(history, outputs, before, source) }
}

/// Writes a batch in a separate session.
fn keep(store: Store, batch: Batch) -> Result<(), StoreError> {
    let mut writer = store.write(|_| {})?;
    writer.submit(batch)?;
    writer.finish(IMPORTED)
}
