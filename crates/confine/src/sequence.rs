//! The caller's side of a supervisor: starts it, sends it one job after the other, and waits for reports.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::command::{Command, Folder};
use crate::control::Control;
use crate::error::LaunchError;
use crate::finished::Finished;
use crate::folder::Private;
use crate::guardian;
use crate::launch::{check_cores, folder_name, job, make_private, not_started, open_streams};
use crate::limits::Limits;
use crate::tier::{Tier, cgroup};
use crate::wire::{self, Job, Killed, Reply, Report, Request, RunSpec};

/// Runs one command until it ends, and returns its record.
///
/// Unless the command sets a tier, the best tier that works is used. The first run finds it by trying the
/// tiers in order. A tier that does not work fails before the target has started.
pub fn run(command: &Command, limits: &Limits, control: &Control) -> Result<Finished, LaunchError> {
    let private = match command.folder {
        Folder::Private => Some(make_private()?),
        Folder::Given(_) => None,
    };
    Sequence::within(private).run_last(command, limits, control)
}

/// Commands that run one after the other in one process tree, with one private folder for all of them.
///
/// Processes started by a set-up command may keep running while later commands run. When the sequence
/// ends or is dropped, none of its processes is left. If the caller is killed, all of them are killed.
///
/// The memory limit of the first command applies to all commands and covers the whole tree. The CPU time of a
/// command is the time that the whole tree uses between the command's start and end. This includes the time
/// of processes started by set-up commands.
pub struct Sequence {
    private: Option<Private>,
    /// `Some` once the first command has started.
    supervisor: Option<Supervisor>,
}

struct Supervisor {
    socket: OwnedFd,
    tier: Tier,
}

impl Sequence {
    /// Creates a sequence without commands, in a new private folder.
    pub fn new() -> Result<Self, LaunchError> {
        Ok(Self::within(Some(make_private()?)))
    }

    pub(crate) fn within(private: Option<Private>) -> Self {
        Self { private, supervisor: None }
    }

    /// Returns the private folder. Commands run there unless they name another folder, and they get it as
    /// their TMPDIR. The folder is removed when the sequence ends.
    pub fn folder(&self) -> &Path {
        self.private.as_ref().map_or(Path::new(""), |private| &private.path)
    }

    /// Runs a command until it ends. Processes that it leaves behind keep running, unless the command was
    /// stopped. Its output goes directly to files: those that the command names, or files in the private
    /// folder.
    pub fn set_up(
        &mut self,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        let mut command = command.clone();
        for (file, name) in [(&mut command.stdout_file, "setup.out"), (&mut command.stderr_file, "setup.err")]
        {
            let private = self.private.as_ref().map(|private| private.path.join(name));
            *file = file.take().or(private);
        }
        self.run_to(Killed::Nothing, &command, limits, control)
    }

    /// Runs a command until it ends. Processes that it leaves behind are killed; those of set-up commands
    /// keep running.
    pub fn run(
        &mut self,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        self.run_to(Killed::Own, command, limits, control)
    }

    /// Runs the last command until it ends, then kills all processes of the sequence.
    pub fn run_last(
        mut self,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        self.run_to(Killed::All, command, limits, control)
    }

    /// Kills all processes of the sequence and waits until they are gone. Dropping the sequence does the
    /// same.
    pub fn end(self) {}

    fn run_to(
        &mut self,
        at_end: Killed,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        /// Index of the best tier that is not known to fail.
        static BEST: AtomicUsize = AtomicUsize::new(0);
        /// Whether a run in the tier given by [`BEST`] has succeeded. If so, a later failure is temporary and
        /// no reason to use a lower tier.
        static WORKS: AtomicBool = AtomicBool::new(false);

        limits.check()?;
        check_cores(limits)?;
        if let Some(tier) = self.supervisor.as_ref().map(|supervisor| supervisor.tier).or(command.tier) {
            return self.run_in(tier, at_end, command, limits, control);
        }
        loop {
            let best = BEST.load(Ordering::Relaxed);
            match self.run_in(Tier::ALL[best], at_end, command, limits, control) {
                Err(LaunchError::Tier { .. })
                    if !WORKS.load(Ordering::Relaxed) && best + 1 < Tier::ALL.len() =>
                {
                    // Change `BEST` only if it still has the value read above: another thread may have seen
                    // the same failure and already moved to the next tier.
                    BEST.compare_exchange(best, best + 1, Ordering::Relaxed, Ordering::Relaxed).ok();
                }
                result => {
                    WORKS.fetch_or(result.is_ok(), Ordering::Relaxed);
                    return result;
                }
            }
        }
    }

