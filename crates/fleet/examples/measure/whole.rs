//! Measures whole campaigns: the search, the store with its leases, and the fleet.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use campaign::conduct::{ConductError, Order, Workplace, open};
use engine::{Cap, TrialId, TrialRequest};
use execution::executor::{Executor, Happening, Inbox, Refused};
use execution::{ProcessTarget, Target};
use fleet::coordinator::{Coordinator, Fleet, Stock, Terms};

use super::{SPACE, Server, addresses, cpu_time, quantiles, run_worker, space};

/// Number of campaigns whose races are measured.
const CAMPAIGNS: u64 = 25;

/// What happened in a campaign, and when.
#[derive(Default)]
struct Log {
    /// Number of trials that ended.
    ended: u64,
    /// When the last trial ended, whose result may be the reason for a stop.
    last_end: Option<Instant>,
    /// Trials that were to stop: when the reason arrived, and when the search decided.
    stops: Vec<(TrialId, Instant, Instant)>,
    /// Milliseconds from the reason and from the decision to the reported end.
    from_reason: Vec<f64>,
    from_decision: Vec<f64>,
    /// The moment at which each running trial was granted.
    began: std::collections::BTreeMap<TrialId, Instant>,
}

/// An executor that keeps a log.
struct Watched {
    fleet: Fleet,
    log: Arc<Mutex<Log>>,
}

impl Watched {
    fn note_stop(&self, id: TrialId) {
        let mut log = self.log.lock().unwrap();
        if log.stops.iter().all(|(known, ..)| *known != id) {
            let now = Instant::now();
            let reason = log.last_end.unwrap_or(now);
            log.stops.push((id, reason, now));
        }
    }
}

impl Executor for Watched {
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
        let began = self.log.lock().unwrap().began.get(&id).copied();
        // Only trials that have already reached the new cap are to stop at once.
        if began.is_some_and(|began| began.elapsed().as_secs_f64() > cap.cost()) {
            self.note_stop(id);
        }
        self.fleet.tighten(id, cap);
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        if self.log.lock().unwrap().began.contains_key(&id) {
            self.note_stop(id);
        }
        self.fleet.cancel(id)
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        let happening = self.fleet.next(inbox, patience);
        let mut log = self.log.lock().unwrap();
        match &happening {
            Happening::Started { id, .. } => {
                log.began.insert(*id, Instant::now());
            }
            Happening::Ended(record) => {
                let (id, now) = (record.trial.id, Instant::now());
                log.ended += 1;
                log.began.remove(&id);
                if let Some(place) = log.stops.iter().position(|(known, ..)| *known == id) {
                    let (_, reason, decision) = log.stops.remove(place);
                    log.from_reason.push((now - reason).as_secs_f64() * 1e3);
                    log.from_decision.push((now - decision).as_secs_f64() * 1e3);
                } else {
                    log.last_end = Some(now);
                }
            }
            _ => {}
        }
        drop(log);
        happening
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        self.fleet.reached()
    }

    fn longest(&self, request: &TrialRequest) -> Option<f64> {
        self.fleet.longest(request)
    }

    fn settled(&mut self, ids: &[TrialId]) {
        self.fleet.settled(ids);
    }
}

