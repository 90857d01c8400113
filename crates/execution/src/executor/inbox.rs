//! The queue of messages to a campaign.

use std::sync::mpsc;
use std::time::Duration;

use engine::Interrupt;

use super::Happening;

/// Waits no longer than this at a time, so that an absurd patience is no arithmetic problem.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Messages in order of arrival. The campaign owns it; executors and other threads hold its [bell](Self::bell), the
/// sending side.
#[derive(Debug)]
pub struct Inbox {
    receiver: mpsc::Receiver<Happening>,
    bell: Bell,
}

impl Default for Inbox {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self { receiver, bell: Bell { sender, interrupt: Interrupt::default() } }
    }
}

impl Inbox {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sending side.
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// The next message, waiting for `patience` seconds at most; an hour if that is `None`.
    pub fn next(&self, patience: Option<f64>) -> Happening {
        let wait = patience.map_or(LONGEST_WAIT, |seconds| {
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
        });
        self.receiver.recv_timeout(wait).unwrap_or(Happening::Nothing)
    }

    /// The next message, without waiting.
    pub fn already(&self) -> Option<Happening> {
        self.receiver.try_recv().ok()
    }
}

/// Tells a campaign something from another thread.
#[derive(Clone, Debug)]
pub struct Bell {
    sender: mpsc::Sender<Happening>,
    interrupt: Interrupt,
}

impl Bell {
    /// Makes the campaign's next wait return this. An interruption also breaks off what it is thinking about.
    pub fn ring(&self, happening: Happening) {
        // A campaign that has ended needs no telling.
        let _ = self.ring_while_heard(happening);
    }

    /// The same; false if nobody listens any more.
    pub fn ring_while_heard(&self, happening: Happening) -> bool {
        if matches!(happening, Happening::Interrupted) {
            self.interrupt.raise();
        }
        self.sender.send(happening).is_ok()
    }

    /// Raised by the first interruption.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}
