//! The executor follows the rules that every executor must follow.

use engine::{Cap, TrialId, TrialRequest};
use execution::executor::{Executor, Happening, Inbox, Refused};
use execution::testkit::executor::conforms;
use fleet::coordinator::{Coordinator, Fleet, Stock};

use crate::stage::{Server, Worker, await_slots, coordinator, program, terms};

/// An executor with everything that it needs.
struct Whole {
    fleet: Fleet,
    _workers: Vec<Worker>,
    _coordinator: Coordinator,
    _server: Server,
}

impl Executor for Whole {
    fn workers(&self) -> usize {
        self.fleet.workers()
    }

    fn now(&self) -> f64 {
        self.fleet.now()
    }

    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused> {
        self.fleet.submit(request, started)
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        self.fleet.tighten(id, cap);
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        self.fleet.cancel(id)
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        let happening = self.fleet.next(inbox, patience);
        if let Happening::Ended(record) = &happening {
            self.fleet.settled(&[record.trial.id]);
        }
        happening
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.fleet.reached()
    }
}

#[test]
fn remote_workers_conform() {
    if program().is_none() {
        return;
    }
    conforms(&|slots, script, bell| {
        let server = Server::start().unwrap();
        let (own, fleet) = coordinator(&server, terms(), Stock::default(), bell);
        // Slots of several workers, and several slots of one.
        let first = Worker::start(&server, "first", slots.div_ceil(2), script.clone());
        let mut workers = vec![first];
        if slots > 1 {
            workers.push(Worker::start(&server, "second", slots / 2, script));
        }
        await_slots(&fleet, slots);
        Box::new(Whole { fleet, _workers: workers, _coordinator: own, _server: server })
    });
}
