//! Earlier runs in a campaign's store.
//!
//! They stand there as trials of an earlier campaign: the search knows them from the start, and the
//! configurations known best race first. A campaign under way begins anew with them, as after a change
//! that re-uses its trials, and keeps what it has spent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::{ConfigId, Status};
use scenario::change::{self, Stored};
use scenario::keys::Row;
use space::format::{Format, write};

use super::carry_over::{adopted, carry_over};
use super::open::{ConductError, Earlier, Opened, Order, begin, open};
use crate::import::runs::{Left, Runs, TakenIn, take_in};
use crate::resume::Resumed;
use store::{Batch, Elapsed, Store, StoreError, StoredEvent};

/// Why a session ended that did nothing but import.
const IMPORTED: &str = "imported";

/// What became of the runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// Trials taken in, by how they ended.
    pub trials: Vec<(Status, usize)>,
    /// Of how many configurations.
    pub configurations: usize,
    /// Why runs were left out, and how many.
    pub left: Left,
    /// Parameters that no run names, and the values that they were given.
    pub filled: BTreeMap<String, String>,
    /// What the source has and nobody asks for.
    pub unused: Vec<String>,
    /// Where the store is that the campaign had before.
    pub set_aside: Option<PathBuf>,
}

impl Imported {
    /// How many trials were taken in.
    pub fn count(&self) -> usize {
        self.trials.iter().map(|(_, count)| count).sum()
    }
}

/// Puts runs into the store of a campaign, which is begun if need be.
pub fn import(order: &Order, runs: &Runs) -> Result<Imported, ConductError> {
    let opened = open(order)?;
    refuse_other_measures(&opened, runs)?;
    let Opened { folder, scenario, settings, store, .. } = opened;
    let loaded = store.load()?;
    // Also one that an import has begun which was refused.
    let is_new = loaded.history.configurations().is_empty();
    let train = &scenario.instances.train;
    let as_they_are: Vec<usize> = (0..scenario.constraints.len()).collect();
    let (Resumed { mut history, .. }, _) = carry_over(&loaded, &settings, train, &as_they_are);
    let before = history.trials().len();
    let TakenIn { left, filled, unused } =
        take_in(&mut history, runs, &settings, &scenario).map_err(ConductError::Runs)?;
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
    let batch = batch(&history, before, &runs.source, loaded.spent);
    if is_new {
        keep(store, batch)?;
        return Ok(imported);
    }
    let text = loaded.charter.scenario.clone();
    let order = Order { seed: Some(loaded.charter.seed), ..order.clone() };
    let scenario = std::sync::Arc::unwrap_or_clone(scenario);
    // In one step: killed at any moment, the campaign has its trials.
    let earlier = Earlier { known: Some((batch, IMPORTED.to_owned())), ..Earlier::default() };
    (_, imported.set_aside) = begin(&order, scenario, text, folder, Some(store), earlier)?;
    Ok(imported)
}

/// Trials of a campaign that measured something else say nothing here.
fn refuse_other_measures(opened: &Opened, runs: &Runs) -> Result<(), ConductError> {
    let Some(before) = &runs.charter else { return Ok(()) };
    let space = write(&before.space, Format::Toml)?;
    let stored =
        Stored { text: &before.scenario, space: &space, instances: &before.instances, baseline: None };
    let text = opened.store.reader().charter()?.scenario;
    let mut differences =
        change::compare(&stored, &text, &opened.scenario).map_err(ConductError::Scenario)?;
    // Each run is fitted to the cutoff and the instances of its own accord.
    differences.retain(|difference| {
        difference.row == Row::Refuse
            && difference.key != "objective.cutoff"
            && !difference.key.starts_with("instances")
    });
    if differences.is_empty() {
        return Ok(());
    }
    Err(ConductError::Refused { folder: opened.folder.clone(), differences })
}

fn batch(history: &engine::History, before: usize, source: &str, spent: Elapsed) -> Batch {
    let text = format!("{} trials from {source}", history.trials().len() - before);
    let event = StoredEvent { at: spent.wall, kind: "import".to_owned(), text };
    Batch { events: vec![event], spent: Some(spent), ..adopted(history, before, source) }
}

/// Writes a batch in a session of its own.
fn keep(store: Store, batch: Batch) -> Result<(), StoreError> {
    let mut writer = store.write(|_| {})?;
    writer.submit(batch)?;
    writer.finish(IMPORTED)
}
