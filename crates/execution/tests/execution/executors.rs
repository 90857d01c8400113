//! Tests that every executor follows the rules: the local one, the simulated one, and the one in the example.

use std::sync::Arc;

use engine::{Status, TrialRequest};
use execution::Slot;
use execution::executor::{Answer, Executor, Local, Simulated};
use execution::testkit::executor::{Behaviour, conforms};
use execution::testkit::scripted::Scripted;

#[allow(dead_code, unreachable_pub, reason = "its main function is for running the example")]
#[path = "../../examples/own_executor.rs"]
mod example;

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
