//! Servers that are killed, coordinators that come back, workers that vanish.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use engine::{Cap, ConfigId, InstanceId, Pair, Seed, Status, TrialId, TrialKey, TrialRequest, Why};
use execution::executor::{Executor, Happening, Inbox, Lease, News};
use execution::testkit::executor::{Behaviour, Script};
use execution::{Record, TargetError};
use fleet::coordinator::Stock;
use fleet::worker::{Ended, Halt};

use crate::stage::{Server, Worker, await_slots, coordinator, space, terms};

fn request(id: u64) -> TrialRequest {
    let pair = Pair { instance: InstanceId(id as u32 % 3), seed: Seed(id as u32) };
    let key = TrialKey { config: ConfigId(0), pair };
    let configuration = space().default_configuration();
    TrialRequest { id: TrialId(id), key, configuration, cap: Cap::at(100.0), why: Why::Challenge }
}

fn takes(seconds: f64) -> Script {
    Arc::new(move |_| Behaviour::Finish(seconds))
}

/// What an executor has reported.
#[derive(Default)]
struct Heard {
    ended: Vec<Record>,
    leases: Vec<Lease>,
    left: Vec<String>,
    failed: Vec<TargetError>,
}

impl Heard {
    /// Waits until a condition holds, and confirms every result.
    fn until(&mut self, fleet: &mut impl Executor, inbox: &Inbox, is_met: impl Fn(&Self) -> bool) {
        while !is_met(self) {
            match fleet.next(inbox, Some(20.0)) {
                Happening::Ended(record) => {
                    fleet.settled(&[record.trial.id]);
                    self.ended.push(*record);
                }
                Happening::News(News::Leased(lease)) => self.leases.push(lease),
                Happening::News(News::Left { why, .. }) => self.left.push(why),
                Happening::Failed(_, error) => self.failed.push(error),
                Happening::Nothing => panic!("nothing happens; {} trials have ended", self.ended.len()),
                _ => {}
            }
        }
    }
}

#[test]
fn trials_survive_the_death_of_the_server() {
    let Some(mut server) = Server::start() else { return };
    let inbox = Inbox::new();
    let (_own, mut fleet) = coordinator(&server, terms(), Stock::default(), inbox.bell());
    let _worker = Worker::start(&server, "w", 2, takes(0.5));
    await_slots(&fleet, 2);
    (1..=4).for_each(|id| fleet.submit(&request(id), None).unwrap());
    let mut heard = Heard::default();
    heard.until(&mut fleet, &inbox, |heard| heard.leases.len() == 2);
    server.kill();
    // The trials end while nobody can be told.
    std::thread::sleep(Duration::from_millis(700));
    server.restart();
    heard.until(&mut fleet, &inbox, |heard| heard.ended.len() == 4);
    let mut ids: Vec<u64> = heard.ended.iter().map(|record| record.trial.id.0).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert!(heard.ended.iter().all(|record| record.status() == Status::Finished), "none was lost");
    assert_eq!(heard.leases.len(), 4, "none ran twice");
}

#[test]
fn a_coordinator_that_comes_back_gets_the_results_of_its_predecessor() {
    let Some(server) = Server::start() else { return };
    let inbox = Inbox::new();
    let (own, mut fleet) = coordinator(&server, terms(), Stock::default(), inbox.bell());
    let _worker = Worker::start(&server, "w", 2, takes(0.3));
    await_slots(&fleet, 2);
    let mut heard = Heard::default();
    (1..=2).for_each(|id| fleet.submit(&request(id), None).unwrap());
    heard.until(&mut fleet, &inbox, |heard| heard.leases.len() == 2);
    let leases = std::mem::take(&mut heard.leases);
    drop((fleet, own));
    std::thread::sleep(Duration::from_millis(500));
    let inbox = Inbox::new();
    let stock = Stock { before: 50.0, leases, ..Stock::default() };
    let terms = fleet::coordinator::Terms { first_lease: 900, ..terms() };
    let (_own, mut fleet) = coordinator(&server, terms, stock, inbox.bell());
    // The search still wants the first trial; it has forgotten the second, and asks for another one.
    assert!(fleet.still_runs(TrialId(1)));
    fleet.submit(&request(1), None).unwrap();
    fleet.submit(&request(3), None).unwrap();
    let mut heard = Heard::default();
    heard.until(&mut fleet, &inbox, |heard| heard.ended.len() == 2);
    let mut ids: Vec<u64> = heard.ended.iter().map(|record| record.trial.id.0).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
    assert_eq!(
        heard.leases.iter().map(|lease| lease.trial.0).collect::<Vec<_>>(),
        [3],
        "trial 1 ran only once"
    );
    assert!(fleet.now() >= 50.0);
}

