//! Loads everything needed to resume a campaign.
//!
//! SQLite takes most of a second to read a million trials. Meanwhile, a second thread adds the trials to the
//! history, in pieces.

use std::sync::mpsc::{Receiver, channel};

use engine::history::Trial;
use engine::{ConfigId, History, Space};

use super::checksum::{CONFIGURATION, TRIAL, is_intact};
use super::record::{Charter, Elapsed, Session, State, StoredIncumbent};
use super::trial::search_trial;
use super::values::append_codes;
use super::{StoreError, StoreReader};

/// Stored contents of a campaign that are needed to resume it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The definition of the campaign.
    pub charter: Charter,
    /// All trials in the order in which the search received them, and all configurations under their stored
    /// numbers.
    pub history: History,
    /// The last snapshot of the search. The snapshot may have absorbed fewer trials than the history
    /// contains.
    pub state: Option<State>,
    /// The time that the campaign has used.
    pub spent: Elapsed,
    /// Number of lost trials, excluding trials that were cancelled on purpose.
    pub lost: u64,
    /// All incumbents, in the order in which they took over.
    pub incumbents: Vec<StoredIncumbent>,
    /// All sessions. The last one has no end time if it is still running or was killed.
    pub sessions: Vec<Session>,
}

/// Number of rows sent to the other thread at a time.
const PIECE: usize = 4096;

enum Piece {
    /// Codes of many configurations, one after another.
    Configurations(Vec<f64>),
    Trials(Vec<Trial>),
}

impl StoreReader {
    /// Loads everything needed to resume from one consistent snapshot of the database.
    pub fn load(&self) -> Result<Loaded, StoreError> {
        // Everything is read in one transaction, because another process may be writing.
        let snapshot = self.ask(self.connection.unchecked_transaction())?;
        let charter = self.charter()?;
        let (state, spent) = self.state()?;
        let (incumbents, sessions, lost) = (self.incumbents()?, self.sessions()?, self.lost()?);
        let history = self.history(&charter.space)?;
        self.ask(snapshot.finish())?;
        let rows = history.trials().len() as u64;
        if let Some(state) = &state
            && state.told > rows
        {
            return Err(
                self.damaged(format!("the snapshot has {} trials, but only {rows} are stored", state.told))
            );
        }
        Ok(Loaded { charter, history, state, spent, lost, incumbents, sessions })
    }

    fn history(&self, space: &Space) -> Result<History, StoreError> {
        let count = |sql: &str| self.ask(self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)));
        let configurations = count("SELECT coalesce(max(id) + 1, 0) FROM configuration")? as usize;
        let trials = count("SELECT coalesce(max(row), 0) FROM trial")? as usize;
        let mut history = History::with_capacity(configurations, trials);
        // The channel is unbounded, so that the reading thread never waits for the builder, even on a busy
        // machine. Queued pieces take less memory than the history built from them.
        let (send, pieces) = channel();
        std::thread::scope(|scope| {
            let builder = scope.spawn(|| build(&mut history, space, pieces));
            // Sending fails only if the builder has found an error. The builder returns that error.
            let read = self
                .read_configurations(space, |codes| send.send(Piece::Configurations(codes)).is_ok())
                .and_then(|()| {
                    self.read_trials(configurations, |trials| send.send(Piece::Trials(trials)).is_ok())
                });
            drop(send);
            let built = builder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            built.map_err(|what| self.damaged(what))?;
            read
        })?;
        Ok(history)
    }

    fn read_configurations(
        &self,
        space: &Space,
        mut send_on: impl FnMut(Vec<f64>) -> bool,
    ) -> Result<(), StoreError> {
        let width = space.parameters().len();
        let mut statement = self.ask(
            self.connection
                .prepare(&format!("SELECT {CONFIGURATION}, checksum FROM configuration ORDER BY id")),
        )?;
        let mut rows = self.ask(statement.query([]))?;
        let mut codes = Vec::with_capacity(PIECE * width);
        let mut next = 0;
        while let Some(row) = self.ask(rows.next())? {
            let id: u32 = self.ask(row.get(0))?;
            let blob = self.ask(row.get_ref(3))?.as_blob();
            if id != next || !blob.is_ok_and(|blob| append_codes(blob, width, &mut codes)) {
                return Err(self
                    .damaged(format!("configuration {next} is missing or has the wrong number of values")));
            }
            if !self.ask(is_intact(row))? {
                return Err(self.damaged(format!("configuration {next} does not match its checksum")));
            }
            next += 1;
            if (next as usize).is_multiple_of(PIECE) {
                let full = std::mem::replace(&mut codes, Vec::with_capacity(PIECE * width));
                if !send_on(full) {
                    return Ok(());
                }
            }
        }
        send_on(codes);
        Ok(())
    }

    fn read_trials(
        &self,
        configurations: usize,
        mut send_on: impl FnMut(Vec<Trial>) -> bool,
    ) -> Result<(), StoreError> {
        let sql = format!("SELECT {TRIAL}, checksum FROM trial ORDER BY row");
        let mut statement = self.ask(self.connection.prepare(&sql))?;
        let mut rows = self.ask(statement.query([]))?;
        let mut trials = Vec::with_capacity(PIECE);
        let mut number = 0_u64;
        while let Some(row) = self.ask(rows.next())? {
            number += 1;
            let trial = self.intact(row, number, search_trial)?;
            if trial.key.config.index() >= configurations {
                return Err(self.damaged(format!("trial {} refers to a missing configuration", trial.id)));
            }
            trials.push(trial);
            if trials.len() == PIECE {
                let full = std::mem::replace(&mut trials, Vec::with_capacity(PIECE));
                if !send_on(full) {
                    return Ok(());
                }
            }
        }
        send_on(trials);
        // Row numbers are distinct. If they start at 1 and the highest number equals the number of rows, no
        // row is missing.
        let sql = "SELECT coalesce((SELECT min(row) FROM trial), 1) = 1
                   AND coalesce((SELECT max(row) FROM trial), 0) = ?";
        let is_complete: bool =
            self.ask(self.connection.query_row(sql, [number.cast_signed()], |row| row.get(0)))?;
        if is_complete { Ok(()) } else { Err(self.damaged("some trials are missing")) }
    }
}

fn build(history: &mut History, space: &Space, pieces: Receiver<Piece>) -> Result<(), String> {
    for piece in pieces {
        match piece {
            Piece::Configurations(codes) => {
                for codes in codes.chunks_exact(space.parameters().len().max(1)) {
                    let next = ConfigId(history.configurations().len() as u32);
                    let configuration = space
                        .configuration_of_codes(codes)
                        .map_err(|error| format!("configuration {next} is not in the space: {error}"))?;
                    let id = history.intern(&configuration);
                    if id != next {
                        return Err(format!("configurations {id} and {next} are the same"));
                    }
                }
            }
            Piece::Trials(trials) => trials.into_iter().for_each(|trial| history.push(trial)),
        }
    }
    Ok(())
}
