//! `captune fleet ssh` with a real `sshd` on the loopback address. The tests are skipped where there is none, unless
//! EXPECT_SSHD is set.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::stage::{Process, SCENARIO, await_that, count, nats_server, processes, sleepers};
use crate::campaign::stage::Stage;

const PATIENCE: Duration = Duration::from_secs(90);

/// A server for ssh with its own keys. It ends with the value, but its connections do not.
struct Sshd {
    folder: PathBuf,
    program: PathBuf,
    child: Child,
}

impl Sshd {
    fn start(folder: &Path) -> Option<Self> {
        let places = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];
        let Some(program) = places.iter().map(PathBuf::from).find(|path| path.exists()) else {
            assert!(std::env::var_os("EXPECT_SSHD").is_none(), "sshd is missing");
            println!("skipped: the test needs sshd (package openssh-server)");
            return None;
        };
        if rustix::process::getuid().is_root() {
            // The Debian package's unit creates it.
            fs::create_dir_all("/run/sshd").unwrap();
        }
        fs::create_dir_all(folder).unwrap();
        let port = free_port();
        let path = folder.display();
        for name in ["host", "user"] {
            let mut keygen = Command::new("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name));
            assert!(keygen.status().unwrap().success());
        }
        fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
        let host_key = fs::read_to_string(folder.join("host.pub")).unwrap();
        fs::write(folder.join("known"), format!("[127.0.0.1]:{port} {host_key}")).unwrap();
        let server = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {path}/host\nAuthorizedKeysFile {path}/authorized\n\
             PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n\
             MaxStartups 50\nLogLevel ERROR\n"
        );
        fs::write(folder.join("sshd_config"), server).unwrap();
        let client = format!(
            "Host *\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {path}/user\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {path}/known\n"
        );
        // The first value of an option counts.
        let client = format!("Host gone\n  Port {}\n{client}", free_port());
        fs::write(folder.join("ssh_config"), client).unwrap();
        let child = Self::run(&program, folder);
        Some(Self { folder: folder.to_owned(), program, child })
    }

    fn run(program: &Path, folder: &Path) -> Child {
        let mut command = Command::new(program);
        command.arg("-D").arg("-f").arg(folder.join("sshd_config")).arg("-E").arg(folder.join("sshd.log"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn stop(&mut self) {
        // It may have been stopped by the test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn restart(&mut self) {
        self.child = Self::run(&self.program, &self.folder);
    }

    /// Starts workers on these hosts.
    fn fleet(&self, stage: &Stage, hosts: &str, options: &str) -> Process {
        stage.write("hosts.txt", hosts);
        let config = self.folder.join("ssh_config");
        let line = format!("fleet ssh hosts.txt count.toml --any-core {options} -- -F {}", config.display());
        let mut command = stage.command(&line);
        // As in a terminal, where Ctrl-C reaches the whole group.
        command.process_group(0);
        Process::start(command, &stage.folder.join("fleet.log"))
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.stop();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn coordinator(stage: &Stage, nats: &Path) -> Process {
    let line = format!("run count.toml --fleet --listen 127.0.0.1 --nats {}", nats.display());
    Process::start(stage.command(&line), &stage.folder.join("coordinator.log"))
}

/// Returns the processes that run `captune worker` for a campaign. (The command line of ssh contains the same words,
/// but does not start with them.)
fn workers(stage: &Stage) -> Vec<u32> {
    let mut found = processes(&stage.folder.display().to_string());
    found.retain(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"worker")
    });
    found
}

/// Returns the process that started a process.
fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    line.trim().parse().unwrap()
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

fn await_no_process(stage: &Stage, sshd: &mut Sshd) {
    sshd.stop();
    let folder = stage.folder.display().to_string();
    await_that("the end of all processes", Duration::from_secs(20), || processes(&folder).is_empty());
}

#[test]
fn workers_on_hosts_survive_broken_connections_and_end_with_the_campaign() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 100"));
    let Some(mut sshd) = Sshd::start(&stage.folder.join("ssh")) else { return };
    let mut run = coordinator(&stage, &nats);
    let mut fleet = sshd.fleet(&stage, "alpha\nbeta 2 # two slots\ngone\n", "--slots 1");
    await_that("two workers", PATIENCE, || count(&stage, "SELECT count(*) FROM worker") == 2);
    let slots = "SELECT sum(slots) FROM worker";
    assert_eq!(count(&stage, slots), 3, "the list of hosts has the number of slots");
    // One connection breaks. The server for ssh is away for a moment, too.
    sshd.stop();
    let first = workers(&stage);
    assert_eq!(first.len(), 2, "{}", fleet.said());
    kill(parent(first[0]));
    await_that("the end of the worker", PATIENCE, || !Path::new(&format!("/proc/{}", first[0])).exists());
    await_that("a word on it", PATIENCE, || fleet.said().matches("has no worker").count() >= 2);
    sshd.restart();
    await_that("a third worker", PATIENCE, || count(&stage, "SELECT count(*) FROM worker") == 3);
    assert_eq!(run.code(PATIENCE), 0, "{}", run.said());
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 100);
    // The host that was never reached does not matter any more.
    assert_eq!(fleet.code(PATIENCE), 0, "{}", fleet.said());
    let said = fleet.said();
    for part in [
        "starting workers on 3 hosts",
        "alpha: connected to the coordinator",
        "beta: worker with 2 slots",
        "captune: warning: gone has no worker: ssh: connect to host 127.0.0.1",
        "Connection refused; captune keeps trying",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(said.matches("warning: gone").count(), 1, "said once: {said}");
    await_no_process(&stage, &mut sshd);
}

#[test]
fn an_interrupt_lets_trials_end_and_leaves_nothing_on_the_hosts() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("2s", "60s"));
    // The first trial of each worker ends when the test says so.
    let [go, begun] = ["go", "begun"].map(|name| stage.folder.join(name).display().to_string());
    stage.write(
        "counter",
        &format!(
            "#!/bin/sh\necho $$ >> {begun}\ntimeout 60 sh -c 'until [ -e {go} ]; do sleep 0.02; done'\nsleep 0.01\n"
        ),
    );
    let Some(mut sshd) = Sshd::start(&stage.folder.join("ssh")) else { return };
    let run = coordinator(&stage, &nats);
    let mut fleet = sshd.fleet(&stage, "alpha\nbeta\n", "--slots 1 --grace 60s");
    let lines = || fs::read_to_string(&begun).unwrap_or_default().lines().count();
    await_that("two trials", PATIENCE, || lines() == 2);
    let group = format!("-{}", fleet.child.id());
    assert!(Command::new("kill").args(["-s", "INT", "--", &group]).status().unwrap().success());
    await_that("a word on it", PATIENCE, || fleet.said().contains("trials have 60 s to end"));
    // Workers that took more trials would start them now.
    std::thread::sleep(Duration::from_millis(300));
    assert!(fleet.is_running() && workers(&stage).len() == 2);
    fs::write(&go, "").unwrap();
    assert_eq!(fleet.code(PATIENCE), 130, "{}", fleet.said());
    await_that("both results", PATIENCE, || count(&stage, "SELECT count(*) FROM trial") == 2);
    assert_eq!(lines(), 2, "no trial was begun after the interrupt");
    assert!(workers(&stage).is_empty());
    // Killed without a chance to say anything, the command leaves no worker either.
    fs::remove_file(&go).unwrap();
    let mut fleet = sshd.fleet(&stage, "alpha\nbeta\n", "--slots 1");
    // Trials are capped by now, so there may be more of them.
    await_that("two more trials", PATIENCE, || lines() >= 4);
    fleet.kill();
    await_that("the end of the workers", PATIENCE, || workers(&stage).is_empty());
    drop(run);
    await_no_process(&stage, &mut sshd);
}