#[test]
fn a_worker_that_is_drained_ends_its_trials_first() {
    let Some(server) = Server::start() else { return };
    let inbox = Inbox::new();
    let (_own, mut fleet) = coordinator(&server, terms(), Stock::default(), inbox.bell());
    let (begun, begins) = channel();
    let script: Script = Arc::new(move |_| {
        begun.send(()).unwrap();
        Behaviour::Finish(0.4)
    });
    let worker = Worker::start(&server, "w", 1, script);
    await_slots(&fleet, 1);
    (1..=2).for_each(|id| fleet.submit(&request(id), None).unwrap());
    let mut heard = Heard::default();
    heard.until(&mut fleet, &inbox, |heard| heard.leases.len() == 1);
    // The lease is known before the worker has the trial.
    begins.recv_timeout(Duration::from_secs(20)).unwrap();
    worker.halt.send(Halt::Drain(Duration::from_secs(10))).unwrap();
    heard.until(&mut fleet, &inbox, |heard| !heard.left.is_empty());
    assert_eq!(worker.end(), Ended::Halted);
    let ended: Vec<(u64, Status)> = heard.ended.iter().map(|one| (one.trial.id.0, one.status())).collect();
    assert_eq!(ended, [(1, Status::Finished)]);
    let second = Worker::start(&server, "v", 1, takes(0.01));
    heard.until(&mut fleet, &inbox, |heard| heard.ended.len() == 2);
    assert_eq!(heard.ended[1].status(), Status::Finished, "another worker runs what is left");
    drop(second);
}

#[test]
fn a_worker_that_must_go_gives_its_trial_back() {
    let Some(server) = Server::start() else { return };
    let inbox = Inbox::new();
    let (_own, mut fleet) = coordinator(&server, terms(), Stock::default(), inbox.bell());
    let worker = Worker::start(&server, "w", 1, takes(60.0));
    await_slots(&fleet, 1);
    fleet.submit(&request(1), None).unwrap();
    let mut heard = Heard::default();
    heard.until(&mut fleet, &inbox, |heard| heard.leases.len() == 1);
    let _second = Worker::start(&server, "v", 1, takes(0.01));
    worker.halt.send(Halt::Now).unwrap();
    heard.until(&mut fleet, &inbox, |heard| heard.ended.len() == 1);
    assert_eq!(
        heard.ended[0].status(),
        Status::Finished,
        "it runs elsewhere: {:?}",
        heard.ended[0].detail.reason
    );
    assert_eq!(heard.leases.len(), 2);
}

#[test]
fn a_worker_of_another_campaign_or_version_is_dismissed() {
    let Some(server) = Server::start() else { return };
    let inbox = Inbox::new();
    let (own, fleet) = coordinator(&server, terms(), Stock::default(), inbox.bell());
    let worker = Worker::with(&server, "w", 1, takes(1.0), |job| job.scenario = "other".to_owned());
    let Ended::Dismissed(why) = worker.end() else { panic!("it was not dismissed") };
    assert!(why.contains("scenario differs"), "{why}");
    let worker = Worker::start(&server, "v", 1, takes(1.0));
    await_slots(&fleet, 1);
    own.dismiss_workers();
    assert_eq!(worker.end(), Ended::Over);
}
