//! Runs one job: waits until it ends, reaches a limit or is cancelled, then kills and reaps its processes
//! and writes its record.

use std::collections::HashSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, pidfd_send_signal};

use super::clock::{Alarm, Moment};
use super::deaths::Deaths;
use super::enclosure::Enclosure;
use super::meter::Meter;
use super::output::Stream;
use super::spawn::{self, Main};
use super::tree::Tree;
use crate::error::{DuringStep, Failure, Step};
use crate::finished::{CpuTime, Exit, Finished, Stop};
use crate::limits::{Cores, Limit, implied_wall};
use crate::sys;
use crate::tier::cgroup::ControlGroup;
use crate::wire::{self, Job, Killed, Order, Reply, Request};

/// Shortest wait between two checks of the CPU time.
const MIN_WAIT: Duration = Duration::from_micros(200);
/// Upper limit of the shortest wait, which grows while the tree uses no CPU time.
const IDLE_WAIT: Duration = Duration::from_millis(4);
/// Wait before the first check of memory and number of processes.
const FIRST_SAMPLE: Duration = Duration::from_millis(5);
/// Wait between later checks of memory and number of processes.
const SAMPLE_WAIT: Duration = Duration::from_millis(50);
/// The value used instead of [`SAMPLE_WAIT`] if the number of processes is limited. This wait is shorter,
/// because processes multiply fast.
const PROCESS_SAMPLE_WAIT: Duration = Duration::from_millis(5);
/// Largest difference between two measurements of the same time that counts as rounding.
const ROUNDING: Duration = Duration::from_millis(1);

/// Runs a job until it ends, and returns its record. Returns `None` if nobody is left to report to.
/// `is_first` is false if other jobs have already run in this enclosure.
pub(super) fn watch(
    socket: BorrowedFd<'_>,
    guardian: BorrowedFd<'_>,
    job: &Job,
    files: Vec<OwnedFd>,
    enclosure: &mut Enclosure,
    is_first: bool,
) -> Result<Option<Finished>, Failure> {
    let tree = Tree::probe().ok_or(Failure { step: Step::ReadTree, errno: libc::ENOENT })?;
    let alarm = Alarm::new().during(Step::Descriptors)?;
    let mut files = files.into_iter();
    let mut attached = job.attached.map(|is_attached| if is_attached { files.next() } else { None });
    let stdin = attached[0].take().map_or_else(spawn::closed_stdin, Ok)?;
    let stream = |file: Option<OwnedFd>| match file {
        Some(file) if job.at_end == Killed::Nothing => Stream::direct(job.keep, file),
        file => Stream::open(job.keep, file),
    };
    let (stdout, their_stdout) = stream(attached[1].take()).during(Step::Descriptors)?;
    let (stderr, their_stderr) = stream(attached[2].take()).during(Step::Descriptors)?;
    let mut meter = Meter::new(tree);
    let mut from_before = HashSet::new();
    if !is_first {
        meter.begin(enclosure);
        from_before = tree.descendants().iter().map(|process| process.pid).collect();
    }

    // Until the child executes its program, its memory is a copy of this process's memory, which does not
    // count as used by the target.
    let inherited_memory = sys::usage_of_self().peak_memory;
    let start = Moment::now();
    let main = spawn::spawn(job, enclosure, [stdin.as_fd(), their_stdout.as_fd(), their_stderr.as_fd()])?;
    drop((stdin, their_stdout, their_stderr));

    let cores = job.cores.as_ref().map_or(1, Cores::len);
    let adopts = enclosure.adopts();
    let mut watch = Watch {
        job,
        enclosure,
        tree,
        meter,
        from_before,
        deaths: Deaths::new(Some(main.pid), adopts),
        main,
        stdout,
        stderr,
        start,
        cores: u32::try_from(cores).unwrap_or(u32::MAX).max(1),
        cpu_cap: job.limits.cpu,
        wall_end: job.limits.effective_wall().map_or(Moment::NEVER, |wall| start + wall),
        next_cpu: if job.limits.cpu.is_some() { start } else { Moment::NEVER },
        next_sample: start + FIRST_SAMPLE,
        last_cpu: Duration::ZERO,
        idle_wait: MIN_WAIT,
        stopped: None,
        kill_at: Moment::NEVER,
        inherited_memory,
        is_first,
        buffer: vec![0; 64 << 10],
    };
    let ended = watch.until_end(socket, guardian, &alarm);
    // If the caller or guardian is gone, nothing may be left alive.
    let at_end = if matches!(ended, Ok(Ended::Run)) { job.at_end } else { Killed::All };
    let finished = watch.finish(at_end)?;
    Ok(if ended? == Ended::Abandoned { None } else { Some(finished) })
}

