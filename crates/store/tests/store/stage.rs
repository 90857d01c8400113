//! Shared test helpers: folders, a campaign and its trials.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};

use engine::history::Trial;
use engine::{
    Cap, ConfigId, InstanceId, Observation, Pair, Rng, Seed, Space, Status, TrialId, TrialKey, Why,
};
use execution::{Detail, Record};
use space::format::{Format, read};
use store::{Acknowledgement, Batch, Charter, Store, StoredConfiguration, Writer};

/// A temporary folder, removed on drop.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Creates a folder in memory if possible, for tests that commit often and do not need a disk.
    pub(super) fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::within(memory) } else { Self::new() }
    }

    fn within(place: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = place.join(format!("campaign-store-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn database(&self) -> PathBuf {
        self.0.join("campaign.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(super) fn space() -> Space {
    let text = "alpha = { float = [0.001, 10.0], log = true }\n\
                rounds = { integer = [1, 1000] }\n\
                mode = { choices = [\"fast\", \"safe\", \"odd \\\"one\\\"\"] }\n\
                deep = { boolean = false }\n\
                depth = { integer = [1, 9], when = \"deep\" }\n\
                forbidden = [\"mode == 'safe' && rounds > 900\"]\n";
    read(text, "stage", Format::Toml).unwrap()
}

pub(super) fn charter() -> Charter {
    Charter {
        name: "stage".to_owned(),
        scenario: "[target]\ncommand = [\"true\"]\n".to_owned(),
        folder: "stage".into(),
        space: space(),
        instances: (0..5).map(|i| format!("i{i}.cnf")).collect(),
        seed: u64::MAX - 1,
    }
}

/// Starts a writer for a store. Also returns the channel that receives its acknowledgements.
pub(super) fn start(store: Store) -> (Writer, Receiver<Acknowledgement>) {
    let (send, acknowledgements) = channel();
    let writer = store.write(move |acknowledgement| send.send(acknowledgement).unwrap()).unwrap();
    (writer, acknowledgements)
}

/// Waits until this many batches are on disk.
pub(super) fn await_commit(acknowledgements: &Receiver<Acknowledgement>, batches: u64) {
    loop {
        match acknowledgements.recv().unwrap() {
            Acknowledgement::Committed { batches: done } if done >= batches => return,
            Acknowledgement::Committed { .. } => {}
            Acknowledgement::Failed(error) => panic!("{error}"),
        }
    }
}

/// Returns configuration `id`. Its values are random, with `id` as the seed.
pub(super) fn configuration(space: &Space, id: u32) -> StoredConfiguration {
    let configuration = space.sample(&mut Rng::new(1, "stage", u64::from(id))).unwrap();
    StoredConfiguration { id: ConfigId(id), origin: "random".to_owned(), configuration }
}

/// Returns trial `id` of a configuration. Its contents are derived from `id`.
pub(super) fn trial(id: u64, config: u32) -> Record {
    let cost = 0.25 + id as f64;
    let observation = match id % 4 {
        0 => Observation::finished(cost),
        1 => Observation::capped(cost),
        2 => Observation::timeout(cost),
        _ => Observation::failed(Status::Crashed, 0.5),
    };
    let pair = Pair { instance: InstanceId(id as u32 % 5), seed: Seed(id as u32 / 5) };
    let key = TrialKey { config: ConfigId(config), pair };
    let cap = if id.is_multiple_of(3) { Cap::NONE } else { Cap::at(cost + 1.0) };
    let why = if id.is_multiple_of(2) { Why::Incumbent } else { Why::Challenge };
    let trial = Trial { id: TrialId(id), key, cap, why, observation };
    let detail = Detail {
        cpu: Some(cost),
        memory: Some(1 << 20),
        exit: Some(-9),
        outputs: [("gap".to_owned(), cost), ("nodes".to_owned(), 1e20)].into(),
        ..Detail::default()
    };
    Record { trial, detail, started: id as f64, ended: id as f64 + 1.0, slot: 0 }
}

/// Returns batch `n`: a configuration and two of its trials.
pub(super) fn batch(space: &Space, n: u32) -> Batch {
    let first = u64::from(n) * 2;
    Batch {
        configurations: vec![configuration(space, n)],
        trials: vec![trial(first, n), trial(first + 1, n)],
        ..Batch::default()
    }
}
