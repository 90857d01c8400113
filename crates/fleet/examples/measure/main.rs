//! Measures a fleet against a real `nats-server`; docs/results/fleet.md has the figures.
//!
//! `cargo run --release -p captune-fleet --example measure -- trip|tighten|race|scale|campaign NATS_SERVER [WORKERS]`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for developers")]

mod whole;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use engine::{
    Cap, ConfigId, InstanceId, Observation, Pair, Seed, Space, TrialId, TrialKey, TrialRequest, Why,
};
use execution::executor::{Executor, Happening, Inbox, News};
use execution::{Account, Detail, Leash, ProcessTarget, Slot, Target, TargetError};
use fleet::coordinator::{Coordinator, Fleet, Stock, Terms};
use fleet::nats::Address;
use fleet::worker::{Connection, Job, work};
use space::format::{Format, read};
use store::{Acknowledgement, Batch, Charter, Store, StoredConfiguration, Writer};

/// A target that takes a fixed time, without a process. Its cost is the distance from a point.
struct Idle(Duration);

impl Target for Idle {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, _: &Slot) -> Result<Account, TargetError> {
        leash.wait(self.0);
        let distance: f64 = trial.configuration.codes().iter().map(|code| (code - 0.3).powi(2)).sum();
        let observation = Observation::finished(1.0 + distance);
        Ok(Account { observation, detail: Detail::default() })
    }
}

fn main() {
    confine::supervise_if_asked();
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[1..] {
        [what, nats] if what == "trip" => trip(nats),
        [what, nats] if what == "tighten" => tighten(nats),
        [what, nats] if what == "race" => whole::race(nats),
        [what, nats, count] if what == "campaign" => whole::campaign(nats, count.parse().unwrap()),
        [what, nats, count] if what == "scale" => scale(nats, count.parse().unwrap()),
        [what, port, count] if what == "workers" => workers(port.parse().unwrap(), count.parse().unwrap()),
        _ => println!("usage: measure trip|tighten|race|scale|campaign NATS_SERVER [WORKERS]"),
    }
    confine::dismiss_guardians();
}

struct Server(Child, u16);

