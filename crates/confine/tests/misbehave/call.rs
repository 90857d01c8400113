//! A caller in a separate process, for tests that kill it or check what it leaves behind.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use confine::{Command, Control, Finished, LaunchError, Limits, Sequence};

/// `call TIER WHAT...`: runs another misbehaviour of this program, or a program given by its path, and
/// prints its record. The only limit is a minute of wall time.
pub(crate) fn once(words: &[String]) {
    show(run(&words[0], &words[1..], std::env::var_os("READY")));
}

/// `call-both TIER WHAT...`: like `call`, but with two runs in parallel. The second run signals through the
/// pipe `$READY2`.
pub(crate) fn both(words: &[String]) {
    std::thread::scope(|scope| {
        for name in ["READY", "READY2"] {
            scope.spawn(move || show(run(&words[0], &words[1..], std::env::var_os(name))));
        }
    });
}

fn show(result: Result<Finished, LaunchError>) {
    match result {
        Ok(finished) => println!("{finished:?}"),
        Err(error) => println!("error: {error}"),
    }
}

/// `call-many TIER COUNT WHAT...`: runs a misbehaviour COUNT times. Prints how many more descriptors
/// caller and guardian have at the end than after the first run, and how many processes and control
/// groups are left.
pub(crate) fn many(tier: &str, count: usize, what: &[String]) {
    run(tier, what, None).expect("a run");
    let guardian = children(std::process::id())[0];
    let descriptors = |pid: u32| std::fs::read_dir(format!("/proc/{pid}/fd")).expect("/proc").count();
    let both = || {
        // A supervisor ends shortly after its report, and then the guardian reaps it.
        while !children(guardian).is_empty() {
            std::thread::yield_now();
        }
        descriptors(std::process::id()) + descriptors(guardian)
    };
    let before = both();
    for _ in 1..count {
        run(tier, what, None).expect("a run");
    }
    // The guardian closes the descriptors of a run shortly after reaping its supervisor. Leaked ones stay
    // open forever.
    let deadline = Instant::now() + Duration::from_secs(5);
    while both() > before && Instant::now() < deadline {
        std::thread::yield_now();
    }
    // The first count may include a descriptor that the guardian was about to close.
    println!("descriptors {}", both().saturating_sub(before));
    // The guardian is the only child that stays.
    println!("children {}", children(std::process::id()).len() - 1);
    println!("groups {}", groups(Path::new("/sys/fs/cgroup")));
}

/// `call-sequence TIER busy|idle`: runs a set-up whose process keeps running. Then, for a minute, runs a
/// command (busy) or nothing (idle). The last process to start signals through the pipe `$STAGE_READY`.
pub(crate) fn sequence(tier: &str, idle: bool) {
    let variable = |name: &str| std::env::var_os(name).expect("a variable");
    let this = std::env::current_exe().expect("this program");
    let command = |what: &str| Command::new(&this).arg(what).env("ALIVE", variable("STAGE_ALIVE"));
    let ready = |command: Command| command.env("READY", variable("STAGE_READY"));
    let (limits, control) = (Limits::default(), Control::new());
    let set_up = command("orphan").tier(tier.parse().expect("a tier"));
    let mut sequence = Sequence::new().expect("a folder");
    let set_up = if idle { ready(set_up) } else { set_up };
    sequence.set_up(&set_up, &limits, &control).expect("a run");
    if idle {
        std::thread::sleep(Duration::from_secs(60));
    } else {
        drop(sequence.run(&ready(command("daemon")), &limits, &control));
    }
}

fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("/proc");
    list.split_whitespace().map(|pid| pid.parse().expect("a number")).collect()
}

/// Counts the control groups named after this process, anywhere below a folder.
fn groups(folder: &Path) -> usize {
    let ours = format!("captune-run-{}-", std::process::id());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .map(|entry| {
            usize::from(entry.file_name().to_string_lossy().starts_with(&ours)) + groups(&entry.path())
        })
        .sum()
}

fn run(tier: &str, words: &[String], ready: Option<OsString>) -> Result<Finished, LaunchError> {
    // A descriptor without CLOEXEC, which children would inherit.
    let inheritable = std::fs::File::open("/dev/null").expect("/dev/null");
    rustix::io::fcntl_setfd(&inheritable, rustix::io::FdFlags::empty()).expect("a descriptor");
    let this = std::env::current_exe().expect("this program");
    let command = match words[0].starts_with('/') {
        true => Command::new(&words[0]).args(&words[1..]),
        false => Command::new(this).args(words),
    };
    let mut command = command.tier(tier.parse().expect("a tier")).pass_env("ALIVE");
    if let Some(ready) = ready {
        command = command.env("READY", ready);
    }
    let limits = Limits { wall: Some(Duration::from_secs(60)), ..Limits::default() };
    confine::run(&command, &limits, &Control::new())
}
