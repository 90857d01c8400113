//! Hosts with links that can be cut: a network namespace for each, joined by virtual cables to the coordinator's.
//!
//! The test needs root and iproute2. It is skipped where namespaces cannot be made, unless EXPECT_NETNS is set.
//! FLEET_NETNS_ROUNDS is the number of rounds (1 by default). A round is one campaign.

use std::process::Command;
use std::time::{Duration, Instant};

use super::chaos::check;
use super::stage::{Process, SCENARIO, await_that, count, nats_server, sleepers};
use crate::campaign::stage::Stage;

const PATIENCE: Duration = Duration::from_secs(120);
/// Length of the longer cut. The shorter one is a quarter of it.
const CUT: Duration = Duration::from_secs(5);
const TRIALS: i64 = 100;

/// A hub and two hosts. Each host has its own cable to the hub.
struct Network {
    name: String,
}

impl Network {
    fn new(round: u64) -> Option<Self> {
        let network = Self { name: format!("ct{}-{round}", std::process::id()) };
        if !ip(&format!("netns add {}", network.namespace("hub"))) {
            assert!(std::env::var_os("EXPECT_NETNS").is_none(), "network namespaces cannot be made");
            println!("skipped: the test needs root and iproute2");
            return None;
        }
        let hub = network.namespace("hub");
        for (number, host) in ["a", "b"].into_iter().enumerate() {
            let own = network.namespace(host);
            for line in [
                format!("netns add {own}"),
                format!("-n {hub} link add to-{host} type veth peer name eth0 netns {own}"),
                format!("-n {hub} addr add 10.99.{number}.1/24 dev to-{host}"),
                format!("-n {own} addr add 10.99.{number}.2/24 dev eth0"),
                format!("-n {hub} link set to-{host} up"),
                format!("-n {own} link set eth0 up"),
                format!("-n {own} link set lo up"),
                format!("-n {hub} link set lo up"),
            ] {
                assert!(ip(&line), "ip {line}");
            }
        }
        Some(network)
    }

    fn namespace(&self, host: &str) -> String {
        format!("{}-{host}", self.name)
    }

    /// Cuts or mends the cable of a host.
    fn set(&self, host: &str, state: &str) {
        let line = format!("-n {} link set to-{host} {state}", self.namespace("hub"));
        assert!(ip(&line), "ip {line}");
    }

    /// Returns a command that runs on a host. (`ip netns exec` would hide the control groups.)
    fn on(&self, host: &str, command: &Command) -> Command {
        let mut inside = Command::new("nsenter");
        inside.arg(format!("--net=/run/netns/{}", self.namespace(host)));
        inside.arg(command.get_program()).args(command.get_args()).env("NO_COLOR", "1");
        inside.current_dir(command.get_current_dir().unwrap());
        inside
    }

    /// Returns the processes on all hosts.
    fn processes(&self) -> String {
        let on = |host: &&str| {
            let output = Command::new("ip").args(["netns", "pids", &self.namespace(host)]).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        ["hub", "a", "b"].iter().map(on).collect()
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for host in ["a", "b", "hub"] {
            ip(&format!("netns del {}", self.namespace(host)));
        }
    }
}

fn ip(line: &str) -> bool {
    let output = Command::new("ip").args(line.split_whitespace()).output();
    output.is_ok_and(|output| output.status.success())
}

fn trials(stage: &Stage) -> i64 {
    count(stage, "SELECT count(*) FROM trial")
}

/// Runs a campaign, during which one host is cut off for a moment and the other for longer than its lease, or both
/// for less time than their leases.
fn round(number: u64, lease: Duration, nats: &std::path::Path) -> bool {
    let Some(network) = Network::new(number) else { return false };
    let stage = sleepers(&SCENARIO.replace("trials = 60", &format!("trials = {TRIALS}")));
    let began = Instant::now();
    let line = format!("run count.toml --fleet --lease {}s --nats {}", lease.as_secs(), nats.display());
    let run = network.on("hub", &stage.command(&line));
    let mut run = Process::start(run, &stage.folder.join("coordinator.log"));
    let line = "worker count.toml --slots 1 --any-core --patience 60s";
    let mut workers = ["a", "b"].map(|host| {
        let worker = network.on(host, &stage.command(line));
        Process::start(worker, &stage.folder.join(format!("{host}.log")))
    });
    let connected = "SELECT count(*) FROM worker WHERE \"left\" IS NULL";
    await_that("two workers and some trials", PATIENCE, || {
        assert!(run.is_running(), "{}", run.said());
        count(&stage, connected) == 2 && trials(&stage) >= 3
    });
    let is_long = CUT > lease;
    let (first, second) = if number.is_multiple_of(2) { ("a", "b") } else { ("b", "a") };
    network.set(first, "down");
    network.set(second, "down");
    std::thread::sleep(if is_long { CUT / 4 } else { CUT });
    network.set(second, "up");
    std::thread::sleep(if is_long { CUT - CUT / 4 } else { Duration::ZERO });
    network.set(first, "up");
    assert_eq!(run.code(PATIENCE), 0, "{}", run.said());
    let said = run.said();
    assert_eq!(said.contains("worker left"), is_long, "only a long cut costs a worker its trials: {said}");
    for worker in &mut workers {
        assert_eq!(worker.code(PATIENCE), 0, "{}", worker.said());
    }
    let strangers = "SELECT count(*) FROM trial WHERE slot NOT IN (SELECT first_slot FROM worker)";
    assert_eq!(count(&stage, strangers), 0);
    check(&stage, number, TRIALS);
    assert_eq!(network.processes(), "", "round {number}");
    println!("round {number}: lease {lease:?}, cut {CUT:?}, {:?}", began.elapsed());
    true
}

#[test]
fn a_cut_cable_costs_time_but_no_trial() {
    let Some(nats) = nats_server() else { return };
    let rounds = std::env::var("FLEET_NETNS_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    for number in 0..rounds {
        // Leases that are shorter than the cut, and leases that are longer.
        let lease = Duration::from_secs(if number % 4 < 2 { 3 } else { 12 });
        if !round(number, lease, &nats) {
            return;
        }
    }
}
