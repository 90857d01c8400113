//! The caller's side of a supervisor: have it born, hand it one job after the other, wait.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::command::Command;
use crate::control::Control;
use crate::error::LaunchError;
use crate::finished::Finished;
use crate::folder::Private;
use crate::guardian;
use crate::launch::{check_cores, folder_name, job, make_private, not_started, open_streams};
use crate::limits::Limits;
use crate::tier::{Tier, cgroup};
use crate::wire::{self, Birth, Job, Killed, Report, Request, Word};

/// Commands that run one after the other in one process tree, with one private folder for them all.
///
/// What is set up may live on while others run. When the sequence is over, or dropped, nothing of it
/// is left; and if the caller is killed, all of it is.
///
/// The limit on memory is that of the first command, over the whole tree. CPU time of a command is
/// what the whole tree has used from its start to its end: what lives on counts for whichever
/// command is running.
pub struct Sequence {
    private: Option<Private>,
    /// From the first command on.
    supervisor: Option<Supervisor>,
}

struct Supervisor {
    socket: OwnedFd,
    tier: Tier,
}

impl Sequence {
    /// A sequence without any command yet, in a fresh private folder.
    pub fn new() -> Result<Self, LaunchError> {
        Ok(Self::within(Some(make_private()?)))
    }

    pub(crate) fn within(private: Option<Private>) -> Self {
        Self { private, supervisor: None }
    }

    /// The private folder: where commands run that have not been given another, and their TMPDIR. It is
    /// removed when the sequence is over.
    pub fn folder(&self) -> &Path {
        self.private.as_ref().map_or(Path::new(""), |private| &private.path)
    }

    /// Runs a command to its end. What it leaves alive lives on, unless it was stopped. Its output goes
    /// straight to files of the private folder if it names no others.
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

    /// Runs a command to its end. What it leaves alive is killed; what was set up lives on.
    pub fn run(
        &mut self,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        self.run_to(Killed::Own, command, limits, control)
    }

    /// Runs the last command to its end, after which everything is killed.
    pub fn run_last(
        mut self,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        self.run_to(Killed::All, command, limits, control)
    }

    /// Kills everything and waits until it is gone, as dropping it does.
    pub fn end(self) {}

    fn run_to(
        &mut self,
        at_end: Killed,
        command: &Command,
        limits: &Limits,
        control: &Control,
    ) -> Result<Finished, LaunchError> {
        /// Index of the best tier not known to fail.
        static BEST: AtomicUsize = AtomicUsize::new(0);
        /// Whether it has worked once: then a failure is of the moment, and no reason to settle for less.
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
                    // Another thread may have found the same just now.
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
            let why = "it cannot hold more than one command together".to_owned();
            return Err(LaunchError::Tier { tier, why });
        }
        let attached = open_streams(command)?;
        let private = self.private.as_ref().map(|private| private.path.as_path());
        let job = job(private, at_end, command, limits, &attached)?;
        // Not the path behind it: that may have been replaced by a newer version since we started.
        let executable = command.guardian.as_deref().unwrap_or(Path::new("/proc/self/exe"));
        let failed = |source: io::Error| LaunchError::Guardian { path: executable.to_owned(), source };
        let is_first = self.supervisor.is_none();
        let socket = match self.supervisor.take() {
            Some(supervisor) => supervisor.socket,
            None => guardian::new_supervisor(executable, &self.birth(tier)?).map_err(failed)?,
        };
        let orders = socket.try_clone().map_err(failed)?;
        let report = hand_over(&socket, orders, job, &attached, control);
        match report {
            Some(Report::Finished(mut finished)) if at_end == Killed::All => {
                // What the supervisor could not remove, because it was mounted in its own namespace, we may.
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

    fn birth(&self, tier: Tier) -> Result<Birth, LaunchError> {
        let cgroup = match tier {
            Tier::Cgroup => {
                Some(cgroup::Parent::ours().map_err(|why| LaunchError::Tier { tier, why })?.plan())
            }
            _ => None,
        };
        let private = self.private.as_ref().map(|private| folder_name(&private.path)).transpose()?;
        Ok(Birth { tier, cgroup, private })
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        let Some(Supervisor { socket, .. }) = self.supervisor.take() else { return };
        wire::send(&socket, &Request::End, &[]).ok();
        // The guardian holds the other end until all is gone.
        while let Ok(Some(_)) = wire::receive::<Word>(&socket) {}
    }
}

/// Gives a job to a supervisor, and waits for the report: none if that was killed.
fn hand_over(
    socket: &OwnedFd,
    orders: OwnedFd,
    job: Box<Job>,
    attached: &[Option<OwnedFd>; 3],
    control: &Control,
) -> Option<Report> {
    let files: Vec<_> = attached.iter().flatten().map(AsFd::as_fd).collect();
    // If nobody takes it, the report says why, or its absence does.
    wire::send(socket, &Request::Run(job), &files).ok();
    control.attach(orders);
    let report = loop {
        match wire::receive::<Word>(socket) {
            Ok(Some((Word::Used(cpu), _))) => control.note_used(cpu),
            Ok(Some((Word::Report(report), _))) => break Some(report),
            Ok(None) | Err(_) => break None,
        }
    };
    control.detach();
    report
}
