//! A connection that is made again whenever it breaks. One thread reads, writes and calls the handler.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::address::Address;
use super::link::{ConnectError, Link};
use super::wire::{Frame, next_frame, publish};

/// Shortest pause between two attempts to connect.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// Silence after which the client asks whether the server is still there, and after which it gives up.
const ASK_AFTER: Duration = Duration::from_secs(2);
const GIVE_UP_AFTER: Duration = Duration::from_secs(6);
/// Longest pause between two attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Number of bytes that may wait to be sent. A connection that takes no more is made again.
const MOST_UNSENT: usize = 64 << 20;

/// What the handler of a client is called with.
pub enum Delivery<'a> {
    /// The client is connected, for the first time or again.
    Connected,
    /// The client is not connected, for this reason. It will try again.
    Disconnected(String),
    /// A message.
    Message {
        /// Its subject.
        subject: &'a str,
        /// Its content.
        payload: &'a [u8],
    },
    /// Some time has passed.
    Tick,
}

/// The settings of a client.
pub struct Options {
    /// Name that the server shows in its lists.
    pub name: String,
    /// Subjects to subscribe to.
    pub subjects: Vec<String>,
    /// Function that returns the servers to try, in this order. It is called before each round of attempts,
    /// since a server may move.
    pub addresses: Box<dyn FnMut() -> Vec<Address> + Send>,
    /// Time between two ticks of the handler.
    pub tick: Duration,
}

/// A client. Dropping it sends what waits to be sent, and disconnects.
pub struct Client {
    outbox: Outbox,
    thread: Option<JoinHandle<()>>,
}

/// A handle that publishes messages.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    waiting: Mutex<Waiting>,
    waker: UnixStream,
    /// The client's own thread, which need not be woken by what it does itself.
    own: OnceLock<ThreadId>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    is_connected: bool,
    is_closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // If the buffer is full, the thread will wake up anyway.
        let _ = (&self.waker).write(&[1]);
    }
}

impl Outbox {
    /// Publishes a message. Returns false if the client is not connected: the message is then dropped.
    pub fn publish(&self, subject: &str, payload: &[u8]) -> bool {
        let mut waiting = self.shared.lock();
        if !waiting.is_connected {
            return false;
        }
        let was_empty = waiting.bytes.is_empty();
        publish(subject, payload, &mut waiting.bytes);
        drop(waiting);
        if was_empty && self.shared.own.get() != Some(&std::thread::current().id()) {
            self.shared.wake();
        }
        true
    }

    /// Returns whether the client is connected.
    pub fn is_connected(&self) -> bool {
        self.shared.lock().is_connected
    }
}

impl Client {
    /// Starts to connect. The handler is called from the client's own thread, and gets a handle with which it
    /// can publish.
    pub fn start(
        options: Options,
        handler: impl FnMut(Delivery<'_>, &Outbox) + Send + 'static,
    ) -> io::Result<Self> {
        let (waker, woken) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let outbox =
            Outbox { shared: Arc::new(Shared { waiting: Mutex::default(), waker, own: OnceLock::new() }) };
        let mut thread = Thread { options, outbox: outbox.clone(), woken, handler };
        let work = move || thread.work();
        let thread = std::thread::Builder::new().name("nats".to_owned()).spawn(work)?;
        Ok(Self { outbox, thread: Some(thread) })
    }

    /// Returns a handle that publishes messages.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.outbox.shared.lock().is_closed = true;
        self.outbox.shared.wake();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been printed.
            let _ = thread.join();
        }
    }
}

/// Reason why a connection ended.
enum Broken {
    Closed,
    For(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::For(error.to_string())
    }
}

struct Thread<H> {
    options: Options,
    outbox: Outbox,
    woken: UnixStream,
    handler: H,
}