    fn run_in(
        &mut self,
        tier: Tier,
        at_end: Killed,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        if tier == Tier::Group && at_end != Killed::All {
            let why = "it supports only a single command".to_owned();
            return Err(LaunchError::Tier { tier, why });
        }
        let attached = open_streams(command)?;
        let private = self.private.as_ref().map(|private| private.path.as_path());
        let job = job(private, at_end, command, limits, &attached)?;
        // Use this link instead of the executable's path: a newer version may have replaced the file at that
        // path.
        let executable = command.guardian.as_deref().unwrap_or(Path::new("/proc/self/exe"));
        let failed = |source: io::Error| LaunchError::Guardian { path: executable.to_owned(), source };
        let is_first = self.supervisor.is_none();
        let socket = match self.supervisor.take() {
            Some(supervisor) => supervisor.socket,
            None => guardian::new_supervisor(executable, &self.spec(tier)?).map_err(failed)?,
        };
        let orders = socket.try_clone().map_err(failed)?;
        let report = run_job(&socket, orders, job, &attached, control);
        match report {
            Some(Report::Finished(mut finished)) if at_end == Killed::All => {
                // Dropping the folder removes it. The caller may succeed where the supervisor failed, because
                // mounts in the supervisor's namespace do not exist for the caller.
                self.private = None;
                finished.left_behind = finished.left_behind.filter(|path| path.exists());
                Ok(*finished)
            }
            Some(Report::Finished(finished)) => {
                self.supervisor = Some(Supervisor { socket, tier });
                Ok(*finished)
            }
            Some(Report::NotStarted(failure)) => {
                self.supervisor = (!is_first).then_some(Supervisor { socket, tier });
                Err(not_started(failure, tier, command))
            }
            None => Err(LaunchError::SupervisorLost),
        }
    }

    fn spec(&self, tier: Tier) -> Result<RunSpec, LaunchError> {
        let cgroup = match tier {
            Tier::Cgroup => {
                Some(cgroup::Parent::ours().map_err(|why| LaunchError::Tier { tier, why })?.plan())
            }
            _ => None,
        };
        let private = self.private.as_ref().map(|private| folder_name(&private.path)).transpose()?;
        Ok(RunSpec { tier, cgroup, private })
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        let Some(Supervisor { socket, .. }) = self.supervisor.take() else { return };
        wire::send(&socket, &Request::End, &[]).ok();
        // The guardian keeps the other end open until all processes are gone.
        while let Ok(Some(_)) = wire::receive::<Reply>(&socket) {}
    }
}

/// Sends a job to a supervisor and returns its report. Returns `None` if the supervisor was killed.
fn run_job(
    socket: &OwnedFd,
    orders: OwnedFd,
    job: Box<Job>,
    attached: &[Option<OwnedFd>; 3],
    control: &Control,
) -> Option<Report> {
    let files: Vec<_> = attached.iter().flatten().map(AsFd::as_fd).collect();
    // An error is ignored: if the supervisor does not receive the job, it reports a failure or closes the
    // socket.
    wire::send(socket, &Request::Run(job), &files).ok();
    control.attach(orders);
    let report = loop {
        match wire::receive::<Reply>(socket) {
            Ok(Some((Reply::Used(cpu), _))) => control.note_used(cpu),
            Ok(Some((Reply::Report(report), _))) => break Some(report),
            Ok(None) | Err(_) => break None,
        }
    };
    control.detach();
    report
}
