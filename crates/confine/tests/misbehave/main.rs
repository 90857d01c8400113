//! A misbehaving program for the tests of this crate: `misbehave WHAT [NUMBER...]`.
//!
//! Each of its processes holds a lock on the file `$ALIVE` while it lives, so that a test can wait until
//! all are dead. When the misbehaviour has begun, the program opens the pipe `$READY` for writing.

#![allow(unsafe_code, clippy::print_stdout, clippy::exit, clippy::undocumented_unsafe_blocks)]

mod call;

use std::fs::File;
use std::io::{Read, Write};
use std::time::Duration;

fn main() {
    confine::supervise_if_asked();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> f64 { words.get(at).map_or(1.0, |word| word.parse().expect("a number")) };
    hold_alive();
    match words.first().map_or("", String::as_str) {
        "burn" => burn(number(1)),
        "tree" => tree(number(1) as usize, number(2), true),
        "unwaited" => tree(number(1) as usize, number(2), false),
        "share" => share(number(1) as usize, number(2) as usize),
        "headless" => headless(number(1) as usize),
        "stop-parent" => stop_parent(),
        "leave-group" => leave_group(),
        "nest-group" => nest_group(),
        "relay" => relay(number(1) as usize, number(2)),
        "threads" => threads(number(1) as usize, number(2)),
        "allocate" => allocate(number(1) as usize),
        "crowd" => crowd(number(1) as usize, 0),
        "herd" => crowd(number(1) as usize, number(2) as usize),
        "daemon" => daemon(true),
        "orphan" => daemon(false),
        "chain" => chain(),
        "stubborn" => stubborn(),
        "polite" => polite(),
        "deadlock" => deadlock(),
        "flood" => flood(),
        "echo" => echo(),
        "raw" => drop(std::io::stdout().write_all(&[0xff, 0xfe, b'x', 0, b'\n'])),
        "sleep" => std::thread::sleep(Duration::from_secs_f64(number(1))),
        "exit" => std::process::exit(number(1) as i32),
        "signal" => die_by(number(1) as i32),
        "grow-file" => grow_file(),
        "litter" => litter(),
        "show" => show(),
        "call" => call::once(&words[1..]),
        "call-twice" => (0..2).for_each(|_| call::once(&words[1..])),
        "call-both" => call::both(&words[1..]),
        "call-sequence" => call::sequence(&words[1], words[2] == "idle"),
        "call-many" => call::many(&words[1], number(2) as usize, &words[3..]),
        other => panic!("unknown misbehaviour `{other}`"),
    }
}

/// Locks `$ALIVE` for the lifetime of this process and of all processes that it forks.
fn hold_alive() {
    if let Some(path) = std::env::var_os("ALIVE") {
        let file = File::open(path).expect("the file ALIVE");
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockShared).expect("a lock");
        std::mem::forget(file);
    }
}

/// Signals through the pipe `$READY` that the test can continue.
fn ready() {
    if let Some(path) = std::env::var_os("READY") {
        drop(File::options().write(true).open(path));
    }
}

/// Uses `seconds` of CPU time in this thread.
fn burn(seconds: f64) {
    let clock = rustix::time::ClockId::ThreadCPUTime;
    loop {
        let now = rustix::time::clock_gettime(clock);
        if now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9 >= seconds {
            return;
        }
    }
}

fn fork() -> bool {
    unsafe { libc::fork() == 0 }
}

/// Starts children that burn CPU time. Waits for them if `wait` is true; otherwise ignores SIGCHLD, so that
/// they are never waited for.
fn tree(children: usize, seconds: f64, wait: bool) {
    if !wait {
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    }
    for _ in 0..children {
        if fork() {
            burn(seconds);
            std::process::exit(0);
        }
    }
    ready();
    while unsafe { libc::wait(std::ptr::null_mut()) } > 0 {}
}

/// Starts children that burn CPU time one after the other and are never reaped.
fn relay(children: usize, seconds: f64) {
    for _ in 0..children {
        tree(1, seconds, false);
    }
}

fn threads(count: usize, seconds: f64) {
    let threads: Vec<_> = (0..count).map(|_| std::thread::spawn(move || burn(seconds))).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
}

/// Allocates memory and writes to every page of it, a mebibyte at a time.
fn allocate(bytes: usize) {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    for _ in 0..bytes >> 20 {
        taken.push(vec![1; 1 << 20]);
    }
    std::hint::black_box(&taken);
    ready();
}

/// Starts children that sleep, each with its own memory.
fn crowd(count: usize, bytes: usize) {
    for _ in 0..count {
        if fork() {
            let taken = vec![1_u8; bytes];
            std::hint::black_box(&taken);
            std::thread::sleep(Duration::from_secs(60));
            std::process::exit(0);
        }
    }
    ready();
    std::thread::sleep(Duration::from_secs(60));
}