/// Runs a campaign in the current folder's file system.
fn run(port: u16, text: &str, log: &Arc<Mutex<Log>>, workers: usize, seed: u64) {
    let folder: PathBuf =
        std::env::current_dir().unwrap().join(format!("fleet-measure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("measure.toml");
    std::fs::write(&path, text).unwrap();
    let opened = open(&Order { path, remote: true, seed: Some(seed), ..Order::default() }).unwrap();
    let mut coordinator = None;
    let make = |place: Workplace| {
        let Workplace { target, instances, before, workers: known, leases, bell } = place;
        let terms = Terms {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: "same".to_owned(),
            instances,
            lease: 15.0,
            beat: 1.0,
            first_lease: 1,
        };
        let stock = Stock { before, workers: known, leases };
        let started =
            Coordinator::start("test".to_owned(), terms, stock, target, addresses(port), bell, |_| {});
        let (started, fleet) = started.map_err(ConductError::Worker)?;
        coordinator = Some(started);
        while fleet.workers() < workers {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Watched { fleet, log: Arc::clone(log) })
    };
    opened.run_on(make, &mut |_| {}).unwrap();
    if let Some(coordinator) = coordinator {
        coordinator.dismiss_workers();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Measures how soon trials end that a race has decided, on a worker with five slots: the incumbent improves while
/// four challengers run.
pub(super) fn race(nats: &str) {
    let server = Server::start(nats);
    let text = "[target]\ncommand = [\"sh\", \"-c\", \"sleep $0\", \"{param:x}\", \"{params}\", \"{instance}\"]\n[objective]\nminimise = \"wall_time\"\n\
        cutoff = \"10s\"\n[instances]\nlist = [\"only\"]\n[budget]\ntrials = 100\n[validation]\nwhen = \"never\"\n[space]\n\
        x = { float = [0.05, 4.0], default = 4.0, log = true }\ny = { float = [0, 1], default = 0.5 }\n\
        z = { float = [0, 1], default = 0.5 }\n";
    let scenario = Arc::new(scenario::read(text, std::path::Path::new("."), "measure.toml").unwrap());
    let log = Arc::new(Mutex::new(Log::default()));
    for seed in 1..=CAMPAIGNS {
        let (port, space) = (server.1, scenario.space.clone());
        let target: Arc<dyn Target> = Arc::new(ProcessTarget::new(Arc::clone(&scenario)));
        let worker = std::thread::spawn(move || run_worker(port, &format!("w{seed}"), 5, target, space));
        run(port, text, &log, 5, seed);
        worker.join().unwrap();
    }
    let mut log = log.lock().unwrap();
    let (ended, stopped) = (log.ended, log.from_decision.len());
    println!("{CAMPAIGNS} campaigns, {ended} trials, {stopped} stopped by a decision of a race");
    quantiles("from the decision to the reported end, ms", &mut log.from_decision);
    quantiles("from the result that caused it to the reported end, ms", &mut log.from_reason);
}

/// Measures a whole campaign with many workers and trials of one second.
pub(super) fn campaign(nats: &str, count: usize) {
    let server = Server::start(nats);
    let mut crowd = Command::new(std::env::current_exe().unwrap())
        .args(["workers", &server.1.to_string(), &count.to_string()])
        .spawn()
        .unwrap();
    let text = format!(
        "[target]\ncommand = [\"true\", \"{{params}}\", \"{{instance}}\"]\n[outputs]\ncost = {{ pattern = \"cost ([0-9.]+)\" }}\n[objective]\n\
         minimise = \"cost\"\n[instances]\nlist = [\"only\"]\n[budget]\nwall = \"40s\"\n\
         [validation]\nwhen = \"never\"\n[space]\n{SPACE}"
    );
    let log = Arc::new(Mutex::new(Log::default()));
    let seen = Arc::clone(&log);
    // The first ten seconds are not counted.
    let watch = std::thread::spawn(move || {
        while seen.lock().unwrap().began.len() < count / 2 {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_secs(10));
        let (began, cpu, before) = (Instant::now(), cpu_time(), seen.lock().unwrap().ended);
        std::thread::sleep(Duration::from_secs(20));
        let (wall, done) = (began.elapsed().as_secs_f64(), seen.lock().unwrap().ended - before);
        println!(
            "{count} workers with the search: {:.0} trials per second, workers busy {:.1} %, coordinator {:.0} % of a core",
            done as f64 / wall,
            100.0 * done as f64 / wall / count as f64,
            100.0 * (cpu_time() - cpu) / wall
        );
    });
    run(server.1, &text, &log, count, 1);
    watch.join().unwrap();
    assert!(space().parameters().len() > 1);
    crowd.kill().unwrap();
    crowd.wait().unwrap();
}
