//! A small HTTP server for live pages, on the loopback interface only.
//!
//! | path | answer |
//! |---|---|
//! | `/?token=T` | sets the cookie and redirects to `/` |
//! | `/` | the campaign, or a list if there are several |
//! | `/c/N` | the pages of campaign N |
//! | `/c/N/body` | the same without the frame, to replace what is shown |
//! | `/c/N/events` | server-sent events: `state`, with a line of text and a version |
//!
//! The server runs in its own process and opens stores for reading only, so whatever happens here cannot
//! change or stop a campaign. Paths name no files: everything is computed from the stores given at the start.

mod answer;
mod guard;
mod live;
mod request;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use answer::Answer;
use guard::Guard;
pub use guard::{Refusal, Token};
pub use live::Live;
use request::{Request, RequestError};

/// Time that a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest number of simultaneous connections.
const CONNECTIONS: usize = 32;

/// A server that is ready to answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard: Guard,
    campaigns: Vec<Live>,
    connections: AtomicUsize,
}

impl Server {
    /// Binds to a port of the loopback interface; 0 means any free port.
    pub fn bind(port: u16, token: Token, campaigns: Vec<PathBuf>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let campaigns = campaigns.into_iter().map(Live::new).collect();
        let guard = Guard::new(token, address.port());
        let shared = Shared { guard, campaigns, connections: AtomicUsize::new(0) };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    /// Returns the address with the token, for the user's browser.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.shared.guard.token().text())
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Answers requests until the process ends. A connection that fails ends alone.
    pub fn run(&self) -> io::Result<()> {
        for stream in self.listener.incoming() {
            let Ok(stream) = stream else { continue };
            let shared = Arc::clone(&self.shared);
            if shared.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            std::thread::Builder::new().name("connection".to_owned()).spawn(move || {
                // A panic ends only this thread; the count must be right afterwards.
                let _count = Counted(&shared.connections);
                // The client may vanish at any time, and there is nobody to tell.
                let _ = shared.serve(stream);
            })?;
        }
        Ok(())
    }
}

/// Counts a connection until it ends.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = match Request::read(&mut stream) {
            Ok(request) => request,
            Err(RequestError::Io(error)) => return Err(error),
            Err(error) => return Answer::refusal(error.status(), &error.to_string()).send(&mut stream),
        };
        match self.guard.admit(&request) {
            Err(refusal) => Answer::refusal(refusal.status(), &refusal.to_string()).send(&mut stream),
            Ok(Some(cookie)) => Answer::redirect("/", &cookie).send(&mut stream),
            Ok(None) => self.route(&request, &mut stream),
        }
    }

    fn route(&self, request: &Request, stream: &mut TcpStream) -> io::Result<()> {
        let parts: Vec<&str> = request.path.split('/').filter(|part| !part.is_empty()).collect();
        let campaign = |number: &str| {
            let number: usize = number.parse().ok()?;
            Some((number, self.campaigns.get(number)?))
        };
        let ["c", number, rest @ ..] = &parts[..] else {
            return match (&parts[..], &self.campaigns[..]) {
                ([], [only]) => self.page(0, only).send(stream),
                ([], several) => Answer::page(live::side_by_side(several)).send(stream),
                _ => Answer::refusal(404, "page not found").send(stream),
            };
        };
        let Some((number, campaign)) = campaign(number) else {
            return Answer::refusal(404, "campaign not found").send(stream);
        };
        match rest {
            [] => self.page(number, campaign).send(stream),
            ["body"] => match campaign.body() {
                Ok(body) => Answer::page(body).send(stream),
                Err(error) => Answer::refusal(503, &error).send(stream),
            },
            ["events"] => follow(campaign, stream),
            _ => Answer::refusal(404, "page not found").send(stream),
        }
    }

    fn page(&self, number: usize, campaign: &Live) -> Answer {
        match campaign.page(number, &live::names(&self.campaigns)) {
            Ok(page) => Answer::page(page),
            Err(error) => Answer::refusal(503, &error),
        }
    }
}

/// Sends an event whenever the campaign has changed, until the client closes the connection.
fn follow(campaign: &Live, stream: &mut TcpStream) -> io::Result<()> {
    Answer::events(stream)?;
    let mut last = String::new();
    loop {
        let state = campaign.state();
        // A comment now and then finds out whether the client is still there.
        let text = if state == last {
            ": still here\n\n".to_owned()
        } else {
            format!("event: state\ndata: {state}\n\n")
        };
        stream.write_all(text.as_bytes())?;
        stream.flush()?;
        last = state;
        std::thread::sleep(live::INTERVAL);
    }
}
