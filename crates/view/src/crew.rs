//! The workers of a fleet.

use serde::Serialize;
use store::StoredWorker;

/// A worker of a fleet, which runs trials on its own machine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CrewMember {
    /// Its name.
    pub name: String,
    /// Host name of its machine.
    pub host: String,
    /// Number of trials that it runs at the same time.
    pub slots: u32,
    /// Speed of its machine: million steps of a fixed computation per second.
    pub speed: f64,
    /// Whether it has left.
    pub left: bool,
    /// Number of trials that it ended, lost ones included.
    pub trials: u64,
    /// Number of its trials that were lost; the search repeats them.
    pub lost: u64,
    /// Share of its slots' time that was spent on trials; `None` if it was not connected for any time.
    pub utilisation: Option<f64>,
}

impl CrewMember {
    /// Describes a stored worker of a campaign that has run for `wall` seconds.
    pub(crate) fn of(stored: StoredWorker, wall: f64) -> Self {
        let StoredWorker { worker, joined, left, before, trials, lost, busy } = stored;
        let connected = before + (left.unwrap_or(wall) - joined).max(0.0);
        let time = connected * f64::from(worker.slots);
        Self {
            name: worker.name,
            host: worker.host,
            slots: worker.slots,
            speed: worker.speed,
            left: left.is_some(),
            trials,
            lost,
            utilisation: (time > 0.0).then(|| (busy / time).min(1.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use execution::executor::RemoteWorker;

    use super::*;

    #[test]
    fn utilisation_counts_the_time_for_which_a_worker_was_connected() {
        let worker = RemoteWorker {
            name: "w".to_owned(),
            host: "h".to_owned(),
            first_slot: 65_536,
            slots: 2,
            speed: 50.0,
        };
        let stored =
            StoredWorker { worker, joined: 10.0, left: None, before: 5.0, trials: 3, lost: 1, busy: 15.0 };
        // Connected for 5 s and, since second 10, for another 5 s, with two slots.
        assert_eq!(CrewMember::of(stored.clone(), 15.0).utilisation, Some(0.75));
        let left = StoredWorker { left: Some(20.0), ..stored };
        assert_eq!(CrewMember::of(left.clone(), 99.0).utilisation, Some(0.5));
        let never = StoredWorker { left: Some(10.0), before: 0.0, ..left };
        assert_eq!(CrewMember::of(never, 99.0).utilisation, None);
    }
}
