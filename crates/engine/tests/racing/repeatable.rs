//! Checks that the same results lead to the same decisions.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, mpsc};

use engine::history::History;
use engine::racing::CappedRacer;
use engine::testkit::World;
use engine::{Ask, Cap, Observation, Optimizer, Rng, TrialId, TrialRequest};

/// Largest number of trials that have been requested but have not ended.
const WINDOW: usize = 8;

fn optimizer(world: &World) -> Optimizer {
    let mut history = History::new();
    let racer = CappedRacer::new(world.problem.clone(), world.racing.clone(), &mut history);
    Optimizer::new(history, Box::new(racer), world.proposer())
}

/// A call to an optimizer.
enum Call {
    Ask(usize, Ask),
    Tell(TrialId, Observation),
    Elapsed(TrialId, f64),
}

/// Records a run in which the trials of four workers end and report in any order.
fn recorded(world: &World) -> Vec<Call> {
    let mut optimizer = optimizer(world);
    let mut rng = Rng::new(world.seed, "endings", 0);
    let mut calls = Vec::new();
    while calls.len() < 400 {
        let running: Vec<TrialRequest> = optimizer.running().cloned().collect();
        if running.is_empty() || rng.below(2) == 0 {
            let ask = optimizer.ask(4 - running.len());
            calls.push(Call::Ask(4 - running.len(), ask.clone()));
            if matches!(ask, Ask::Done(_)) {
                break;
            }
            continue;
        }
        let request = &running[rng.below(running.len())];
        let truth = world.truth(request);
        if rng.below(3) == 0 {
            let reached = rng.unit() * truth.time.min(request.cap.cost());
            optimizer.elapsed(&[(request.id, reached)]);
            calls.push(Call::Elapsed(request.id, reached));
        } else {
            let observation = world.observe(&truth, request.cap);
            optimizer.tell(request.id, observation.clone()).unwrap();
            calls.push(Call::Tell(request.id, observation));
        }
    }
    calls
}

#[test]
fn recorded_results_reproduce_every_decision() {
    for seed in 0..100 {
        let world = World::random(seed);
        let mut again = optimizer(&world);
        for call in recorded(&world) {
            match call {
                Call::Ask(slots, ask) => assert_eq!(again.ask(slots), ask, "world {seed}"),
                Call::Tell(id, observation) => again.tell(id, observation).unwrap(),
                Call::Elapsed(id, cost) => again.elapsed(&[(id, cost)]),
            }
        }
    }
}

/// Whether orders about running trials are followed. If they are, a tightened trial ends as if it had had its
/// last cap from the start, and a cancelled trial is withdrawn.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Orders {
    Followed,
    Ignored,
}

/// Returns the requested trials. The number of running trials is constant. Results are reported in the order
/// in which the trials were requested, whichever worker thread finishes first.
fn in_order_of_asking(world: &World, workers: usize, orders: Orders) -> Vec<TrialRequest> {
    let (jobs, queue) = mpsc::channel::<TrialRequest>();
    let queue = Mutex::new(queue);
    let (results, inbox) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (queue, results) = (&queue, results.clone());
            scope.spawn(move || {
                loop {
                    let job = queue.lock().unwrap().recv();
                    let Ok(request) = job else { return };
                    results.send((request.id, world.truth(&request))).unwrap();
                }
            });
        }
        let mut optimizer = optimizer(world);
        let mut asked = Vec::new();
        let mut window: VecDeque<(TrialId, Cap)> = VecDeque::new();
        let mut early = BTreeMap::new();
        while asked.len() < 300 {
            match optimizer.ask(WINDOW - window.len()) {
                Ask::Run(request) => {
                    window.push_back((request.id, request.cap));
                    asked.push(request.clone());
                    jobs.send(request).unwrap();
                    continue;
                }
                Ask::Tighten(id, cap) if orders == Orders::Followed => {
                    window.iter_mut().filter(|out| out.0 == id).for_each(|out| out.1 = cap);
                    continue;
                }
                Ask::Cancel(id) if orders == Orders::Followed => {
                    window.retain(|out| out.0 != id);
                    optimizer.withdraw(id).unwrap();
                    continue;
                }
                Ask::Tighten(..) | Ask::Cancel(_) => continue,
                Ask::Wait => {}
                Ask::Done(_) => break,
            }
            let Some((id, cap)) = window.pop_front() else { continue };
            while !early.contains_key(&id) {
                let (id, truth) = inbox.recv().unwrap();
                early.insert(id, truth);
            }
            optimizer.tell(id, world.observe(&early[&id], cap)).unwrap();
        }
        drop(jobs);
        asked
    })
}

#[test]
fn the_number_of_workers_does_not_matter_if_results_are_told_in_order_of_asking() {
    for seed in 0..60 {
        let world = World::random(seed);
        for orders in [Orders::Followed, Orders::Ignored] {
            let one = in_order_of_asking(&world, 1, orders);
            let four = in_order_of_asking(&world, 4, orders);
            assert_eq!(one, four, "world {seed}, orders {orders:?}");
        }
    }
}
