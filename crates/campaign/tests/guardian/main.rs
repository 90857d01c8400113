//! The guardian for the runs in the tests. It is also a server that trials start, query and stop:
//! `up|ask|down PORTS SLOT TRIAL ...`.

#![allow(clippy::print_stdout, clippy::exit, clippy::unwrap_used)]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};

use rustix::fs::{FlockOperation, flock};

fn main() {
    confine::supervise_if_asked();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> u16 { words[at].parse().unwrap() };
    let port = || number(1) + number(2);
    match words[0].as_str() {
        "up" => up(&words[1..]),
        "serve" => serve(port(), &words[2], &words[3], &words[4], &words[5]),
        "ask" => ask(port(), &words[3]),
        "down" => down(port(), &words[3]),
        other => panic!("unknown word `{other}`"),
    }
}

/// Starts a server in its own process group, and returns when it is ready.
#[allow(clippy::zombie_processes, reason = "the server is meant to keep running")]
fn up(words: &[String]) {
    let mut server = Command::new(std::env::current_exe().unwrap());
    server.arg("serve").args(words).process_group(0).stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if line != "ready\n" {
        server.wait().unwrap();
        exit(3);
    }
}

/// Answers every client with the number of its trial and a value of its configuration, until a client asks
/// the server to stop.
fn serve(port: u16, slot: &str, trial: &str, config: &str, folder: &str) {
    let alive = File::open(format!("{folder}/alive")).unwrap();
    flock(&alive, FlockOperation::LockShared).unwrap();
    let slot = File::create(format!("{folder}/slot-{slot}")).unwrap();
    flock(&slot, FlockOperation::NonBlockingLockExclusive).expect("a slot without another trial");
    let config = std::fs::read_to_string(config).unwrap();
    let value = config.lines().find_map(|line| line.strip_prefix("x = ")).unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("ready");
    for caller in listener.incoming() {
        let mut caller = caller.unwrap();
        let mut word = [0; 4];
        caller.read_exact(&mut word).unwrap();
        if &word == b"stop" {
            return;
        }
        writeln!(caller, "{trial} {value}").unwrap();
    }
}

fn ask(port: u16, trial: &str) {
    let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
    server.write_all(b"tell").unwrap();
    let mut answer = String::new();
    server.read_to_string(&mut answer).unwrap();
    match answer.trim().split_once(' ') {
        Some((of, value)) if of == trial => println!("tps = {value}"),
        _ => exit(9),
    }
}

/// Stops the server in every second trial.
fn down(port: u16, trial: &str) {
    if trial.parse::<u64>().unwrap() % 2 == 0 {
        let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
        server.write_all(b"stop").unwrap();
        server.read_to_end(&mut Vec::new()).unwrap();
    }
}