/// Starts children that sleep and share the memory of their parent.
fn share(count: usize, bytes: usize) {
    let taken = vec![1_u8; bytes];
    std::hint::black_box(&taken);
    crowd(count, 0);
}

/// Ends the first thread; another allocates shared memory and sleeps.
fn headless(bytes: usize) {
    std::thread::spawn(move || unsafe {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let taken = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
        taken.cast::<u8>().write_bytes(1, bytes);
        std::thread::sleep(Duration::from_secs(60));
    });
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}

/// Stops the parent process and burns CPU time.
fn stop_parent() {
    unsafe { libc::kill(libc::getppid(), libc::SIGSTOP) };
    burn(60.0);
}

/// Returns the folder in which version 2 control groups are mounted.
fn groups() -> std::path::PathBuf {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("/proc");
    let line = mounts.lines().find(|line| line.contains(" - cgroup2 ")).expect("control groups");
    line.split(' ').nth(4).expect("a place").into()
}

/// Moves to the root control group and sleeps.
fn leave_group() {
    std::fs::write(groups().join("cgroup.procs"), "0").expect("the right to move");
    ready();
    std::thread::sleep(Duration::from_secs(60));
}

/// Creates control groups below its own.
fn nest_group() {
    let own = std::fs::read_to_string("/proc/self/cgroup").expect("/proc");
    let own = own.lines().find_map(|line| line.strip_prefix("0::/")).expect("a group").to_owned();
    std::fs::create_dir_all(groups().join(own).join("a/b")).expect("the right to create groups");
}

/// Starts a double-forked daemon in its own session that ignores TERM and spins; the main process stays
/// or exits.
fn daemon(stay: bool) {
    if fork() {
        unsafe { libc::setsid() };
        if fork() {
            stubborn();
        }
        std::process::exit(0);
    }
    unsafe { libc::wait(std::ptr::null_mut()) };
    if stay {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// Forks and exits repeatedly, each time in a new session, for up to 20 seconds.
fn chain() {
    if !fork() {
        std::thread::sleep(Duration::from_secs(60));
    }
    let end = std::time::Instant::now() + Duration::from_secs(20);
    let mut steps = 0;
    while std::time::Instant::now() < end {
        unsafe { libc::setsid() };
        if !fork() {
            std::process::exit(0);
        }
        steps += 1;
        if steps == 20 {
            ready();
        }
    }
}

fn die_by(signal: i32) {
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn stubborn() {
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
    ready();
    burn(60.0);
}

/// Exits by itself on TERM.
fn polite() {
    extern "C" fn leave(_: i32) {
        unsafe { libc::_exit(7) }
    }
    unsafe { libc::signal(libc::SIGTERM, leave as *const () as libc::sighandler_t) };
    ready();
    burn(60.0);
}

/// Uses no CPU time and never ends.
fn deadlock() {
    let mutex = std::sync::Mutex::new(());
    let _held = mutex.lock();
    ready();
    let _never = mutex.lock();
}

fn flood() {
    let line = [b'x'; 4096];
    let mut out = std::io::stdout().lock();
    while out.write_all(&line).is_ok() {}
}

fn echo() {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).expect("stdin");
    std::io::stdout().write_all(&input).expect("stdout");
    println!("[{} bytes]", input.len());
}

fn grow_file() {
    let mut file = File::create("grown").expect("a file");
    while file.write_all(&[0; 65536]).is_ok() {}
    std::process::exit(9);
}

/// Leaves behind inaccessible folders, and links that lead out of its folder.
fn litter() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    std::fs::create_dir_all("a/b/c").expect("folders");
    std::fs::write("a/b/c/file", "x").expect("a file");
    symlink("/", "root").expect("a link");
    std::fs::set_permissions("a/b", std::fs::Permissions::from_mode(0o0)).expect("permissions");
}

/// Prints the parts of its environment that a target can see.
fn show() {
    println!("folder {}", std::env::current_dir().expect("a folder").display());
    let allowed = confine::Cores::allowed().expect("cores");
    println!("cores {allowed}");
    for (name, value) in std::env::vars() {
        println!("env {name}={value}");
    }
    let open: Vec<_> =
        std::fs::read_dir("/proc/self/fd").expect("/proc").flatten().map(|e| e.file_name()).collect();
    // One descriptor belongs to the listing itself.
    println!("descriptors {}", open.len() - 1);
    println!("session {}", unsafe { libc::getsid(0) == libc::getpid() });
}
