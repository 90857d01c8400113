//! Stops campaigns that cannot succeed because the default always fails, the default gives wrong answers, or
//! too many trials are lost.

use engine::history::{History, Trial};
use engine::{ConfigId, Status};
use execution::{Detail, Record};

use super::Campaign;
use crate::event::Stop;

/// Number of failed trials after which the campaign stops if no trial has succeeded. These trials may belong
/// to any configuration, but the default must have been tried. About half of them belong to the default.
const HOPELESS: u64 = 10;

impl Campaign<'_> {
    /// Stops at once if the default gave a wrong answer in an earlier session.
    pub(super) fn refuse_wrong_default(&mut self) {
        let history = self.optimizer.history();
        let wrong =
            |trial: &&Trial| trial.key.config == ConfigId(0) && trial.observation.status() == Status::Wrong;
        let Some(trial) = history.trials().iter().find(wrong) else { return };
        self.stop = Some(Stop::DefaultWrong { trial: remembered(trial) });
    }

    /// Corrects the reason for stopping. If a search spent its budget or tried every configuration without a
    /// single success, the real reason is its failed or lost trials.
    pub(super) fn reconsider(&mut self, stop: Stop) -> Stop {
        let history = self.optimizer.history();
        if !matches!(stop, Stop::Budget(_) | Stop::Exhausted) || has_succeeded(history) {
            return stop;
        }
        let last = |wanted: fn(Status) -> bool| {
            history.trials().iter().rev().find(|trial| wanted(trial.observation.status()))
        };
        if let Some(trial) = self.failed.take() {
            return Stop::NeverSucceeded { trial };
        }
        if let Some(trial) = last(Status::is_failure) {
            return Stop::NeverSucceeded { trial: remembered(trial) };
        }
        match last(|status| status == Status::Lost) {
            Some(trial) => {
                let (trial, lost) = (remembered(trial), self.lost());
                Stop::Lost { trial, lost, of: history.trials().len() as u64 }
            }
            None => stop,
        }
    }

    /// Stops the campaign if no trial succeeds, if the default gives wrong answers, or if too many trials are
    /// lost.
    pub(super) fn judge(&mut self, told: &Record) {
        if !told.is_cancelled() {
            self.losses.count(told.is_lost(), self.desk.workers());
        }
        if told.is_lost() && self.losses.are_too_many() {
            let (lost, of) = (self.losses.lost(), self.losses.ended());
            self.stop = Some(Stop::Lost { trial: Box::new(told.clone()), lost, of });
            return;
        }
        if told.status() == Status::Wrong && told.trial.key.config == ConfigId(0) {
            self.stop = Some(Stop::DefaultWrong { trial: Box::new(told.clone()) });
            return;
        }
        let history = self.optimizer.history();
        if !told.status().is_failure() || has_succeeded(history) {
            return;
        }
        let default = ConfigId(0);
        if told.trial.key.config == default || self.failed.is_none() {
            self.failed = Some(Box::new(told.clone()));
        }
        let met = history.readings(default).count();
        let failed: u64 = Status::ALL
            .iter()
            .filter(|status| status.is_failure())
            .map(|&status| history.count(status))
            .sum();
        if met > 0 && failed >= HOPELESS {
            let trial = self.failed.clone().unwrap_or_else(|| Box::new(told.clone()));
            self.stop = Some(Stop::NeverSucceeded { trial });
        }
    }
}

/// Returns whether any trial finished, was capped or timed out.
fn has_succeeded(history: &History) -> bool {
    [Status::Finished, Status::Capped, Status::Timeout].iter().any(|&status| history.count(status) > 0)
}

/// Returns the record of a trial from an earlier session. The record has no details, because these are only
/// in the store.
fn remembered(trial: &Trial) -> Box<Record> {
    Box::new(Record { trial: trial.clone(), detail: Detail::default(), started: 0.0, ended: 0.0, slot: 0 })
}
