//! Campaigns that have no point: the default never succeeds or gives wrong answers, or trials are lost
//! again and again.

use engine::history::{History, Trial};
use engine::{ConfigId, Status};
use execution::{Detail, Record};

use super::Campaign;
use crate::event::Stop;

/// Failures of any configurations, the default among them and nothing succeeding, after which there is no point.
/// The default takes half of them.
const HOPELESS: u64 = 10;

impl Campaign<'_> {
    /// A default that was wrong in an earlier session is wrong still.
    pub(super) fn refuse_wrong_default(&mut self) {
        let history = self.optimizer.history();
        let wrong =
            |trial: &&Trial| trial.key.config == ConfigId(0) && trial.observation.status() == Status::Wrong;
        let Some(trial) = history.trials().iter().find(wrong) else { return };
        self.stop = Some(Stop::DefaultWrong { trial: remembered(trial) });
    }

    /// Why a search really ended: one that has tried all it may without a single success has found nothing
    /// that could be kept.
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

    /// Stops a campaign whose default cannot be run or gives wrong answers, or whose trials are lost.
    pub(super) fn judge(&mut self, told: &Record) {
        if !told.is_cancelled() {
            self.losses.count(told.is_lost());
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

/// Whether any trial was run to its end or to its cap.
fn has_succeeded(history: &History) -> bool {
    [Status::Finished, Status::Capped, Status::Timeout].iter().any(|&status| history.count(status) > 0)
}

/// A trial of an earlier session, of which the store knows more.
fn remembered(trial: &Trial) -> Box<Record> {
    Box::new(Record { trial: trial.clone(), detail: Detail::default(), started: 0.0, ended: 0.0, slot: 0 })
}
