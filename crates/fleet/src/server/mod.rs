//! Starts `nats-server` beside the coordinator, and starts it again if it ends.
//!
//! The server runs under `confine`, so it ends with the coordinator, however that ends. It stores nothing.

mod addresses;
mod program;
#[cfg(feature = "tls")]
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use confine::{Command, Control, Limits};

pub use addresses::local_addresses;
pub use program::{ProgramError, find};

use crate::nats::{Address, Login, Trust};
use crate::private::{PrivateError, private_folder, write_private};
use crate::random;

/// Time that a server must run for its end to count as an accident. A server that ends sooner cannot start.
const SHORT: Duration = Duration::from_secs(1);
/// Number of failed starts in a row after which the coordinator gives up.
const ATTEMPTS: u32 = 5;

/// Reason why a server cannot be started.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ServerError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    File(#[from] PrivateError),
    #[error("cannot listen on {host}")]
    Port { host: IpAddr, source: io::Error },
    #[error("cannot make a certificate: {0}")]
    Certificate(String),
    #[error(
        "{host} is reachable from other machines, so connections must be encrypted, but this captune was built \
         without the feature `tls`"
    )]
    NoTls { host: IpAddr },
    #[error("cannot start the thread that watches nats-server")]
    Thread(#[source] io::Error),
    #[error("cannot get random numbers from the kernel")]
    Random(#[source] io::Error),
}

/// What a new server needs to know.
pub struct Wanted<'a> {
    /// The program.
    pub program: &'a Path,
    /// Folder for its files, which only this user may read.
    pub folder: &'a Path,
    /// Address to listen on.
    pub host: IpAddr,
    /// Port and password for workers, if they already know them.
    pub known: Option<(u16, String)>,
    /// Name of the campaign, which limits the subjects that workers may use.
    pub campaign: &'a str,
}

/// A running server. Dropping it stops the server.
pub struct Server {
    /// How the coordinator connects.
    pub for_coordinator: Address,
    /// How workers connect: one address for each way to reach this machine.
    pub for_workers: Vec<Address>,
    is_closing: Arc<AtomicBool>,
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server. `trouble` is called with a message if the server cannot be kept running.
    pub fn start(
        wanted: &Wanted<'_>,
        trouble: impl Fn(String) + Send + 'static,
    ) -> Result<Self, ServerError> {
        let Wanted { program, folder, host, known, campaign } = wanted;
        private_folder(folder)?;
        let password = || random::hex(24).map_err(ServerError::Random);
        let port = free_port(*host, known.as_ref().map(|(port, _)| *port))?;
        let (coordinator, worker) = (password()?, known.as_ref().map(|(_, password)| password.clone()));
        let worker = worker.map_or_else(password, Ok)?;
        let certificate = if host.is_loopback() { None } else { Some(certificate(folder, *host)?) };
        let settings = folder.join("server.conf");
        let place = SocketAddr::new(*host, port);
        let text = configuration(place, campaign, [&coordinator, &worker], folder, certificate.is_some());
        write_private(&settings, text.as_bytes())?;
        let address = |place: String, user: &str, password: &str| Address {
            place,
            login: Some(Login::Password(user.to_owned(), password.to_owned())),
            trust: certificate.clone().map(Trust::Certificate),
        };
        let own = if host.is_unspecified() { "127.0.0.1".to_owned() } else { host.to_string() };
        let for_coordinator = address(format!("{own}:{port}"), "coordinator", &coordinator);
        let reachable = if host.is_unspecified() { local_addresses() } else { vec![host.to_string()] };
        let for_workers =
            reachable.into_iter().map(|host| address(format!("{host}:{port}"), "worker", &worker)).collect();
        let command = Command::new(program).args(["--config".as_ref(), settings.as_os_str()]).pass_env("*");
        let (is_closing, control) = (Arc::new(AtomicBool::new(false)), Arc::new(Control::new()));
        let (closing, stop) = (Arc::clone(&is_closing), Arc::clone(&control));
        let log = folder.join("server.log");
        let watch = move || watch(&command, &stop, &closing, &log, &trouble);
        let thread = std::thread::Builder::new().name("nats-server".to_owned()).spawn(watch);
        let thread = Some(thread.map_err(ServerError::Thread)?);
        Ok(Self { for_coordinator, for_workers, is_closing, control, thread })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_closing.store(true, Ordering::SeqCst);
        self.control.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been printed.
            let _ = thread.join();
        }
    }
}