/// The reason why the watch ended.
#[derive(PartialEq, Eq)]
enum Ended {
    /// The main process has ended or must be killed.
    Run,
    /// The caller or the guardian is gone.
    Abandoned,
}

struct Watch<'a> {
    job: &'a Job,
    enclosure: &'a mut Enclosure,
    tree: Tree,
    meter: Meter,
    /// Processes that were alive in the enclosure when the job began.
    from_before: HashSet<Pid>,
    deaths: Deaths,
    main: Main,
    stdout: Stream,
    stderr: Stream,
    start: Moment,
    /// Number of cores, which is also the CPU time in seconds that the tree can use per second.
    cores: u32,
    cpu_cap: Option<Duration>,
    wall_end: Moment,
    next_cpu: Moment,
    next_sample: Moment,
    /// CPU time at the last check.
    last_cpu: Duration,
    /// The current shortest wait between two checks; it grows while the tree is idle.
    idle_wait: Duration,
    stopped: Option<Stop>,
    /// End of the grace period that follows a stop.
    kill_at: Moment,
    inherited_memory: u64,
    /// Whether no other job has run in the enclosure before.
    is_first: bool,
    buffer: Vec<u8>,
}

impl Watch<'_> {
    /// Waits until the main process has ended or must be killed.
    fn until_end(
        &mut self,
        socket: BorrowedFd<'_>,
        guardian: BorrowedFd<'_>,
        alarm: &Alarm,
    ) -> Result<Ended, Failure> {
        loop {
            let next = self.wall_end.min(self.next_cpu).min(self.next_sample).min(self.kill_at);
            alarm.set(next).during(Step::Descriptors)?;
            let (main_ended, ordered, abandoned) = {
                let main = self.main.descriptor.as_fd();
                let mut waits = vec![
                    PollFd::from_borrowed_fd(main, PollFlags::IN),
                    PollFd::from_borrowed_fd(socket, PollFlags::IN),
                    PollFd::from_borrowed_fd(guardian, PollFlags::IN),
                    PollFd::new(alarm, PollFlags::IN),
                ];
                let sources = [self.stdout.source(), self.stderr.source()];
                let wait = |source| PollFd::from_borrowed_fd(source, PollFlags::IN);
                waits.extend(sources.into_iter().flatten().map(wait));
                match poll(&mut waits, None) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error).during(Step::Descriptors),
                }
                let happened = |at: usize| !waits[at].revents().is_empty();
                (happened(0), happened(1), happened(2))
            };
            if main_ended {
                return Ok(Ended::Run);
            }
            if abandoned || (ordered && !self.obey(socket)) {
                return Ok(Ended::Abandoned);
            }
            let now = Moment::now();
            self.check(now, guardian);
            if now >= self.kill_at {
                return Ok(Ended::Run);
            }
        }
    }

    /// Receives and carries out one order; returns false if the caller is gone.
    fn obey(&mut self, socket: BorrowedFd<'_>) -> bool {
        // While a job is running, any request other than an order violates the protocol.
        let Ok(Some((Request::Order(order), _))) = wire::receive::<Request>(socket) else { return false };
        match order {
            Order::LowerCpu(cap) => {
                self.cpu_cap = Some(self.cpu_cap.map_or(cap, |old| old.min(cap)));
                self.next_cpu = Moment::now();
                if self.job.limits.wall.is_none() {
                    self.wall_end = self.wall_end.min(self.start + implied_wall(cap));
                }
            }
            Order::LowerWall(cap) => self.wall_end = self.wall_end.min(self.start + cap),
            // A second cancel order skips the rest of the grace period.
            Order::Cancel if self.stopped == Some(Stop::Cancelled) => self.kill_at = self.start,
            Order::Cancel => self.stop(Stop::Cancelled),
            Order::ReportCpu => {
                self.sample(Moment::now());
                // An error is ignored: if the caller is gone, the next poll shows it.
                wire::send(socket, &Reply::Used(self.last_cpu), &[]).ok();
            }
        }
        true
    }

    /// Checks everything that is due.
    fn check(&mut self, now: Moment, guardian: BorrowedFd<'_>) {
        if now >= self.wall_end {
            self.stop(Stop::Limit(Limit::Wall));
        }
        if now >= self.kill_at {
            return;
        }
        self.stdout.drain(&mut self.buffer);
        self.stderr.drain(&mut self.buffer);
        let written = self.stdout.written() + self.stderr.written();
        if self.job.limits.output.is_some_and(|most| written > most) {
            self.stop(Stop::Limit(Limit::Output));
        }
        if now >= self.next_sample {
            self.next_sample =
                now + if self.job.limits.processes.is_some() { PROCESS_SAMPLE_WAIT } else { SAMPLE_WAIT };
            self.meter.check_unreaped();
            // The target may have stopped the guardian with a signal, so resume it. The guardian does the
            // same for supervisors.
            pidfd_send_signal(guardian, Signal::CONT).ok();
            self.sample(now);
        } else if now >= self.next_cpu {
            self.sample(now);
        }
    }

    /// Measures the tree and sets the time of the next check. This is the earliest moment at which the CPU
    /// cap can be reached, assuming that the tree uses every core from now on.
    fn sample(&mut self, now: Moment) {
        // Dead orphans must not accumulate during a long run.
        self.deaths.take_dead();
        let sample = self.meter.sample(self.enclosure);
        self.idle_wait =
            if sample.cpu > self.last_cpu { MIN_WAIT } else { (self.idle_wait * 2).min(IDLE_WAIT) };
        self.last_cpu = sample.cpu;
        self.next_cpu = match self.cpu_cap {
            Some(cap) if self.stopped.is_none() => {
                now + (cap.saturating_sub(sample.cpu) / self.cores).max(self.idle_wait)
            }
            _ => Moment::NEVER,
        };
        let limits = &self.job.limits;
        let too_large = limits.memory.is_some_and(|most| {
            sample.memory > most && !self.kernel_counts_memory() && self.meter.shared_memory() > most
        });
        let too_many = limits.processes.is_some_and(|most| sample.processes > most);
        if self.cpu_cap.is_some_and(|cap| sample.cpu >= cap) {
            self.stop(Stop::Limit(Limit::Cpu));
        } else if too_large {
            self.stop(Stop::Limit(Limit::Memory));
        } else if too_many {
            self.stop(Stop::Limit(Limit::Processes));
        }
    }

    fn kernel_counts_memory(&self) -> bool {
        self.enclosure.control_group().is_some_and(|group| group.counts_memory())
    }

    /// Records the first reason to stop. From then on, the target may run only until its grace period ends.
    fn stop(&mut self, why: Stop) {
        // Clear the deadlines of the limits; otherwise the alarm would go off again and again.
        (self.wall_end, self.next_cpu) = (Moment::NEVER, Moment::NEVER);
        if self.stopped.is_some() {
            return;
        }
        self.stopped = Some(why);
        match self.job.limits.grace {
            Some(grace) => {
                self.kill_at = Moment::now() + grace;
                self.enclosure.terminate(self.tree);
            }
            // A time in the past, so the next check kills the target.
            None => self.kill_at = self.start,
        }
    }

    /// Kills the processes that `at_end` selects, waits until they are gone, and returns the record.
    fn finish(mut self, at_end: Killed) -> Result<Finished, Failure> {
        self.deaths.take_dead();
        let before = self.deaths.adopted;
        match at_end {
            Killed::All => self.enclosure.kill(self.tree, &mut self.deaths),
            Killed::Nothing if self.stopped.is_none() => {}
            Killed::Own | Killed::Nothing => {
                self.enclosure.kill_except(&self.from_before, self.tree, &mut self.deaths);
            }
        }
        let killed = self.deaths.adopted - before;
        let (exit, end) = self.deaths.of_main.ok_or(Failure { step: Step::Fork, errno: libc::ECHILD })?;
        // Drain only once: in the group tier, an escaped process may keep writing.
        self.stdout.drain(&mut self.buffer);
        self.stderr.drain(&mut self.buffer);

        let written = self.stdout.written() + self.stderr.written();
        let too_much = self.job.limits.output.is_some_and(|most| written > most);
        let stopped = self
            .stopped
            .or_else(|| self.stopped_by_kernel(exit))
            .or_else(|| too_much.then_some(Stop::Limit(Limit::Output)));
        let adopts = self.enclosure.adopts();
        Ok(Finished {
            exit,
            stopped,
            cpu: Some(self.cpu()),
            wall: end - self.start,
            peak_memory: self.peak_memory(end - self.start),
            adopted: adopts.then_some(self.deaths.adopted),
            stragglers: (adopts && stopped.is_none()).then_some(killed),
            tier: self.enclosure.tier(),
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
            files: Vec::new(),
            sizes: Vec::new(),
            left_behind: None,
        })
    }

    /// Returns the limit that the kernel itself enforced by killing the main process, if any.
    fn stopped_by_kernel(&self, exit: Exit) -> Option<Stop> {
        let limits = &self.job.limits;
        let out_of_memory =
            || self.enclosure.control_group().is_some_and(ControlGroup::exceeded_memory_limit);
        if limits.memory.is_some() && exit == Exit::Signal(libc::SIGKILL) && out_of_memory() {
            Some(Stop::Limit(Limit::Memory))
        } else if limits.file_size.is_some() && exit == Exit::Signal(libc::SIGXFSZ) {
            Some(Stop::Limit(Limit::FileSize))
        } else {
            None
        }
    }

    /// Returns the CPU time of the tree. Called when all processes are dead except those that may keep
    /// running.
    fn cpu(&mut self) -> CpuTime {
        let (user, system) = self.meter.accounted();
        let accounted = user + system;
        // The group's time is less than the accounted time only if processes have left the group.
        let group = self.meter.of_group(self.enclosure);
        if let Some(complete) = group.filter(|cpu| cpu.total() + ROUNDING >= accounted) {
            return complete;
        }
        // Time that was seen earlier but is missing from the accounted time is added. If the missing time is
        // small enough to be rounding, the CPU time still counts as complete.
        let lost = self.meter.total_seen().saturating_sub(accounted);
        let complete = lost < ROUNDING && !self.meter.saw_unreaped;
        CpuTime { user: user + lost, system, complete }
    }

    fn peak_memory(&self, wall: Duration) -> Option<u64> {
        // The group's own maximum includes everything that ran in it before.
        let group = self.enclosure.control_group().filter(|_| self.is_first);
        let counted = group.and_then(ControlGroup::peak_memory);
        // The child starts as a copy of the supervisor, and the kernel's maximum includes that copy. If the maximum is no
        // larger than the copy, the target used at most that much. Samples tell more, but a short program may end
        // before any sample or have one that is far too small. Its reading is always this upper bound.
        let is_targets_own = self.deaths.largest > self.inherited_memory;
        let bound = Some(self.deaths.largest).filter(|&bytes| bytes > 0);
        let largest = bound.filter(|_| is_targets_own || wall < SAMPLE_WAIT);
        let sampled = Some(self.meter.peak_memory).filter(|&bytes| bytes > 0);
        counted.or(largest.max(sampled)).or(bound)
    }
}
