//! System calls that no safe library offers. All `unsafe` code of the crate is in this file.
//!
//! Only the guardian and supervisors make these calls. Each of them has one thread, so the usual
//! restrictions on code after a `fork` do not apply.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use rustix::thread::UnshareFlags;

use crate::finished::Exit;

/// The side of a fork that this process is on.
pub(crate) enum Forked {
    Child,
    Parent(Pid),
}

/// Duplicates this process, which must have one thread.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the process has one thread, so no lock is held by a thread that is missing in the child.
    forked(unsafe { libc::fork() }.into())
}

/// Duplicates this process; the child starts inside a control group.
pub(crate) fn fork_into(cgroup: BorrowedFd<'_>) -> io::Result<Forked> {
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    clone3(&CloneArgs { flags: CLONE_INTO_CGROUP, cgroup: cgroup.as_raw_fd() as u64, ..CloneArgs::default() })
}

/// Duplicates this process; the child starts in new namespaces.
pub(crate) fn fork_into_namespaces(namespaces: UnshareFlags) -> io::Result<Forked> {
    clone3(&CloneArgs { flags: u64::from(namespaces.bits()), ..CloneArgs::default() })
}

/// `struct clone_args` up to and including `cgroup`.
#[repr(C)]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// Like [`fork`], with flags for namespaces and control groups, but never for shared memory.
fn clone3(args: &CloneArgs) -> io::Result<Forked> {
    let args = CloneArgs { exit_signal: libc::SIGCHLD as u64, ..*args };
    // SAFETY: without CLONE_VM the child has its own copy of memory, as after fork; the argument
    // block outlives the call and its size is given.
    forked(unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of::<CloneArgs>()) })
}

fn forked(result: libc::c_long) -> io::Result<Forked> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(Pid::from_raw(pid as i32).ok_or_else(io::Error::last_os_error)?)),
    }
}

/// Ends this process without running the exit handlers that it inherited from its parent.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(code) }
}

/// A child that has been waited for.
pub(crate) struct Reaped {
    pub(crate) pid: Pid,
    pub(crate) exit: Exit,
    /// Largest resident set, in bytes, of this process or of any child that it waited for.
    pub(crate) peak_memory: u64,
}

/// The result of checking the children of this process.
pub(crate) enum Wait {
    Reaped(Reaped),
    /// A child has been stopped; only [`wait_or_stop`] returns this.
    Stopped(Pid),
    NoneDead,
    NoChildren,
}

/// Reaps one dead child: the given one, or any child if `child` is `None`. If `block` is true, waits until
/// one has died.
pub(crate) fn wait(child: Option<Pid>, block: bool) -> io::Result<Wait> {
    wait4(child, if block { 0 } else { libc::WNOHANG })
}

/// Reaps a dead child or reports a stopped one, if there is any. Does not wait.
pub(crate) fn wait_or_stop() -> io::Result<Wait> {
    wait4(None, libc::WNOHANG | libc::WUNTRACED)
}

fn wait4(child: Option<Pid>, flags: libc::c_int) -> io::Result<Wait> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let which = child.map_or(-1, Pid::as_raw_pid);
    loop {
        // SAFETY: both pointers are to live locals of the right types.
        let pid = unsafe { libc::wait4(which, &raw mut status, flags, usage.as_mut_ptr()) };
        if pid == -1 {
            match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EINTR) => continue,
                error if error.raw_os_error() == Some(libc::ECHILD) => return Ok(Wait::NoChildren),
                error => return Err(error),
            }
        }
        let Some(pid) = Pid::from_raw(pid) else { return Ok(Wait::NoneDead) };
        if libc::WIFSTOPPED(status) {
            return Ok(Wait::Stopped(pid));
        }
        let exit = if libc::WIFEXITED(status) {
            Exit::Code(libc::WEXITSTATUS(status))
        } else {
            Exit::Signal(libc::WTERMSIG(status))
        };
        // SAFETY: all zeroes is a valid rusage, and wait4 has filled it.
        let usage = unsafe { usage.assume_init() };
        return Ok(Wait::Reaped(Reaped { pid, exit, peak_memory: kibibytes(usage.ru_maxrss) }));
    }
}