/// Runs the server until it is to be closed, again and again.
fn watch(command: &Command, stop: &Control, is_closing: &AtomicBool, log: &Path, trouble: &impl Fn(String)) {
    let mut short = 0;
    while !is_closing.load(Ordering::SeqCst) {
        let began = Instant::now();
        let ended = confine::run(command, &Limits::default(), stop);
        if is_closing.load(Ordering::SeqCst) {
            return;
        }
        short = if began.elapsed() < SHORT { short + 1 } else { 0 };
        if let Err(error) = ended {
            trouble(format!("nats-server cannot be started: {}", execution::with_causes(&error)));
            return;
        }
        if short == ATTEMPTS {
            trouble(format!("nats-server ends as soon as it starts; see {}", log.display()));
            return;
        }
    }
}

/// Returns a port that nothing listens on, if possible the one that workers already know.
fn free_port(host: IpAddr, known: Option<u16>) -> Result<u16, ServerError> {
    let bound = known.and_then(|port| TcpListener::bind((host, port)).ok());
    let bound = bound.map_or_else(|| TcpListener::bind((host, 0)), Ok);
    let port = bound.and_then(|listener| listener.local_addr()).map(|address| address.port());
    port.map_err(|source| ServerError::Port { host, source })
}

/// Returns the settings of the server, with the passwords of coordinator and workers. Workers may talk only to the
/// coordinator, and the coordinator only to workers.
pub fn configuration(
    place: SocketAddr,
    campaign: &str,
    [coordinator, worker]: [&str; 2],
    folder: &Path,
    is_encrypted: bool,
) -> String {
    let path = |name: &str| folder.join(name).display().to_string().replace('"', "\\\"");
    let tls = if is_encrypted {
        format!(
            "tls {{ cert_file: \"{}\", key_file: \"{}\", timeout: 5 }}\n",
            path("certificate.pem"),
            path("key.pem")
        )
    } else {
        String::new()
    };
    format!(
        "listen: \"{place}\"\nlog_file: \"{}\"\nmax_payload: 8MB\nmax_pending: 64MB\n{tls}authorization {{ users = [\n  \
         {{ user: coordinator, password: \"{coordinator}\", permissions: {{ \
         publish: [\"captune.{campaign}.worker.*\", \"captune.{campaign}.all\"], \
         subscribe: [\"captune.{campaign}.coordinator\"] }} }}\n  \
         {{ user: worker, password: \"{worker}\", permissions: {{ \
         publish: [\"captune.{campaign}.coordinator\"], \
         subscribe: [\"captune.{campaign}.worker.*\", \"captune.{campaign}.all\"] }} }}\n] }}\n",
        path("server.log"),
    )
}

#[cfg(feature = "tls")]
fn certificate(folder: &Path, _host: IpAddr) -> Result<String, ServerError> {
    let (public, private) = (folder.join("certificate.pem"), folder.join("key.pem"));
    // Workers that are already connected know the certificate.
    if let (Ok(known), true) = (std::fs::read_to_string(&public), private.exists()) {
        return Ok(known);
    }
    let tls::Certificate { certificate, key } = tls::Certificate::make().map_err(ServerError::Certificate)?;
    write_private(&private, key.as_bytes())?;
    write_private(&public, certificate.as_bytes())?;
    Ok(certificate)
}

#[cfg(not(feature = "tls"))]
fn certificate(_folder: &Path, host: IpAddr) -> Result<String, ServerError> {
    Err(ServerError::NoTls { host })
}
