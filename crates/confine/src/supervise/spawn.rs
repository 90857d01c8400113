//! Starts the program of a job.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, chdir, pidfd_open, set_parent_process_death_signal, setrlimit,
    setsid,
};
use rustix::thread::{CpuSet, sched_setaffinity, set_no_new_privs};

use super::enclosure::Enclosure;
use crate::error::{DuringStep, Failure, Step};
use crate::sys::{self, Forked};
use crate::wire::Job;

/// The target's first process.
pub(super) struct Main {
    pub(super) pid: Pid,
    /// Descriptor that becomes readable when the process has ended.
    pub(super) descriptor: OwnedFd,
}

/// Starts the target inside its enclosure. Returns as soon as the target's program is running. If that fails,
/// returns the step that failed.
pub(super) fn spawn(
    job: &Job,
    enclosure: &mut Enclosure,
    streams: [BorrowedFd<'_>; 3],
) -> Result<Main, Failure> {
    let (failure, reporter) = pipe_with(PipeFlags::CLOEXEC).during(Step::Descriptors)?;
    // If the kernel does not limit the memory of the whole group, each process gets its own limit.
    let memory_by_process = enclosure.control_group().is_none_or(|group| !group.counts_memory());
    match enclosure.fork()? {
        Forked::Child => {
            let failure = become_target(job, memory_by_process, streams);
            let message = [[failure.step as u8].as_slice(), &failure.errno.to_le_bytes()].concat();
            rustix::io::write(&reporter, &message).ok();
            sys::exit_now(127)
        }
        Forked::Parent(pid) => {
            drop(reporter);
            let descriptor = pidfd_open(pid, PidfdFlags::empty()).during(Step::Descriptors)?;
            let mut message = Vec::new();
            File::from(failure).read_to_end(&mut message).during(Step::Descriptors)?;
            match *message.as_slice() {
                [] => Ok(Main { pid, descriptor }),
                [step, ref errno @ ..] => {
                    sys::wait(Some(pid), true).during(Step::Fork)?;
                    Err(Failure {
                        step: Step::from_byte(step).unwrap_or(Step::Exec),
                        errno: errno.try_into().map_or(libc::EIO, i32::from_le_bytes),
                    })
                }
            }
        }
    }
}

/// Turns a forked child into the target; returns only if that fails.
fn become_target(job: &Job, memory_by_process: bool, streams: [BorrowedFd<'_>; 3]) -> Failure {
    let prepared = prepare_session(streams)
        .and_then(|()| limit_resources(job, memory_by_process))
        .and_then(|()| choose_cores(job))
        .and_then(|()| chdir(job.folder.as_c_str()).during(Step::Chdir));
    match prepared {
        Ok(()) => Failure::new(Step::Exec, sys::exec(&job.program, &job.arguments, &job.environment)),
        Err(failure) => failure,
    }
}

fn prepare_session([stdin, stdout, stderr]: [BorrowedFd<'_>; 3]) -> Result<(), Failure> {
    // A new session has no terminal to read from and receives no Ctrl-C.
    setsid().during(Step::Session)?;
    set_parent_process_death_signal(Some(Signal::KILL)).during(Step::Session)?;
    rustix::stdio::dup2_stdin(stdin).during(Step::Session)?;
    rustix::stdio::dup2_stdout(stdout).during(Step::Session)?;
    rustix::stdio::dup2_stderr(stderr).during(Step::Session)?;
    // The guardian has already set the default action of every signal.
    sys::unblock_signals();
    // A setuid program would gain another user's rights and could then no longer be killed.
    set_no_new_privs(true).during(Step::Session)?;
    // If memory runs out, the kernel should kill the target and not its supervisor. This setting is not a
    // limit, so a failure is ignored.
    fs::write("/proc/self/oom_score_adj", "800").ok();
    Ok(())
}

fn limit_resources(job: &Job, memory_by_process: bool) -> Result<(), Failure> {
    let limit = |resource, value: u64| {
        let current = rustix::process::getrlimit(resource);
        let value = current.maximum.map_or(value, |maximum| value.min(maximum));
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
            .during(Step::ResourceLimits)
    };
    limit(Resource::Core, 0)?;
    if let Some(bytes) = job.limits.file_size {
        limit(Resource::Fsize, bytes)?;
    }
    if let (true, Some(bytes)) = (memory_by_process, job.limits.memory) {
        limit(Resource::Data, bytes)?;
    }
    if let (Some(cap), None) = (job.limits.cpu, job.limits.grace) {
        // A safety net in case caller, guardian and supervisor are all killed at once. The limit leaves a
        // margin, because the kernel counts ticks and whole seconds. A target with a grace period may use
        // more CPU time, so it has no such limit.
        limit(Resource::Cpu, cap.saturating_add(Duration::from_secs(3)).as_secs())?;
    }
    Ok(())
}

fn choose_cores(job: &Job) -> Result<(), Failure> {
    let Some(cores) = &job.cores else { return Ok(()) };
    let mut mask = CpuSet::new();
    cores.iter().for_each(|core| mask.set(core));
    sched_setaffinity(None, &mask).during(Step::Affinity)
}

/// Returns an empty standard input.
pub(super) fn closed_stdin() -> Result<OwnedFd, Failure> {
    File::open("/dev/null").map(OwnedFd::from).during(Step::Descriptors)
}
