//! Workers as jobs of a real Slurm: munged, slurmctld and two slurmd on this machine.
//!
//! These tests need root and the packages munge, slurmctld and slurmd. They are skipped where these are missing,
//! unless EXPECT_SLURM is set.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::stage::{SCENARIO, await_that, count, nats_server, processes, sleepers};
use crate::campaign::stage::Stage;
use crate::{code, stderr, stdout};

const PATIENCE: Duration = Duration::from_secs(120);

/// A cluster with two nodes of two cores.
struct Cluster {
    folder: PathBuf,
    daemons: Vec<(String, Child)>,
}

impl Cluster {
    fn start(folder: &Path) -> Option<Self> {
        let has = |program: &str| Command::new(program).arg("-V").output().is_ok();
        let is_possible =
            rustix::process::getuid().is_root() && ["munged", "slurmctld", "slurmd"].map(has) == [true; 3];
        if !is_possible {
            assert!(std::env::var_os("EXPECT_SLURM").is_none(), "Slurm cannot be started");
            println!("skipped: the test needs root, munge, slurmctld and slurmd");
            return None;
        }
        fs::create_dir_all(folder.join("state")).unwrap();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
        let path = folder.display();
        let ports = [(); 3]
            .map(|()| TcpListener::bind("127.0.0.1:0").unwrap())
            .map(|one| one.local_addr().unwrap().port());
        let node = |name: &str, port: u16| {
            format!(
                "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN\n"
            )
        };
        let text = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nAuthType=auth/munge\n\
             AuthInfo=socket={path}/munge.socket\nSlurmUser=root\nStateSaveLocation={path}/state\n\
             SlurmctldPidFile={path}/slurmctld.pid\nSlurmdPidFile={path}/%n.pid\nSlurmdSpoolDir={path}/spool-%n\n\
             MpiDefault=none\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\nReturnToService=2\nSlurmdTimeout=5\n\
             KillWait=30\nSchedulerParameters=sched_interval=1,sched_min_interval=100000\n{}{}\
             PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n",
            ports[0],
            node("n1", ports[1]),
            node("n2", ports[2]),
        );
        fs::write(folder.join("slurm.conf"), text).unwrap();
        fs::write(folder.join("munge.key"), [7; 64]).unwrap();
        Command::new("chmod").args(["400", &format!("{path}/munge.key")]).status().unwrap();
        let mut cluster = Self { folder: folder.to_owned(), daemons: Vec::new() };
        let file = |name: &str, value: &str| format!("--{name}={path}/{value}");
        cluster.daemon(
            "munged",
            Command::new("munged").args(["--force", "--foreground"]).args([
                file("key-file", "munge.key"),
                file("socket", "munge.socket"),
                file("pid-file", "munge.pid"),
                file("log-file", "munge.log"),
                file("seed-file", "munge.seed"),
            ]),
        );
        let socket = folder.join("munge.socket");
        await_that("munge", PATIENCE, || socket.exists());
        cluster.daemon("slurmctld", Command::new("slurmctld").arg("-D"));
        for name in ["n1", "n2"] {
            fs::create_dir_all(folder.join(format!("spool-{name}"))).unwrap();
            cluster.daemon(name, Command::new("slurmd").args(["-D", "-N", name]));
        }
        await_that("two idle nodes", PATIENCE, || {
            cluster.said(&["sinfo", "--noheader", "--format=%D %T"]).trim() == "2 idle"
        });
        Some(cluster)
    }

    fn daemon(&mut self, name: &str, command: &mut Command) {
        let log = fs::File::create(self.folder.join(format!("{name}.log"))).unwrap();
        let error = log.try_clone().unwrap();
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        let child = command.stdin(Stdio::null()).stdout(log).stderr(error).spawn().unwrap();
        self.daemons.push((name.to_owned(), child));
    }

    /// Returns what a program of Slurm prints.
    fn said(&self, words: &[&str]) -> String {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("SLURM_CONF", self.folder.join("slurm.conf"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    fn captune(&self, stage: &Stage, line: &str) -> Command {
        let mut command = stage.command(line);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    fn kill(&mut self, name: &str) {
        for (_, child) in self.daemons.iter_mut().filter(|(own, _)| own == name) {
            // It may have ended by itself.
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.said(&["scancel", "--state=PENDING", "--user=root"]);
        self.said(&["scancel", "--signal=KILL", "--full", "--user=root"]);
        for name in ["n1", "n2", "slurmctld", "munged"] {
            self.kill(name);
        }
    }
}

/// Returns the number of workers that are connected.
fn connected(stage: &Stage) -> i64 {
    count(stage, "SELECT count(*) FROM worker WHERE \"left\" IS NULL")
}

#[test]
fn a_campaign_outlives_its_jobs_and_nodes() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 400"));
    let Some(mut cluster) = Cluster::start(&stage.folder.join("slurm")) else { return };
    // No worker for a while: the campaign waits.
    let line = format!("run count.toml --fleet --lease 3s --listen 127.0.0.1 --nats {}", nats.display());
    let run = cluster.captune(&stage, &line).stderr(Stdio::piped()).spawn().unwrap();
    let path = stage.folder.join("count.campaign/fleet/join.json");
    await_that("an invitation", PATIENCE, || path.exists());
    let slurm = |workers: &str| {
        let line = format!("fleet slurm count.toml {workers} --time 10m -- --cpus-per-task=1");
        let output = cluster.captune(&stage, &line).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        (stdout(&output), stderr(&output))
    };
    let (_, said) = slurm("--workers 2");
    assert!(said.starts_with("started 2 workers as job "), "{said}");
    await_that("two workers", PATIENCE, || connected(&stage) == 2);
    let (_, said) = slurm("--workers 4");
    assert!(said.starts_with("started 2 workers as job "), "{said}");
    await_that("four workers", PATIENCE, || connected(&stage) == 4);
    let (shown, _) = slurm("");
    assert!(shown.starts_with("4 workers: 4 running, 0 waiting\n") && shown.contains(" on n1, "), "{shown}");
    let (_, said) = slurm("--workers 3");
    assert!(said.starts_with("cancelling 1 worker"), "{said}");
    await_that("a worker that leaves", PATIENCE, || connected(&stage) == 3);
    // A job that reaches its time limit is killed; here, at once.
    let jobs = cluster.said(&["squeue", "--noheader", "--array", "--state=RUNNING", "--format=%i"]);
    let first = jobs.lines().next().unwrap().trim().to_owned();
    cluster.said(&["scancel", "--signal=KILL", "--full", &first]);
    // A node is drained, and another one dies.
    cluster.said(&["scontrol", "update", "nodename=n1", "state=drain", "reason=test"]);
    cluster.kill("n2");
    let output = run.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 400);
    assert_eq!(count(&stage, "SELECT count(*) FROM lease"), 0);
    drop(cluster);
    let folder = stage.folder.display().to_string();
    await_that("the end of all processes", Duration::from_secs(40), || processes(&folder).is_empty());
}

/// The coordinator is a job too. When its job is to end, it submits itself again.
#[test]
fn the_coordinator_can_be_a_job_that_submits_itself_again() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 300"));
    let Some(cluster) = Cluster::start(&stage.folder.join("slurm")) else { return };
    let line = "fleet slurm count.toml --coordinator job --workers 2 --time 10m -- --cpus-per-task=1";
    let output = cluster.captune(&stage, line).env("CAPTUNE_NATS", nats).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).starts_with("the coordinator is job "), "{}", stderr(&output));
    await_that("some trials", PATIENCE, || count(&stage, "SELECT count(*) FROM trial") > 20);
    let name = "--format=%i|%j";
    let jobs = cluster.said(&["squeue", "--noheader", "--state=RUNNING", name]);
    let run = jobs.lines().find(|line| line.ends_with("-run")).unwrap().split('|').next().unwrap().trim();
    cluster.said(&["scancel", "--batch", "--signal=USR1", run]);
    await_that("a second session", PATIENCE, || count(&stage, "SELECT count(*) FROM session") == 2);
    let over = "SELECT count(*) FROM session WHERE reason LIKE 'budget spent%'";
    await_that("the end of the campaign", PATIENCE, || count(&stage, over) == 1);
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 300);
    await_that("an empty queue", PATIENCE, || cluster.said(&["squeue", "--noheader"]).trim().is_empty());
    drop(cluster);
    let folder = stage.folder.display().to_string();
    await_that("the end of all processes", Duration::from_secs(40), || processes(&folder).is_empty());
}

