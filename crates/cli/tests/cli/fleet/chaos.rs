//! Kills and stops everything that can be killed and stopped, and checks that every trial counts once.
//!
//! FLEET_CHAOS_ROUNDS is the number of rounds (2 by default). A round is one campaign.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::proxy::{self, Weather};
use super::stage::{Process, SCENARIO, await_that, count, nats_server, processes, sleepers};
use crate::campaign::stage::Stage;

/// Time for one campaign.
const PATIENCE: Duration = Duration::from_secs(180);

/// A campaign in trouble.
struct Storm<'a> {
    stage: &'a Stage,
    nats: &'a Path,
    weather: Arc<Weather>,
    proxy: u16,
    coordinator: Process,
    workers: Vec<Process>,
}

impl<'a> Storm<'a> {
    fn begin(stage: &'a Stage, nats: &'a Path) -> Self {
        let weather = Arc::new(Weather::default());
        let proxy = proxy::start(&weather);
        let coordinator = coordinator(stage, nats);
        let mut storm = Self { stage, nats, weather, proxy, coordinator, workers: Vec::new() };
        storm.invite();
        storm.workers = (0..3).map(|_| storm.worker()).collect();
        storm
    }

    fn invitation(&self) -> PathBuf {
        self.stage.folder.join("join.json")
    }

    /// Copies the invitation for workers, who reach the server only through the proxy.
    fn invite(&self) {
        let path = self.stage.folder.join("count.campaign/fleet/join.json");
        let mut text = String::new();
        await_that("an invitation", PATIENCE, || {
            text = std::fs::read_to_string(&path).unwrap_or_default();
            text.contains("addresses") && text.ends_with('}')
        });
        let mut invitation: Value = serde_json::from_str(&text).unwrap();
        let place = invitation["addresses"][0]["place"].as_str().unwrap();
        let port: u16 = place.rsplit(':').next().unwrap().parse().unwrap();
        self.weather.server.store(port, Ordering::SeqCst);
        invitation["addresses"][0]["place"] = format!("127.0.0.1:{}", self.proxy).into();
        let (copy, new) = (self.invitation(), self.stage.folder.join("join.new"));
        std::fs::write(&new, invitation.to_string()).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::rename(new, copy).unwrap();
    }

    fn worker(&self) -> Process {
        let line = format!(
            "worker --connect {} --scenario count.toml --slots 1 --any-core --patience 60s",
            self.invitation().display()
        );
        Process::start(self.stage.command(&line), &self.stage.folder.join("workers.log"))
    }

    /// Lets one thing go wrong.
    fn strike(&mut self, kind: u64) {
        match kind {
            0 => {
                self.workers[0].kill();
                self.workers.remove(0);
                let new = self.worker();
                self.workers.push(new);
            }
            1 => {
                for pid in processes(&format!("--config {}", self.stage.folder.display())) {
                    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                    if line.starts_with(self.nats.as_os_str().as_encoded_bytes()) {
                        std::process::Command::new("kill")
                            .args(["-KILL", &pid.to_string()])
                            .status()
                            .unwrap();
                    }
                }
            }
            2 => {
                self.coordinator.kill();
                self.coordinator = coordinator(self.stage, self.nats);
                self.invite();
            }
            // A cut that is shorter than a lease, and one that is longer.
            3 | 4 => {
                self.weather.is_cut.store(true, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(if kind == 3 { 1200 } else { 5000 }));
                self.weather.is_cut.store(false, Ordering::SeqCst);
            }
            // A worker that is stopped for longer than a lease and then continues has late results.
            5 => {
                self.workers[1].signal("STOP");
                std::thread::sleep(Duration::from_millis(3000));
                self.workers[1].signal("CONT");
            }
            _ => {
                let on = !self.weather.stutters.load(Ordering::SeqCst);
                self.weather.stutters.store(on, Ordering::SeqCst);
            }
        }
    }
}

fn coordinator(stage: &Stage, nats: &Path) -> Process {
    let line = format!("run count.toml --fleet --lease 2s --listen 127.0.0.1 --nats {}", nats.display());
    Process::start(stage.command(&line), &stage.folder.join("coordinator.log"))
}

/// Checks the store, the executions and the processes after a campaign.
pub(super) fn check(stage: &Stage, round: u64, trials: i64) {
    let said = || std::fs::read_to_string(stage.folder.join("coordinator.log")).unwrap_or_default();
    assert_eq!(count(stage, "SELECT count(*) FROM trial"), trials, "round {round}: {}", said());
    assert_eq!(count(stage, "SELECT count(*) FROM lease"), 0, "round {round}: a lease is left");
    assert_eq!(count(stage, "SELECT count(DISTINCT id) FROM trial"), trials, "round {round}");
    // Every stored result that was measured comes from an execution of its own.
    let log = std::fs::read_to_string(stage.folder.join("executions")).unwrap();
    let mut executions: BTreeMap<String, i64> = BTreeMap::new();
    for line in log.lines() {
        *executions.entry(line.rsplit("--seed=").next().unwrap().to_owned()).or_default() += 1;
    }
    for (seed, times) in &executions {
        let stored: i64 = ["trial", "validation"]
            .iter()
            .map(|table| {
                let sql = format!("SELECT count(*) FROM {table} WHERE status = 'finished' AND seed = {seed}");
                count(stage, &sql)
            })
            .sum();
        assert!(
            stored <= *times,
            "round {round}: seed {seed} ran {times} times, but is stored {stored} times"
        );
    }
    let folder = stage.folder.display().to_string();
    await_that("the end of all processes", Duration::from_secs(20), || processes(&folder).is_empty());
}

#[test]
fn every_trial_counts_once_whatever_is_killed() {
    let Some(nats) = nats_server() else { return };
    let rounds: u64 =
        std::env::var("FLEET_CHAOS_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    for round in 0..rounds {
        let stage = sleepers(SCENARIO);
        let mut storm = Storm::begin(&stage, &nats);
        let began = Instant::now();
        let mut number = round;
        while storm.coordinator.is_running() && began.elapsed() < PATIENCE {
            // Every kind comes in turn, in another order each round.
            std::thread::sleep(Duration::from_millis(300 + 137 * (number % 5)));
            storm.strike((number * (1 + round % 6)) % 7);
            number += 1;
            storm.workers.retain_mut(Process::is_running);
            while storm.workers.len() < 3 && storm.coordinator.is_running() {
                let new = storm.worker();
                storm.workers.push(new);
            }
        }
        let code = storm.coordinator.code(PATIENCE);
        assert_eq!(code, 0, "round {round}: {}", storm.coordinator.said());
        for worker in &mut storm.workers {
            // Workers that could not be told yet hear it from the file.
            let _ = worker.child.kill();
        }
        drop(storm);
        check(&stage, round, 60);
        println!("round {round}: {} strikes in {:?}", number - round, began.elapsed());
    }
}
