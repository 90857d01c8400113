//! A target that does what a script says.

use std::time::{Duration, Instant};

use engine::{Observation, Status, TrialRequest};

use super::executor::{Behaviour, Script};
use crate::{Account, Detail, Leash, Slot, Target, TargetError};

/// A target that follows a script in real time.
#[allow(missing_debug_implementations, reason = "a script is a function")]
pub struct Scripted(pub Script);

impl Target for Scripted {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, _slot: &Slot) -> Result<Account, TargetError> {
        let account = |observation, reason: Option<&str>| {
            let reason = reason.map(str::to_owned);
            Ok(Account { observation, detail: Detail { reason, ..Detail::default() } })
        };
        match (self.0)(trial.id) {
            Behaviour::Vanish => account(Observation::failed(Status::Lost, 0.0), Some("its worker vanished")),
            Behaviour::Abort => Err(TargetError::Aborted { message: "no use".to_owned() }),
            Behaviour::Panic => panic!("no idea"),
            Behaviour::Finish(seconds) => {
                let started = Instant::now();
                loop {
                    let elapsed = started.elapsed().as_secs_f64();
                    let cap = trial.cap.cost().min(leash.cap().cost());
                    if elapsed >= seconds.min(cap) {
                        let is_stopped = cap < seconds;
                        let stopped = || Observation::capped(elapsed.max(cap));
                        let ended = if is_stopped { stopped() } else { Observation::finished(elapsed) };
                        return account(ended, None);
                    }
                    if leash.wait(Duration::from_millis(1)) {
                        return account(Observation::capped(elapsed), None);
                    }
                }
            }
        }
    }

    fn reached(&self, _leash: &Leash, seconds: f64) -> Option<f64> {
        Some(seconds.max(0.0))
    }

    fn longest(&self, trial: &TrialRequest) -> Option<f64> {
        Some(trial.cap.cost())
    }
}