/// Jobs of one minute: one whose worker knows the limit and leaves in time, and one whose worker does not and gets
/// Slurm's signal.
#[test]
#[ignore = "takes three minutes, since the shortest time limit of Slurm is one"]
fn a_time_limit_of_slurm_costs_no_trial() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 250").replace("2s", "9s"));
    let log = stage.folder.join("executions").display().to_string();
    stage.write("counter", &format!("#!/bin/sh\nsleep 1\necho \"$*\" >> {log}\n"));
    let Some(cluster) = Cluster::start(&stage.folder.join("slurm")) else { return };
    let line = format!("run count.toml --fleet --listen 127.0.0.1 --nats {}", nats.display());
    let run = cluster.captune(&stage, &line).stderr(Stdio::piped()).spawn().unwrap();
    let path = stage.folder.join("count.campaign/fleet/join.json");
    await_that("an invitation", PATIENCE, || path.exists());
    let line = "fleet slurm count.toml --workers 1 --time 1m -- --cpus-per-task=1";
    assert_eq!(code(&cluster.captune(&stage, line).output().unwrap()), 0);
    let folder = stage.folder.display();
    let worker = format!(
        "exec env -u SLURM_JOB_ID -u SLURM_JOB_END_TIME {} worker {folder}/count.campaign --slots 1 --any-core",
        crate::CAPTUNE
    );
    let output = format!("--output={folder}/unaware.log");
    cluster.said(&["sbatch", "--time=1", "--cpus-per-task=1", &output, "--wrap", &worker]);
    await_that("two workers", PATIENCE, || connected(&stage) == 2);
    let gone = "SELECT count(*) FROM worker WHERE \"left\" IS NOT NULL";
    await_that("the end of both jobs", PATIENCE, || count(&stage, gone) == 2);
    let unaware = fs::read_to_string(stage.folder.join("unaware.log")).unwrap();
    assert!(unaware.contains("DUE TO TIME LIMIT"), "{unaware}");
    let before = count(&stage, "SELECT count(*) FROM trial");
    assert!(before < 250, "the campaign was over too soon");
    let line = "fleet slurm count.toml --workers 2 --time 10m -- --cpus-per-task=1";
    assert_eq!(code(&cluster.captune(&stage, line).output().unwrap()), 0);
    let output = run.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("its job is about to end") && said.contains("it was stopped"), "{said}");
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 250);
    assert_eq!(count(&stage, "SELECT count(*) FROM trial WHERE status = 'lost'"), 0, "{said}");
    println!("{before} trials before the limit, none lost");
    drop(cluster);
    let folder = stage.folder.display().to_string();
    await_that("the end of all processes", Duration::from_secs(40), || processes(&folder).is_empty());
}