#[test]
fn a_host_that_cannot_run_a_worker_is_named_and_the_others_continue() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 6"));
    let Some(mut sshd) = Sshd::start(&stage.folder.join("ssh")) else { return };
    let mut fleet = sshd.fleet(&stage, "alpha\nbeta\n", "--program /no/such/captune");
    assert_eq!(fleet.code(PATIENCE), 1);
    let said = fleet.said();
    for host in ["alpha", "beta"] {
        let wanted = format!("error: {host} is not used: /no/such/captune cannot be run there:");
        assert!(said.contains(&wanted), "{wanted}: {said}");
    }
    assert!(said.contains("no host can run a worker"), "{said}");
    // The program in a path that a shell would take apart, and only on one host.
    let own = stage.folder.join("it's captune; $(touch broken)");
    fs::create_dir_all(&own).unwrap();
    let program = own.join("captune");
    let script = "#!/bin/sh\ncase \"$SSH_CONNECTION\" in '') exit 9;; esac\nexec CAPTUNE \"$@\"\n";
    fs::write(&program, script.replace("CAPTUNE", crate::CAPTUNE)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = coordinator(&stage, &nats);
    stage.write("hosts.txt", "alpha\nbeta\n");
    let mut command = stage.command("fleet ssh hosts.txt count.toml --any-core --slots 1 --program");
    command.arg(&program).arg("--").arg("-F").arg(sshd.folder.join("ssh_config"));
    let mut fleet = Process::start(command, &stage.folder.join("second.log"));
    assert_eq!(run.code(PATIENCE), 0, "{}", run.said());
    assert_eq!(fleet.code(PATIENCE), 0, "{}", fleet.said());
    assert!(fleet.said().ends_with("the campaign is over\n"), "{}", fleet.said());
    assert!(!stage.folder.join("broken").exists());
    await_no_process(&stage, &mut sshd);
}

#[test]
fn errors_in_the_list_of_hosts_name_the_line() {
    let stage = sleepers(SCENARIO);
    stage.write("hosts.txt", "alpha\nbeta many\n");
    let output = stage.captune("fleet ssh hosts.txt count.toml");
    let said = crate::stderr(&output);
    assert!(said.contains("hosts.txt, line 2: `many` is not a number of slots"), "{said}");
    let output = stage.captune("fleet ssh nowhere.txt count.toml");
    assert!(crate::stderr(&output).contains("cannot read nowhere.txt"), "{}", crate::stderr(&output));
}
