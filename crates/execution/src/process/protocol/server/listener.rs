//! Reads the lines that a server writes, and wakes the relay of the trial that was answered.
//!
//! A thread reads as long as the server runs, even between trials. So captune knows whether a trial was
//! waiting when a line arrived, and whether the server had received a request before it ended.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::TrialId;

use super::matching::{Matching, Meaning};

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Start of the line with which the shell around the server reports that the server has ended. The control
/// character distinguishes this line from the server's own lines.
const ENDED: &str = "\u{1}ended ";

/// A message that a trial receives from its server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// A line that answers the trial.
    Answer(String),
    /// A line that cannot be assigned to a trial, with the reason.
    Unclear(&'static str),
    /// The server has ended. Contains its exit code, if known.
    Ended(Option<String>),
}

/// A listener that reads the lines of one server.
pub(super) struct Listener {
    state: Arc<Mutex<State>>,
    /// Pipe for requests, kept open to detect a request that the server has not read; see
    /// [`Listener::is_unread`].
    requests: File,
}

struct State {
    /// Pipe that wakes the relay, which waits for a line. The pipe is open for reading and writing, so that
    /// neither side has to wait for the other to open it.
    wake: File,
    waiting: Option<TrialId>,
    matching: Matching,
    /// Whether lines arrived that no request asked for.
    surplus: bool,
    reply: Option<Reply>,
    ended: Option<Reply>,
}

impl Listener {
    /// Starts listening in the folder of a server that is ready.
    pub(super) fn start(folder: &Path) -> io::Result<Self> {
        let both = |name: &str| File::options().read(true).write(true).open(folder.join(name));
        // While one end of a pipe is open, opening the other does not block.
        let held = (both("answers")?, both("requests")?);
        let answers = File::open(folder.join("answers"))?;
        let requests = File::options().write(true).open(folder.join("requests"))?;
        drop(held);
        let state = State {
            wake: both("wake")?,
            waiting: None,
            matching: Matching::default(),
            surplus: false,
            reply: None,
            ended: None,
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        // The thread ends with the last process that can write to the pipe, so it need not be joined.
        std::thread::Builder::new().name("server".to_owned()).spawn(move || listen(answers, &shared))?;
        Ok(Self { state, requests })
    }

    /// Expects the answer to a trial. The relay is woken when the answer arrives or can no longer arrive.
    pub(super) fn expect(&self, trial: TrialId) {
        let mut state = lock(&self.state);
        (state.waiting, state.reply) = (Some(trial), None);
        state.matching.ask(trial);
        if let Some(ended) = state.ended.clone() {
            state.answer(ended);
        }
    }

    /// Takes the reply to the trial that was expected last.
    pub(super) fn take(&self) -> Option<Reply> {
        let mut state = lock(&self.state);
        state.waiting = None;
        state.reply.take()
    }

    /// Returns whether surplus lines have arrived since the last call.
    pub(super) fn take_surplus(&self) -> bool {
        std::mem::take(&mut lock(&self.state).surplus)
    }

    /// Marks the last answer as doubtful because it is not usable. The real answer may still arrive.
    pub(super) fn doubt(&self) {
        lock(&self.state).matching.doubt();
    }

    /// Returns whether the server has not read the last request.
    pub(super) fn is_unread(&self) -> bool {
        rustix::io::ioctl_fionread(&self.requests).is_ok_and(|bytes| bytes > 0)
    }
}

impl State {
    fn answer(&mut self, reply: Reply) {
        self.waiting = None;
        self.reply = Some(reply);
        // One byte per trial always fits into the pipe. The write cannot fail, because this process holds the
        // other end open.
        self.wake.write_all(b"\n").ok();
    }

    fn line(&mut self, line: &str) {
        if let Some(code) = line.strip_prefix(ENDED) {
            self.ended(Some(code.to_owned()));
        } else if line.starts_with('{') {
            match self.matching.meaning(line, self.waiting) {
                Meaning::Answer => self.answer(Reply::Answer(line.to_owned())),
                Meaning::Unclear(why) => self.answer(Reply::Unclear(why)),
                Meaning::Surplus => self.surplus = true,
            }
        }
    }

    fn ended(&mut self, code: Option<String>) {
        let ended = self.ended.get_or_insert(Reply::Ended(code)).clone();
        if self.waiting.is_some() {
            self.answer(ended);
        }
    }
}

fn listen(mut answers: File, state: &Mutex<State>) {
    let mut buffer = vec![0; 64 << 10];
    let mut line = Vec::new();
    loop {
        let bytes = match answers.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // Lines that arrived together are judged together, so that no other trial can start to wait in
        // between.
        let mut state = lock(state);
        for part in buffer[..bytes].split_inclusive(|&byte| byte == b'\n') {
            // If a line is too long, only its start is kept, which counts as an unreadable answer.
            let room = MAX_LINE.saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                state.line(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        }
    }
    // The shell around the server was killed, too. Otherwise it would have reported how the server ended.
    lock(state).ended(None);
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