/// User time, system time and largest resident set in bytes.
pub(crate) struct Usage {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    pub(crate) peak_memory: u64,
}

/// Returns what the waited-for children of this process, and their children, have used.
pub(crate) fn usage_of_children() -> Usage {
    usage(libc::RUSAGE_CHILDREN)
}

/// Returns what this process has used.
pub(crate) fn usage_of_self() -> Usage {
    usage(libc::RUSAGE_SELF)
}

fn usage(who: libc::c_int) -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a live local; both values of `who` are valid, so the call succeeds.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |t: libc::timeval| Duration::from_micros(t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64);
    Usage {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        peak_memory: kibibytes(usage.ru_maxrss),
    }
}

fn kibibytes(count: libc::c_long) -> u64 {
    u64::try_from(count).unwrap_or(0) * 1024
}

/// Returns the CPU time of all threads of a living process, to the nanosecond; `None` if it is gone.
pub(crate) fn cpu_time(pid: Pid) -> Option<Duration> {
    let mut clock = 0;
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: both pointers are to live locals; the results are checked before use.
    unsafe {
        if libc::clock_getcpuclockid(pid.as_raw_pid(), &raw mut clock) != 0
            || libc::clock_gettime(clock, time.as_mut_ptr()) != 0
        {
            return None;
        }
        let time = time.assume_init();
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

/// Gives every signal its default action.
pub(crate) fn default_signals() {
    // The kernel's `struct sigaction`: handler (zero is the default), flags, restorer, mask. The C library's
    // function would skip the two signals that the library reserves for itself.
    let default = [0_u64; 4];
    for signal in 1..=64 {
        // SAFETY: the block outlives the call; the mask in it has the size passed to the kernel. The
        // kernel rejects KILL and STOP, which is harmless.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, &raw const default, ptr::null::<u64>(), 8) };
    }
}

/// Blocks every signal that can be blocked.
pub(crate) fn block_signals() {
    set_mask(u64::MAX);
}

/// Unblocks every signal.
pub(crate) fn unblock_signals() {
    set_mask(0);
}

fn set_mask(mask: u64) {
    // SAFETY: the mask outlives the call and has the size passed to the kernel.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const mask, ptr::null::<u64>(), 8)
    };
}

/// Returns a descriptor that is readable while `signal` is pending. The signal must be blocked.
pub(crate) fn signal_descriptor(signal: Signal) -> io::Result<OwnedFd> {
    let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the set is initialised before it is read; the descriptor is new and ours.
    unsafe {
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), signal.as_raw());
        match libc::signalfd(-1, mask.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

/// Reads all pending signals from a descriptor.
pub(crate) fn take_signal(descriptor: &OwnedFd) {
    let mut one = [0; size_of::<libc::signalfd_siginfo>()];
    while rustix::io::read(descriptor, &mut one).is_ok() {}
}

/// Executes another program; returns only if that fails.
pub(crate) fn exec(program: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: all strings and both null-terminated arrays outlive the call.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Closes every inherited descriptor except the three standard streams.
pub(crate) fn close_inherited() {
    // SAFETY: called at the start of a new process, when no code owns a descriptor yet.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) != 0 {
            // Before Linux 5.9: close the usual number of descriptors one by one.
            for descriptor in 3..1024 {
                libc::close(descriptor);
            }
        }
    }
}

/// Returns the number of clock ticks per second; `/proc/PID/stat` gives times in ticks.
pub(crate) fn ticks_per_second() -> u64 {
    // SAFETY: sysconf has no preconditions.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100)
}

/// Leaves the given namespaces. The flags must not include memory or descriptors.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: the caller has one thread and passes only namespace flags, so no other thread can keep
    // part of a shared table.
    Ok(unsafe { rustix::thread::unshare_unsafe(namespaces) }?)
}

/// Kills every other process in this PID namespace; called only by its first process.
pub(crate) fn kill_namespace() {
    // Only PID 1 may make this call: any other process would kill all processes of the user.
    assert_eq!(std::process::id(), 1, "only the first process of a namespace may kill all of it");
    // SAFETY: kill has no memory preconditions.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}
