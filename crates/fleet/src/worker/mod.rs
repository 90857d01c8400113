//! Runs trials for a coordinator.
//!
//! Each slot asks for a trial, runs it, and reports the result. The worker repeats a result until the
//! coordinator confirms it. Nothing here has a timeout: a worker that cannot reach its coordinator keeps
//! running its trials, and reports them when the connection is back.

mod crew;
mod job;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::message::{Order, Reported, to_all, to_coordinator, to_worker};
use crate::nats::{Address, Client, Delivery, Options, Outbox};
use crew::Crew;
pub use job::Job;

/// Time between two looks for something to send again.
const TICK: Duration = Duration::from_millis(200);
/// Longest time that a leaving worker waits for its results to be confirmed.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Where a worker connects to.
pub struct Connection {
    /// Name of the worker, unique in the campaign.
    pub name: String,
    /// Name of the campaign, which is part of every subject.
    pub campaign: String,
    /// Function that returns the servers to try.
    pub addresses: Box<dyn FnMut() -> Vec<Address> + Send>,
}

/// Something that a user wants to know about a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The worker is connected to a server.
    Connected,
    /// The worker is not connected, for this reason.
    Disconnected(String),
    /// The coordinator has answered.
    Welcomed,
}

/// A request to stop a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// Take no more trials. Trials that are running may take this long to end; then they are given back.
    Drain(Duration),
    /// Give all trials back at once.
    Now,
}

/// The reason why a worker ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The campaign is over.
    Over,
    /// The coordinator does not want this worker.
    Dismissed(String),
    /// The worker was asked to stop.
    Halted,
    /// The job of the worker is about to end.
    OutOfTime,
    /// The coordinator was not heard for longer than the worker was to wait.
    Abandoned,
}

/// Runs trials until the campaign is over or the worker is stopped. `patience` is the longest time to wait for
/// the coordinator.
pub fn work(
    connection: Connection,
    job: Job,
    halts: &Receiver<Halt>,
    patience: Option<Duration>,
    mut notice: impl FnMut(Notice),
) -> io::Result<Ended> {
    let Connection { name, campaign, addresses } = connection;
    let end = job.end;
    let (news, events) = channel();
    let crew = Crew::start(name.clone(), to_coordinator(&campaign), job)?;
    let handled = Arc::clone(&crew);
    let handler = move |delivery: Delivery<'_>, outbox: &Outbox| match delivery {
        Delivery::Connected => {
            // The receiver is gone only if the worker has ended.
            let _ = news.send(Event::Notice(Notice::Connected));
            handled.reconnected(outbox);
        }
        Delivery::Disconnected(why) => {
            let _ = news.send(Event::Notice(Notice::Disconnected(why)));
        }
        Delivery::Tick => handled.tick(outbox),
        Delivery::Message { payload, .. } => {
            let Ok(order) = serde_json::from_slice::<Order>(payload) else { return };
            let event = match &order {
                Order::Heard { .. } => Some(Event::Heard),
                Order::Dismiss { why } => Some(Event::Ended(Ended::Dismissed(why.clone()))),
                Order::End => Some(Event::Ended(Ended::Over)),
                _ => None,
            };
            handled.obey(order, outbox);
            if let Some(event) = event {
                let _ = news.send(event);
            }
        }
    };
    let subjects = vec![to_worker(&campaign, &name), to_all(&campaign)];
    let client = Client::start(Options { name, subjects, addresses, tick: TICK }, handler)?;
    crew.connect(client.outbox().clone());
    let ended = wait(&events, halts, &crew, end, patience, &mut notice);
    // A coordinator whose campaign is over confirms nothing.
    crew.stop(if ended == Ended::Over { Duration::ZERO } else { LAST_WORDS });
    crew.report(Reported::Leave { why: reason(&ended).to_owned() });
    drop(client);
    Ok(ended)
}

enum Event {
    Notice(Notice),
    Heard,
    Ended(Ended),
}

/// Waits for a reason to end.
fn wait(
    events: &Receiver<Event>,
    halts: &Receiver<Halt>,
    crew: &Crew,
    end: Option<Instant>,
    patience: Option<Duration>,
    notice: &mut dyn FnMut(Notice),
) -> Ended {
    const STEP: Duration = Duration::from_millis(100);
    let (mut heard, mut is_welcome) = (Instant::now(), false);
    let mut drained: Option<(Instant, Ended)> = None;
    loop {
        match events.recv_timeout(STEP) {
            Ok(Event::Heard) => {
                heard = Instant::now();
                if !std::mem::replace(&mut is_welcome, true) {
                    notice(Notice::Welcomed);
                }
            }
            Ok(Event::Notice(told)) => {
                is_welcome &= told != Notice::Connected;
                notice(told);
            }
            Ok(Event::Ended(ended)) => return ended,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if patience.is_some_and(|patience| heard.elapsed() > patience) {
            return Ended::Abandoned;
        }
        match halts.try_recv() {
            Ok(Halt::Now) => return Ended::Halted,
            Ok(Halt::Drain(grace)) if drained.is_none() => {
                drained = Some((Instant::now() + grace, Ended::Halted));
                crew.drain();
            }
            _ => {}
        }
        if drained.is_none() && end.is_some_and(|end| end <= Instant::now()) {
            crew.drain();
            drained = Some((Instant::now(), Ended::OutOfTime));
        }
        if let Some((until, ended)) = &drained
            && (Instant::now() >= *until || crew.is_idle())
        {
            return ended.clone();
        }
    }
}

fn reason(ended: &Ended) -> &str {
    match ended {
        Ended::Over => "the campaign is over",
        Ended::Dismissed(why) => why,
        Ended::Halted => "it was stopped",
        Ended::OutOfTime => "its job is about to end",
        Ended::Abandoned => "the coordinator was not heard",
    }
}
