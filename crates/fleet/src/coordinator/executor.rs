//! The executor: connects the dispatch with the campaign on one side and with NATS on the other.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{Cap, TrialId, TrialRequest};
use execution::Target;
use execution::executor::{Bell, Executor, Happening, Lease, News, Refused, RemoteWorker};

use super::dispatch::{Dispatch, Effect, Terms};
use crate::message::{Order, Report, encode, to_all, to_coordinator, to_worker};
use crate::nats::{Address, Client, Delivery, Options, Outbox};

/// Time between two looks for leases that have run out.
const TICK: Duration = Duration::from_millis(50);
/// Time between two renewals of the deadlines in the store.
const RENEWAL: Duration = Duration::from_secs(5);

/// What earlier sessions of the campaign left behind.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    /// Campaign time spent so far.
    pub before: f64,
    /// Workers that joined.
    pub workers: Vec<RemoteWorker>,
    /// Trials that may still be running.
    pub leases: Vec<Lease>,
}

/// The connection of a campaign to its workers. It outlives the campaign's executor, to end the workers.
pub struct Coordinator {
    client: Client,
    campaign: String,
}

impl Coordinator {
    /// Starts to hand out trials. `campaign` is a part of every subject. `target` only estimates how long
    /// trials take. `trouble` is called when the connection to the server is made or breaks.
    pub fn start(
        campaign: String,
        terms: Terms,
        stock: Stock,
        target: Arc<dyn Target>,
        addresses: Box<dyn FnMut() -> Vec<Address> + Send>,
        bell: Bell,
        mut trouble: impl FnMut(Result<(), String>) + Send + 'static,
    ) -> io::Result<(Self, Fleet)> {
        let Stock { before, workers, leases } = stock;
        let desk = Desk {
            dispatch: Mutex::new(Dispatch::new(terms, before, &workers, leases)),
            campaign: campaign.clone(),
            bell: bell.clone(),
            origin: Instant::now(),
        };
        let desk = Arc::new(desk);
        let (own, mut renewed) = (Arc::clone(&desk), Instant::now());
        let handler = move |delivery: Delivery<'_>, outbox: &Outbox| match delivery {
            Delivery::Connected => trouble(Ok(())),
            Delivery::Disconnected(why) => trouble(Err(why)),
            Delivery::Message { payload, .. } => {
                // A message that cannot be read is from another version, which no longer gets heartbeats.
                if let Ok(report) = serde_json::from_slice::<Report>(payload) {
                    own.act(outbox, |dispatch, now| dispatch.hear(report, now));
                }
            }
            Delivery::Tick => {
                own.act(outbox, Dispatch::tick);
                if renewed.elapsed() >= RENEWAL {
                    renewed = Instant::now();
                    if let Some(news) = own.lock().take_renewed() {
                        own.bell.ring(Happening::News(news));
                    }
                }
            }
        };
        let options = Options {
            name: "captune coordinator".to_owned(),
            subjects: vec![to_coordinator(&campaign)],
            addresses,
            tick: TICK,
        };
        let client = Client::start(options, handler)?;
        bell.ring(Happening::News(News::NoWorkers));
        let fleet = Fleet { desk, outbox: client.outbox().clone(), target };
        Ok((Self { client, campaign }, fleet))
    }

    /// Tells all workers that the campaign is over, so that they end.
    pub fn dismiss_workers(&self) {
        self.client.outbox().publish(&to_all(&self.campaign), &encode(&Order::End));
    }
}

/// State shared by the executor and the thread that handles messages.
struct Desk {
    dispatch: Mutex<Dispatch>,
    campaign: String,
    bell: Bell,
    origin: Instant,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Dispatch> {
        self.dispatch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> f64 {
        self.origin.elapsed().as_secs_f64()
    }

    /// Calls the dispatch and does what it returns. The lock is held meanwhile, so that workers and campaign
    /// hear of decisions in the order in which they were made.
    fn act(&self, outbox: &Outbox, decide: impl FnOnce(&mut Dispatch, f64) -> Vec<Effect>) {
        let mut dispatch = self.lock();
        let effects = decide(&mut dispatch, self.now());
        for effect in effects {
            match effect {
                // A message that is dropped is repeated in answer to the worker's next heartbeat.
                Effect::Send(worker, order) => {
                    outbox.publish(&to_worker(&self.campaign, &worker), &encode(&order));
                }
                Effect::Ring(happening) => self.bell.ring(happening),
            }
        }
    }
}

/// An executor whose workers are other processes, usually on other machines.
pub struct Fleet {
    desk: Arc<Desk>,
    outbox: Outbox,
    target: Arc<dyn Target>,
}

impl Fleet {
    fn act(&self, decide: impl FnOnce(&mut Dispatch, f64) -> Vec<Effect>) {
        self.desk.act(&self.outbox, decide);
    }
}

impl Executor for Fleet {
    fn workers(&self) -> usize {
        self.desk.lock().slots()
    }

    fn now(&self) -> f64 {
        self.desk.lock().campaign_time(self.desk.now())
    }

    fn job_time(&self) -> f64 {
        self.desk.now()
    }

    fn is_local(&self) -> bool {
        false
    }

    fn submit(&mut self, request: &TrialRequest, _started: Option<f64>) -> Result<(), Refused> {
        let longest = self.target.longest(request);
        self.act(|dispatch, now| dispatch.submit(request.clone(), longest, now));
        Ok(())
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        self.act(|dispatch, _| dispatch.tighten(id, cap));
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        let mut was_waiting = false;
        self.act(|dispatch, now| {
            let (waiting, effects) = dispatch.cancel(id, now);
            was_waiting = waiting;
            effects
        });
        was_waiting
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.desk.lock().reached()
    }

    fn longest(&self, request: &TrialRequest) -> Option<f64> {
        self.target.longest(request)
    }

    fn still_runs(&self, id: TrialId) -> bool {
        self.desk.lock().still_runs(id)
    }

    fn settled(&mut self, ids: &[TrialId]) {
        self.act(|dispatch, _| dispatch.settled(ids));
    }
}
