//! Reads what a server writes, and wakes the relay of the trial that is answered.
//!
//! A thread reads as long as the server lives, also between trials. So it is known of every line
//! whether a trial was waiting for it, and of a server that has ended whether a trial had reached it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::TrialId;

use super::matching::{Matching, Meaning};

/// Longest line that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// How a line begins by which the shell around the server says that it has ended.
/// Nothing that a server writes about itself begins like that.
const ENDED: &str = "\u{1}ended ";

/// What came back for a trial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// A line that answers it.
    Answer(String),
    /// A line of which nobody can say what it answers, and why not.
    Unclear(&'static str),
    /// The server has ended, with this exit code where that is known.
    Ended(Option<String>),
}

/// Hears one server.
pub(super) struct Listener {
    state: Arc<Mutex<State>>,
    /// Held to see what nobody has read; see [`Listener::is_unread`].
    requests: File,
}

struct State {
    /// Wakes the relay, which waits for a line. Open at both ends here, so that neither of us waits for
    /// the other to open it.
    wake: File,
    waiting: Option<TrialId>,
    matching: Matching,
    /// Lines came that nobody had asked for.
    surplus: bool,
    heard: Option<Heard>,
    ended: Option<Heard>,
}

impl Listener {
    /// Begins to listen in the folder where a server has said that it is ready.
    pub(super) fn start(folder: &Path) -> io::Result<Self> {
        let both = |name: &str| File::options().read(true).write(true).open(folder.join(name));
        // While one end is held, opening the other waits for nobody.
        let held = (both("answers")?, both("requests")?);
        let answers = File::open(folder.join("answers"))?;
        let requests = File::options().write(true).open(folder.join("requests"))?;
        drop(held);
        let state = State {
            wake: both("wake")?,
            waiting: None,
            matching: Matching::default(),
            surplus: false,
            heard: None,
            ended: None,
        };
        let state = Arc::new(Mutex::new(state));
        let hearing = Arc::clone(&state);
        // It ends with the last process that can write, so nobody has to wait for it.
        std::thread::Builder::new().name("server".to_owned()).spawn(move || listen(answers, &hearing))?;
        Ok(Self { state, requests })
    }

    /// Expects the answer to a trial. The relay is woken when it has come, or when none can come.
    pub(super) fn expect(&self, trial: TrialId) {
        let mut state = lock(&self.state);
        (state.waiting, state.heard) = (Some(trial), None);
        state.matching.ask(trial);
        if let Some(ended) = state.ended.clone() {
            state.answer(ended);
        }
    }

    /// What has come for the trial that was expected last.
    pub(super) fn take(&self) -> Option<Heard> {
        let mut state = lock(&self.state);
        state.waiting = None;
        state.heard.take()
    }

    /// Whether lines came since this was asked last that nobody had asked for.
    pub(super) fn take_surplus(&self) -> bool {
        std::mem::take(&mut lock(&self.state).surplus)
    }

    /// The last answer was none that a trial can use: the answer itself may still come.
    pub(super) fn doubt(&self) {
        lock(&self.state).matching.doubt();
    }

    /// Whether a request lies there that nobody has read.
    pub(super) fn is_unread(&self) -> bool {
        rustix::io::ioctl_fionread(&self.requests).is_ok_and(|bytes| bytes > 0)
    }
}

impl State {
    fn answer(&mut self, heard: Heard) {
        self.waiting = None;
        self.heard = Some(heard);
        // One byte for each trial always finds room, and our own end keeps it from failing.
        self.wake.write_all(b"\n").ok();
    }

    fn line(&mut self, line: &str) {
        if let Some(code) = line.strip_prefix(ENDED) {
            self.ended(Some(code.to_owned()));
        } else if line.starts_with('{') {
            match self.matching.meaning(line, self.waiting) {
                Meaning::Answer => self.answer(Heard::Answer(line.to_owned())),
                Meaning::Unclear(why) => self.answer(Heard::Unclear(why)),
                Meaning::Surplus => self.surplus = true,
            }
        }
    }

    fn ended(&mut self, code: Option<String>) {
        let ended = self.ended.get_or_insert(Heard::Ended(code)).clone();
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
        // What came at one time is judged at one time: no other trial may begin to wait in between.
        let mut state = lock(state);
        for part in buffer[..bytes].split_inclusive(|&byte| byte == b'\n') {
            // Of a line that is too long the beginning is kept: it is an answer that cannot be read.
            let room = LONGEST.saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                state.line(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        }
    }
    // The shell around the server was killed, too, or it would have said how the server ended.
    lock(state).ended(None);
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
