//! Tests that every executor follows the rules: the local one, the simulated one, and the one in the example.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Observation, Status, TrialRequest};
use execution::executor::{Answer, Executor, Local, Simulated};
use execution::testkit::executor::{Behaviour, Script, conforms};
use execution::{Account, Detail, Leash, Slot, Target, TargetError};

#[allow(dead_code, unreachable_pub, reason = "its main function is for running the example")]
#[path = "../../examples/own_executor.rs"]
mod example;

/// A target that follows a script in real time.
struct Scripted(Script);

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
                        return account(
                            if is_stopped { stopped() } else { Observation::finished(elapsed) },
                            None,
                        );
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
}

#[test]
fn local_workers_conform() {
    conforms(&|workers, script, bell| {
        let slots = (0..workers).map(|number| Slot { number, ..Slot::default() }).collect();
        Box::new(Local::new(Arc::new(Scripted(script)), slots, 0.0, &bell).unwrap())
    });
}

#[test]
fn simulated_workers_conform() {
    conforms(&|workers, script, _bell| {
        let oracle = move |request: &TrialRequest| match script(request.id) {
            Behaviour::Finish(seconds) => Answer::finished(seconds),
            Behaviour::Vanish => Answer { status: Status::Lost, ..Answer::finished(0.001) },
            Behaviour::Abort => Answer { status: Status::Aborted, ..Answer::finished(0.001) },
            Behaviour::Panic => panic!("no idea"),
        };
        Box::new(Simulated::new(Box::new(oracle), None, workers, 0.0)) as Box<dyn Executor>
    });
}

#[test]
fn the_example_conforms() {
    conforms(&|workers, script, bell| {
        Box::new(example::Threads::new(Arc::new(Scripted(script)), workers, bell))
    });
}
