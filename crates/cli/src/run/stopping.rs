//! Stops the running campaign on Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use execution::executor::{Bell, Happening};

use crate::message;
use crate::signals::Listening;

/// A handler that passes signals to the running campaign. With folds, several campaigns run one after the
/// other.
#[derive(Clone, Default)]
pub(crate) struct Stopping {
    interrupted: Arc<AtomicBool>,
    bell: Arc<Mutex<Option<Bell>>>,
}

impl Stopping {
    /// Starts to handle signals. The first signal asks the campaign to stop. The second signal ends the
    /// process at once. This is safe: acknowledged trials are on disk, and running trials end with the
    /// process.
    pub(crate) fn on(signals: Listening) -> Self {
        let stopping = Self::default();
        let handled = stopping.clone();
        signals.each(move |count| {
            handled.interrupted.store(true, Ordering::SeqCst);
            handled.ring();
            if count > 1 {
                stop_at_once();
            }
        });
        stopping
    }

    /// Registers the campaign that receives signals from now on. The campaign also receives any signal that
    /// came before.
    pub(crate) fn register(&self, bell: Bell) {
        *self.bell.lock().unwrap_or_else(PoisonError::into_inner) = Some(bell);
        if self.is_interrupted() {
            self.ring();
        }
    }

    /// Returns whether a signal has asked the program to stop.
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
    message::say(
        "stopped at once; every trial that has ended is stored; run the same command again to resume",
    );
    #[expect(clippy::exit, reason = "the second signal")]
    std::process::exit(130);
}
