//! Keeps a worker running on each host of a list, through the system's `ssh`.
//!
//! A worker ends with its connection: its standard input is a [line](crate::lifeline) to this process. So there is
//! nothing to clean up on a host, however this process or the connection ends.

mod hosts;
mod session;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use scenario::shell::quoted;

pub use hosts::{Host, HostsError, read as read_hosts};
use session::keep_one;

/// How workers are started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program ssh.
    pub ssh: PathBuf,
    /// Options of the user for ssh.
    pub options: Vec<OsString>,
    /// The command that starts a worker, as a program and its arguments.
    pub worker: Vec<String>,
    /// Number of slots of hosts whose line has none; `None`: as many as the worker finds right.
    pub slots: Option<u32>,
}

/// Something that a user wants to know about a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// Its worker, or ssh, has printed a line.
    Said(String),
    /// Its worker does not run, for this reason, and will be started again.
    Again(String),
    /// Its worker has ended for good.
    Ended(Fate),
}

/// The reason why a host has no worker any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The campaign is over.
    Over,
    /// The worker was to stop.
    Stopped,
    /// The worker cannot run there.
    Unusable(String),
}

/// A request to stop all workers, which becomes more urgent each time it is made.
#[derive(Debug, Default)]
pub struct Halting {
    requests: AtomicU8,
    /// Whether a worker has ended with the campaign. Hosts that cannot be reached are then no longer needed.
    is_over: AtomicBool,
}

/// How urgent it is to stop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Urgency {
    No,
    Drain,
    Now,
    Kill,
}

impl Halting {
    /// The first call lets trials end. The second gives them back at once. The third does not wait for workers.
    pub fn more(&self) {
        self.requests.fetch_add(1, Ordering::SeqCst);
    }

    fn urgency(&self) -> Urgency {
        match self.requests.load(Ordering::SeqCst) {
            0 => Urgency::No,
            1 => Urgency::Drain,
            2 => Urgency::Now,
            _ => Urgency::Kill,
        }
    }
}

impl Launch {
    /// Returns the command that starts the worker of a host. No local shell sees it; the arguments are quoted for
    /// the shell of the host.
    fn command(&self, host: &Host) -> Command {
        let mut worker = self.worker.clone();
        if let Some(slots) = host.slots.or(self.slots) {
            worker.extend(["--slots".to_owned(), slots.to_string()]);
        }
        let worker: Vec<String> = worker.iter().map(|word| quoted(word)).collect();
        let mut command = Command::new(&self.ssh);
        // ssh uses the first value of an option, so the user's come first.
        command.args(&self.options).arg("-T");
        for option in [
            // Nobody can answer questions for many hosts.
            "BatchMode=yes",
            "ConnectTimeout=10",
            // A dead connection ends after 15 s: later than a worker that hears nothing.
            "ServerAliveInterval=5",
            "ServerAliveCountMax=3",
            // A connection of its own that only carries the worker.
            "ControlPath=none",
            "ClearAllForwardings=yes",
            "ForwardAgent=no",
            "ForwardX11=no",
            "RemoteCommand=none",
        ] {
            command.args(["-o", option]);
        }
        command.arg("--").arg(&host.name).arg(format!("exec {}", worker.join(" ")));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

/// Keeps a worker running on each host until all have ended, and returns the fate of each.
pub fn keep(
    launch: &Launch,
    hosts: &[Host],
    halting: &Halting,
    notice: &(dyn Fn(&Host, Notice) + Sync),
) -> Vec<Fate> {
    std::thread::scope(|scope| {
        let one = |host| scope.spawn(move || keep_one(launch, host, halting, &|what| notice(host, what)));
        let threads: Vec<_> = hosts.iter().map(one).collect();
        let failed = |_| Fate::Unusable("its thread has panicked".to_owned());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(failed)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_reach_the_shell_of_the_host_quoted() {
        let launch = Launch {
            ssh: "ssh".into(),
            options: ["-p", "2222", "-oBatchMode=no"].map(OsString::from).to_vec(),
            worker: ["/opt/my tools/captune", "worker", "/a; touch x", "it's"].map(str::to_owned).to_vec(),
            slots: Some(1),
        };
        let command = launch.command(&Host { name: "node1".to_owned(), slots: Some(3) });
        let words: Vec<&str> = command.get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words[..4], ["-p", "2222", "-oBatchMode=no", "-T"]);
        let remote = "exec '/opt/my tools/captune' worker '/a; touch x' 'it'\\''s' --slots 3";
        assert_eq!(words[words.len() - 3..], ["--", "node1", remote]);
    }
}
