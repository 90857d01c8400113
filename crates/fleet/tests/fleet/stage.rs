//! A server, a coordinator and workers in this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Space;
use execution::Slot;
use execution::executor::{Bell, Executor};
use execution::testkit::executor::{Behaviour, Script};
use execution::testkit::scripted::Scripted;
use fleet::coordinator::{Coordinator, Fleet, Stock, Terms};
use fleet::nats::Address;
use fleet::worker::{Connection, Ended, Halt, Job, work};
use space::format::{Format, read};

/// Returns the path of nats-server, or prints a note that the test is skipped.
pub(crate) fn program() -> Option<PathBuf> {
    let given = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    match fleet::server::find(given.as_deref()) {
        Ok(path) => Some(path),
        Err(error) => {
            assert!(std::env::var_os("EXPECT_NATS").is_none(), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// A server on the loopback address, without users unless its settings have some. It ends with the value.
pub(crate) struct Server {
    pub(crate) program: PathBuf,
    pub(crate) port: u16,
    settings: Option<PathBuf>,
    child: Child,
}

impl Server {
    pub(crate) fn start() -> Option<Self> {
        Self::with_settings(None)
    }

    /// Starts a server with a file of settings, on a port that the server chooses: a port chosen here could be taken
    /// by another test before the server listens.
    pub(crate) fn with_settings(settings: Option<PathBuf>) -> Option<Self> {
        let program = program()?;
        let (child, port) = Self::run(&program, "-1", settings.as_deref());
        Some(Self { program, port, settings, child })
    }

    /// Starts a server, waits until it listens, and returns its port.
    fn run(program: &Path, port: &str, settings: Option<&Path>) -> (Child, u16) {
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", port, "--ports_file_dir"]).arg(std::env::temp_dir());
        if let Some(settings) = settings {
            command.arg("--config").arg(settings);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let name = format!("{}_{}.ports", program.file_name().unwrap().display(), child.id());
        let ports = std::env::temp_dir().join(name);
        loop {
            // `{"nats":["nats://127.0.0.1:40947"]}`
            let text = std::fs::read_to_string(&ports).unwrap_or_default();
            if let Some(port) =
                text.strip_suffix("\"]}").and_then(|text| text.rsplit(':').next()?.parse().ok())
            {
                // A server that is killed leaves its file.
                std::fs::remove_file(&ports).unwrap();
                return (child, port);
            }
            assert!(child.try_wait().unwrap().is_none(), "nats-server cannot listen on port {port}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts the server again on the same port.
    pub(crate) fn restart(&mut self) {
        self.child = Self::run(&self.program, &self.port.to_string(), self.settings.as_deref()).0;
    }

    pub(crate) fn address(&self) -> Address {
        Address { place: format!("127.0.0.1:{}", self.port), login: None, trust: None }
    }

    pub(crate) fn addresses(&self) -> Box<dyn FnMut() -> Vec<Address> + Send> {
        let address = self.address();
        Box::new(move || vec![address.clone()])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The test may have killed it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The space of the conformance suite.
pub(crate) fn space() -> Space {
    read("x = { integer = [1, 9] }\n", "space", Format::Toml).unwrap()
}

pub(crate) fn terms() -> Terms {
    Terms {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: "same".to_owned(),
        instances: ["a", "b", "c"].map(str::to_owned).to_vec(),
        lease: 2.0,
        beat: 0.2,
        first_lease: 100,
    }
}

/// A worker in this process.
pub(crate) struct Worker {
    pub(crate) halt: Sender<Halt>,
    pub(crate) thread: Option<JoinHandle<Ended>>,
}

impl Worker {
    pub(crate) fn start(server: &Server, name: &str, slots: usize, script: Script) -> Self {
        Self::with(server, name, slots, script, |_| {})
    }

    pub(crate) fn with(
        server: &Server,
        name: &str,
        slots: usize,
        script: Script,
        change: impl FnOnce(&mut Job),
    ) -> Self {
        let mut job = Job {
            target: Arc::new(Scripted(script)),
            space: space(),
            instances: ["c", "a", "b"].into_iter().zip(0..).map(|(name, n)| (name.to_owned(), n)).collect(),
            slots: (0..slots).map(|number| Slot { number, ..Slot::default() }).collect(),
            host: format!("host of {name}"),
            speed: 100.0,
            scenario: "same".to_owned(),
            end: None,
        };
        change(&mut job);
        let (halt, halts) = channel();
        let connection =
            Connection { name: name.to_owned(), campaign: "test".to_owned(), addresses: server.addresses() };
        let thread = std::thread::spawn(move || work(connection, job, &halts, None, |_| {}).unwrap());
        Self { halt, thread: Some(thread) }
    }

    pub(crate) fn end(mut self) -> Ended {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker may have ended already.
        let _ = self.halt.send(Halt::Now);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) fn coordinator(server: &Server, terms: Terms, stock: Stock, bell: Bell) -> (Coordinator, Fleet) {
    let target = Arc::new(Scripted(Arc::new(|_| Behaviour::Abort)));
    Coordinator::start("test".to_owned(), terms, stock, target, server.addresses(), bell, |_| {}).unwrap()
}

/// Waits until an executor has this many slots.
pub(crate) fn await_slots(fleet: &impl Executor, slots: usize) {
    let began = Instant::now();
    while fleet.workers() != slots {
        assert!(began.elapsed() < Duration::from_secs(10), "{} slots instead of {slots}", fleet.workers());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the instances by name.
#[allow(dead_code, reason = "used by some tests")]
pub(crate) fn instances() -> BTreeMap<String, u32> {
    ["a", "b", "c"].into_iter().zip(0..).map(|(name, number)| (name.to_owned(), number)).collect()
}