impl<H: FnMut(Delivery<'_>, &Outbox)> Thread<H> {
    fn work(&mut self) {
        self.outbox.shared.own.get_or_init(|| std::thread::current().id());
        let mut pause = SHORTEST_PAUSE;
        while !self.outbox.shared.lock().is_closed {
            match self.connect() {
                Ok(link) => {
                    pause = SHORTEST_PAUSE;
                    self.outbox.shared.lock().is_connected = true;
                    (self.handler)(Delivery::Connected, &self.outbox);
                    let broken = self.serve(link);
                    let mut waiting = self.outbox.shared.lock();
                    waiting.is_connected = false;
                    waiting.bytes.clear();
                    drop(waiting);
                    match broken {
                        Broken::Closed => return,
                        Broken::For(why) => (self.handler)(Delivery::Disconnected(why), &self.outbox),
                    }
                }
                Err(error) => {
                    (self.handler)(Delivery::Disconnected(error.to_string()), &self.outbox);
                }
            }
            self.rest(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Connects to the first server that accepts.
    fn connect(&mut self) -> Result<Link, ConnectError> {
        let addresses = (self.options.addresses)();
        let mut last = None;
        for address in &addresses {
            match Link::open(address, &self.options.name, &self.options.subjects) {
                Ok(link) => return Ok(link),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| ConnectError::Io {
            place: "any server".to_owned(),
            source: io::Error::new(io::ErrorKind::NotFound, "no address is known yet"),
        }))
    }

    /// Waits before the next attempt, and lets the handler do its regular work.
    fn rest(&mut self, pause: Duration) {
        let end = Instant::now() + pause;
        while Instant::now() < end && !self.outbox.shared.lock().is_closed {
            std::thread::sleep(self.options.tick.min(pause));
            (self.handler)(Delivery::Tick, &self.outbox);
        }
    }

    /// Passes messages on until the connection breaks.
    fn serve(&mut self, mut link: Link) -> Broken {
        let mut received = Vec::new();
        let mut unsent: Vec<u8> = Vec::new();
        let (mut heard, mut asked, mut ticked) = (Instant::now(), false, Instant::now());
        loop {
            let is_closed = {
                let mut waiting = self.outbox.shared.lock();
                if unsent.is_empty() {
                    std::mem::swap(&mut unsent, &mut waiting.bytes);
                } else {
                    unsent.append(&mut waiting.bytes);
                }
                waiting.is_closed
            };
            if let Err(broken) = send(&mut link, &mut unsent) {
                return broken;
            }
            let is_sent = unsent.is_empty() && !link.has_unsent();
            if is_closed && (is_sent || heard.elapsed() > ASK_AFTER) {
                return Broken::Closed;
            }
            match wait(&link, &self.woken, !is_sent, self.options.tick.saturating_sub(ticked.elapsed())) {
                Ok(true) => {
                    drain(&self.woken);
                }
                Ok(false) => {}
                Err(error) => return error.into(),
            }
            match receive(&mut link, &mut received) {
                Ok(0) => {}
                Ok(_) => (heard, asked) = (Instant::now(), false),
                Err(broken) => return broken,
            }
            if let Err(broken) = self.hand_over(&mut received, &mut unsent) {
                return broken;
            }
            if heard.elapsed() > GIVE_UP_AFTER {
                return Broken::For("the server is silent".to_owned());
            }
            if heard.elapsed() > ASK_AFTER && !asked {
                asked = true;
                unsent.extend_from_slice(b"PING\r\n");
            }
            if ticked.elapsed() >= self.options.tick {
                ticked = Instant::now();
                (self.handler)(Delivery::Tick, &self.outbox);
            }
        }
    }

    /// Calls the handler for each complete message.
    fn hand_over(&mut self, received: &mut Vec<u8>, unsent: &mut Vec<u8>) -> Result<(), Broken> {
        let mut consumed = 0;
        while let Some((frame, length)) =
            next_frame(&received[consumed..]).map_err(|error| Broken::For(error.to_string()))?
        {
            consumed += length;
            match frame {
                Frame::Message { subject, payload } => {
                    (self.handler)(Delivery::Message { subject, payload }, &self.outbox);
                }
                Frame::Ping => unsent.extend_from_slice(b"PONG\r\n"),
                Frame::Error(message) => return Err(Broken::For(message.to_owned())),
                Frame::Info(_) | Frame::Pong | Frame::Ok => {}
            }
        }
        received.drain(..consumed);
        Ok(())
    }
}

/// Sends as much as the connection takes.
fn send(link: &mut Link, unsent: &mut Vec<u8>) -> Result<(), Broken> {
    let mut sent = 0;
    while sent < unsent.len() || link.has_unsent() {
        match link.write(&unsent[sent..]) {
            Ok(0) if sent < unsent.len() => return Err(Broken::For("the connection was closed".to_owned())),
            Ok(written) => sent += written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    unsent.drain(..sent);
    if unsent.len() > MOST_UNSENT {
        return Err(Broken::For("the server takes no more messages".to_owned()));
    }
    Ok(())
}

/// Reads what has arrived. Returns the number of bytes.
fn receive(link: &mut Link, received: &mut Vec<u8>) -> Result<usize, Broken> {
    let mut chunk = [0; 64 << 10];
    let mut total = 0;
    loop {
        match link.read(&mut chunk) {
            Ok(0) => return Err(Broken::For("the server closed the connection".to_owned())),
            Ok(read) => {
                received.extend_from_slice(&chunk[..read]);
                total += read;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(total),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until the connection can be used or a message is to be sent. Returns whether the latter is the case.
fn wait(link: &Link, woken: &UnixStream, wants_to_send: bool, time: Duration) -> io::Result<bool> {
    let wanted = if wants_to_send { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    let mut descriptors = [PollFd::new(link.stream(), wanted), PollFd::new(woken, PollFlags::IN)];
    let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos()) };
    match poll(&mut descriptors, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!descriptors[1].revents().is_empty()),
        Err(error) => Err(error.into()),
    }
}

fn drain(mut woken: &UnixStream) {
    let mut chunk = [0; 64];
    while matches!(woken.read(&mut chunk), Ok(read) if read > 0) {}
}
