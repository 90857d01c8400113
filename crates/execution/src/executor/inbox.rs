//! The queue of messages to a campaign.

use std::sync::mpsc;
use std::time::Duration;

use engine::Interrupt;

use super::Happening;

/// Longest single wait. This limit prevents an overflow if the caller asks for an absurdly long wait.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Messages in order of arrival. The campaign owns the inbox. Executors and other threads hold its
/// [bell](Self::bell), which sends messages to it.
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
    /// Creates an empty inbox.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bell that sends messages to this inbox.
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Returns the next message. Waits at most `patience` seconds, or an hour if that is `None`.
    pub fn next(&self, patience: Option<f64>) -> Happening {
        let wait = patience.map_or(LONGEST_WAIT, |seconds| {
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
        });
        self.receiver.recv_timeout(wait).unwrap_or(Happening::Nothing)
    }

    /// Returns the next message without waiting.
    pub fn try_next(&self) -> Option<Happening> {
        self.receiver.try_recv().ok()
    }
}

/// A handle with which other threads send messages to a campaign.
#[derive(Clone, Debug)]
pub struct Bell {
    sender: mpsc::Sender<Happening>,
    interrupt: Interrupt,
}

impl Bell {
    /// Sends a message, which the campaign receives the next time it waits. An interruption also stops the
    /// optimizer's current computation.
    pub fn ring(&self, happening: Happening) {
        // A campaign that has ended needs no more messages.
        let _ = self.try_ring(happening);
    }

    /// Sends a message. Returns false if the campaign has ended.
    pub fn try_ring(&self, happening: Happening) -> bool {
        if matches!(happening, Happening::Interrupted) {
            self.interrupt.raise();
        }
        self.sender.send(happening).is_ok()
    }

    /// Returns the flag that the first interruption raises.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}
