//! The state and the sessions of a campaign.

use std::collections::BTreeSet;

use serde::Serialize;
use store::{self, Holder};

/// The state of a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// The campaign has not started.
    New,
    /// The campaign is running.
    Running {
        /// The process ID, if known.
        pid: Option<u32>,
        /// The machine's host name, if known.
        host: Option<String>,
    },
    /// The campaign has ended.
    Stopped {
        /// The reason why the last session ended.
        reason: String,
    },
    /// The last session ended without storing a reason, so it was probably killed.
    Killed,
}

impl State {
    pub(crate) fn of(holder: Option<Holder>, last: Option<&Session>) -> Self {
        match (holder, last) {
            (Some(Holder { pid, host }), _) => Self::Running { pid, host },
            (None, None) => Self::New,
            (None, Some(session)) => match &session.reason {
                Some(reason) => Self::Stopped { reason: reason.clone() },
                None => Self::Killed,
            },
        }
    }
}

/// One period from starting or resuming the campaign until it stopped.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Session {
    /// Start time in UTC, such as `2026-01-31T12:00:00.000Z`.
    pub began_at: String,
    /// End time in the same format; `None` while it is running, or if it was killed.
    pub ended_at: Option<String>,
    /// The reason why it ended.
    pub reason: Option<String>,
    /// The machine's host name.
    pub host: String,
    /// The process ID.
    pub pid: u32,
    /// The version of captune that ran it.
    pub version: String,
}

impl Session {
    pub(crate) fn of(session: &store::Session) -> Self {
        let store::Session { began_at, ended_at, reason, host, pid, version, .. } = session.clone();
        Self { began_at, ended_at, reason, host, pid, version }
    }
}

/// Returns host names without duplicates, in order of first appearance.
pub(crate) fn hosts<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    names.filter(|host| known.insert(*host)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(reason: Option<&str>, host: &str) -> Session {
        Session {
            began_at: String::new(),
            ended_at: None,
            reason: reason.map(str::to_owned),
            host: host.to_owned(),
            pid: 1,
            version: String::new(),
        }
    }

    #[test]
    fn a_held_store_means_running_and_otherwise_the_last_session_decides() {
        let (ended, killed) = (session(Some("interrupted"), "a"), session(None, "a"));
        let holder = Holder { pid: Some(7), host: None };
        assert_eq!(State::of(None, None), State::New);
        assert_eq!(State::of(None, Some(&killed)), State::Killed);
        assert_eq!(State::of(None, Some(&ended)), State::Stopped { reason: "interrupted".to_owned() });
        let running = State::of(Some(holder), Some(&ended));
        let shown = serde_json::to_string(&running).unwrap();
        assert_eq!(shown, r#"{"state":"running","pid":7,"host":null}"#);
    }

    #[test]
    fn a_machine_of_several_sessions_is_listed_once() {
        let names = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(hosts(names.iter()), ["b", "a"]);
    }
}
