//! Reads what a server writes, and wakes the relay of the trial that is answered.
//!
//! A thread reads as long as the server lives, also between trials. So it is known of every line
//! whether a trial was waiting for it, and of a server that has ended whether a trial had reached it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::TrialId;

/// Longest line that is looked at, in bytes.
const LONGEST: u64 = 64 << 10;

/// How a line begins by which the shell around the server says that it has ended.
/// Nothing that a server writes about itself begins like that.
const ENDED: &str = "\u{1}ended ";

/// What came back for a trial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// A line that answers it.
    Answer(String),
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
        let state = State { wake: both("wake")?, waiting: None, heard: None, ended: None };
        let state = Arc::new(Mutex::new(state));
        let hearing = Arc::clone(&state);
        // It ends with the last process that can write, so nobody has to wait for it.
        std::thread::Builder::new()
            .name("server".to_owned())
            .spawn(move || listen(BufReader::new(answers), &hearing))?;
        Ok(Self { state, requests })
    }

    /// Expects the answer to a trial. The relay is woken when it has come, or when none can come.
    pub(super) fn expect(&self, trial: TrialId) {
        let mut state = lock(&self.state);
        (state.waiting, state.heard) = (Some(trial), None);
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
        } else if line.starts_with('{') && self.waiting.is_some() {
            self.answer(Heard::Answer(line.to_owned()));
        }
    }

    fn ended(&mut self, code: Option<String>) {
        let ended = self.ended.get_or_insert(Heard::Ended(code)).clone();
        if self.waiting.is_some() {
            self.answer(ended);
        }
    }
}

fn listen(mut answers: BufReader<File>, state: &Mutex<State>) {
    let mut line = Vec::new();
    let mut is_begun = false;
    loop {
        line.clear();
        match (&mut answers).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            // The rest of a line that is too long.
            Ok(_) if is_begun => {}
            Ok(_) => lock(state).line(String::from_utf8_lossy(&line).trim_end()),
        }
        is_begun = !line.ends_with(b"\n");
    }
    // The shell around the server was killed, too, or it would have said how the server ended.
    lock(state).ended(None);
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
