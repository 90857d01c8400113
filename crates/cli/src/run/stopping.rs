//! Ctrl-C for whichever campaign runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use execution::executor::{Bell, Happening};

use crate::message;
use crate::signals::Listening;

/// Hands signals on to the campaign that runs, of several one after the other.
#[derive(Clone, Default)]
pub(crate) struct Stopping {
    interrupted: Arc<AtomicBool>,
    bell: Arc<Mutex<Option<Bell>>>,
}

impl Stopping {
    /// The first signal asks the campaign to stop. The second does not wait for that: what has been
    /// acknowledged is on disk, and what still runs ends with us.
    pub(crate) fn on(signals: Listening) -> Self {
        let stopping = Self::default();
        let heard = stopping.clone();
        signals.each(move |count| {
            heard.interrupted.store(true, Ordering::SeqCst);
            heard.ring();
            if count > 1 {
                stop_at_once();
            }
        });
        stopping
    }

    /// The campaign that is to hear of signals from now on, and of one that came before.
    pub(crate) fn tell(&self, bell: Bell) {
        *self.bell.lock().unwrap_or_else(PoisonError::into_inner) = Some(bell);
        if self.is_interrupted() {
            self.ring();
        }
    }

    /// Whether someone wants us to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    fn ring(&self) {
        if let Some(bell) = &*self.bell.lock().unwrap_or_else(PoisonError::into_inner) {
            bell.ring(Happening::Interrupted);
        }
    }
}

fn stop_at_once() {
    message::say("stopped at once; every trial that had ended is kept, and the same command resumes");
    #[expect(clippy::exit, reason = "asked to stop twice")]
    std::process::exit(130);
}