impl Server {
    fn start(program: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(), port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn addresses(port: u16) -> Box<dyn FnMut() -> Vec<Address> + Send> {
    Box::new(move || vec![Address { place: format!("127.0.0.1:{port}"), login: None, trust: None }])
}

/// The parameters.
const SPACE: &str = "x = { float = [0, 1], default = 0.5 }\ny = { float = [0, 1], default = 0.5 }\n\
    z = { float = [0, 1], default = 0.5 }\n";

fn space() -> Space {
    read(SPACE, "space", Format::Toml).unwrap()
}

fn request(id: u64) -> TrialRequest {
    let key = TrialKey { config: ConfigId(0), pair: Pair { instance: InstanceId(0), seed: Seed(id as u32) } };
    let configuration = space().default_configuration();
    TrialRequest { id: TrialId(id), key, configuration, cap: Cap::at(100.0), why: Why::Challenge }
}

/// Runs workers with one slot each in this process, until it is killed.
fn workers(port: u16, count: usize) {
    let start = |number: usize| {
        let target = Arc::new(Idle(Duration::from_secs(1)));
        std::thread::spawn(move || run_worker(port, &format!("w{number}"), 1, target, space()))
    };
    let threads: Vec<_> = (0..count).map(start).collect();
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

fn run_worker(port: u16, name: &str, slots: usize, target: Arc<dyn Target>, space: Space) {
    let job = Job {
        target,
        space,
        instances: BTreeMap::from([("only".to_owned(), 0)]),
        slots: (0..slots).map(|number| Slot { number, ..Slot::default() }).collect(),
        host: "here".to_owned(),
        speed: 1.0,
        scenario: "same".to_owned(),
        end: None,
    };
    let connection =
        Connection { name: name.to_owned(), campaign: "test".to_owned(), addresses: addresses(port) };
    let (_halt, halts) = channel();
    work(connection, job, &halts, None, |_| {}).unwrap();
}

/// A coordinator with a store in the current folder's file system.
struct Stand {
    coordinator: Coordinator,
    fleet: Fleet,
    inbox: Inbox,
    writer: Writer,
    folder: std::path::PathBuf,
}

impl Stand {
    fn new(port: u16, target: Arc<dyn Target>) -> Self {
        let inbox = Inbox::new();
        let folder = std::env::current_dir().unwrap().join(format!("fleet-measure-{}", std::process::id()));
        let charter = Charter {
            name: "test".to_owned(),
            scenario: String::new(),
            folder: Path::new(".").to_owned(),
            space: space(),
            instances: vec!["only".to_owned()],
            seed: 1,
        };
        let bell = inbox.bell();
        let ring = move |acknowledgement| {
            if let Acknowledgement::Committed { batches } = acknowledgement {
                bell.ring(Happening::Committed(Ok(batches)));
            }
        };
        let mut writer = Store::create(&folder, &charter).unwrap().write(ring).unwrap();
        let configuration = space().default_configuration();
        let first = StoredConfiguration { id: ConfigId(0), origin: "default".to_owned(), configuration };
        writer.submit(Batch { configurations: vec![first], ..Batch::default() }).unwrap();
        let terms = Terms {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: "same".to_owned(),
            instances: vec!["only".to_owned()],
            lease: 15.0,
            beat: 1.0,
            first_lease: 1,
        };
        let started = Coordinator::start(
            "test".to_owned(),
            terms,
            Stock::default(),
            target,
            addresses(port),
            inbox.bell(),
            |_| {},
        );
        let (coordinator, fleet) = started.unwrap();
        Self { coordinator, fleet, inbox, writer, folder }
    }

    fn await_workers(&self, count: usize) {
        while self.fleet.workers() < count {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn end(self) {
        self.coordinator.dismiss_workers();
        drop((self.fleet, self.coordinator, self.writer));
        std::fs::remove_dir_all(self.folder).unwrap();
    }
}

/// Measures the time from the submission of an empty trial until its result is on disk.
fn trip(nats: &str) {
    let server = Server::start(nats);
    let target: Arc<dyn Target> = Arc::new(Idle(Duration::ZERO));
    let mut stand = Stand::new(server.1, Arc::clone(&target));
    let port = server.1;
    let worker = std::thread::spawn(move || run_worker(port, "w", 1, target, space()));
    stand.await_workers(1);
    let (mut times, mut without_commit, mut flushes) = (Vec::new(), Vec::new(), Vec::new());
    let mut file = std::fs::File::create(stand.folder.join("flush")).unwrap();
    for id in 1..=2000 {
        // What the disk itself takes, in the same minute.
        let began = Instant::now();
        file.write_all(&[0; 4096]).unwrap();
        file.sync_data().unwrap();
        flushes.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        stand.fleet.submit(&request(id), None).unwrap();
        let mut wanted = None;
        loop {
            match stand.fleet.next(&stand.inbox, Some(10.0)) {
                Happening::Ended(record) => {
                    without_commit.push(began.elapsed().as_secs_f64() * 1e3);
                    let batch = Batch { trials: vec![*record], ..Batch::default() };
                    wanted = Some(stand.writer.submit(batch).unwrap());
                }
                // As a campaign does.
                Happening::News(News::Leased(lease)) => {
                    stand.writer.submit(Batch { leases: vec![lease], ..Batch::default() }).unwrap();
                }
                Happening::Committed(Ok(batches)) if wanted.is_some_and(|wanted| batches >= wanted) => break,
                Happening::Nothing => panic!("nothing happens"),
                _ => {}
            }
        }
        stand.fleet.settled(&[TrialId(id)]);
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let mut commits: Vec<f64> = times.iter().zip(&without_commit).map(|(whole, part)| whole - part).collect();
    quantiles("round trip with commit, ms", &mut times);
    quantiles("the commit alone, ms", &mut commits);
    quantiles("round trip without commit, ms", &mut without_commit);
    quantiles("4 KiB written and flushed, ms", &mut flushes);
    stand.end();
    worker.join().unwrap();
}

fn quantiles(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: p50 {:.2}, p90 {:.2}, p99 {:.2}, largest {:.2}", at(0.5), at(0.9), at(0.99), at(1.0));
}

/// Measures the time from a lowered cap until the trial's process tree is dead and its end is reported.
fn tighten(nats: &str) {
    let server = Server::start(nats);
    let text = "[target]\ncommand = [\"sleep\", \"60\"]\nparams = \"{value}\"\n[objective]\nminimise = \"wall_time\"\n\
        cutoff = \"50s\"\n[budget]\ntrials = 1\n[space]\n";
    let text = (text.to_owned() + SPACE).replace("\"60\"]", "\"60\", \"{params}\"]");
    let scenario = Arc::new(scenario::read(&text, Path::new("."), "measure.toml").unwrap());
    let parameters = space();
    let target: Arc<dyn Target> = Arc::new(ProcessTarget::new(scenario));
    let mut stand = Stand::new(server.1, Arc::clone(&target));
    let port = server.1;
    let worker = std::thread::spawn(move || run_worker(port, "w", 4, target, parameters));
    stand.await_workers(4);
    let mut times = Vec::new();
    for round in 0..25 {
        let ids = [1, 2, 3, 4].map(|id| TrialId(round * 4 + id));
        ids.iter().for_each(|id| stand.fleet.submit(&request(id.0), None).unwrap());
        let running = Instant::now();
        while running.elapsed() < Duration::from_millis(300) {
            stand.fleet.next(&stand.inbox, Some(0.05));
        }
        let began = Instant::now();
        ids.iter().for_each(|&id| stand.fleet.tighten(id, Cap::at(0.2)));
        let mut ended = 0;
        while ended < 4 {
            if let Happening::Ended(record) = stand.fleet.next(&stand.inbox, Some(10.0)) {
                times.push(began.elapsed().as_secs_f64() * 1e3);
                stand.fleet.settled(&[record.trial.id]);
                ended += 1;
            }
        }
    }
    quantiles("from a lowered cap to the end of its trial, ms", &mut times);
    stand.end();
    worker.join().unwrap();
}

/// Measures the coordinator's CPU time with many workers and trials of one second.
fn scale(nats: &str, count: usize) {
    let server = Server::start(nats);
    let mut crowd = Command::new(std::env::current_exe().unwrap())
        .args(["workers", &server.1.to_string(), &count.to_string()])
        .spawn()
        .unwrap();
    let mut stand = Stand::new(server.1, Arc::new(Idle(Duration::from_secs(1))));
    stand.await_workers(count);
    let (mut next, mut out, mut done, mut waiting) = (1_u64, 0_usize, 0_u64, Vec::new());
    let (mut began, mut cpu, mut counted) = (Instant::now(), cpu_time(), false);
    while began.elapsed() < Duration::from_secs(if counted { 20 } else { 5 }) || !counted {
        if !counted && began.elapsed() >= Duration::from_secs(5) {
            // The first seconds are not counted, in which all trials start at once.
            (began, cpu, done, counted) = (Instant::now(), cpu_time(), 0, true);
        }
        while out < count + count / 10 {
            stand.fleet.submit(&request(next), None).unwrap();
            (next, out) = (next + 1, out + 1);
        }
        let mut records = Vec::new();
        let mut happening = stand.fleet.next(&stand.inbox, Some(0.1));
        loop {
            match happening {
                Happening::Ended(record) => records.push(*record),
                Happening::Committed(Ok(_)) => {
                    let safe: Vec<TrialId> = std::mem::take(&mut waiting);
                    stand.fleet.settled(&safe);
                }
                Happening::Nothing => break,
                _ => {}
            }
            happening = stand.fleet.next(&stand.inbox, Some(0.0));
        }
        if !records.is_empty() {
            (out, done) = (out - records.len(), done + records.len() as u64);
            waiting.extend(records.iter().map(|record| record.trial.id));
            stand.writer.submit(Batch { trials: records, ..Batch::default() }).unwrap();
        }
    }
    let wall = began.elapsed().as_secs_f64();
    println!(
        "{count} workers: {:.0} trials per second, workers busy {:.1} %, coordinator {:.0} % of a core",
        done as f64 / wall,
        100.0 * done as f64 / wall / count as f64,
        100.0 * (cpu_time() - cpu) / wall
    );
    crowd.kill().unwrap();
    crowd.wait().unwrap();
    stand.end();
}

/// Returns the CPU seconds that this process has used.
fn cpu_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
