//! The worker of one host: one ssh after the other.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{Fate, Halting, Host, Launch, Notice, Urgency};
use crate::lifeline::{ALIVE, BEAT, DRAIN};

/// Shortest and longest pause between two attempts.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Time between two looks for a request to stop.
const LOOK: Duration = Duration::from_millis(50);
/// Longest wait for the last lines of an ssh that has ended.
const LAST_LINES: Duration = Duration::from_millis(500);
/// Time for which the last line is kept.
const KEEP: Duration = Duration::from_millis(300);
/// Longest line of a worker that is passed on.
const LONGEST_LINE: u64 = 4096;

/// What to do after an ssh has ended.
#[derive(PartialEq, Eq, Debug)]
enum Next {
    End(Fate),
    Again(String),
}

/// Keeps the worker of one host running.
pub(super) fn keep_one(launch: &Launch, host: &Host, halting: &Halting, notice: &dyn Fn(Notice)) -> Fate {
    let (mut pause, mut told) = (SHORTEST_PAUSE, None);
    loop {
        let (began, mut voice) = (Instant::now(), Voice { notice, kept: None, has_spoken: false });
        let next = match run(launch, host, halting, &mut voice) {
            Ok(status) => next(status.code(), voice.kept.take(), &launch.worker[0]),
            Err(error) => Next::End(Fate::Unusable(format!("cannot run {}: {error}", launch.ssh.display()))),
        };
        let next = if halting.urgency() > Urgency::No { Next::End(Fate::Stopped) } else { next };
        // A worker that has run for a while was not hindered by what hindered earlier attempts.
        if began.elapsed() > LONGEST_PAUSE {
            pause = SHORTEST_PAUSE;
        }
        let fate = match next {
            Next::End(fate) => Some(fate),
            Next::Again(why) => {
                // One message is enough for a host that is away for hours.
                if voice.has_spoken || told.as_ref() != Some(&why) {
                    notice(Notice::Again(why.clone()));
                }
                told = Some(why);
                rest(pause, halting)
            }
        };
        if let Some(fate) = fate {
            if fate == Fate::Over {
                halting.is_over.store(true, Ordering::SeqCst);
            }
            notice(Notice::Ended(fate.clone()));
            return fate;
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Passes on the lines of a worker. The last one is kept for a moment, since it may be the reason why ssh ends.
struct Voice<'a> {
    notice: &'a dyn Fn(Notice),
    kept: Option<(String, Instant)>,
    has_spoken: bool,
}

impl Voice<'_> {
    fn hear(&mut self, line: String) {
        self.speak();
        self.kept = Some((line, Instant::now()));
    }

    /// Passes the last line on if it is not new.
    fn settle(&mut self) {
        if self.kept.as_ref().is_some_and(|(_, since)| since.elapsed() > KEEP) {
            self.speak();
        }
    }

    fn speak(&mut self) {
        if let Some((line, _)) = self.kept.take() {
            (self.notice)(Notice::Said(line));
            self.has_spoken = true;
        }
    }
}

/// Decides what the end of an ssh means. `last` is what it or the worker printed at its end.
fn next(code: Option<i32>, last: Option<(String, Instant)>, program: &str) -> Next {
    let said = |otherwise: &str| last.as_ref().map_or(otherwise, |(line, _)| line).to_owned();
    match code {
        Some(0) => Next::End(Fate::Over),
        // ssh itself failed, or the worker was killed there.
        Some(255) | None => Next::Again(said("the connection ended")),
        // The worker got a signal on its host.
        Some(129..) => Next::Again("the worker was stopped".to_owned()),
        Some(126 | 127) => {
            let why = said("the program is missing");
            Next::End(Fate::Unusable(format!("{program} cannot be run there: {why}")))
        }
        Some(code) => Next::End(Fate::Unusable(said(&format!("the worker ended with exit code {code}")))),
    }
}

/// Waits before the next attempt. Returns why there should be none.
fn rest(pause: Duration, halting: &Halting) -> Option<Fate> {
    let began = Instant::now();
    while began.elapsed() < pause {
        if halting.urgency() > Urgency::No {
            return Some(Fate::Stopped);
        }
        if halting.is_over.load(Ordering::SeqCst) {
            return Some(Fate::Over);
        }
        std::thread::sleep(LOOK);
    }
    None
}

/// Runs ssh once.
fn run(launch: &Launch, host: &Host, halting: &Halting, voice: &mut Voice<'_>) -> io::Result<ExitStatus> {
    // Ctrl-C reaches all processes of the terminal's group. It must not end the connections, since workers would
    // not have the time to end their trials.
    let mut child = launch.command(host).process_group(0).spawn()?;
    let mut line = child.stdin.take().map(Line::of).transpose()?;
    let lines = lines(child.stderr.take());
    let status = loop {
        match lines.recv_timeout(LOOK) {
            Ok(said) => voice.hear(said),
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        voice.settle();
        halt(&mut child, &mut line, halting.urgency());
        if let Some(line) = &mut line {
            line.keep_alive();
        }
    };
    let end = Instant::now() + LAST_LINES;
    while let Ok(said) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        voice.hear(said);
    }
    Ok(status)
}

fn halt(child: &mut Child, line: &mut Option<Line>, urgency: Urgency) {
    match urgency {
        Urgency::No => {}
        Urgency::Drain => {
            if let Some(line) = line {
                line.drain();
            }
        }
        Urgency::Now => drop(line.take()),
        Urgency::Kill => {
            // It may have ended meanwhile.
            let _ = child.kill();
        }
    }
}

/// The line to a worker.
struct Line {
    input: ChildStdin,
    sent: Instant,
    is_draining: bool,
}

impl Line {
    fn of(input: ChildStdin) -> io::Result<Self> {
        // An ssh that cannot send takes no more bytes at some point; this thread must not wait for it.
        fcntl_setfl(&input, fcntl_getfl(&input)? | OFlags::NONBLOCK)?;
        Ok(Self { input, sent: Instant::now(), is_draining: false })
    }

    fn keep_alive(&mut self) {
        if self.sent.elapsed() >= BEAT {
            self.send(ALIVE);
        }
    }

    fn drain(&mut self) {
        if !std::mem::replace(&mut self.is_draining, true) {
            self.send(DRAIN);
        }
    }

    fn send(&mut self, text: &str) {
        self.sent = Instant::now();
        // If ssh has ended, its exit code is seen next.
        let _ = self.input.write_all(text.as_bytes());
    }
}

/// Reads lines in a thread of its own, which ends with the input.
fn lines(input: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, lines) = channel();
    if let Some(input) = input {
        std::thread::spawn(move || {
            let mut input = BufReader::new(input);
            let mut line = Vec::new();
            while let Ok(1..) = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if !text.is_empty() && send.send(text).is_err() {
                    return;
                }
            }
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_broken_connection_is_made_again() {
        let next = |code| next(code, Some(("last words".to_owned(), Instant::now())), "/bin/captune");
        assert_eq!(next(Some(0)), Next::End(Fate::Over));
        for code in [Some(255), None] {
            assert_eq!(next(code), Next::Again("last words".to_owned()));
        }
        for code in [130, 137, 143] {
            assert_eq!(next(Some(code)), Next::Again("the worker was stopped".to_owned()));
        }
        for code in [1, 2, 4] {
            assert_eq!(next(Some(code)), Next::End(Fate::Unusable("last words".to_owned())));
        }
        let missing = "/bin/captune cannot be run there: last words";
        assert_eq!(next(Some(127)), Next::End(Fate::Unusable(missing.to_owned())));
    }
}
